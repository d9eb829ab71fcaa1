/** Random histories of jobs, workers, mailers, clocks and passes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import type { Emails } from "../../src/services/emails.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { LETTER, type Mailing, mailing } from "./reconcile/given.ts";
import { watchedSends } from "./reconcile/sends.ts";

/** Fixed, so that a run that fails fails again. */
const SEED = 20_260_102;

const FINAL: readonly string[] = ["sent", "failed", "cancelled"];

type Answer = "sent" | "retry" | "away" | "permanent" | "unknown" | "throws";

interface World {
  readonly bench: Bench;
  readonly emails: Emails;
  readonly passes: readonly Mailing[];
  readonly answers: Answer[];
}

type Step = (world: World) => Promise<unknown>;

const key = fc.integer({ min: 0, max: 5 }).map((n) => `job-${n}`);

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: key.map(
      (k): Step =>
        ({ emails }) =>
          emails.enqueue(k, LETTER),
    ),
  },
  {
    weight: 1,
    arbitrary: key.map(
      (k): Step =>
        ({ emails }) =>
          emails.transition(k, ["pending", "ready"], "cancelled"),
    ),
  },
  {
    weight: 1,
    arbitrary: key.map(
      (k): Step =>
        ({ emails }) =>
          emails.requeue(k),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, fc.constantFrom(1, 60_000, 600_000)).map(
      ([k, leaseMs]): Step =>
        ({ emails }) =>
          emails.acquireSendingLease(k, leaseMs),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 60_000, 120_000, 3_600_000, -1_000, -90_000).map(
      (ms): Step =>
        async ({ bench }) =>
          bench.clock.advance(ms),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom<Answer>("sent", "retry", "away", "permanent", "unknown", "throws"), {
        maxLength: 4,
      })
      .map(
        (answers): Step =>
          async (world) =>
            world.answers.push(...answers),
      ),
  },
  {
    weight: 6,
    arbitrary: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 3 }).map(
      (which): Step =>
        ({ passes }) =>
          Promise.all(which.map((n) => passes[n]?.holdfast.reconcile())),
    ),
  },
);

async function run(sequence: readonly Step[], dueIndex: "native" | "markers"): Promise<void> {
  const storage = memoryStorage({ dueIndex });
  const answers: Answer[] = [];
  const sends = watchedSends(storage, () => {
    const kind = answers.shift() ?? "sent";
    if (kind === "throws") throw new Error("reset");
    if (kind === "away") return { kind: "retry", error: "no", isUnavailable: true };
    return kind === "sent" ? { kind, id: null } : { kind, error: "no" };
  });
  const plant = async (name: string, body: string) => storage.plant(name, body);
  const bench = await openBench({ storage, plant, destroy: async () => {} });
  const app = { kinds: [sends.kind] };
  const { box } = sends;
  const passes = [await mailing(bench, app, { box }), await mailing(bench, app, { box })];
  const { emails } = passes[0] ?? expect.fail("no instance");
  const world = { bench, emails, passes, answers };
  for (const step of sequence) await step(world);

  answers.length = 0;
  for (let pass = 0; pass < 6; pass += 1) {
    bench.clock.advance(3_600_000);
    const report = await passes[pass % 2]?.holdfast.reconcile();
    expect(report?.failures).toEqual([]);
  }
  expect(sends.wrong).toEqual([]);
  const left = (await emails.listJobs()).filter(({ state }) => !FINAL.includes(state));
  expect(left).toEqual([]);
  await bench.close();
}

describe("random histories", () => {
  it.each(["native", "markers"] as const)(
    "every send has a lease of its own, and everything comes to its end (due index: %s)",
    { timeout: 120_000 },
    async (dueIndex) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(steps, { minLength: 5, maxLength: 40, size: "max" }),
          (sequence) => run(sequence, dueIndex),
        ),
        { numRuns: 60, seed: SEED },
      );
    },
  );
});
