/** Steps of a run: which calls are made, in which way, and how their answers are compared. */
import fc from "fast-check";
import { expect } from "vitest";
import { sha256Hex } from "../../../src/core/hash.ts";
import type { SettledState } from "../../../src/machines/emails/fields.ts";
import type { Job } from "../../../src/services/emails.ts";
import { STATES } from "./given.ts";
import { type Answer, FRESH } from "./model.ts";
import {
  acquireCall,
  type Call,
  claimCall,
  claimNextCall,
  completeCall,
  convergeCall,
  enqueueCall,
  extendCall,
  type JobCall,
  moveCall,
  onwardsCall,
  type Run,
  readCall,
  reclaimCall,
  releaseCall,
  requeueCall,
  settleCall,
  TARGETS,
  type TokenOf,
} from "./model-calls.ts";

export interface Step {
  readonly run: (run: Run) => Promise<void>;
  /** What a counterexample shows. */
  readonly toString: () => string;
}

const way = fc.record({
  index: fc.constantFrom(0, 1, 2),
  instance: fc.constantFrom(0, 1),
  handle: fc.option(fc.nat({ max: 3 })),
});

type Way = typeof way extends fc.Arbitrary<infer T> ? T : never;

function callOf(run: Run, { index, instance, handle }: Way): Call {
  const target = TARGETS[index] ?? TARGETS[0];
  const { key } = target;
  const answered = run.jobs.filter((job) => job.logicalKey === key);
  const ref = (handle === null ? undefined : answered[handle]) ?? key;
  return { emails: run.emails[instance === 0 ? 0 : 1], target, key, ref, run };
}

/** Steps that make `call` in every way there is. */
function onJobs(calls: fc.Arbitrary<JobCall>): fc.Arbitrary<Step> {
  return fc.tuple(calls, way).map(([{ say, real, model }, by]) => ({
    async run(run) {
      const call = callOf(run, by);
      const actual = await answerOf(run, () => real(call));
      expectSame(run, actual, model(run.model, call));
    },
    toString: () => `${say} on ${JSON.stringify(by)}`,
  }));
}

/** Steps of one run as a whole. */
function onRuns(say: string, run: (run: Run) => Promise<void>): Step {
  return { run, toString: () => say };
}

async function answerOf(
  { jobs }: Run,
  real: () => Promise<Job | { created: boolean; job: Job } | null>,
): Promise<Answer> {
  try {
    const answer = await real();
    if (answer === null) return null;
    if (!isEnqueued(answer)) {
      jobs.unshift(answer);
      return { ...answer };
    }
    jobs.unshift(answer.job);
    return { created: answer.created, ...answer.job };
  } catch (error) {
    if (error instanceof Error && "code" in error) return String(error.code);
    throw error;
  }
}

function isEnqueued(answer: Job | { created: boolean; job: Job }): answer is {
  created: boolean;
  job: Job;
} {
  return typeof answer["job"] === "object";
}

/** Where the model says FRESH any token is right that was never seen before. */
function expectSame(run: Run, actual: Answer, expected: Answer): void {
  if (!isJob(actual) || !isJob(expected)) {
    expect(actual).toEqual(expected);
    return;
  }
  const known = { ...expected };
  for (const name of ["leaseToken", "claimToken"] as const) {
    if (known[name] === FRESH) known[name] = freshToken(run, actual, name);
  }
  expect(actual).toEqual(known);
  run.model.learn(String(actual["logicalKey"]), actual);
}

function isJob(answer: Answer): answer is Record<string, unknown> {
  return typeof answer === "object" && answer !== null;
}

function freshToken({ tokens }: Run, job: Record<string, unknown>, name: string): string {
  const token = String(job[name]);
  expect(token).toMatch(/^[0-9a-f-]{36}$/);
  expect([...tokens.values()].flat()).not.toContain(token);
  const key = String(job["logicalKey"]);
  tokens.set(key, [token, ...(tokens.get(key) ?? [])]);
  return token;
}

/** Everything that can be seen, compared. */
export async function expectSameJobs({ emails, model }: Run): Promise<void> {
  const [one, other] = await Promise.all(emails.map((instance) => instance.listJobs()));
  const byKey = (jobs: readonly object[] | undefined) =>
    Object.fromEntries((jobs ?? []).map((job) => ["logicalKey" in job && job.logicalKey, job]));
  expect(byKey(one)).toEqual(byKey(model.list()));
  expect(byKey(other)).toEqual(byKey(one));
}

