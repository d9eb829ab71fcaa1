/** The email suite on folders, shared in both ways. */
import { folderFixture } from "./emails/folder-fixture.ts";
import { describeEmails } from "./emails-suite.ts";

for (const sharing of ["processes", "exclusive"] as const) {
  describeEmails(`a folder (${sharing})`, async () => folderFixture(sharing));
}
