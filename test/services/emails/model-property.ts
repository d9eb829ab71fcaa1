/** Random sequences of calls, of two instances, agree with the reference model step by step. */
import fc from "fast-check";
import { describe, it } from "vitest";
import type { Bench, CurrentBench } from "./bench.ts";
import { createModel, RETENTION_MS } from "./model.ts";
import type { Run } from "./model-calls.ts";
import { expectSameJobs, steps } from "./model-steps.ts";

/** Fixed, so that a run that fails fails again. */
const SEED = 20_260_101;

const STEPS_MAX = 60;

/** Each run has a tenant of its own, so that all of them fit on one storage. */
export async function checkAgainstModel(bench: Bench, numRuns: number): Promise<void> {
  const limits = { emailRetentionMs: RETENTION_MS };
  const [one, other] = [await bench.another({ limits }), await bench.another({ limits })];
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 20, maxLength: STEPS_MAX, size: "max" }),
      async (sequence) => {
        runs += 1;
        const run: Run = {
          emails: [
            one.holdfast.tenant(`run-${runs}`).emails,
            other.holdfast.tenant(`run-${runs}`).emails,
          ],
          model: createModel(bench.clock.now()),
          tokens: new Map(),
          jobs: [],
          advance: bench.clock.advance,
        };
        for (const step of sequence) await step.run(run);
        await expectSameJobs(run);
      },
    ),
    { numRuns, seed: SEED },
  );
}

export function describeModel(bench: CurrentBench): void {
  describe("against a reference model", () => {
    it("10 random sequences of up to 60 calls are answered as the model says", async () => {
      await checkAgainstModel(bench(), 10);
    });
  });
}
