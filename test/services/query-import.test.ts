/** Journals of an original query store, brought into any storage (semantics C1 to C4; protocols 4). */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { queryJournal } from "../../adapters/storage/filesystem/query-journal.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { QuerySnapshot } from "../../src/machines/queries/snapshot.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import {
  type ImportQueryJournalOptions,
  importQueryJournal,
  type JournalReport,
  type JournalTrouble,
} from "../../src/services/query-import.ts";
import {
  advance,
  clock,
  folderPlace,
  memoryPlace,
  newFolder,
  START,
  using,
} from "./copy/places.ts";
import { codeOf, DAY, FENCE_MS, REQUEST } from "./queries/given.ts";
import {
  interleaved,
  type JournaledJob,
  journaled,
  lineOf,
  uuidOf,
  writeJournal,
} from "./queries/journal.ts";

/** A minute before the import. */
const THEN = START - 60_000;
const FILE = "2026-07-11.jsonl";
const REF = {
  id: `m_${"a".repeat(24)}`,
  kind: "generated_visual",
  mime: "image/png",
  width: 1,
  height: 1,
  createdAt: "2026-07-01T00:00:00Z",
};

const iso = (ms: number): string => new Date(ms).toISOString();
/** Of the row with this number of a job that began at `THEN`. */
const rowAt = (seq: number): string => iso(THEN + (seq - 1) * 1_000);

interface Imported {
  readonly report: JournalReport;
  readonly troubles: readonly JournalTrouble[];
}

async function imported(
  files: Readonly<Record<string, string>>,
  to: Storage,
  options: Partial<ImportQueryJournalOptions> = {},
): Promise<Imported> {
  const directory = writeJournal(newFolder(), files);
  const troubles: JournalTrouble[] = [];
  const from = queryJournal({ directory });
  const onTrouble = (trouble: JournalTrouble): void => void troubles.push(trouble);
  const report = await importQueryJournal({ from, to, clock, onTrouble, ...options });
  expect(readdirSync(directory).sort()).toEqual(Object.keys(files).sort());
  return { report, troubles };
}

const WHOLE = {
  ...{ copied: 0, present: 0, conflicting: 0, unreadable: 0, failed: 0, stopped: null },
  ...{ expired: 0, skippedRows: 0 },
};

async function snapshots(
  storage: Storage,
  ...jobs: readonly JournaledJob[]
): Promise<readonly QuerySnapshot[]> {
  return using(storage, ({ queries }) =>
    Promise.all(jobs.map(({ jobId }) => queries.getSnapshot(jobId))),
  );
}

/** What every snapshot of a journaled job has, whatever became of it. */
function plain(name: string, job: JournaledJob, fields: object): object {
  return {
    schemaVersion: 1,
    jobId: uuidOf(`job ${name}`),
    clientJobId: uuidOf(`client ${name}`),
    generation: 1,
    turnId: uuidOf(`turn ${name}`),
    requestFingerprint: job.rows[0]?.["requestFingerprint"],
    eventSeq: job.rows.length,
    oldestEventSeq: 1,
    sessionId: "session-durable-1",
    attachments: [],
    partialText: "",
    partialTruncated: false,
    activity: [],
    acceptedAt: iso(THEN),
    updatedAt: rowAt(job.rows.length),
    retentionUntil: iso(THEN + 7 * DAY),
    ...fields,
  };
}

const places = [
  ["a memory", () => memoryPlace("native")],
  ["a memory with due markers", () => memoryPlace("markers")],
  ["a folder", () => folderPlace()],
] as const;

