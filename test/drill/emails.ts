/** Emails of the drill: what a worker does with them, and what has to be true of them. */
import { ContendedError } from "../../src/ports/faults.ts";
import type { Emails, LeasedJob } from "../../src/services/emails.ts";
import { type MachineDrill, madeTwice, of, pick, type Tell } from "./told.ts";

/** Few keys for races, and some of its own for growth. */
const SHARED_KEYS = 40;

/** A key must be usable again this long after its holder died (a lock is stale after 30 s). */
const STUCK_MS = 35_000;

export async function workOnEmails(
  emails: Emails,
  by: { readonly name: string; readonly round: number },
  tell: Tell,
): Promise<void> {
  const key = by.round % 2 === 0 ? `shared-${pick(SHARED_KEYS)}` : `${by.name}-${by.round}`;
  const payload = { type: "first-view", recipient: "a@example.com", recordingIds: [key] };
  const { created, job } = await emails.enqueue(key, payload);
  tell({ told: "enqueued", key, created });
  if (job.state === "pending") {
    const ready = await emails.transition(job, ["pending"], "ready");
    if (ready !== null) tell({ told: "ready", key });
  }
  const due = await emails.acquireDueLeases({ durationMs: 400, limit: 2 });
  for (const leased of due) await deliver(emails, leased, tell);
}

async function deliver(emails: Emails, job: LeasedJob, tell: Tell): Promise<void> {
  const { logicalKey: key, leaseToken: token } = job;
  tell({ told: "leased", key, token });
  const to = pick(4) === 0 ? "ready" : "sent";
  const settled = await emails.transitionSending(job, token, to);
  if (settled !== null) tell({ told: "settled", key, token, to });
}

export const emailDrill: MachineDrill = {
  async broken({ emails }, told) {
    const own = of(told, "emails");
    const jobs = await emails.listJobs();
    const states = new Map(jobs.map(({ logicalKey, state }) => [logicalKey, state]));
    const broken = jobs.corrupt.map(({ id, reason }) => `${id}: ${reason}`);
    for (const { told: what, key, to } of own) {
      const state = states.get(key);
      if (state === undefined)
        broken.push(`${key}: ${what} was promised, but there is no such job`);
      else if (to === "sent" && state !== "sent") broken.push(`${key}: was promised as sent`);
    }
    return [...broken, ...madeTwice(own)];
  },

  async finish({ emails }) {
    const broken: string[] = [];
    for (const { logicalKey } of await emails.listJobs()) {
      const state = await finishOne(emails, logicalKey);
      if (state !== "sent") broken.push(`${logicalKey}: stuck as ${state}`);
    }
    const due = await emails.acquireDueLeases({ durationMs: 1_000, limit: 100 });
    if (due.length > 0) broken.push(`${due.length} jobs were due although all were sent`);
    return broken;
  },
};

async function finishOne(emails: Emails, key: string): Promise<string> {
  const begun = Date.now();
  for (;;) {
    const state = (await emails.readJob(key))?.state ?? "gone";
    if (state === "sent" || state === "gone" || Date.now() - begun > STUCK_MS) return state;
    try {
      await advance(emails, key, state);
    } catch (error) {
      // A process killed between making a lock and writing its name into it leaves one that is taken
      // over by its age.
      if (!(error instanceof ContendedError)) throw error;
    }
  }
}

async function advance(emails: Emails, key: string, state: string): Promise<void> {
  if (state === "pending") await emails.transition(key, ["pending"], "ready");
  if (state === "failed") await emails.requeue(key);
  const lease = await emails.acquireSendingLease(key, 5_000);
  if (lease !== null) await emails.transitionSending(lease, lease.leaseToken, "sent");
}
