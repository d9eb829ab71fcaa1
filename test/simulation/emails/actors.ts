/** What the simulated processes do with their emails; they learn nothing but what calls answer. */

import { sha256Hex } from "../../../src/core/hash.ts";
import type { Emails, Job } from "../../../src/services/emails.ts";
import { attempt, type Verdict } from "../machine.ts";
import type { Process, World } from "../world.ts";
import type { History } from "./history.ts";

export interface EmailStage {
  readonly world: World;
  readonly history: History;
  readonly process: Process;
  readonly emails: Emails;
  /** Where this tenant's keys begin in the storage. */
  readonly prefix: string;
  readonly tag: string;
  readonly isHealing: () => boolean;
}

export const LOGICAL_KEYS = 24;

export const storedKey = (prefix: string, logicalKey: string): string =>
  `${prefix}emails/jobs/${sha256Hex(logicalKey)}`;

export function logicalKeyOf(n: number): string {
  return n % 5 === 0 ? `two-clips:person-${n}@example.com` : `first-view:recording-${n}`;
}

export function payloadOf(tag: string, n: number): Record<string, unknown> {
  const recipient = `person-${n}@example.com`;
  return n % 5 === 0
    ? { type: "two-clips", recipient, recordingIds: ["one", "two"], shareId: tag }
    : { type: "first-view", recipient, recordingIds: [`recording-${n}`], shareId: tag };
}

/** A job that is answered must be one that was stored, in this tenant. */
function checkAnswer({ history, prefix, tag }: EmailStage, job: Job | null): void {
  if (job === null) return;
  if (job.shareId !== undefined && job.shareId !== tag) history.blame("saw another tenant's job");
  const { claimToken: _claim, ...fields } = job;
  const known = history.of(storedKey(prefix, job.logicalKey));
  const isStored = known.some((revision) =>
    Object.entries(fields).every(
      ([name, value]) =>
        name === "leaseToken" || JSON.stringify(revision.fields[name]) === JSON.stringify(value),
    ),
  );
  if (!isStored) history.blame(`answered a job that was never stored: ${job.logicalKey}`);
}

/** Enqueues keys again and again, and promotes what it made. */
export async function produce(stage: EmailStage, creations: Map<string, number>): Promise<void> {
  const { world, process, emails, history, prefix } = stage;
  while (!stage.isHealing()) {
    await process.pause(world.chance.between(500, 8_000));
    const n = world.chance.between(0, LOGICAL_KEYS - 1);
    const key = logicalKeyOf(n);
    const initial = n % 5 === 0 ? "awaiting_ai" : "pending";
    const enqueued = await attempt(() => emails.enqueue(key, payloadOf(stage.tag, n), initial));
    if (enqueued.kind !== "answer") continue;
    checkAnswer(stage, enqueued.value.job);
    if (!enqueued.value.created) continue;
    creations.set(prefix + key, (creations.get(prefix + key) ?? 0) + 1);
    world.note(`${process.name} created ${key}`);
    if (history.of(storedKey(prefix, key)).length === 0) history.blame(`lost creation of ${key}`);
    if (n % 5 !== 0)
      await attempt(() => emails.transition(enqueued.value.job, ["pending"], "ready"));
  }
}

/** Leases what is due, takes its time, sometimes too much of it, and settles. */
export async function work(stage: EmailStage): Promise<void> {
  const { world, process, emails } = stage;
  const { chance } = world;
  for (;;) {
    await process.pause(chance.between(200, 5_000));
    const durationMs = chance.pick([5_000, 20_000, 60_000]);
    const leased = chance.happens(0.7)
      ? await attempt(() => emails.acquireDueLeases({ durationMs, limit: chance.between(1, 4) }))
      : await leaseOne(stage, durationMs);
    if (leased.kind !== "answer") continue;
    for (const job of leased.value) await deliver(stage, job, durationMs);
  }
}

async function leaseOne(
  { world, process, emails }: EmailStage,
  durationMs: number,
): Promise<Verdict<readonly Job[]>> {
  const key = logicalKeyOf(world.chance.between(0, LOGICAL_KEYS - 1));
  const requestId = `${process.name}-${world.now()}`;
  const acquire = () => attempt(() => emails.acquireSendingLease(key, durationMs, { requestId }));
  let acquired = await acquire();
  if (acquired.kind === "unknown") acquired = await acquire();
  if (acquired.kind !== "answer" || acquired.value === null) return { kind: "not_applied" };
  return { kind: "answer", value: [acquired.value] };
}

