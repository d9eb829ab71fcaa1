/** Passes whose sources, storage and mailers take their time, or all of it: in virtual time. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { durationMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { jobIdOf } from "../../src/machines/emails/record.ts";
import type { Backend, Storage } from "../../src/ports/backend.ts";
import type { Source, SourcePage } from "../../src/ports/source.ts";
import type { App } from "../../src/services/app.ts";
import { manualTime } from "../client/manual-time.ts";
import { MESSAGE, times } from "./emails/given.ts";
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

  it("is waited for once in a pass, however many tenants there are, and told once", async () => {
    const slow = hangingSource();
    const sources = [slow, paged([])];
    const { time, box, holdfast } = await setUp({ app: { sources } });
    const tenants = times(20, (n) => `tenant-${n}`);
    for (const id of tenants) await readyMessage(holdfast.tenant(id).emails, "hello");
    const report = await time.until(holdfast.reconcile({ tenants }));
    expect(report.failures).toMatchObject([{ code: "source_timeout", count: 1 }]);
    expect([slow.asked, box.delivered.length]).toEqual([1, 20]);
    await time.until(holdfast.reconcile({ tenants }));
    expect(slow.asked).toBe(2);
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
          page: (root, queue, ...rest) =>
            unless("due", queue, () => due.page(root, queue, ...rest)),
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
