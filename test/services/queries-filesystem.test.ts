/** The query suite on folders, shared in both ways. */
import { folderFixture } from "./emails/folder-fixture.ts";
import { describeQueries } from "./queries-suite.ts";

for (const sharing of ["processes", "exclusive"] as const) {
  describeQueries(`a folder (${sharing})`, async () => folderFixture(sharing));
}
