/** Passes whose sources, storage and mailers take their time, or all of it: in virtual time. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { durationMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { jobIdOf } from "../../src/machines/emails/record.ts";
import type { Backend, Storage } from "../../src/ports/backend.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Source, SourcePage } from "../../src/ports/source.ts";
import type { App } from "../../src/services/app.ts";
import { manualTime } from "../client/manual-time.ts";
import { MESSAGE, times } from "./emails/given.ts";
import { REQUEST } from "./queries/given.ts";
import { dispatched, LAPSE_MS, operation } from "./receipts/given.ts";
import {
  codes,
  counted,
  FROM,
  found,
  type Outbox,
  onePage,
  outbox,
  paged,
  readyMessage,
} from "./reconcile/given.ts";

const never = <T>(): Promise<T> => new Promise(() => {});

interface Setting {
  readonly app?: App;
  readonly storage?: Storage;
  /** What one send takes. */
  readonly sendMs?: number;
}

async function setUp({ app = {}, storage = memoryStorage(), sendMs = 0 }: Setting = {}) {
  const time = manualTime();
  const { clock } = time;
  const box = outbox(async () => {
    await clock.sleep(durationMs(sendMs));
    return { kind: "sent", id: null };
  });
  // Begins with the first tenant of the list.
  const random = { bytes: (count: number) => randomBytes(count), fraction: () => 0 };
  const mail = { mailer: box, from: FROM, atOnce: 1 };
  const holdfast = await createHoldfast({ storage, clock, random, app, mail });
  return { time, box, holdfast };
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A storage that takes its time over each call, once `isOn`. */
function slowStorage(clock: Clock, ms: number): { storage: Storage; isOn: boolean } {
  const slow = {
    isOn: false,
    storage: memoryStorage().withFaults(async (_call, when) => {
      if (slow.isOn && when === "before") await clock.sleep(durationMs(ms));
      return null;
    }),
  };
  return slow;
}

/** Hangs for ever; how often it was asked stands in `asked`. */
function hangingSource(name = "slow"): Source & { asked: number } {
  const source = {
    name,
    asked: 0,
    scan() {
      source.asked += 1;
      return never<SourcePage>();
    },
  };
  return source;
}

describe("a source that hangs", () => {
  it.each([100, 500, 1_000, 3_000, 25_000])(
    "leaves a pass of %d ms the time to send what is due",
    async (budgetMs) => {
      const { time, box, holdfast } = await setUp({ app: { sources: [hangingSource()] } });
      await readyMessage(holdfast.emails, "hello");
      const report = await time.until(holdfast.reconcile({ budgetMs }));
      expect(codes(report)).toEqual(["source_timeout"]);
      expect(box.keys()).toEqual(["hello"]);
      expect(time.now()).toBeLessThanOrEqual(budgetMs / 4);
    },
  );

  it("is waited for by two tenants of a pass at most, however many there are", async () => {
    const slow = hangingSource();
    const sources = [slow, paged([])];
    const { time, box, holdfast } = await setUp({ app: { sources } });
    const tenants = times(20, (n) => `tenant-${n}`);
    for (const id of tenants) await readyMessage(holdfast.tenant(id).emails, "hello");
    const report = await time.until(holdfast.reconcile({ tenants }));
    expect(codes(report)).toEqual(["source_timeout", "source_timeout"]);
    expect([slow.asked, box.delivered.length, report.hasMore]).toEqual([2, 20, true]);
    await time.until(holdfast.reconcile({ tenants }));
    expect(slow.asked).toBe(4);
  });

  it("does not hold back the page of one that answers", async () => {
    const { clock, ...time } = manualTime();
    const seen: unknown[] = [];
    const slow: Source = {
      name: "slow",
      async scan() {
        await clock.sleep(durationMs(4_000));
        seen.push(await holdfast.emails.readJob("order-1"));
        return { jobs: [found(2)], next: null };
      },
    };
    const sources = [slow, paged([{ jobs: [found(1)], next: null }])];
    const holdfast = await createHoldfast({ storage: memoryStorage(), clock, app: { sources } });
    expect(counted(await time.until(holdfast.reconcile()))).toMatchObject({ enqueued: 2 });
    expect(seen).toMatchObject([{ logicalKey: "order-1" }]);
  });
});

describe("a source that hangs for one tenant's data", () => {
  const tenants = times(10, (n) => `tenant-${n}`);

  function hangingFor(isHung: (tenant: string | null) => boolean, name = "orders") {
    const asked: (string | null)[] = [];
    const source: Source = {
      name,
      async scan({ tenant }) {
        asked.push(tenant);
        return isHung(tenant) ? never<SourcePage>() : { jobs: [found(1)], next: null };
      },
    };
    return { source, asked };
  }

  it("is asked for the data of all others by every pass", async () => {
    const { source, asked } = hangingFor((tenant) => tenant === "tenant-3");
    const { time, box, holdfast } = await setUp({ app: { sources: [source] } });
    for (const _ of times(3, String)) await time.until(holdfast.reconcile({ tenants }));
    for (const id of [null, ...tenants]) expect(asked.filter((one) => one === id)).toHaveLength(3);
    expect(box.delivered).toHaveLength(10);
  });

  it("and another one for another's, and so on, leave the time for what is due", async () => {
    const sources = tenants.map((id) => hangingFor((tenant) => tenant === id, id).source);
    const { time, box, holdfast } = await setUp({ app: { sources } });
    const to = "hello@example.com";
    for (const id of tenants) await readyMessage(holdfast.tenant(id).emails, "hello", to);
    await time.until(holdfast.reconcile({ tenants }));
    expect(box.delivered.filter(({ mail }) => mail.to === to)).toHaveLength(10);
  });

  it("and for another's too is asked first for those who were passed over", async () => {
    const { source, asked } = hangingFor((tenant) => /-[34]$/.test(tenant ?? ""));
    const { time, holdfast } = await setUp({ app: { sources: [source] } });
    await time.until(holdfast.reconcile({ tenants }));
    expect(asked).not.toContain("tenant-5");
    await time.until(holdfast.reconcile({ tenants }));
    for (const id of tenants) expect(asked).toContain(id);
  });
});

it("an outage of one tenant's mailer keeps no other tenant from its mails", async () => {
  const { time, box, holdfast } = await setUp();
  const tenants = times(4, (n) => `tenant-${n}`);
  for (const id of tenants) {
    for (const key of times(5, String))
      await readyMessage(holdfast.tenant(id).emails, key, `${id}@example.com`);
  }
  const away = { kind: "retry", error: "connect ECONNREFUSED", isUnavailable: true };
  const isAway = () => box.delivered.at(-1)?.mail.to === "tenant-0@example.com";
  box.answer = () => (isAway() ? away : { kind: "sent", id: null });
  const report = await time.until(holdfast.reconcile({ tenants }));
  expect(report.failures).toMatchObject([{ tenant: "tenant-0", code: "mailer_unavailable" }]);
  expect(counted(report)).toEqual({ sent: 15 });
});

it("an outage that two tenants met lets those behind them come first the next time", async () => {
  const { time, box, holdfast } = await setUp();
  const tenants = times(10, (n) => `tenant-${n}`);
  for (const id of tenants) {
    for (const key of times(5, String))
      await readyMessage(holdfast.tenant(id).emails, key, `${id}@example.com`);
  }
  const away = { kind: "retry", error: "connect ECONNREFUSED", isUnavailable: true };
  const isAway = () => /^tenant-[34]@/.test(box.delivered.at(-1)?.mail.to ?? "");
  box.answer = () => (isAway() ? away : { kind: "sent", id: null });
  expect(counted(await time.until(holdfast.reconcile({ tenants })))).toEqual({ sent: 15 });
  expect(counted(await time.until(holdfast.reconcile({ tenants })))).toEqual({ sent: 25 });
});

describe("rows that are known", () => {
  it("of many sources leave the time to promote and send what is new", async () => {
    const time = manualTime();
    const { clock } = time;
    const slow = slowStorage(clock, 100);
    const sources = times(32, (n) =>
      onePage(
        times(99, (row) => found(n * 100 + row)),
        null,
        `source-${n}`,
      ),
    );
    const box = outbox();
    const mail = { mailer: box, from: FROM };
    const holdfast = await createHoldfast({ storage: slow.storage, clock, app: { sources }, mail });
    await time.until(holdfast.reconcile());
    slow.isOn = true;
    await time.until(holdfast.emails.enqueue("new", MESSAGE));
    const report = await time.until(holdfast.reconcile());
    expect([counted(report), codes(report)]).toEqual([
      { discovered: 3_168, promoted: 1, sent: 1 },
      [],
    ]);
  });

  it("do not keep a page from its end that one pass cannot enqueue as a whole", async () => {
    const time = manualTime();
    const { clock } = time;
    const slow = slowStorage(clock, 1_000);
    slow.isOn = true;
    const last = { createdAt: "2026-01-01T00:00:00.000Z", id: "row-99" };
    const source = onePage(times(100, found), last);
    const app = { sources: [source] };
    const holdfast = await createHoldfast({ storage: slow.storage, clock, app });
    const first = await time.until(holdfast.reconcile());
    expect(codes(first)).toContain("source_unfinished");
    expect(first.hasMore).toBe(true);
    await time.until(holdfast.reconcile());
    slow.isOn = false;
    expect(await time.until(holdfast.emails.listJobs())).toHaveLength(100);
    expect((await time.until(holdfast.reconcile())).emails.discovered).toBe(0);
  });
});

describe("the turn among tenants", () => {
  const tenants = times(20, (n) => `tenant-${n}`);
  /** Whose each mail was: they are addressed to their tenants. */
  const turns = (box: Outbox) => box.delivered.map(({ mail }) => mail.to.split("@")[0]);

  it("moves on by those who had theirs, so that a round takes as few passes as it can", async () => {
    // Two have theirs in the fifteen seconds of a pass in which something is leased, the third is cut short.
    const { time, box, holdfast } = await setUp({ sendMs: 6_000 });
    for (const pass of times(11, (n) => n)) {
      for (const id of tenants) {
        const { emails } = holdfast.tenant(id);
        const waiting = (await emails.listJobs()).filter(({ state }) => state === "ready");
        if (waiting.length === 0) await readyMessage(emails, `mail-${pass}`, `${id}@example.com`);
      }
      await time.until(holdfast.reconcile({ tenants }));
    }
    expect(new Set(turns(box)).size).toBe(tenants.length);
  });

  it("is the first of the next pass for one that was cut short behind others", async () => {
    const { time, box, holdfast } = await setUp({ sendMs: 6_000 });
    await readyMessage(holdfast.emails, "mine", "mine@example.com");
    for (const key of times(5, String)) {
      await readyMessage(holdfast.tenant("tenant-0").emails, key, "tenant-0@example.com");
      await readyMessage(holdfast.tenant("tenant-1").emails, key, "tenant-1@example.com");
    }
    await time.until(holdfast.reconcile({ tenants }));
    expect(turns(box)).toEqual(["mine", "tenant-0", "tenant-0"]);
    await time.until(holdfast.reconcile({ tenants }));
    expect(turns(box)[3]).toBe("tenant-0");
    await time.until(holdfast.reconcile({ tenants }));
    expect(turns(box)[6]).toBe("tenant-1");
  });
});

type Call = "get" | "put" | "due";

/** A storage whose calls never answer while `hangs` says so. */
function hangingStorage(hangs: (call: Call, key: string) => boolean): Storage {
  const storage = memoryStorage();
  const unless = <T>(call: Call, key: string, work: () => Promise<T>): Promise<T> =>
    hangs(call, key) ? never() : work();
  return {
    async open(context): Promise<Backend> {
      const backend = await storage.open(context);
      const { due } = backend;
      return {
        ...backend,
        get: (key) => unless("get", key, () => backend.get(key)),
        putIf: (key, body, condition) =>
          unless("put", key, () => backend.putIf(key, body, condition)),
        due: due && {
          ...due,
          page: (tenant, queue, ...rest) =>
            unless("due", queue, () => due.page(tenant, queue, ...rest)),
        },
      };
    },
  };
}

/** The settlements and a last answer come after the budget. */
const OVERTIME_MS = 1_000 + 3_000 + 1_000;

describe("a storage that never answers", () => {
  it.each<[string, (call: Call, key: string) => boolean]>([
    ["reads", (call) => call === "get"],
    ["writes", (call) => call === "put"],
    ["pages of what is due", (call) => call === "due"],
    ["anything", () => true],
    ["the configuration", (_, key) => key.includes("config")],
    ["writes of jobs", (call, key) => call === "put" && key.includes("jobs/")],
  ])("for %s does not hold a pass, and the next one goes on", async (_, isHung) => {
    let isHanging = false;
    const storage = hangingStorage((call, key) => isHanging && isHung(call, key));
    const sources = [onePage([found(1)], null)];
    const { time, box, holdfast } = await setUp({ storage, app: { sources } });
    await holdfast.emails.enqueue("waits", MESSAGE);
    await readyMessage(holdfast.emails, "hello");
    isHanging = true;
    const budgetMs = 25_000;
    const report = await time.until(holdfast.reconcile({ budgetMs }));
    expect(codes(report)).toContain("store_timeout");
    expect(report.hasMore).toBe(true);
    expect(time.now()).toBeLessThanOrEqual(budgetMs + OVERTIME_MS);
    isHanging = false;
    await time.advance(120_000);
    await time.until(holdfast.reconcile({ budgetMs }));
    await time.until(holdfast.reconcile({ budgetMs }));
    expect(new Set(box.keys())).toEqual(new Set(["hello", "waits", "order-1"]));
  });

  it("for the writes of leases, and then does, leaves their jobs as they were", async () => {
    let isHanging = false;
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const storage = memoryStorage().withFaults(async ({ kind }, when) => {
      if (isHanging && kind === "put" && when === "after") await held;
      return null;
    });
    const { time, box, holdfast } = await setUp({ storage });
    await readyMessage(holdfast.emails, "hello");
    await time.until(holdfast.reconcile({ dryRun: true }));
    isHanging = true;
    const report = await time.until(holdfast.reconcile());
    expect([codes(report).includes("store_timeout"), report.hasMore]).toEqual([true, true]);
    isHanging = false;
    letGo();
    await time.advance(1_000);
    expect(await holdfast.emails.readJob("hello")).toMatchObject({ state: "ready", attempts: 0 });
    expect(counted(await time.until(holdfast.reconcile()))).toEqual({ sent: 1 });
    expect(box.keys()).toEqual(["hello"]);
  });

  it("for a hundred jobs that stand first does not keep those behind them", async () => {
    const hung = new Set(times(100, (n) => `emails/jobs/${jobIdOf(`bad-${n}`)}`));
    let isHanging = false;
    const storage = hangingStorage((call, key) => isHanging && call === "get" && hung.has(key));
    const time = manualTime();
    const { clock } = time;
    const box = outbox();
    const mail = { mailer: box, from: FROM };
    const holdfast = await createHoldfast({ storage, clock, mail });
    for (const n of times(100, String)) await readyMessage(holdfast.emails, `bad-${n}`);
    await time.advance(1);
    for (const n of times(20, String)) await readyMessage(holdfast.emails, `good-${n}`);
    isHanging = true;
    await time.until(holdfast.reconcile());
    expect(box.delivered).toHaveLength(20);
  });

  it("for a hundred receipts that stand first keeps neither those behind them, nor a job", async () => {
    const hung = new Set<string>();
    const storage = hangingStorage((call, key) => call === "get" && hung.has(key));
    const { time, box, holdfast } = await setUp({ storage });
    const { receipts, emails } = holdfast;
    const bad: string[] = [];
    for (const n of times(100, String)) {
      bad.push((await dispatched(receipts, operation(`bad-${n}`))).receipt.id);
    }
    await time.advance(1);
    for (const n of times(20, String)) await dispatched(receipts, operation(`good-${n}`));
    await time.advance(LAPSE_MS);
    await readyMessage(emails, "hello");
    for (const id of bad) hung.add(`receipts/records/${id}`);
    const report = await time.until(holdfast.reconcile());
    expect(report.receipts.recovered).toBe(20);
    expect(box.keys()).toEqual(["hello"]);
    const told = report.failures.filter(({ machine }) => machine === "receipts");
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set(bad));
    expect(new Set(told.map(({ code }) => code))).toEqual(new Set(["store_timeout"]));
    expect(report.hasMore).toBe(true);
  });

  it("for the receipts leaves the jobs their time", async () => {
    let isHanging = false;
    const isOfReceipts = (key: string): boolean => key.startsWith("receipts/");
    const storage = hangingStorage((call, key) => isHanging && call === "get" && isOfReceipts(key));
    const { time, box, holdfast } = await setUp({ storage });
    for (const n of times(100, String)) await dispatched(holdfast.receipts, operation(`bad-${n}`));
    await time.advance(LAPSE_MS);
    await holdfast.emails.enqueue("hello", MESSAGE);
    isHanging = true;
    await time.until(holdfast.reconcile({ budgetMs: 1_000 }));
    expect(box.keys()).toEqual(["hello"]);
  });

  it("for the writes of receipts leaves the jobs their time, however many stand first", async () => {
    let isHanging = false;
    const storage = hangingStorage(
      (call, key) => isHanging && call === "put" && key.startsWith("receipts/"),
    );
    const { time, holdfast } = await setUp({ storage });
    for (const n of times(30, String)) await dispatched(holdfast.receipts, operation(`bad-${n}`));
    await time.advance(LAPSE_MS);
    await holdfast.emails.enqueue("hello", MESSAGE);
    isHanging = true;
    const report = await time.until(holdfast.reconcile());
    expect(report.emails.promoted).toBe(1);
    expect(report.hasMore).toBe(true);
    const told = report.failures.filter(({ machine }) => machine === "receipts");
    expect(new Set(told.map(({ code }) => code))).toEqual(new Set(["store_timeout"]));
  });

  it("for two machines leaves the third its time", async () => {
    let isHanging = false;
    const storage = hangingStorage(
      (call, key) => isHanging && call === "get" && /^(?:receipts|queries)\//.test(key),
    );
    const { time, holdfast } = await setUp({ storage });
    for (const n of times(200, String)) {
      await dispatched(holdfast.receipts, operation(`bad-${n}`));
      const clientJobId = `11111111-1111-4111-8111-${n.padStart(12, "0")}`;
      await holdfast.queries.admit({ ...REQUEST, clientJobId, sessionId: `session-${n}` });
    }
    await time.advance(LAPSE_MS);
    await holdfast.emails.enqueue("hello", MESSAGE);
    isHanging = true;
    const { emails } = await time.until(holdfast.reconcile({ budgetMs: 1_000 }));
    expect(emails.promoted).toBe(1);
  });

  it("for one job is told as of that job, and the others are sent", async () => {
    let hung = "";
    const storage = hangingStorage((call, key) => call === "get" && key === hung);
    const { time, box, holdfast } = await setUp({ storage });
    for (const key of ["a", "b", "c"]) await readyMessage(holdfast.emails, key);
    const id = jobIdOf("a");
    hung = `emails/jobs/${id}`;
    const report = await time.until(holdfast.reconcile());
    expect(report.failures).toMatchObject([{ id: `sha256:${id}`, code: "store_timeout" }]);
    expect(box.keys()).not.toContain("a");
  });
});