const person = fc.constantFrom("ann@example.com", "bob@example.com");
const leaseMs = fc.constantFrom(1_000, 60_000, 120_000);
const texts = fc.constantFrom({}, { lastError: "timeout" }, { lastError: null });
const endOfLease = fc.constantFrom<SettledState>("sent", "ready", "ready", "cancelled", "failed");

/** The latest token of the job, an earlier one, one that was never answered, or none. */
const token = fc.constantFrom(0, 0, 0, 1, 2, 99, undefined).map(
  (pick): TokenOf =>
    ({ run, key }) =>
      pick === undefined ? undefined : (run.tokens.get(key)?.[pick] ?? "unknown"),
);

const enqueue = fc
  .tuple(
    fc.constantFrom<("pending" | "awaiting_ai")[]>("pending", "awaiting_ai"),
    fc.constantFrom("ann@example.com", "ann@example.com", "bob@example.com"),
    fc.constantFrom<("return" | "conflict")[]>("return", "conflict"),
  )
  .map((parts) => enqueueCall(...parts));

const move = fc
  .tuple(fc.subarray([...STATES], { minLength: 1 }), fc.constantFrom(...STATES), texts)
  .map((parts) => moveCall(...parts));

const acquireDue = leaseMs.map((ms) =>
  onRuns(`acquire what is due for ${ms} ms`, async (run) => {
    const jobs = await run.emails[0].acquireDueLeases({ durationMs: ms, limit: 10 });
    const leased = run.model.acquireDue(ms);
    expect(jobs.map((job) => job.logicalKey).sort()).toEqual([...leased].sort());
    for (const job of jobs) {
      run.jobs.unshift(job);
      expectSame(run, { ...job }, run.model.read(job.logicalKey));
    }
  }),
);

const retire = fc.constant(
  onRuns("retire", async (run) => {
    expect(await run.emails[1].retireExpired(10)).toBe(run.model.retire());
  }),
);

const erase = way.map(
  (by): Step => ({
    async run(run) {
      const { emails, key, ref } = callOf(run, by);
      const erased = run.model.erase(key);
      const expected = isJob(erased) ? { id: sha256Hex(key), ...erased } : erased;
      expect(await emails.erase(ref)).toEqual(expected);
    },
    toString: () => `erase on ${JSON.stringify(by)}`,
  }),
);

const tick = fc.constantFrom(1, 999, 30_000, 59_999, 60_000, 120_000, 3_600_000).map((ms) =>
  onRuns(`${ms} ms pass`, async (run) => {
    run.advance(ms);
    run.model.tick(ms);
  }),
);

export const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 24,
    arbitrary: onJobs(fc.record({ person, end: endOfLease, ms: leaseMs }).map(onwardsCall)),
  },
  { weight: 4, arbitrary: onJobs(enqueue) },
  { weight: 3, arbitrary: onJobs(fc.constantFrom("r-1", "r-2").map(convergeCall)) },
  { weight: 2, arbitrary: onJobs(fc.constant(readCall)) },
  { weight: 5, arbitrary: onJobs(move) },
  { weight: 2, arbitrary: onJobs(person.map(claimCall)) },
  { weight: 2, arbitrary: onJobs(fc.option(person).map(claimNextCall)) },
  {
    weight: 3,
    arbitrary: onJobs(fc.tuple(person, fc.constantFrom(0, 1_000)).map((by) => reclaimCall(...by))),
  },
  {
    weight: 2,
    arbitrary: onJobs(fc.tuple(person, token).map((by) => completeCall(...by))),
  },
  {
    weight: 2,
    arbitrary: onJobs(fc.tuple(person, token).map((by) => releaseCall(...by))),
  },
  {
    weight: 4,
    arbitrary: onJobs(
      fc
        .tuple(leaseMs, fc.constantFrom(null, "request-1", "request-2"))
        .map((by) => acquireCall(...by)),
    ),
  },
  { weight: 2, arbitrary: onJobs(fc.tuple(token, leaseMs).map((by) => extendCall(...by))) },
  {
    weight: 5,
    arbitrary: onJobs(fc.tuple(token, endOfLease, texts).map((by) => settleCall(...by))),
  },
  { weight: 1, arbitrary: onJobs(fc.constant(requeueCall)) },
  { weight: 3, arbitrary: acquireDue },
  { weight: 1, arbitrary: retire },
  { weight: 1, arbitrary: erase },
  { weight: 4, arbitrary: tick },
);
