/** Query jobs that come to their end, and go, while a call on them is under way (protocols 5.2, 5.4). */
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type MemoryOperation,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import type { Holdfast } from "../../src/holdfast.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { admitted, codeOf, DAY, REQUEST, running, started } from "./queries/given.ts";

let storage: MemoryStorage;
let bench: Bench;

beforeEach(async () => {
  storage = memoryStorage();
  bench = await openBench({
    storage,
    plant: async (key, body) => storage.plant(key, body),
    destroy: async () => {},
  });
});
afterEach(() => bench.close());

const RETENTION_MS = 7 * DAY;

const isRoot = ({ key }: MemoryOperation): boolean => key.includes("/roots/");
const isPart = ({ key }: MemoryOperation): boolean => key.includes("/log/");

/** A process in which `meanwhile` happens before the read that `before` counts to, of those that `is` names. */
async function overtaken(
  is: (operation: MemoryOperation) => boolean,
  meanwhile: () => Promise<unknown>,
): Promise<{ readonly holdfast: Holdfast; readonly before: (nth: number) => void }> {
  let left = 0;
  const seen = storage.withFaults(async (operation, when) => {
    const isRead = operation.kind === "get" || operation.kind === "list";
    if (when === "after" || !isRead || !is(operation)) return null;
    left -= 1;
    if (left === 0) await meanwhile();
    return null;
  });
  const { holdfast } = await bench.another({ storage: seen });
  const before = (nth: number): void => {
    left = nth;
  };
  return { holdfast, before };
}

/** Ends the job so that its root is not told. */
async function endUntold(jobId: string): Promise<void> {
  const deaf = storage.withFaults((operation) =>
    operation.kind === "put" && isRoot(operation) ? "unavailable" : null,
  );
  const { queries } = (await bench.another({ storage: deaf })).holdfast;
  await queries.cancel(jobId, 1);
}

async function begun() {
  const { job, ...run } = await started(bench.holdfast.queries);
  return { jobId: job.jobId, ...run };
}

async function goneByPasses(): Promise<void> {
  bench.clock.advance(RETENTION_MS);
  await bench.holdfast.reconcile();
  await bench.holdfast.reconcile();
}

it("protocols 5.2 a refusal is not made up from a log that was removed on the way to its head", async () => {
  const { holdfast, before } = await overtaken(isPart, goneByPasses);
  const { jobId } = await running(holdfast.queries);
  await endUntold(jobId);
  // It knows the job as it ran; the part that says otherwise is gone before it is read.
  before(1);
  expect(await codeOf(holdfast.queries.acknowledge(jobId, 1))).toBe("query_job_not_found");
});

it("protocols 5.2 a position is not said to be wrong where its part was removed on the way", async () => {
  const { jobId, leaseToken, position } = await begun();
  const { holdfast, before } = await overtaken(isPart, goneByPasses);
  before(2);
  const options = { leaseToken, requestId: "1", position };
  const told = holdfast.queries.appendPartial(jobId, "a word", "", false, options);
  expect(await codeOf(told)).toBe("query_job_not_found");
});

it("protocols 4.2 a repeat of what is over is told so, though its root does not know yet", async () => {
  const { queries } = bench.holdfast;
  await endUntold((await running(queries)).jobId);
  bench.clock.advance(RETENTION_MS);
  expect(await codeOf(admitted(queries))).toBe("job_generation_out_of_order");
  expect((await admitted(queries, { ...REQUEST, generation: 2 })).generation).toBe(2);
});

it("G6 a pass takes no offence at a job that another pass was faster with", async () => {
  const { holdfast, before } = await overtaken(isRoot, goneByPasses);
  await running(bench.holdfast.queries);
  bench.clock.advance(RETENTION_MS);
  before(2);
  expect((await holdfast.reconcile()).failures).toEqual([]);
});