describe.each(places)("a journal that is imported into %s", (_name, place) => {
  it("QUERY-53 gives the snapshots that the original's fold gives, of every end", async () => {
    const fields = { model: "large", effort: "high", messageEra: "era", handoffCode: "h" };
    const full = journaled("full", THEN, { ...fields, globalMsgNum: 7, attachmentRefs: [REF] })
      .starting()
      .running({ provider: "claude", cliSessionId: "s" })
      .owned({ claudeRunId: "run-1" })
      .chunk("one ")
      .activity("status", "read [path] with [redacted]")
      .activity("status", "read [path] with [redacted]")
      .activity("output", "a line", true)
      .chunk("two")
      .ready("one two", { resolvedModel: "larger" })
      .completed("one two", { outputImageStats: { published: 2, attached: 1, rejected: 1 } })
      .acknowledged();
    const failed = journaled("failed", THEN)
      .starting()
      .running()
      .chunk("half an ans")
      .ended("failed", { code: "provider_down", message: "it is down", retryable: true });
    const canceled = journaled("canceled", THEN).ended("canceled", {
      code: "canceled",
      message: "Canceled by user.",
    });
    const interrupted = journaled("interrupted", THEN)
      .starting()
      .ended("interrupted", { code: "interrupted", message: "stopped", retryable: true });
    const answered = journaled("answered", THEN).starting().completed("at once");
    const jobs = [full, failed, canceled, interrupted, answered];
    const { storage } = place();
    const { report, troubles } = await imported({ [FILE]: interleaved(...jobs) }, storage);
    const rows = jobs.reduce((sum, job) => sum + job.rows.length, 0);
    expect({ report, troubles }).toEqual({ report: { ...WHOLE, copied: 5, rows }, troubles: [] });
    expect(await snapshots(storage, ...jobs)).toEqual([
      plain("full", full, {
        ...{ status: "completed", requestedModel: "large", effort: "high", messageEra: "era" },
        ...{ handoffCode: "h", globalMsgNum: 7, attachments: [REF] },
        ...{ partialText: "one two", response: "one two", responseTruncated: false },
        outputImageStats: { published: 2, attached: 1, rejected: 1 },
        activity: [
          {
            ...{ eventSeq: 7, at: rowAt(7), kind: "status", repeatCount: 2 },
            text: "read [path] with [redacted]",
          },
          { eventSeq: 8, at: rowAt(8), kind: "output", text: "a line" },
        ],
        ...{ startedAt: rowAt(3), providerOwnershipConfirmedAt: rowAt(4) },
        ...{ answerReadyAt: rowAt(10), completedAt: rowAt(11), acknowledgedAt: rowAt(12) },
        ...{ provider: "claude", cliSessionId: "s", claudeRunId: "run-1" },
        resolvedModel: "larger",
      }),
      plain("failed", failed, {
        ...{ status: "failed", partialText: "half an ans" },
        error: { code: "provider_down", message: "it is down", retryable: true },
        ...{ startedAt: rowAt(3), completedAt: rowAt(5) },
      }),
      plain("canceled", canceled, {
        ...{ status: "canceled", completedAt: rowAt(2) },
        error: { code: "canceled", message: "Canceled by user." },
      }),
      plain("interrupted", interrupted, {
        ...{ status: "interrupted", completedAt: rowAt(3) },
        error: { code: "interrupted", message: "stopped", retryable: true },
      }),
      plain("answered", answered, {
        ...{ status: "completed", completedAt: rowAt(3) },
        ...{ partialText: "at once", response: "at once", responseTruncated: false },
      }),
    ]);
  });

  it("QUERY-58 is replayed in deltas, read, listed, acknowledged and retired like our own", async () => {
    const job = journaled("one", THEN).starting().running().chunk("a").chunk("bc").completed("abc");
    const { storage } = place();
    await imported({ [FILE]: interleaved(job) }, storage);
    await using(storage, async ({ queries }) => {
      const { events } = await queries.replay(job.jobId, 1);
      expect(events.map(({ eventSeq }) => eventSeq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(events.slice(3, 5).map(({ data }) => data)).toEqual([{ text: "a" }, { text: "bc" }]);
      expect((await queries.list()).jobs.map(({ jobId }) => jobId)).toEqual([job.jobId]);
      expect((await queries.findByClientGeneration(job.clientJobId, 1))?.jobId).toBe(job.jobId);
      expect((await queries.acknowledge(job.jobId, 1)).applied).toBe(true);
      const fields = { clientJobId: job.clientJobId };
      expect((await queries.admit({ ...REQUEST, ...fields })).created).toBe(false);
      const other = { ...REQUEST, ...fields, query: "another" };
      expect(await codeOf(queries.admit(other))).toBe("job_identity_conflict");
    });
    // A disk takes its time, which a pass bounds.
    const later = { ...systemClock(), now: () => epochMs(START + 7 * DAY) };
    const { queries, reconcile, close } = await createHoldfast({ storage, clock: later });
    expect((await reconcile()).queries.retired).toBe(1);
    expect(await codeOf(queries.getSnapshot(job.jobId))).toBe("query_job_not_found");
    await close();
  });

  it("QUERY-42, QUERY-43 decides what was left unfinished as the original does when it begins again", async () => {
    const jobs = [
      journaled("accepted", THEN, { sessionId: "s1" }),
      journaled("starting", THEN, { sessionId: "s1" }).starting(),
      journaled("running", THEN, { sessionId: "s1" }).starting().running().chunk("so far"),
      journaled("owned", THEN, { sessionId: "s2" }).starting().running().owned(),
      journaled("ready", THEN, { sessionId: "s3" }).starting().running().owned().ready("answer"),
    ];
    const { storage } = place();
    const { report } = await imported({ [FILE]: interleaved(...jobs) }, storage);
    expect(report).toMatchObject({ copied: 5 });
    const found = await snapshots(storage, ...jobs);
    const shown = found.map(({ status, error, orphanFenceUntil, response }) => ({
      ...{ status, code: error?.code, orphanFenceUntil, response },
    }));
    const left = { status: "interrupted", code: "interrupted" };
    expect(shown).toEqual([
      left,
      left,
      left,
      { ...left, orphanFenceUntil: iso(START + FENCE_MS) },
      { status: "completed", response: "answer" },
    ]);
    await using(storage, async ({ queries }) => {
      const admit = (sessionId: string) =>
        codeOf(queries.admit({ ...REQUEST, clientJobId: uuidOf(sessionId), sessionId }));
      expect(await admit("s1")).toBe("nothing was thrown");
      expect(await admit("s2")).toBe("provider_orphan_fence");
      expect(await admit("s3")).toBe("nothing was thrown");
    });
  });

  it("QUERY-7 keeps the generations of a client job, and holds the session that one of them held", async () => {
    const until = iso(START + 5_000);
    const error = { code: "interrupted", message: "stopped", retryable: true };
    const client = { clientJobId: uuidOf("client") };
    const first = journaled("g1", THEN, client)
      .starting()
      .running()
      .owned()
      .ended("interrupted", error, { orphanFenceUntil: until });
    const third = journaled("g3", THEN, { ...client, generation: 3, sessionId: "other" })
      .starting()
      .completed("done");
    const { storage } = place();
    // The later generation stands first: its file tells nothing of the order.
    await imported({ [FILE]: interleaved(third, first) }, storage);
    await using(storage, async ({ queries }) => {
      expect((await queries.findByClientGeneration(uuidOf("client"), 1))?.orphanFenceUntil).toBe(
        until,
      );
      expect((await queries.findByClientGeneration(uuidOf("client"), 3))?.response).toBe("done");
      const admit = (generation: number) =>
        queries.admit({ ...REQUEST, ...client, generation, query: "next" });
      expect(await codeOf(admit(4))).toBe("provider_orphan_fence");
      advance(5_000);
      expect(await codeOf(admit(2))).toBe("job_generation_out_of_order");
      expect((await admit(4)).created).toBe(true);
    });
  });

  it("run again changes nothing, and says so; nor does it where the target went on", async () => {
    const jobs = [journaled("done", THEN).starting().completed("x"), journaled("left", THEN)];
    const files = { [FILE]: interleaved(...jobs) };
    const { storage } = place();
    await imported(files, storage);
    const before = await snapshots(storage, ...jobs);
    advance(1_000);
    const again = await imported(files, storage);
    expect(again).toEqual({ report: { ...WHOLE, present: 2, rows: 4 }, troubles: [] });
    expect(await snapshots(storage, ...jobs)).toEqual(before);
    const [left] = jobs.slice(1);
    await using(storage, ({ queries }) =>
      queries.admit({ ...REQUEST, clientJobId: left?.clientJobId, generation: 2 }),
    );
    expect((await imported(files, storage)).report).toMatchObject({ copied: 0, present: 2 });
  });

  it("goes to the tenant that is named, and a dry run writes nothing", async () => {
    const job = journaled("one", THEN).starting().running().owned();
    const files = { [FILE]: interleaved(job) };
    const { storage } = place();
    const dry = await imported(files, storage, { dryRun: true, tenant: "acme" });
    expect(dry.report).toMatchObject({ copied: 1 });
    await using(storage, async ({ tenant }) => {
      expect((await tenant("acme").queries.list()).jobs).toEqual([]);
      expect(await codeOf(tenant("acme").queries.admit(REQUEST))).toBe("nothing was thrown");
    });
    await imported(files, storage, { tenant: "acme" });
    await using(storage, async ({ queries, tenant }) => {
      expect((await queries.list()).jobs).toEqual([]);
      expect((await tenant("acme").queries.getSnapshot(job.jobId)).status).toBe("interrupted");
    });
  });
});

describe("rows of a journal", () => {
  const { storage } = memoryPlace("native");
  const run = async (files: Readonly<Record<string, string>>) => {
    const fresh = memoryPlace("native").storage;
    return { ...(await imported(files, fresh)), storage: fresh };
  };

  it("QUERY-47, QUERY-48 that were cut off or are none are told by file and line, and stop nothing", async () => {
    const job = journaled("one", THEN).starting().running().completed("answer");
    const [accepted = {}, starting = {}, running = {}, completed = {}] = job.rows;
    const text = [
      JSON.stringify(accepted),
      "",
      JSON.stringify(starting).slice(0, 200),
      `${JSON.stringify(starting)}\r`,
      "   ",
      JSON.stringify({ ...running, eventSeq: "three" }),
      "[]",
      "null",
      JSON.stringify({ ...running, persistedAt: "yesterday" }),
      JSON.stringify(running),
    ].join("\n");
    const { report, troubles, storage } = await run({
      "2026-07-10.jsonl": text,
      "2026-07-11.jsonl": `${JSON.stringify(completed)}\n${JSON.stringify(completed).slice(0, 300)}`,
      "notes.txt": "not a journal",
    });
    expect(report).toMatchObject({ copied: 1, rows: 10, skippedRows: 6, unreadable: 0 });
    expect(troubles.map(({ kind, at }) => `${kind} ${at}`)).toEqual([
      "skipped 2026-07-10.jsonl:3",
      "skipped 2026-07-10.jsonl:6",
      "skipped 2026-07-10.jsonl:7",
      "skipped 2026-07-10.jsonl:8",
      "skipped 2026-07-10.jsonl:9",
      "skipped 2026-07-11.jsonl:2",
    ]);
    expect(JSON.stringify(troubles)).not.toMatch(/durable prompt|answer|yesterday|three/);
    expect((await snapshots(storage, job))[0]).toMatchObject({ status: "completed", eventSeq: 4 });
  });

  it("QUERY-49, QUERY-51 that come twice or late are passed over, and missing ones are told", async () => {
    const job = journaled("one", THEN).starting().running().chunk("a").chunk("b").chunk("c");
    job.ended("failed", { code: "down", message: "down" });
    const [r1 = {}, r2 = {}, r3 = {}, r4 = {}, r5 = {}, r6 = {}, r7 = {}] = job.rows;
    const { report, troubles, storage } = await run({
      [FILE]: [r1, r1, r2, r2, r3, r5, r4, r1, r6, r7].map(lineOf).join(""),
    });
    expect(report).toMatchObject({ copied: 1, rows: 10, skippedRows: 0 });
    expect(troubles).toEqual([
      {
        ...{ kind: "gap", at: `${FILE}:6`, jobId: job.jobId },
        reason: "1 of its rows before this one are missing",
      },
    ]);
    // The log has no holes; the text is whole, since the next row repeats it.
    expect((await snapshots(storage, job))[0]).toMatchObject({ partialText: "abc", eventSeq: 6 });
  });

  it("QUERY-50 of jobs that do not begin, or not as they say, are told once", async () => {
    const orphan = journaled("orphan", THEN).starting().running();
    const changed = journaled("changed", THEN).starting();
    const [first] = changed.rows;
    const request = { ...(first?.["request"] as object), query: "another" };
    const wide = journaled("wide", THEN);
    const [begin] = wide.rows;
    const bad = { ...begin, request: { ...(begin?.["request"] as object), generation: 0 } };
    const { report, troubles } = await run({
      [FILE]: [...orphan.rows.slice(1), { ...first, request }, ...changed.rows.slice(1), bad]
        .map(lineOf)
        .join(""),
    });
    expect(report).toMatchObject({ copied: 0, unreadable: 2, skippedRows: 1 });
    expect(troubles).toHaveLength(3);
    expect(troubles).toEqual(
      expect.arrayContaining([
        {
          ...{ kind: "skipped", at: `${FILE}:1`, jobId: null },
          reason: "starting of a job whose beginning is not there",
        },
        {
          ...{ kind: "unreadable", at: `${FILE}:3`, jobId: changed.jobId },
          reason: "its fingerprint is of another request",
        },
        {
          ...{ kind: "unreadable", at: `${FILE}:5`, jobId: wide.jobId },
          reason: "its request is refused: invalid_generation",
        },
      ]),
    );
  });

  it("C4 that the status does not allow are left out and told; nothing of an answer is overwritten", async () => {
    const job = journaled("one", THEN)
      .starting()
      .running()
      .ready("committed")
      .chunk("overwritten")
      .activity("status", "late")
      .add("canceled", "canceled", { error: {} })
      .completed("committed")
      .add("failed", "failed", { error: {} })
      .acknowledged();
    // The last row is the acknowledgement of the completed job.
    const last = job.rows.at(-1);
    if (last !== undefined) last["status"] = "completed";
    const { report, troubles, storage } = await run({ [FILE]: interleaved(job) });
    expect(report).toMatchObject({ copied: 1 });
    const told = troubles.filter(({ kind }) => kind === "skipped");
    expect(told.map(({ at, reason }) => `${at} ${reason}`)).toEqual([
      `${FILE}:5 chunk in status answer_ready`,
      `${FILE}:6 tool_status in status answer_ready`,
      `${FILE}:7 canceled in status answer_ready`,
      `${FILE}:9 failed in status completed`,
    ]);
    expect((await snapshots(storage, job))[0]).toMatchObject({
      ...{ status: "completed", response: "committed", acknowledgedAt: rowAt(10) },
    });
  });

  it("QUERY-54, QUERY-55 of jobs past their retention are left out, whatever day their file is of", async () => {
    const old = journaled("old", START - 7 * DAY).starting();
    const young = journaled("young", START - 7 * DAY + 1)
      .starting()
      .completed("kept");
    const { report, storage } = await run({
      "2026-07-01.jsonl": interleaved(old, young),
    });
    expect(report).toMatchObject({ copied: 1, expired: 1, skippedRows: 0 });
    expect((await snapshots(storage, young))[0]?.response).toBe("kept");
  });

  it("QUERY-21, QUERY-37 of the longest answers come whole, cut where the original cut them", async () => {
    const long = "x".repeat(128_000);
    // Larger than one record may be.
    const reference = { query: "before", response: "\uffff".repeat(128_000) };
    const whole = journaled("whole", THEN, { reference }).starting().ready(long).completed(long);
    const cut = journaled("cut", THEN, { sessionId: "cut" }).starting().running();
    for (let from = 0; from < 130_000; from += 10_000) {
      cut.chunk("x".repeat(10_000), from >= 120_000);
    }
    cut.ended("failed", { code: "down", message: "down" });
    const { report, storage } = await run({ [FILE]: interleaved(whole, cut) });
    expect(report).toMatchObject({ copied: 2, skippedRows: 0 });
    const [first, second] = await snapshots(storage, whole, cut);
    expect(first?.response).toBe(long);
    await using(storage, async ({ queries }) => {
      const { request } = await queries.getExecution(whole.jobId);
      expect(request.reference).toEqual(reference);
    });
    expect(second?.partialText).toBe(long);
    expect(second).toMatchObject({ partialTruncated: true, eventSeq: cut.rows.length });
  });

  it("longer than any row are told, and not held in memory", async () => {
    const job = journaled("one", THEN);
    const long = `{"text":"${"x".repeat(3 * 1_024 * 1_024)}"}\n`;
    const { report, troubles } = await run({ [FILE]: long + interleaved(job) });
    expect(report).toMatchObject({ copied: 1, rows: 2, skippedRows: 1 });
    expect(troubles).toEqual([
      { kind: "skipped", at: `${FILE}:1`, jobId: null, reason: "longer than a row can be" },
    ]);
  });

  it("are not looked for where an option is misspelt, or cannot be meant", async () => {
    const from = queryJournal({ directory: newFolder() });
    for (const wrong of [{ isDryRun: true }, { retentionMs: 0 }, { tenant: "No!" }]) {
      const options = { from, to: storage, clock, ...wrong };
      await expect(importQueryJournal(options)).rejects.toMatchObject({
        name: "InvalidInputError",
      });
    }
  });

  it("where there are none the folder is named, with what to do", async () => {
    const from = queryJournal({ directory: newFolder() });
    await expect(importQueryJournal({ from, to: storage, clock })).rejects.toThrow(
      /has no journals, which are files named YYYY-MM-DD\.jsonl: name the folder that has/,
    );
  });
});

describe("an import that is cut off", () => {
  const job = () =>
    journaled("owned", THEN).starting().running().owned().chunk("a").activity("status", "busy");
  const done = () =>
    journaled("done", THEN, { sessionId: "s" }).starting().completed("x".repeat(300_000));
  const files = () => ({ [FILE]: interleaved(job(), done()) });

  it("protocols 4 shows nothing half-written, at whatever write it was, and is whole when run again", async () => {
    const plainRun = memoryPlace("native").storage;
    await imported(files(), plainRun);
    const expected = await snapshots(plainRun, job(), done());
    const writes = plainRun.putCount();
    expect(writes).toBeGreaterThan(6);
    for (let allowed = 0; allowed < writes; allowed += 1) {
      const { storage } = memoryPlace("native");
      let puts = 0;
      const cut = storage.withFaults(({ kind }, when) => {
        if (kind !== "put" || when !== "before") return null;
        puts += 1;
        return puts > allowed ? "unavailable" : null;
      });
      const first = await imported(files(), cut);
      expect(first.report.failed).toBeGreaterThan(0);
      await using(storage, async ({ queries }) => {
        const { executions, corrupt } = await queries.listRetainedExecutions();
        expect(corrupt).toEqual([]);
        for (const { job } of executions) expect(expected).toContainEqual(job);
      });
      const second = await imported(files(), storage);
      expect(second.report).toMatchObject({ failed: 0, conflicting: 0, stopped: null });
      expect(second.report.copied + second.report.present).toBe(2);
      expect(await snapshots(storage, job(), done())).toEqual(expected);
    }
  });

  it("protocols 4.3 is removed by gc, as an admission that was cut off, and comes whole the next time", async () => {
    const { storage } = memoryPlace("native");
    const cut = storage.withFaults(({ kind, key }, when) => {
      const isRoot = kind === "put" && key.startsWith("queries/roots/");
      return isRoot && when === "before" ? "unavailable" : null;
    });
    expect((await imported(files(), cut)).report).toMatchObject({ copied: 0, failed: 2 });
    await using(storage, async ({ queries }) => {
      expect((await queries.gc()).removed).toBe(2);
    });
    expect((await imported(files(), storage)).report).toMatchObject({ copied: 2 });
    await using(storage, async ({ queries }) => {
      expect((await queries.gc()).removed).toBe(0);
    });
    expect(await snapshots(storage, job(), done())).toMatchObject([
      { status: "interrupted", partialText: "a" },
      { status: "completed" },
    ]);
  });

  it("G3 takes a lost reply for no conflict", async () => {
    const { storage } = memoryPlace("native");
    let puts = 0;
    const lossy = storage.withFaults(({ kind }, when) => {
      if (kind !== "put" || when !== "after") return null;
      puts += 1;
      return puts % 2 === 1 ? "lost_now" : null;
    });
    const { report } = await imported(files(), lossy);
    expect(report).toMatchObject({ copied: 2, conflicting: 0, failed: 0 });
  });

  it("of a client job that the target has otherwise is a conflict, and leaves it as it is", async () => {
    const { storage } = memoryPlace("native");
    const { clientJobId } = job();
    const theirs = await using(storage, ({ queries }) =>
      queries.admit({ ...REQUEST, clientJobId, query: "theirs" }),
    );
    const { report, troubles } = await imported(files(), storage);
    expect(report).toMatchObject({ copied: 1, conflicting: 1 });
    expect(troubles).toMatchObject([{ kind: "conflict", at: null, jobId: job().jobId }]);
    await using(storage, async ({ queries }) => {
      expect((await queries.findByClientGeneration(clientJobId, 1))?.jobId).toBe(theirs.job.jobId);
    });
  });
});
