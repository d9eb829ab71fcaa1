/** The receipt suite on folders, shared in both ways. */
import { folderFixture } from "./emails/folder-fixture.ts";
import { describeReceipts } from "./receipts-suite.ts";

for (const sharing of ["processes", "exclusive"] as const) {
  describeReceipts(`a folder (${sharing})`, async () => folderFixture(sharing));
}
