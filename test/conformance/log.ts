/** Parts of an event log: created once, in order, read without a gap, removed with their job. */
import { describe, expect, it } from "vitest";
import { key } from "../../src/core/key.ts";
import { after, durationMs } from "../../src/core/time.ts";
import { OutcomeUnknownError, RecordTooLargeError } from "../../src/ports/faults.ts";
import { BODY_BYTES_MAX } from "../../src/store/limits.ts";
import type { Bench } from "./fixture.ts";
import { describeLargeParts } from "./log-continuations.ts";
import {
  collect,
  fill,
  JOB,
  LOG,
  largeItems,
  names,
  OTHER_JOB,
  openLogBench,
  soon,
  spans,
} from "./log-given.ts";

export function describeLog(bench: () => Bench): void {
  describe("log parts", () => {
    describeCreation(bench);
    describeReading(bench);
    describeRemoval(bench);
  });
  describe("large log parts", () => describeLargeParts(bench));
}

function describeCreation(bench: () => Bench): void {
  it("gives a place in the log to exactly one of eight writers", async () => {
    const { log } = openLogBench(bench());
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, writer) =>
        log.draft({ about: { writer }, items: [{}] }).create(1, soon(bench())),
      ),
    );
    expect(results.filter((result) => result === "created")).toHaveLength(1);
    expect(await log.get(1)).toMatchObject({ about: { writer: results.indexOf("created") } });
  });

  for (const fault of ["lost_now", "lost_late", "lost_never", "refused"] as const) {
    it(`a part whose reply is ${fault} is created once`, async () => {
      const { log, backend } = openLogBench(bench());
      backend.plan.push(fault);
      const mine = log.draft({ about: {}, items: ["mine"] });
      expect(await mine.create(1, soon(bench()))).toBe("created");
      await backend.applyLate();
      const other = log.draft({ about: {}, items: ["other"] });
      expect(await other.create(1, soon(bench()))).toBe("taken");
      const part = { kind: "whole", first: 1, last: 1, about: {}, items: ["mine"] };
      expect(await log.get(1)).toEqual(part);
    });
  }

  it("a part that found its number taken goes to another one (protocols 5.2, step 5)", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [["theirs"]] });
    const mine = log.draft({ about: {}, items: ["mine"] });
    expect(await mine.create(1, soon(bench()))).toBe("taken");
    expect(await mine.create(2, soon(bench()))).toBe("created");
    expect(await mine.create(2, soon(bench()))).toBe("created");
    await mine.discard();
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-2"]);
    await expect(mine.create(3, soon(bench()))).rejects.toThrow("at another number");
  });

  it("a part whose outcome is unknown keeps its number until that is told (G3)", async () => {
    const { log, backend } = openLogBench(bench());
    await fill(bench(), log, { parts: [["one"]] });
    backend.plan.push(...Array.from({ length: 20 }, () => "lost_never" as const));
    const mine = log.draft({ about: {}, items: ["mine"] });
    const brief = after(bench().clock.now(), durationMs(150));
    await expect(mine.create(2, brief)).rejects.toBeInstanceOf(OutcomeUnknownError);
    backend.plan.splice(0, 20, ...Array.from({ length: 20 }, () => "throttled" as const));
    // That a repeat is turned away says nothing about the first.
    await expect(mine.create(2, brief)).rejects.toBeInstanceOf(OutcomeUnknownError);
    await expect(mine.create(3, soon(bench()))).rejects.toThrow("at another number");
    backend.plan.splice(0);
    await fill(bench(), log, { first: 2, parts: [["theirs"]] });
    expect(await mine.create(2, soon(bench()))).toBe("taken");
    expect(await mine.create(3, soon(bench()))).toBe("created");
  });

  it("refuses what does not fit into one record beside the items, before anything is written", async () => {
    const { log, asked } = openLogBench(bench());
    const about = { text: "x".repeat(BODY_BYTES_MAX) };
    expect(() => log.draft({ about, items: [1] })).toThrow(RecordTooLargeError);
    expect(() => log.draft({ about: {}, items: ["x".repeat(5_000_000)] })).toThrow(
      RecordTooLargeError,
    );
    expect(asked).toEqual([]);
  });
}

