/** The suite of the pass on folders, shared in both ways. */
import { folderFixture } from "./emails/folder-fixture.ts";
import { describePass } from "./reconcile-suite.ts";

for (const sharing of ["processes", "exclusive"] as const) {
  describePass(`a folder (${sharing})`, async () => folderFixture(sharing));
}
