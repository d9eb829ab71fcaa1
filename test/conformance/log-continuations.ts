/** Parts over the limit of a body: their items lie in continuations (protocols 5.8). */
import { expect, it } from "vitest";
import { key } from "../../src/core/key.ts";
import { after, durationMs } from "../../src/core/time.ts";
import { OutcomeUnknownError, StoreUnavailableError } from "../../src/ports/faults.ts";
import { BODY_BYTES_MAX } from "../../src/store/limits.ts";
import { logRoot } from "../../src/store/log-keys.ts";
import { type Bench, crashingBackend, type PutFault } from "./fixture.ts";
import {
  failPuts,
  fill,
  JOB,
  LOG,
  largeItems,
  names,
  openLogBench,
  soon,
  spans,
} from "./log-given.ts";

const CONTINUATIONS = ["b/w/0", "b/w/1"];
const often = (fault: PutFault): PutFault[] => Array.from({ length: 20 }, () => fault);

export function describeLargeParts(bench: () => Bench): void {
  const brief = () => after(bench().clock.now(), durationMs(150));
  const body = () => ({ about: { requestId: "r" }, items: largeItems() });

  it("are read as they were written, whatever their characters", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1]] });
    expect(await log.draft(body()).create(2, soon(bench()))).toBe("created");
    const part = { kind: "whole", first: 2, last: 8, about: { requestId: "r" } };
    expect(await log.get(2)).toEqual({ ...part, items: largeItems() });
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-8"]);
    for (const { key: name } of (await bench().backend.list(`${LOG}/`, null, 10)).entries) {
      const stored = await bench().backend.get(name);
      expect(Buffer.byteLength(stored?.body ?? "")).toBeLessThanOrEqual(BODY_BYTES_MAX);
    }
  });

  it("have their continuations acknowledged before them, but part 1 comes before its own", async () => {
    const { log, asked } = openLogBench(bench());
    await log.draft(body()).create(1, soon(bench()));
    expect(asked).toEqual(["put 000000000001", ...CONTINUATIONS.map((name) => `put ${name}`)]);
    asked.splice(0);
    await log.draft(body()).create(8, soon(bench()));
    expect(asked).toEqual([...CONTINUATIONS.map((name) => `put ${name}`), "put 000000000008"]);
  });

  it("do not show in the listing of parts", async () => {
    const { log, asked } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], largeItems()] });
    asked.splice(0);
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-8"]);
    expect(asked.filter((one) => one === "list")).toHaveLength(1);
    expect(await names(bench())).toEqual(["000000000001", "000000000002", ...CONTINUATIONS]);
  });

  it("use the same continuations again where their number was taken", async () => {
    const { log, asked } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], [2]] });
    const mine = log.draft(body());
    expect(await mine.create(2, soon(bench()))).toBe("taken");
    asked.splice(0);
    expect(await mine.create(3, soon(bench()))).toBe("created");
    expect(asked).toEqual(["put 000000000003"]);
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-2", "3-9"]);
  });

  it("leave nothing behind where they are given up", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], [2]] });
    const mine = log.draft(body());
    expect(await mine.create(2, soon(bench()))).toBe("taken");
    expect(await names(bench())).toHaveLength(4);
    await mine.discard();
    expect(await names(bench())).toEqual(["000000000001", "000000000002"]);
    await expect(mine.create(3, soon(bench()))).rejects.toThrow("given up");
  });

  it("of two writers with the same number are told apart, and one loses nothing of the other", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1]] });
    const drafts = ["one", "other"].map((writer) =>
      log.draft({ about: { writer }, items: largeItems() }),
    );
    const results = await Promise.all(drafts.map((draft) => draft.create(2, soon(bench()))));
    expect([...results].sort()).toEqual(["created", "taken"]);
    await Promise.all(drafts.map((draft) => draft.discard()));
    expect(await names(bench())).toHaveLength(4);
    const winner = results[0] === "created" ? "one" : "other";
    expect(await log.get(2)).toMatchObject({ kind: "whole", about: { writer: winner } });
  });

  for (const kind of ["part", "continuation"] as const) {
    for (const fault of ["lost_now", "lost_late", "lost_never", "refused"] as const) {
      it(`are whole, once, where the reply to a ${kind} is ${fault}`, async () => {
        const { log, backend } = openLogBench(bench());
        await fill(bench(), log, { parts: [[1]] });
        failPuts(backend, kind, [fault]);
        expect(await log.draft(body()).create(2, soon(bench()))).toBe("created");
        await backend.applyLate();
        expect(await log.get(2)).toMatchObject({ kind: "whole", items: largeItems() });
        expect(await names(bench())).toHaveLength(4);
      });
    }
  }

  it("are whole or not there after a kill at any step, and their number can be used", async () => {
    for (let dieAt = 1; ; dieAt += 1) {
      const { logs } = openLogBench(bench());
      const jobId = `${JOB.slice(2)}${String(dieAt).padStart(2, "0")}`;
      const healthy = logs.open(jobId);
      await fill(bench(), healthy, { parts: [[1]] });
      const backend = crashingBackend(bench().backend, dieAt);
      const { log } = openLogBench({ ...bench(), backend }, null, jobId);
      const end = await log
        .draft(body())
        .create(2, soon(bench()))
        .catch(() => "killed");
      const read = await spans(healthy.readFrom(0));
      expect([["1-1"], ["1-1", "2-8"]]).toContainEqual(read);
      const next = read.length === 1 ? 2 : 9;
      expect(await healthy.draft(body()).create(next, soon(bench()))).toBe("created");
      while ((await healthy.removeSome()) === "more");
      expect(await names(bench(), `${logRoot(null)}/${jobId}`)).toEqual([]);
      if (end === "created") return;
      expect(dieAt).toBeLessThan(20);
    }
  });

  it("are not begun where a continuation is not acknowledged", async () => {
    const { log, backend, asked } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1]] });
    failPuts(backend, "continuation", often("lost_never"));
    const mine = log.draft(body());
    const attempt = mine.create(2, brief());
    await expect(attempt).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(attempt).rejects.toMatchObject({ isNotWritten: true });
    expect(asked).not.toContain("put 000000000002");
    await mine.discard();
    expect(await names(bench())).toEqual(["000000000001"]);
  });

  it("are not begun over a continuation that may not stay", async () => {
    const { log, backend } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1]] });
    backend.plan.push("not_durable");
    const mine = log.draft(body());
    const written = { code: "unavailable", isNotWritten: true };
    await expect(mine.create(2, soon(bench()))).rejects.toMatchObject(written);
    await expect(mine.create(2, soon(bench()))).rejects.toMatchObject(written);
    expect(await names(bench())).toEqual(["000000000001", "b/w/0"]);
  });

  it("keep their continuations where the outcome is unknown, so that they are whole if they land", async () => {
    const { log, backend } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1]] });
    const mine = log.draft(body());
    failPuts(backend, "part", often("lost_late"));
    await expect(mine.create(2, brief())).rejects.toBeInstanceOf(OutcomeUnknownError);
    await mine.discard();
    await backend.applyLate();
    expect(await log.get(2)).toMatchObject({ kind: "whole", items: largeItems() });
  });

  it("go with their continuations where the job turns out to be retired (protocols 5.2, 6)", async () => {
    const { log } = openLogBench(bench());
    const ghost = log.draft(body());
    expect(await ghost.create(2, soon(bench()))).toBe("created");
    await ghost.remove();
    expect(await names(bench())).toEqual([]);
  });

  it("of an admission that was refused go with part 1 and what there is of it", async () => {
    const { log, backend } = openLogBench(bench());
    const first = log.draft(body());
    failPuts(backend, "continuation", often("not_durable"));
    await expect(first.create(1, brief())).rejects.toMatchObject({ isNotWritten: true });
    expect(await names(bench())).toEqual(["000000000001", "b/w/0"]);
    await first.remove();
    expect(await names(bench())).toEqual([]);
  });

  it("without a continuation are told as such, to be judged by the root (protocols 5.8, 4)", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], largeItems(), [9]] });
    const last = (await bench().backend.list(`${LOG}/`, null, 10)).entries.at(-1);
    await bench().backend.remove(last?.key ?? key("none/none"));
    expect(await spans(log.readFrom(0))).toEqual(["1-1", "2-8!", "9-9"]);
    expect(await log.get(2)).toMatchObject({
      kind: "incomplete",
      fault: { code: "record_corrupt", reason: "its continuation 2 of 2 is missing" },
    });
  });

  it("with another text than theirs are corrupt", async () => {
    const { log } = openLogBench(bench());
    await fill(bench(), log, { parts: [[1], largeItems()] });
    const last = (await bench().backend.list(`${LOG}/`, null, 10)).entries.at(-1);
    const name = last?.key ?? key("none/none");
    const { body: text = "", version } = (await bench().backend.get(name)) ?? {};
    if (version === undefined) throw new Error("there is no continuation");
    const other = { expected: version, due: null, dueBefore: null };
    await bench().backend.putIf(name, text.replace('"text":"', '"text":" '), other);
    await expect(log.get(2)).rejects.toMatchObject({
      code: "record_corrupt",
      reason: "its continuations are not what it was written with",
    });
  });

  it("go with their job, parts and continuations alike (protocols 5.8, 6)", async () => {
    const { log, asked } = openLogBench(bench());
    await fill(bench(), log, { parts: [largeItems(), largeItems()] });
    asked.splice(0);
    while ((await log.removeSome()) === "more");
    const removed = asked.filter((one) => one.startsWith("remove"));
    expect(removed).toHaveLength(6);
    expect(removed.at(-1)).toBe("remove 000000000001");
    expect(await names(bench())).toEqual([]);
  });
}