function describeReading(bench: () => Bench): void {
  it("shows every part in order, some of them with many items (protocols 5.3)", async () => {
    const { log } = openLogBench(bench());
    const parts = Array.from({ length: 40 }, (_, nth) =>
      Array.from({ length: 1 + (nth % 3) }, (_, item) => `${nth}.${item}`),
    );
    await fill(bench(), log, { parts });
    const read = await collect(log.readFrom(0));
    expect(read.map((part) => (part.kind === "whole" ? part.items : null))).toEqual(parts);
    expect(read.map(({ first }) => first)).toEqual([
      1,
      ...read.slice(0, -1).map((p) => p.last + 1),
    ]);
    expect(await collect(log.readOn(0))).toEqual(read);
    expect(await log.get(3)).toBeNull();
  });

  it("begins with the part that a cursor lies in, before or behind (protocols 5.3, 1)", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], [2, 3], [4, 5, 6], [7]] });
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-3", "4-6", "7-7"]);
    expect(await spans(log.readFrom(1))).toEqual(["2-3", "4-6", "7-7"]);
    expect(await spans(log.readFrom(2))).toEqual(["2-3", "4-6", "7-7"]);
    expect(await spans(log.readFrom(3))).toEqual(["4-6", "7-7"]);
    for (const cursor of [6, 7, 8, 1_000, Number.MAX_SAFE_INTEGER - 1]) {
      expect(await spans(log.readFrom(cursor))).toEqual(["7-7"]);
    }
    expect(await spans(log.readOn(3))).toEqual(["4-6", "7-7"]);
    expect(await spans(log.readOn(7))).toEqual([]);
  });

  it("of a log that is not there is nothing, and one request", async () => {
    const { log, asked } = openLogBench(bench());
    expect(await spans(log.readOn(0))).toEqual([]);
    expect(asked).toEqual(["get 000000000001"]);
    for (const cursor of [0, 5]) expect(await spans(log.readFrom(cursor))).toEqual([]);
  });

  it("goes no further than the chain, and tells of a gap (QUERY-51, protocols 5.5)", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], [2]] });
    await fill(bench(), log, { first: 4, parts: [[4]] });
    const read: number[] = [];
    const reading = (async () => {
      for await (const { first } of log.readFrom(0)) read.push(first);
    })();
    await expect(reading).rejects.toMatchObject({ code: "record_corrupt" });
    expect(read).toEqual([1, 2]);
    expect(await spans(log.readOn(2))).toEqual([]);
    await fill(bench(), log, { first: 3, parts: [[3]] });
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-2", "3-3", "4-4"]);
  });

  it("finds what a listing did not show, since that is no snapshot (protocols 5.3, 2)", async () => {
    const { log, backend } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], [2], [3], [4]] });
    const { list } = backend;
    backend.list = async (...request) => {
      const page = await list(...request);
      return { ...page, entries: page.entries.filter(({ key }) => !key.endsWith("2")) };
    };
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-2", "3-3", "4-4"]);
    expect(await spans(log.readFrom(2))).toEqual(["3-3", "4-4"]);
  });

  it("lists once and reads only what the listing did not bring (protocols 5.6)", async () => {
    const { log, asked } = openLogBench(bench());
    await fill(bench(), log, { parts: Array.from({ length: 20 }, (_, nth) => [nth]) });
    const [entry] = (await bench().backend.list(`${LOG}/`, null, 1)).entries;
    asked.splice(0);
    for await (const { first } of log.readFrom(0)) if (first === 1) break;
    // Nobody pays for what nobody wants to see.
    const gets = entry?.found === null ? 16 : 0;
    expect(asked.filter((one) => one.startsWith("get"))).toHaveLength(gets);
    asked.splice(0);
    await collect(log.readFrom(0));
    expect(asked.filter((one) => one === "list")).toHaveLength(1);
    const all = entry?.found === null ? 20 : 0;
    expect(asked.filter((one) => one.startsWith("get"))).toHaveLength(all + 1);
    expect(asked.at(-1)).toBe("get 000000000021");
  });

  it("walks a log of more parts than a page has names, with and without continuations", async () => {
    const { log, backend, asked } = openLogBench(bench());
    const next = await fill(bench(), log, { parts: Array.from({ length: 29 }, (_, nth) => [nth]) });
    const { list } = backend;
    backend.list = (prefix, cursor, limit) => list(prefix, cursor, Math.min(limit, 7));
    const all = Array.from({ length: 29 }, (_, nth) => `${nth + 1}-${nth + 1}`);
    expect(await spans(log.readFrom(0))).toEqual(all);
    for (const cursor of [6, 7, 20, 28]) {
      expect(await spans(log.readFrom(cursor))).toEqual(all.slice(cursor));
    }
    await fill(bench(), log, { first: next, parts: [largeItems(), largeItems(), largeItems()] });
    asked.splice(0);
    expect(await spans(log.readFrom(0))).toEqual([...all, "30-36", "37-43", "44-50"]);
    expect(asked.filter((one) => one === "list")).toHaveLength(5);
    while ((await log.removeSome()) === "more");
    expect(await names(bench())).toEqual([]);
  });

  it("reports a part that cannot be read, and shows those before it (G6)", async () => {
    const { log } = openLogBench(bench());
    const put = (name: string, body: string) =>
      bench().backend.putIf(key(`${LOG}/${name}`), body, {
        expected: "absent",
        due: null,
        dueBefore: null,
      });
    await fill(bench(), log, { parts: [[1]] });
    const header = '"holdfast":{"schema":1,"w":"AAAAAAAAAAAAAAAA"';
    await put("000000000002", `{"items":[],${header}}}`);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { first } of log.readFrom(0)) seen.push(first);
    })();
    await expect(reading).rejects.toMatchObject({
      code: "record_corrupt",
      reason: "it has no items",
    });
    expect(seen).toEqual([1]);
    await put("000000000003", `{"items":[1],"holdfast":{"schema":2,"w":"AAAAAAAAAAAAAAAA"}}`);
    await expect(log.get(3)).rejects.toThrow(/newer release.*schema 2/);
    const moved = `"moved":{"count":1,"continuations":17,"sha256":"${"0".repeat(64)}"}`;
    await put("000000000004", `{${header},${moved}}}`);
    await expect(log.get(4)).rejects.toMatchObject({ reason: "its header does not fit" });
    const late = log.draft({ about: {}, items: ["mine"] });
    await expect(late.create(2, soon(bench()))).rejects.toMatchObject({ code: "record_corrupt" });
    expect(await late.create(5, soon(bench()))).toBe("created");
  });
}