async function deliver(stage: EmailStage, job: Job, durationMs: number): Promise<void> {
  const { world, process, emails, history, prefix } = stage;
  const key = storedKey(prefix, job.logicalKey);
  const token = job.leaseToken ?? "";
  checkAnswer(stage, job);
  if (history.acquisitionsOf(key, token) !== 1)
    history.blame(`lease of ${key} was not stored once`);
  world.note(`${process.name} leased ${job.logicalKey} attempt ${job.attempts}`);
  await process.pause(world.chance.between(100, Math.round(durationMs * 1.5)));
  if (world.chance.happens(0.3)) {
    await attempt(() => emails.extendSendingLease(job, token, durationMs));
    await process.pause(world.chance.between(100, durationMs));
  }
  const others = ["ready", "failed", "cancelled"] as const;
  const to = stage.isHealing() || world.chance.happens(0.6) ? "sent" : world.chance.pick(others);
  await settle(stage, job, token, to);
}

async function settle(
  { world, process, emails, history, prefix }: EmailStage,
  job: Job,
  token: string,
  to: "sent" | "ready" | "failed" | "cancelled",
): Promise<void> {
  const key = storedKey(prefix, job.logicalKey);
  let wasUnknown = false;
  for (let tries = 0; tries < 6; tries += 1) {
    const settled = await attempt(() => emails.transitionSending(job, token, to));
    const truth = history.settlementOf(key, token);
    if (settled.kind === "answer") {
      world.note(`${process.name} settled ${job.logicalKey} ${to} ${settled.value !== null}`);
      if (settled.value !== null && truth?.to !== to) history.blame(`false success on ${key}`);
      if (settled.value === null && truth?.to === to && truth.isLatest) {
        history.blame(`a false "lease lost" on ${key}`);
      }
      return;
    }
    if (settled.kind === "not_applied" && !wasUnknown && truth !== null) {
      history.blame(`told "not applied", but it was, on ${key}`);
    }
    if (settled.kind === "unknown") wasUnknown = true;
    await process.pause(world.chance.between(100, 3_000));
  }
}

/** Writes the texts that some jobs wait for; forgets some of them, and takes over stale claims. */
export async function writeTexts(stage: EmailStage): Promise<void> {
  const { world, process, emails } = stage;
  const { chance } = world;
  for (;;) {
    await process.pause(chance.between(1_000, 10_000));
    const claimant = `${chance.pick(["ann", "bob"])}@example.com`;
    const staleBefore = new Date(process.clock.now() - 20_000).toISOString();
    const key = logicalKeyOf(5 * chance.between(0, 4));
    const claim = chance.happens(0.5)
      ? await attempt(() => emails.claimNextAwaitingAi(claimant))
      : await attempt(() => emails.reclaimStaleAiDispatch(key, claimant, staleBefore));
    if (claim.kind !== "answer" || claim.value === null) continue;
    const job = claim.value;
    checkAnswer(stage, job);
    await process.pause(chance.between(100, 30_000));
    if (chance.happens(0.2) && !stage.isHealing()) continue;
    const done = chance.happens(0.8)
      ? await attempt(() => emails.completeClaimedAi(job, claimant, "A text.", job.claimToken))
      : await attempt(() => emails.releaseClaimedAi(job, claimant, job.claimToken));
    if (done.kind === "answer") checkAnswer(stage, done.value);
  }
}

/** Does by hand what nobody else does: promotes, requeues what failed. */
export async function operate(stage: EmailStage): Promise<void> {
  const { world, process, emails } = stage;
  for (;;) {
    await process.pause(world.chance.between(2_000, 20_000));
    const key = logicalKeyOf(world.chance.between(0, LOGICAL_KEYS - 1));
    const seen = await attempt(() => emails.readJob(key));
    if (seen.kind !== "answer" || seen.value === null) continue;
    checkAnswer(stage, seen.value);
    if (seen.value.state === "failed") await attempt(() => emails.requeue(key));
    if (seen.value.state === "pending") {
      const ready = await attempt(() => emails.transition(key, ["pending"], "ready"));
      if (ready.kind === "answer") checkAnswer(stage, ready.value);
    }
  }
}
