/** Lost replies, kills and ill storages, as callers of the query service see them (protocols 4, 5). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryFault,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import { assert } from "../../src/core/assert.ts";
import type { Queries } from "../../src/services/queries.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import {
  admitted,
  answered,
  CLIENT_JOB_ID,
  codeOf,
  completed,
  DAY,
  LEASE_MS,
  owned,
  queryKeys,
  REQUEST,
  running,
  started,
} from "./queries/given.ts";

const LOST = ["lost_now", "lost_late", "lost_never"] as const;
type Lost = (typeof LOST)[number];

interface Held {
  readonly jobId: string;
  readonly leaseToken: string;
  readonly position: string | null;
}

/** Each call brings what makes its repeat do no harm. */
interface Step {
  readonly name: string;
  readonly given: (queries: Queries) => Promise<Held>;
  readonly call: (queries: Queries, held: Held) => Promise<{ readonly applied: boolean }>;
  readonly status: string;
  /** Events of the job afterwards. */
  readonly events: number;
}

const TOKEN = "token-a";

async function accepted(queries: Queries): Promise<Held> {
  return { jobId: (await admitted(queries)).jobId, leaseToken: TOKEN, position: "1-1" };
}

async function starting(queries: Queries): Promise<Held> {
  const { jobId } = await admitted(queries);
  const { position } = await queries.markStarting(jobId, { leaseToken: TOKEN });
  return { jobId, leaseToken: TOKEN, position };
}

async function underWay(queries: Queries): Promise<Held> {
  const { jobId } = await starting(queries);
  const { position } = await queries.updateLinkage(jobId, { claudeRunId: "run-1" });
  return { jobId, leaseToken: TOKEN, position };
}

function marked({ leaseToken, position }: Held) {
  return { leaseToken, requestId: "call-1", position };
}

const STEPS: readonly Step[] = [
  {
    name: "markStarting",
    given: accepted,
    call: (queries, { jobId, leaseToken }) => queries.markStarting(jobId, { leaseToken }),
    status: "starting",
    events: 2,
  },
  {
    name: "markRunning",
    given: starting,
    call: (queries, held) => queries.markRunning(held.jobId, {}, marked(held)),
    status: "running",
    events: 3,
  },
  {
    name: "updateLinkage",
    given: starting,
    call: (queries, held) => queries.updateLinkage(held.jobId, {}, marked(held)),
    status: "starting",
    events: 3,
  },
  {
    name: "appendPartial",
    given: underWay,
    call: (queries, held) => queries.appendPartial(held.jobId, "x", "x", false, marked(held)),
    status: "starting",
    events: 4,
  },
  {
    name: "appendActivity",
    given: underWay,
    call: (queries, held) => queries.appendActivity(held.jobId, "status", "x", marked(held)),
    status: "starting",
    events: 4,
  },
  {
    name: "markAnswerReady",
    given: underWay,
    call: (queries, held) => queries.markAnswerReady(held.jobId, "x", {}, marked(held)),
    status: "answer_ready",
    events: 4,
  },
  {
    name: "complete",
    given: underWay,
    call: (queries, held) => queries.complete(held.jobId, { text: "x" }, marked(held)),
    status: "completed",
    events: 4,
  },
  {
    name: "fail",
    given: underWay,
    call: (queries, held) => queries.fail(held.jobId, {}, marked(held)),
    status: "failed",
    events: 4,
  },
  {
    name: "interrupt",
    given: underWay,
    call: (queries, held) => queries.interrupt(held.jobId, undefined, marked(held)),
    status: "interrupted",
    events: 4,
  },
];

/** The first write to a log, or to a root, meets `fault`; `isBlind`: and nothing is answered after it. */
function atFirstWrite(place: "log" | "roots", fault: Lost, isBlind: boolean): FaultPlan {
  let isLost = false;
  return ({ kind, key }, when) => {
    if (isLost && isBlind && when === "before") return "unavailable";
    const isIt = kind === "put" && key.startsWith(`queries/${place}/`);
    if (!isIt || when === "after" || isLost) return null;
    isLost = true;
    return fault;
  };
}

/** Everything from the operation `at` on (from 0) fails, as for a process that is killed there. */
function killedAt(at: number): { readonly plan: FaultPlan; wasMet(): boolean } {
  let count = 0;
  return {
    plan: (_operation, when) => {
      if (when === "after") return null;
      count += 1;
      return count > at ? ("unavailable" satisfies MemoryFault) : null;
    },
    wasMet: () => count > at,
  };
}

/** More operations than any call here has. */
const OPERATIONS_MAX = 60;

