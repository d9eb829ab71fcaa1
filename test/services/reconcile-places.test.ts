/** Queues that are too long for one pass: bounded passes, and everything is reached. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Cursor, Storage } from "../../src/ports/backend.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Emails } from "../../src/services/emails.ts";
import { attentionOf } from "../../src/services/reconcile/attend.ts";
import { EXAMINED_MAX } from "../../src/services/reconcile/lanes.ts";
import { placeAfter, type Walked } from "../../src/services/reconcile/sweep.ts";
import { stored } from "../machines/emails/given.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { FIRST_VIEW, MESSAGE, present, TWO_CLIPS, times } from "./emails/given.ts";
import { dispatched, LAPSE_MS, operation } from "./receipts/given.ts";
import { counted, mailing, readyMessage } from "./reconcile/given.ts";

const CONFIG = /^emails\/config\//;

describe("how far a queue was walked", () => {
  const BEGINNING = { sweep: null, tail: null };
  const walked = (walk: Partial<Walked>): Walked => ({
    isEnd: false,
    next: "next" as Cursor,
    passedOver: 0,
    tail: null,
    stayed: 0,
    isBroken: false,
    ...walk,
  });
  const tail = "settled" as Cursor;

  it("is not remembered when the walk came to the end", () => {
    expect(placeAfter(BEGINNING, null, walked({ isEnd: true, tail }))).toEqual(BEGINNING);
  });

  it("is not remembered when all that was met has left the queue", () => {
    expect(placeAfter(BEGINNING, null, walked({}))).toEqual(BEGINNING);
    const from = { sweep: "from", tail: "tail" };
    expect(placeAfter(from, walked({ isEnd: true }), walked({}))).toEqual(from);
  });

  it("is where the next walk goes on, when something stayed", () => {
    const place = placeAfter(BEGINNING, null, walked({ stayed: 1_000 }));
    expect(place).toEqual({ sweep: "next", tail: null });
  });

  it("is where the walk stopped for what is entered later, when some were passed over", () => {
    const main = walked({ passedOver: 500, tail: "far" as Cursor, stayed: 1_000 });
    expect(placeAfter(BEGINNING, null, main)).toEqual({ sweep: "next", tail: "far" });
  });

  it("begins again after the end of a round, which tells where the end is", () => {
    const from = { sweep: "from", tail: null };
    const end = walked({ isEnd: true, next: null, tail, stayed: 5 });
    expect(placeAfter(from, null, end)).toEqual({ sweep: null, tail: "settled" });
    const unsettled = { ...end, tail: null };
    expect(placeAfter({ ...from, tail: "tail" }, null, unsettled).tail).toBe("tail");
  });

  it("moves the end along with what is entered", () => {
    const from = { sweep: "from", tail: "tail" };
    const main = walked({ stayed: 10 });
    const recent = walked({ isEnd: true, tail });
    expect(placeAfter(from, recent, main)).toEqual({ sweep: "next", tail: "settled" });
    const more = walked({ tail: "further" as Cursor, stayed: 1_000 });
    expect(placeAfter(from, more, main).tail).toBe("further");
    expect(placeAfter(from, walked({ isEnd: true }), main).tail).toBe("tail");
  });

  it("is forgotten when the queue is short again, or could not be walked", () => {
    const from = { sweep: null, tail: "tail" };
    expect(placeAfter(from, walked({ isEnd: true }), walked({ isEnd: true }))).toEqual(BEGINNING);
    const long = { sweep: "from", tail: "tail" };
    expect(placeAfter(long, null, walked({ isBroken: true }))).toEqual(BEGINNING);
    expect(placeAfter(long, walked({ isBroken: true }), walked({}))).toEqual(BEGINNING);
  });

  it("is forgotten when it is too long to be kept", () => {
    const next = "x".repeat(4_097) as Cursor;
    expect(placeAfter(BEGINNING, null, walked({ next, stayed: 1 }))).toEqual(BEGINNING);
  });
});

describe("what a job of the waiting queue needs", () => {
  it.each([
    ["pending", false, "promote"],
    ["pending", true, "wait"],
    ["awaiting_ai", true, "wait"],
    ["ai_dispatched", true, "stale"],
    ["sent", false, "retire"],
    ["cancelled", false, "retire"],
    ["ready", false, "wait"],
  ] as const)("when it is %s and waits for a text: %s, is: %s", (state, waitsForAi, attention) => {
    expect(attentionOf(stored({ state }), waitsForAi)).toBe(attention);
  });
});

describe("a pass over a storage that answers at once", () => {
  it("ends with its budget all the same", { timeout: 60_000 }, async () => {
    const storage = memoryStorage();
    const mailer = {
      send: async () => ({ kind: "sent", id: null }) as const,
      close: async () => {},
    };
    const { emails, reconcile } = await createHoldfast({
      storage,
      mail: { mailer, from: "jobs@example.com" },
    });
    for (let start = 0; start < 4_000; start += 100) {
      const keys = times(100, (n) => `job-${start + n}`);
      await emails.enqueueBatch(keys.map((logicalKey) => ({ logicalKey, payload: MESSAGE })));
    }
    const report = await reconcile({ budgetMs: 100 });
    expect(report.hasMore).toBe(true);
    expect(report.emails.promoted).toBeLessThan(4_000);
  });
});

for (const dueIndex of ["native", "markers"] as const) {
  describe(`long queues (due index: ${dueIndex})`, { timeout: 60_000 }, () => {
    let bench: Bench;
    let storage: MemoryStorage;
    beforeEach(async () => {
      storage = memoryStorage({ dueIndex });
      const plant = async (key: string, body: string) => storage.plant(key, body);
      bench = await openBench({ storage, plant, destroy: async () => {} });
    });
    afterEach(() => bench.close());

    async function many(emails: Emails, count: number, item: object): Promise<void> {
      for (let start = 0; start < count; start += 100) {
        const keys = times(100, (n) => `job-${start + n}`);
        const batch = keys.map((logicalKey) => ({ logicalKey, payload: null, ...item }));
        await emails.enqueueBatch(batch);
        bench.clock.advance(1_000);
      }
    }

    /** What is kept beside the fields of the configuration. */
    async function places(): Promise<unknown> {
      const entry = [...(await bench.contents())].find(([key]) => CONFIG.test(key));
      return JSON.parse(present(entry)[1]).holdfast.places;
    }

    const WAITING = { payload: TWO_CLIPS, initialState: "awaiting_ai" };

    it("jobs that wait for a text keep no other waiting for more than a round", async () => {
      const { emails, holdfast, traffic } = bench;
      await many(emails, 2_500, WAITING);
      await emails.enqueue("view", FIRST_VIEW);
      const reports = [];
      for (let pass = 0; pass < 3; pass += 1) {
        const before = traffic.reads;
        reports.push(await holdfast.reconcile());
        expect(traffic.reads - before).toBeLessThan(EXAMINED_MAX + 50);
      }
      expect(reports.map(counted)).toEqual([{}, {}, { promoted: 1 }]);
      expect(reports.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
      expect(await emails.readConfig()).toEqual({ enabledAt: expect.any(String) });
    });

    it("jobs that stay do not keep receipts waiting, and keep their own places", async () => {
      const { emails, holdfast } = bench;
      await many(emails, 2_500, WAITING);
      await dispatched(holdfast.receipts, operation("a"));
      bench.clock.advance(LAPSE_MS);
      const first = await holdfast.reconcile();
      expect([first.receipts.recovered, first.hasMore]).toEqual([1, true]);
      expect(await places()).toMatchObject({ attend: { sweep: expect.any(String) } });
      await emails.enqueue("view", FIRST_VIEW);
      expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1 });
    });

    it("once the end is known, what is entered there is met by the next pass", async () => {
      const { emails, holdfast } = bench;
      await many(emails, 2_500, WAITING);
      bench.clock.advance(120_000);
      for (let pass = 0; pass < 3; pass += 1) await holdfast.reconcile();
      for (let pass = 0; pass < 4; pass += 1) {
        await emails.enqueue(`view-${pass}`, FIRST_VIEW);
        expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1 });
        bench.clock.advance(60_000);
      }
    });

    it("what a slow writer enters a little before the end is met by the next pass, too", async () => {
      const { emails, holdfast, clock } = bench;
      await many(emails, 2_500, WAITING);
      clock.advance(120_000);
      for (let pass = 0; pass < 3; pass += 1) await holdfast.reconcile();
      await emails.enqueueBatch(
        times(100, (n) => ({
          logicalKey: `young-${n}`,
          payload: TWO_CLIPS,
          initialState: "awaiting_ai",
        })),
      );
      await emails.enqueueBatch(
        times(100, (n) => ({
          logicalKey: `younger-${n}`,
          payload: TWO_CLIPS,
          initialState: "awaiting_ai",
        })),
      );
      await holdfast.reconcile();
      clock.advance(-30_000);
      await emails.enqueue("late", FIRST_VIEW);
      clock.advance(30_000);
      expect(counted(await holdfast.reconcile())).toEqual({ promoted: 1 });
    });

    it("a place that the storage does not take is told, forgotten, and no reason to stop", async () => {
      const { emails, another } = bench;
      await emails.ensureEnabledAt();
      await emails.enqueue("view", FIRST_VIEW);
      const [key = "", body = ""] =
        [...(await bench.contents())].find(([name]) => CONFIG.test(name)) ?? [];
      const config = JSON.parse(body);
      config.holdfast.places = { attend: { sweep: "nowhere", tail: null } };
      await bench.plant(key, JSON.stringify(config));
      const picky = await another({ storage: refusing(storage, "nowhere") });
      const first = await picky.holdfast.reconcile();
      expect(first.failures).toMatchObject(
        ["receipts", "queries", "emails"].map((machine) => ({
          machine,
          id: "attend",
          code: "misconfigured",
        })),
      );
      expect(counted(await picky.holdfast.reconcile())).toEqual({ promoted: 1 });
    });

    it("a round meets every job, and few of them twice", async () => {
      const { emails, holdfast, traffic } = bench;
      await many(emails, 2_500, WAITING);
      for (const n of [3, 999, 1_500, 2_499]) {
        await emails.claimAwaitingAi(`job-${n}`, "ann@example.com");
      }
      bench.clock.advance(30 * 60_000);
      const before = traffic.reads;
      let hasMore = true;
      let stale = 0;
      for (let pass = 0; pass < 5 && hasMore; pass += 1) {
        ({
          hasMore,
          emails: { stale },
        } = await holdfast.reconcile());
      }
      expect([hasMore, stale > 0]).toEqual([false, true]);
      expect(traffic.reads - before).toBeGreaterThan(2_500);
      expect(traffic.reads - before).toBeLessThan(3_100);
    });

    it("nothing is remembered of a queue that is short again", async () => {
      const { emails, holdfast } = bench;
      await many(emails, 1_100, WAITING);
      await holdfast.reconcile();
      expect(await places()).toMatchObject({ attend: { sweep: expect.any(String) } });
      for (const n of times(200, String)) {
        await emails.transition(`job-${n}`, ["awaiting_ai"], "cancelled");
      }
      for (let pass = 0; pass < 2; pass += 1) await holdfast.reconcile();
      expect(await places()).toBeUndefined();
    });

    it("jobs that are left to other workers do not keep a mail from being sent", async () => {
      const { emails, holdfast, box } = await mailing(bench);
      await many(emails, 1_200, { payload: FIRST_VIEW });
      await holdfast.reconcile();
      bench.clock.advance(1_000);
      await readyMessage(emails, "hello");
      for (let pass = 0; pass < 2; pass += 1) await holdfast.reconcile();
      expect(box.keys()).toEqual(["hello"]);
    });
  });
}

/** The storage as one that throws for a cursor that it did not make. */
function refusing(storage: Storage, bad: string): Storage {
  const refuse = (cursor: Cursor | null): void => {
    if (cursor === bad) throw new MisconfiguredError("not a cursor");
  };
  return {
    async open(context) {
      const backend = await storage.open(context);
      const { due } = backend;
      return {
        ...backend,
        async list(prefix, cursor, limit) {
          refuse(cursor);
          return backend.list(prefix, cursor, limit);
        },
        due: due && {
          ...due,
          async page(tenant, queue, until, cursor, limit) {
            refuse(cursor);
            return due.page(tenant, queue, until, cursor, limit);
          },
        },
      };
    },
  };
}
