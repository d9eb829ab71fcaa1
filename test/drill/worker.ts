/**
 * A process that does email work on a folder until it is killed. Every acknowledged call is told on
 * standard output before the next one begins, so whoever reads it knows what must never be lost.
 * Arguments: folder, sharing, name, number of keys.
 */
import { writeSync } from "node:fs";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { ContendedError } from "../../src/ports/faults.ts";
import type { Emails, Job } from "../../src/services/emails.ts";

const [directory = "", sharing = "processes", name = "worker", keys = "40"] = process.argv.slice(2);

/** A pipe takes lines this short whole, so a kill never leaves half of one. */
function tell(what: Record<string, unknown>): void {
  writeSync(1, `${JSON.stringify({ by: name, ...what })}\n`);
}

const pick = (count: number): number => Math.floor(Math.random() * count);

async function enqueue(emails: Emails, round: number): Promise<void> {
  // Few keys for races, and some of its own for growth.
  const key = round % 2 === 0 ? `shared-${pick(Number(keys))}` : `${name}-${round}`;
  const payload = { type: "first-view", recipient: "a@example.com", recordingIds: [key] };
  const { created, job } = await emails.enqueue(key, payload);
  tell({ told: "enqueued", key, created });
  if (job.state !== "pending") return;
  const ready = await emails.transition(job, ["pending"], "ready");
  if (ready !== null) tell({ told: "ready", key });
}

async function deliver(emails: Emails, job: Job): Promise<void> {
  const token = job.leaseToken ?? "";
  tell({ told: "leased", key: job.logicalKey, token });
  const to = pick(4) === 0 ? "ready" : "sent";
  const settled = await emails.transitionSending(job, token, to);
  if (settled !== null) tell({ told: "settled", key: job.logicalKey, token, to });
}

const holdfast = await createHoldfast({
  storage: filesystemStorage({
    directory,
    sharing: sharing === "exclusive" ? "exclusive" : "processes",
  }),
});
tell({ told: "started" });
const { emails } = holdfast;

async function workOn(first: number): Promise<never> {
  for (let round = first; ; round += 2) {
    try {
      await enqueue(emails, round);
      const due = await emails.acquireDueLeases({ durationMs: 400, limit: 2 });
      for (const job of due) await deliver(emails, job);
    } catch (error) {
      if (!(error instanceof ContendedError)) throw error;
    }
  }
}

await Promise.all([workOn(0), workOn(1)]);
