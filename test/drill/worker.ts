/**
 * A process that works with all three machines on a folder until it is killed. Every acknowledged call is
 * told on standard output before the next one of the same flow begins. Arguments: folder, sharing, name.
 */
import { writeSync } from "node:fs";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { ContendedError } from "../../src/ports/faults.ts";
import { workOnEmails } from "./emails.ts";
import { workOnQueries } from "./queries.ts";
import { workOnReceipts } from "./receipts.ts";
import type { Machine, Tell } from "./told.ts";

const [directory = "", sharing = "processes", name = "worker"] = process.argv.slice(2);

/** A pipe takes lines this short whole, so a kill never leaves half of one. */
function telling(machine: Machine): Tell {
  return (told) => void writeSync(1, `${JSON.stringify({ machine, ...told })}\n`);
}

const { emails, receipts, queries } = await createHoldfast({
  storage: filesystemStorage({
    directory,
    sharing: sharing === "exclusive" ? "exclusive" : "processes",
  }),
  limits: { receiptCapacity: 65_536 },
});
writeSync(1, "started\n");

async function repeat(work: (round: number) => Promise<void>): Promise<never> {
  for (let round = 0; ; round += 1) {
    try {
      await work(round);
    } catch (error) {
      if (!(error instanceof ContendedError)) throw error;
    }
  }
}

await Promise.all([
  repeat((round) => workOnEmails(emails, { name, round: 2 * round }, telling("emails"))),
  repeat((round) => workOnEmails(emails, { name, round: 2 * round + 1 }, telling("emails"))),
  repeat((round) => workOnReceipts(receipts, { name, round }, telling("receipts"))),
  repeat(() => workOnQueries(queries, telling("queries"))),
]);
