/**
 * One worker process: leases due emails from a folder, "sends" them (it only waits) and settles them.
 * Tells its parent what it does, one JSON line each. Arguments: folder, seconds that a send takes.
 */
import { writeSync } from "node:fs";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";

const [directory = "", sendSeconds = "1"] = process.argv.slice(2);
const LEASE_MS = 3_000;
const POLL_MS = 250;

const tell = (what: Record<string, unknown>): void => {
  writeSync(1, `${JSON.stringify(what)}\n`);
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const holdfast = await createHoldfast({
  storage: filesystemStorage({ directory, sharing: "processes" }),
});
const { emails } = holdfast;

let sent = 0;
for (let polls = 0; sent < 1 && polls < 60; polls += 1) {
  const [job] = await emails.acquireDueLeases({ durationMs: LEASE_MS, limit: 1 });
  if (job === undefined) {
    if (polls === 0) tell({ did: "found nothing due" });
    await sleep(POLL_MS);
    continue;
  }
  const { logicalKey, attempts, leaseToken, leaseUntil } = job;
  tell({ did: "leased", logicalKey, attempts, leaseToken, leaseUntil });
  await sleep(Number(sendSeconds) * 1_000);
  const settled = await emails.transitionSending(job, leaseToken ?? "", "sent");
  tell({ did: settled === null ? "lost its lease" : "settled as sent", logicalKey, attempts });
  sent += 1;
}
await holdfast.close();