function describeRemoval(bench: () => Bench): void {
  it("of a job takes everything, part 1 last, and nothing of others (protocols 5.4)", async () => {
    const { logs, log, asked } = openLogBench(bench());
    await fill(bench(), log, { parts: Array.from({ length: 20 }, (_, nth) => [nth]) });
    await fill(bench(), logs.open(OTHER_JOB), { parts: [[1]] });
    asked.splice(0);
    while ((await log.removeSome()) === "more");
    const removed = asked.filter((one) => one.startsWith("remove"));
    expect(removed).toHaveLength(20);
    expect(removed.at(-1)).toBe("remove 000000000001");
    expect(asked.filter((one) => one === "list")).toHaveLength(2);
    expect(await names(bench())).toEqual([]);
    expect(await spans(log.readFrom(0))).toEqual([]);
    expect(await spans(logs.open(OTHER_JOB).readFrom(0))).toEqual(["1-1"]);
    expect(await log.removeSome()).toBe("none");
  });

  it("that was cut off anywhere is taken up again, and finds part 1 until the end", async () => {
    const { log, backend } = openLogBench(bench());
    await fill(bench(), log, { parts: Array.from({ length: 5 }, (_, nth) => [nth]) });
    const { remove } = backend;
    const begun: Promise<void>[] = [];
    backend.remove = async (name) => {
      if (begun.length === 2) throw new Error("killed");
      begun.push(remove(name));
    };
    for (let tries = 0; ; tries += 1) {
      const end = await log.removeSome().catch(() => "killed");
      await Promise.all(begun.splice(0));
      if (end === "none") break;
      const rest = await names(bench());
      if (rest.length > 0) expect(rest[0]).toBe("000000000001");
      expect(tries).toBeLessThan(5);
    }
    expect(await names(bench())).toEqual([]);
  });

  it("leaves what others put beside the parts, and comes to its end", async () => {
    const { logs, log } = openLogBench(bench());
    const beside = key(`${LOG}/notes`);
    await bench().backend.putIf(beside, "{}", { expected: "absent", due: null, dueBefore: null });
    await fill(bench(), log, { parts: [[1], [2]] });
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-2"]);
    expect(await log.removeSome()).toBe("more");
    expect(await log.removeSome()).toBe("none");
    expect(await names(bench())).toEqual(["notes"]);
    expect((await logs.jobs(null, 10)).jobIds).toEqual([]);
  });

  it("takes what a stalled writer put there meanwhile (protocols 5.5, ghost commit)", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1]] });
    while ((await log.removeSome()) === "more");
    const ghost = log.draft({ about: {}, items: ["late"] });
    expect(await ghost.create(2, soon(bench()))).toBe("created");
    // Nothing of it is shown; that the job is gone is what its root says.
    await expect(spans(log.readFrom(0))).rejects.toMatchObject({ code: "record_corrupt" });
    await ghost.remove();
    expect(await names(bench())).toEqual([]);
    await fill(bench(), log, { first: 2, parts: [["later"]] });
    expect(await log.removeSome()).toBe("more");
    expect(await log.removeSome()).toBe("none");
  });

  it("finds every job of which there is anything, page by page, of one tenant (protocols 4.3)", async () => {
    const { logs } = openLogBench(bench());
    const acme = openLogBench(bench(), "acme");
    const jobs = Array.from({ length: 7 }, (_, nth) => `${nth}${JOB.slice(1)}`);
    for (const job of jobs) await fill(bench(), logs.open(job), { parts: [[1], [2], [3]] });
    await fill(bench(), acme.logs.open(OTHER_JOB), { parts: [[1]] });
    for (const limit of [1, 2, 4, 1_000]) {
      const found: string[] = [];
      let cursor = null;
      do {
        const page = await logs.jobs(cursor, limit);
        expect(new Set(page.jobIds).size).toBe(page.jobIds.length);
        found.push(...page.jobIds);
        cursor = page.cursor;
      } while (cursor !== null);
      expect([...new Set(found)].sort()).toEqual(jobs);
    }
    expect((await acme.logs.jobs(null, 1_000)).jobIds).toEqual([OTHER_JOB]);
  });
}