for (const dueIndex of ["native", "markers"] as const) {
  describe(`queries on a failing storage (due index: ${dueIndex})`, () => {
    let storage: MemoryStorage;
    let bench: Bench;

    async function open(): Promise<void> {
      storage = memoryStorage({ dueIndex });
      bench = await openBench({
        storage,
        plant: async (key, body) => storage.plant(key, body),
        destroy: async () => {},
      });
    }
    beforeEach(open);
    afterEach(() => bench.close());

    const queries = () => bench.holdfast.queries;
    const fresh = async (): Promise<Queries> => (await bench.another()).holdfast.queries;
    const failing = async (plan: FaultPlan, limits = {}): Promise<Queries> =>
      (await bench.another({ storage: storage.withFaults(plan), limits })).holdfast.queries;
    /** Gives up soon, so that a walk over all places to be killed at does not wait. */
    const hasty = { commandMs: 20 };

    for (const { name, given, call, status, events } of STEPS) {
      it.each(LOST)(`G3 ${name} with the fault %s is done once, and answered`, async (fault) => {
        const held = await given(queries());
        const answer = await call(await failing(atFirstWrite("log", fault, false)), held);
        expect(answer.applied).toBe(true);
        const job = await (await fresh()).getSnapshot(held.jobId);
        expect(job).toMatchObject({ status, eventSeq: events });
        storage.applyLate();
        expect(await (await fresh()).getSnapshot(held.jobId)).toEqual(job);
      });

      it.each(LOST)(
        `G3 ${name} with the fault %s and no look is told as unknown, and its repeat does no harm`,
        async (fault) => {
          const held = await given(queries());
          const blind = await failing(atFirstWrite("log", fault, true));
          expect(await codeOf(call(blind, held))).toBe("outcome_unknown");
          expect((await call(await fresh(), held)).applied).toBe(true);
          const job = await (await fresh()).getSnapshot(held.jobId);
          expect(job).toMatchObject({ status, eventSeq: events });
          storage.applyLate();
          expect(await (await fresh()).getSnapshot(held.jobId)).toEqual(job);
        },
      );

      it(`G1 ${name} killed anywhere leaves the old or the new job, and its repeat does no harm`, async () => {
        for (let at = 0; at < OPERATIONS_MAX; at += 1) {
          await open();
          const held = await given(queries());
          const killed = killedAt(at);
          const end = await codeOf(call(await failing(killed.plan, hasty), held));
          if (!killed.wasMet()) {
            expect(end).toBe("nothing was thrown");
            return;
          }
          const { eventSeq } = await (await fresh()).getSnapshot(held.jobId);
          expect([events - 1, events]).toContain(eventSeq);
          expect((await call(await fresh(), held)).applied).toBe(true);
          const job = await (await fresh()).getSnapshot(held.jobId);
          expect(job).toMatchObject({ status, eventSeq: events });
        }
        assert(false, "it never came to its end");
      });
    }

    describe("admission", () => {
      const admit = (one: Queries) => one.admit(REQUEST);

      for (const place of ["log", "roots"] as const) {
        it.each(LOST)(
          `G3 with the fault %s at its write to ${place} makes one job`,
          async (fault) => {
            const { created, job } = await admit(await failing(atFirstWrite(place, fault, false)));
            expect(created).toBe(true);
            storage.applyLate();
            expect(await admit(await fresh())).toEqual({ created: false, job });
            expect(queryKeys(storage.bodies())).toHaveLength(2);
          },
        );
      }

      it.each(LOST)(
        "G3 that nobody knows the end of (%s) is settled by its repeat",
        async (fault) => {
          const blind = await failing(atFirstWrite("roots", fault, true));
          expect(await codeOf(admit(blind))).toBe("outcome_unknown");
          const { job } = await admit(await fresh());
          storage.applyLate();
          expect(await admit(await fresh())).toEqual({ created: false, job });
          expect(await (await fresh()).getSnapshot(job.jobId)).toEqual(job);
        },
      );

      it.each(["lost_now", "lost_never"] as const)(
        "protocols 4.2 is known by its job id where the write (%s) could not be looked for at once",
        async (fault) => {
          const faults = [fault, "unavailable"] as const;
          let met = 0;
          const ill = await failing(({ kind, key }, when) => {
            const isRoot = key.startsWith("queries/roots/");
            if (when === "after" || !isRoot || (kind !== "put" && met === 0)) return null;
            met += 1;
            return faults[met - 1] ?? null;
          });
          const end = admit(ill);
          if (fault === "lost_now") expect((await end).created).toBe(true);
          else expect(await codeOf(end)).toBe("outcome_unknown");
          expect((await admit(await fresh())).created).toBe(fault === "lost_never");
        },
      );

      it("protocols 4.4 a root never names a job without part 1, wherever it is killed", async () => {
        for (let at = 0; at < OPERATIONS_MAX; at += 1) {
          await open();
          const killed = killedAt(at);
          const end = await codeOf(admit(await failing(killed.plan, hasty)));
          if (!killed.wasMet()) {
            expect(end).toBe("nothing was thrown");
            return;
          }
          const { job } = await admit(await fresh());
          expect(await (await fresh()).getSnapshot(job.jobId)).toEqual(job);
          // What is left over goes with gc, and nothing else does.
          bench.clock.advance(60_000);
          await queries().gc();
          const keys = queryKeys(storage.bodies());
          expect(keys.filter((key) => key.startsWith("queries/log/"))).toHaveLength(1);
          expect(await (await fresh()).getSnapshot(job.jobId)).toEqual(job);
        }
        assert(false, "it never came to its end");
      });

      it("protocols 4.2 a put that lands late, behind another's admission, is dead", async () => {
        const late = await failing(atFirstWrite("roots", "lost_late", true));
        expect(await codeOf(admit(late))).toBe("outcome_unknown");
        const other = { ...REQUEST, query: "another" };
        const { job } = await queries().admit(other);
        storage.applyLate();
        expect(await queries().admit(other)).toEqual({ created: false, job });
      });
    });

    describe("a pass", () => {
      it.each(LOST)("G3 interrupts once where a reply is lost: %s", async (fault) => {
        const { jobId } = await owned(queries());
        bench.clock.advance(LEASE_MS);
        const plan = atFirstWrite("log", fault, false);
        const ill = await bench.another({ storage: storage.withFaults(plan) });
        await ill.holdfast.reconcile();
        storage.applyLate();
        await bench.holdfast.reconcile();
        const job = await (await fresh()).getSnapshot(jobId);
        expect(job).toMatchObject({ status: "interrupted", eventSeq: 5 });
      });

      it("G1 killed anywhere is finished by the next, whatever was due", async () => {
        for (let at = 0; at < OPERATIONS_MAX; at += 1) {
          await open();
          const lapsed = await running(queries());
          const ready = await answered(queries(), {
            clientJobId: "55555555-5555-4555-8555-555555555555",
          });
          bench.clock.advance(LEASE_MS);
          const killed = killedAt(at);
          const ill = await bench.another({
            ...{ storage: storage.withFaults(killed.plan), limits: hasty },
          });
          await ill.holdfast.reconcile();
          await bench.holdfast.reconcile();
          const reader = await fresh();
          expect(await reader.getSnapshot(lapsed.jobId)).toMatchObject({
            ...{ status: "interrupted", eventSeq: 4 },
          });
          expect(await reader.getSnapshot(ready.jobId)).toMatchObject({
            ...{ status: "completed", response: "an answer" },
          });
          if (!killed.wasMet()) return;
        }
        assert(false, "it never came to its end");
      });

      it("protocols 5.4 a retirement killed anywhere is finished by the next", async () => {
        for (let at = 0; at < OPERATIONS_MAX; at += 1) {
          await open();
          const { jobId } = await completed(queries());
          bench.clock.advance(7 * DAY);
          const killed = killedAt(at);
          const ill = await bench.another({
            ...{ storage: storage.withFaults(killed.plan), limits: hasty },
          });
          await ill.holdfast.reconcile();
          expect(await codeOf((await fresh()).getSnapshot(jobId))).toBe("query_job_not_found");
          await bench.holdfast.reconcile();
          await bench.holdfast.reconcile();
          const keys = queryKeys(storage.bodies());
          expect(keys.filter((key) => key.startsWith("queries/log/"))).toEqual([]);
          expect((await queries().admit({ ...REQUEST, generation: 2 })).created).toBe(true);
          if (!killed.wasMet()) return;
        }
        assert(false, "it never came to its end");
      });
    });

    it("protocols 5.5 an append that slept through the retirement is not told as done (ghost commit)", async () => {
      const { job, leaseToken } = await started(queries());
      const slow = await bench.another({ limits: { commandMs: 30 * DAY } });
      let isAsleep = true;
      slow.interference.beforePut = async (key) => {
        if (!isAsleep || !key.startsWith("queries/log/")) return;
        isAsleep = false;
        await queries().cancel(job.jobId, 1);
        bench.clock.advance(7 * DAY);
        await bench.holdfast.reconcile();
        await bench.holdfast.reconcile();
        expect(queryKeys(storage.bodies())).toHaveLength(1);
      };
      const late = slow.holdfast.queries.appendPartial(job.jobId, "x", "", false, { leaseToken });
      expect(await codeOf(late)).toBe("query_job_not_found");
      // Not even its ghost is left.
      expect(queryKeys(storage.bodies())).toHaveLength(1);
    });

    it("protocols 4.4 an admission that read the fence too early is no second run of the session", async () => {
      const { jobId } = await owned(queries());
      bench.clock.advance(LEASE_MS);
      const slow = await bench.another();
      const pending = slow.holdfast.queries.admit({ ...REQUEST, generation: 2 });
      await bench.holdfast.reconcile();
      const end = await codeOf(pending);
      expect(["job_generation_active", "provider_orphan_fence"]).toContain(end);
      expect((await queries().getSnapshot(jobId)).status).toBe("interrupted");
    });

    it("protocols 5.5 no part is removed before the root is marked", async () => {
      await completed(queries());
      bench.clock.advance(7 * DAY);
      const roots: string[] = [];
      const storageSeen = storage.withFaults(({ kind, key }, when) => {
        if (kind !== "remove" || when === "after" || !key.startsWith("queries/log/")) return null;
        const [, root = ""] =
          [...storage.bodies()].find(([name]) => name.startsWith("queries/roots/")) ?? [];
        roots.push(JSON.parse(root).retirement);
        return null;
      });
      await (await bench.another({ storage: storageSeen })).holdfast.reconcile();
      expect(roots.length).toBeGreaterThan(1);
      expect(new Set(roots)).toEqual(new Set(["removing"]));
    });

    it("protocols 4.4 an interruption that comes anywhere into an admission is met with its fence", async () => {
      for (let at = 0; at < OPERATIONS_MAX; at += 1) {
        await open();
        await owned(queries());
        bench.clock.advance(LEASE_MS);
        // Its pass ends before it can tell the root, which would keep the admission out by itself.
        const dying = await bench.another({
          storage: storage.withFaults(({ kind, key }) =>
            kind === "put" && key.startsWith("queries/roots/") ? "unavailable" : null,
          ),
        });
        let left = Number.POSITIVE_INFINITY;
        const slow = await failing(async (_operation, when) => {
          if (when === "after") return null;
          left -= 1;
          if (left === -1) await dying.holdfast.reconcile();
          return null;
        });
        left = at;
        const end = await codeOf(slow.admit({ ...REQUEST, generation: 2 }));
        expect(["job_generation_active", "provider_orphan_fence"]).toContain(end);
        if (left >= 0) return;
      }
      assert(false, "it never came to its end");
    });

    it("protocols 5.2 an end counts also where its root could not be told, and so for the next generation", async () => {
      const { job, leaseToken } = await started(queries());
      const ill = await failing(({ kind, key }, when) => {
        const isRoot = kind === "put" && key.startsWith("queries/roots/");
        return isRoot && when === "before" ? "throttled" : null;
      }, hasty);
      const end = await ill.complete(job.jobId, { text: "x" }, { leaseToken });
      expect(end.applied).toBe(true);
      const next = await (await fresh()).admit({ ...REQUEST, generation: 2 });
      expect(next.created).toBe(true);
    });

    it("calls are carried out in their order, however long each look at the storage takes", async () => {
      const { job, leaseToken } = await started(queries());
      let turns = 20;
      // The first looks take the longest.
      const slow = await failing(async (_operation, when) => {
        if (when === "after") return null;
        turns = Math.max(0, turns - 2);
        for (let turn = turns; turn > 0; turn -= 1) await new Promise(setImmediate);
        return null;
      });
      const deltas = ["a", "b", "c", "d", "e", "f"];
      await Promise.all(
        deltas.map((delta) => slow.appendPartial(job.jobId, delta, "", false, { leaseToken })),
      );
      expect((await queries().getSnapshot(job.jobId)).partialText).toBe(deltas.join(""));
    });

    it("QUERY-39 to 41 a storage that is away is told as such, and all works when it is back", async () => {
      const job = await running(queries());
      let isAway = true;
      const ill = await failing((_operation, when) =>
        isAway && when === "before" ? "unavailable" : null,
      );
      for (const call of [
        () => ill.admit(REQUEST),
        () => ill.getSnapshot(job.jobId),
        () => ill.cancel(job.jobId, 1),
        () => ill.list(),
        () => ill.findByClientGeneration(CLIENT_JOB_ID, 1),
        () => ill.getHealth(),
      ]) {
        expect(await codeOf(call())).toBe("unavailable");
      }
      isAway = false;
      expect(await ill.getSnapshot(job.jobId)).toEqual(job);
      expect((await ill.cancel(job.jobId, 1)).applied).toBe(true);
    });
  });
}
