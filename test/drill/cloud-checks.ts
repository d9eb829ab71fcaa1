/** What must hold at the end of a cloud drill, by what was sent, what is stored and what was promised. */
import type { Life } from "./cloud-lives.ts";
import type { Enqueued, HeldLease } from "./cloud-workers.ts";
import type { Sent } from "./letters.ts";

export interface Evidence {
  readonly sends: readonly Sent[];
  /** Bodies of all records. */
  readonly records: readonly string[];
  /** What is due although nothing waits. */
  readonly due: readonly string[];
  readonly enqueued: Enqueued;
  readonly held: readonly HeldLease[];
  readonly lives: readonly Life[];
}

/** Why mails went out more than once. */
export interface Repeats {
  /** Its sender was killed before it could settle. */
  readonly killed: number;
  /** A worker's lease was over, since no service took the settlement in time. */
  readonly leaseLost: number;
  /** A pass that went on could not settle, and said so. */
  readonly reported: number;
}

export interface Verdict {
  readonly repeats: Repeats;
  /** What is not as it was promised, in words. */
  readonly broken: readonly string[];
}

interface StoredJob {
  readonly logicalKey: string;
  readonly state: string;
  readonly attempts: number;
  readonly holdfast: { readonly epoch: number };
}

/** Mails that one pass has in its hands at once. */
const IN_HAND = 8;

export function judged(evidence: Evidence): Verdict {
  const jobs = new Map<string, StoredJob>();
  for (const body of evidence.records) {
    const job: StoredJob = JSON.parse(body);
    jobs.set(job.logicalKey, job);
  }
  const repeats = explained(evidence, jobs);
  return {
    repeats: repeats.repeats,
    broken: [
      ...promises(evidence, jobs),
      ...sendsOfJobs(evidence, jobs),
      ...repeats.broken,
      ...evidence.due.map((name) => `still in the due index: ${name}`),
      ...evidence.lives
        .filter(({ end }) => end === "broke down")
        .map(({ name, words }) => `${name} broke down: ${words}`),
    ],
  };
}

/** Whatever was acknowledged is there, created once, and sent. */
function promises({ enqueued }: Evidence, jobs: ReadonlyMap<string, StoredJob>): string[] {
  const broken = enqueued.createdTwice.map((key) => `${key}: two calls were told they created it`);
  for (const key of enqueued.acknowledged) {
    const state = jobs.get(key)?.state ?? "lost";
    if (state !== "sent") broken.push(`${key}: was acknowledged, and is ${state}`);
  }
  if (jobs.size !== enqueued.acknowledged.size) broken.push(`${jobs.size} jobs are stored`);
  return broken;
}

/** One send for each lease at most, the last one by whoever settled; one Message-ID for each job. */
function sendsOfJobs({ sends, held }: Evidence, jobs: ReadonlyMap<string, StoredJob>): string[] {
  const broken: string[] = [];
  const ids = new Set<string>();
  for (const [key, { attempts, holdfast }] of jobs) {
    const some = sends.filter((sent) => sent.key === key);
    const tries = some.map(({ attempt }) => attempt);
    const own = new Set(some.map(({ messageId }) => messageId));
    const told = `${key}: sent in attempts ${tries.join(", ")}, stored ${attempts}`;
    // A lease that is given back, since nothing was tried in it, is no attempt.
    if (holdfast.epoch < attempts) broken.push(`${told}: ${holdfast.epoch} leases`);
    if (new Set(tries).size < tries.length) broken.push(`${told}: two sends in one lease`);
    if (Math.max(...tries) !== attempts) broken.push(`${told}: settled by who did not send`);
    if (own.size !== 1) broken.push(`${told}: ${own.size} Message-IDs`);
    for (const id of own) {
      if (ids.has(id)) broken.push(`${told}: another job's Message-ID`);
      ids.add(id);
    }
  }
  for (const { key, attempt, isSettled } of held) {
    const isSentLater = sends.some((sent) => sent.key === key && sent.attempt > attempt);
    if (isSettled && isSentLater) {
      broken.push(`${key}: sent again after its settlement in attempt ${attempt} was acknowledged`);
    }
  }
  return broken;
}

/** Every send that was not the job's last one has a reason that is known for itself. */
function explained(
  { sends, held, lives }: Evidence,
  jobs: ReadonlyMap<string, StoredJob>,
): Verdict {
  const broken: string[] = [];
  const repeats = { killed: 0, leaseLost: 0, reported: 0 };
  const ofLife = new Map<string, number>();
  for (const { key, attempt, by } of sends) {
    if (attempt === jobs.get(key)?.attempts) continue;
    const lease = held.find((one) => one.key === key && one.attempt === attempt && one.by === by);
    if (lease === undefined) ofLife.set(by, (ofLife.get(by) ?? 0) + 1);
    else if (lease.isLost()) repeats.leaseLost += 1;
    else broken.push(`${key}: ${by} sent it in attempt ${attempt}, kept its lease, and it went on`);
  }
  for (const { name, end, failures } of lives) {
    const sent = ofLife.get(name) ?? 0;
    const reported = Object.values(failures).reduce((sum, count) => sum + count, 0);
    const inHand = end === "killed" ? IN_HAND : 0;
    const byKill = Math.min(sent, inHand);
    repeats.killed += byKill;
    repeats.reported += Math.min(sent - byKill, reported);
    if (sent > inHand + reported) {
      broken.push(`${name} (${end}): ${sent} of its mails went out again, ${reported} reported`);
    }
  }
  return { repeats, broken };
}
