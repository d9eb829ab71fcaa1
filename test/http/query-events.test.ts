/** A job's events over HTTP, by the page and as a stream (http-api, "Queries" and "The stream"). */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MemoryStorage } from "../../adapters/storage/memory.ts";
import { eventParser } from "../../src/client/sse.ts";
import { assert } from "../../src/core/assert.ts";
import { admitted, completed, running, UNKNOWN_JOB_ID } from "../services/queries/given.ts";
import { OPERATIONS, undocumented } from "./documented.ts";
import {
  eventsPath,
  eventually,
  followers,
  framesIn,
  reading,
  request,
  type Served,
  serveStreams,
  streamed,
} from "./streams.ts";

let served: Served;

beforeEach(async () => {
  served = await serveStreams();
});
afterEach(async () => {
  await served.holdfast.close();
});

const queries = () => served.holdfast.queries;

async function page(jobId: string, more = "", headers = {}) {
  const response = await served.app.fetch(request(eventsPath(jobId, more), headers));
  return { response, status: response.status, body: JSON.parse(await response.text()) };
}

const stream = (jobId: string, more = "", headers = {}) =>
  streamed(served.app, eventsPath(jobId, more), headers);

const numbers = (events: readonly { readonly eventSeq: number }[]) =>
  events.map(({ eventSeq }) => eventSeq);

const ids = (text: string) => framesIn(text).map(({ id }) => id);

/** accepted, starting, running, one chunk for each, completed. */
async function finished(chunks: number): Promise<string> {
  const { jobId } = await running(queries());
  for (let n = 0; n < chunks; n += 1) await queries().appendPartial(jobId, `${n} `);
  await queries().complete(jobId, { text: "done" });
  return jobId;
}

describe("a page of events", () => {
  it("has those behind `after`, at most `limit`, and tells whether there are more", async () => {
    const jobId = await finished(2);
    const { status, body } = await page(jobId, "&after=1&limit=2");
    expect(status).toBe(200);
    expect(numbers(body.events)).toEqual([2, 3]);
    expect(body).toMatchObject({ gap: null, oldestEventSeq: 1, latestEventSeq: 6, hasMore: true });
    expect(body.job).toEqual(await queries().getSnapshot(jobId, 1));
    expect(numbers((await page(jobId, "&after=3")).body.events)).toEqual([4, 5, 6]);
  });

  it("has 256 events unless less is asked for, and all that there are over the pages", async () => {
    const jobId = await finished(300);
    const first = (await page(jobId)).body;
    const second = (await page(jobId, "&after=256")).body;
    expect([first.events.length, first.hasMore, second.events.length, second.hasMore]).toEqual([
      256,
      true,
      48,
      false,
    ]);
  });

  it("says cursor_ahead where `after` lies ahead of the job (QUERY-59)", async () => {
    const jobId = await finished(0);
    expect((await page(jobId, "&after=5")).body).toMatchObject({
      events: [],
      gap: { reason: "cursor_ahead" },
      latestEventSeq: 4,
      hasMore: false,
    });
    expect((await page(jobId, `&after=${"9".repeat(400)}`)).body.gap).not.toBeNull();
    expect((await page(jobId, "&after=4")).body.gap).toBeNull();
  });

  it.each(["-1", "1.5", "x", "", "1e3", "0x1"])("refuses after=%s as no cursor", async (after) => {
    const jobId = await finished(0);
    const { status, body } = await page(jobId, `&after=${after}`);
    expect([status, body.code]).toEqual([422, "invalid_event_cursor"]);
    expect(body.errors[0].path).toBe("after");
  });

  it("is of the generation that is asked for, and of no other", async () => {
    const { jobId } = await admitted(queries());
    const at = `/v1/query-jobs/${jobId}/events`;
    for (const [path, status, code] of [
      [at, 422, "invalid_generation"],
      [`${at}?generation=0`, 422, "invalid_generation"],
      [`${at}?generation=2`, 409, "query_job_generation_mismatch"],
      [eventsPath(UNKNOWN_JOB_ID), 404, "query_job_not_found"],
      [eventsPath("x"), 404, "query_job_not_found"],
    ] as const) {
      for (const accept of ["application/json", "text/event-stream"]) {
        const response = await served.app.fetch(request(path, { accept }));
        expect([response.status, JSON.parse(await response.text()).code]).toEqual([status, code]);
      }
    }
  });

  it.each(["", "*/*", "text/html", "application/json, text/*", "text/event-streams"])(
    "is what Accept: %s gets",
    async (accept) => {
      const { jobId } = await admitted(queries());
      const { response } = await page(jobId, "", { accept });
      expect(response.headers.get("content-type")).toBe("application/json");
    },
  );

  it("is what HEAD is about, which begins no stream", async () => {
    const { jobId } = await admitted(queries());
    const asked = request(eventsPath(jobId), { accept: "text/event-stream" });
    const response = await served.app.fetch(new Request(asked, { method: "HEAD" }));
    expect([response.status, response.headers.get("content-type"), response.body]).toEqual([
      200,
      "application/json",
      null,
    ]);
    expect(await followers(served)).toBe(0);
  });
});

describe("a stream", () => {
  it.each(["text/event-stream", "application/json, Text/Event-Stream;q=0.9"])(
    "is what Accept: %s gets",
    async (accept) => {
      const { response, text, leave } = await stream((await admitted(queries())).jobId, "", {
        accept,
      });
      const { status, headers } = response;
      expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      expect(headers.get("cache-control")).toBe("no-store, no-transform");
      expect(headers.get("x-accel-buffering")).toBe("no");
      expect(headers.get("x-request-id")).toMatch(/\S/);
      await eventually(() => expect(framesIn(text())).toHaveLength(1));
      // A comment, and how long to wait before coming back.
      expect(text()).toMatch(/^:.*\nretry: 1000\n\nid: 1\n/);
      await leave();
    },
  );

  it("QUERY-70 has every event once, in order, as the pages have them, and ends after the terminal one", async () => {
    const jobId = await finished(300);
    const whole = await stream(jobId);
    await whole.ended;
    const all = [
      ...(await page(jobId)).body.events,
      ...(await page(jobId, "&after=256")).body.events,
    ];
    expect(whole.frames()).toEqual(
      all.map((event) => ({ id: event.eventSeq, event: event.type, data: event })),
    );
    expect(whole.frames().at(-1)?.event).toBe("completed");
  });

  it("is what the document says, as a page is", async () => {
    const jobId = await finished(1);
    const operation = OPERATIONS.find(({ told }) => told["operationId"] === "readQueryEvents");
    assert(operation !== undefined, "there is no such operation");
    for (const accept of ["application/json", "text/event-stream"]) {
      const response = await served.app.fetch(request(eventsPath(jobId), { accept }));
      const { status, headers } = response;
      const told = { status, headers, text: await response.text(), body: {} };
      expect(undocumented(operation, told)).toBeNull();
    }
  });

  it("is read by a client's parser as it was written", async () => {
    const jobId = await finished(3);
    const whole = await stream(jobId);
    await whole.ended;
    const { events, lastId, retryMs } = eventParser().push(new TextEncoder().encode(whole.text()));
    expect(events.map(({ data }) => JSON.parse(data).eventSeq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([lastId, retryMs]).toEqual(["7", 1_000]);
  });

  it("QUERY-71 brings what is written while it is read, without any time going by", async () => {
    const { jobId } = await running(queries());
    const live = await stream(jobId);
    await eventually(() => expect(ids(live.text())).toEqual([1, 2, 3]));
    await queries().appendPartial(jobId, "a\nb");
    await eventually(() => expect(ids(live.text())).toEqual([1, 2, 3, 4]));
    expect(live.frames().at(-1)?.data["data"]).toEqual({ text: "a\nb" });
    await queries().complete(jobId, { text: "a\nb" });
    await live.ended;
    expect(ids(live.text())).toEqual([1, 2, 3, 4, 5]);
    expect(await followers(served)).toBe(0);
    expect(served.time.sleeping()).toBe(0);
  });

  it("goes on behind Last-Event-ID, which wins over `after`", async () => {
    const jobId = await finished(2);
    for (const [more, headers, expected] of [
      ["&after=4", {}, [5, 6]],
      ["&after=1", { "last-event-id": "4" }, [5, 6]],
      ["&after=5", { "last-event-id": "0" }, [1, 2, 3, 4, 5, 6]],
      ["&after=5", { "last-event-id": "" }, [6]],
    ] as const) {
      const one = await stream(jobId, more, headers);
      await one.ended;
      expect(ids(one.text())).toEqual(expected);
    }
  });

  it.each(["x", "-1", "1.5", "4,5", "0x1"])("refuses Last-Event-ID: %s", async (last) => {
    const { jobId } = await admitted(queries());
    const headers = { accept: "text/event-stream", "last-event-id": last };
    const { status, body } = await page(jobId, "", headers);
    expect([status, body.code, body.errors[0].path]).toEqual([
      422,
      "invalid_event_cursor",
      "last-event-id",
    ]);
    expect(await followers(served)).toBe(0);
  });

  it("tells a reader who is ahead so, and goes on from the job's own place", async () => {
    const { jobId } = await running(queries());
    const live = await stream(jobId, "&after=100");
    const job = await queries().getSnapshot(jobId, 1);
    await eventually(() => expect(live.frames()).toHaveLength(1));
    const data = { reason: "cursor_ahead", job, resumeAfter: 3 };
    expect(live.frames()).toEqual([{ id: null, event: "snapshot", data }]);
    await queries().complete(jobId, { text: "x" });
    await live.ended;
    expect(ids(live.text())).toEqual([null, 4]);
  });

  it.each([
    ["has the terminal event", 5, false, ["terminal_snapshot"]],
    ["has the terminal event of an acknowledged job", 5, true, ["terminal_snapshot"]],
    ["has the acknowledgement", 6, true, ["terminal_snapshot"]],
    ["is ahead of a job that has ended", 9, false, ["cursor_ahead", "terminal_snapshot"]],
  ] as const)(
    "sends a reader who %s a snapshot, and ends",
    async (_, after, isAcknowledged, reasons) => {
      const { jobId } = await completed(queries());
      if (isAcknowledged) await queries().acknowledge(jobId, 1);
      const short = await stream(jobId, `&after=${after}`);
      await short.ended;
      expect(short.frames().map(({ data }) => data["reason"])).toEqual(reasons);
      expect(short.frames().at(-1)).toMatchObject({
        id: null,
        event: "snapshot",
        data: { job: { status: "completed", response: "an answer" } },
      });
      expect(await followers(served)).toBe(0);
    },
  );

  it("sends a comment every 15 seconds", async () => {
    const { jobId } = await admitted(queries());
    const live = await stream(jobId);
    await eventually(() => expect(live.frames()).toHaveLength(1));
    const before = live.text();
    await served.time.advance(14_999);
    expect(live.text()).toBe(before);
    await served.time.advance(1);
    expect(live.text()).toBe(`${before}:\n\n`);
    await served.time.advance(30_000);
    expect(live.text()).toBe(`${before}:\n\n:\n\n:\n\n`);
    await live.leave();
  });

  it.each([
    [900_000, {}],
    [55_000, { rotationMs: 55_000 }],
  ])("rotates after %d ms, and the next connection goes on", async (ms, http) => {
    served = await serveStreams(http);
    const { jobId } = await running(queries());
    const live = await stream(jobId);
    await eventually(() => expect(live.frames()).toHaveLength(3));
    await served.time.advance(ms - 1);
    expect(live.text()).not.toContain("rotate");
    await served.time.advance(1);
    await live.ended;
    expect(live.frames().at(-1)).toEqual({ id: null, event: "rotate", data: { resumeAfter: 3 } });
    expect([await followers(served), served.time.sleeping()]).toEqual([0, 0]);
    const next = await stream(jobId, "", { "last-event-id": "3" });
    await queries().complete(jobId, { text: "x" });
    await next.ended;
    expect(ids(next.text())).toEqual([4]);
  });

  it("ends at once when its process is to end, and so does one that is asked for then", async () => {
    const stopping = new AbortController();
    served = await serveStreams({ stopping: stopping.signal });
    const { jobId } = await running(queries());
    const live = await stream(jobId);
    await eventually(() => expect(live.frames()).toHaveLength(3));
    stopping.abort();
    await live.ended;
    const late = await stream(jobId);
    await late.ended;
    for (const [one, resumeAfter] of [
      [live, 3],
      [late, 0],
    ] as const) {
      expect(one.frames().at(-1)).toEqual({ id: null, event: "rotate", data: { resumeAfter } });
    }
    expect([await followers(served), served.time.sleeping()]).toEqual([0, 0]);
  });

  it("QUERY-71, QUERY-72 that is left changes nothing of the job, and leaves nothing behind", async () => {
    const { jobId } = await running(queries());
    const before = await queries().getSnapshot(jobId, 1);
    for (const isRead of [true, false]) {
      const live = await stream(jobId);
      if (isRead) await eventually(() => expect(live.frames()).toHaveLength(3));
      await live.leave();
      await vi.waitFor(async () => expect(await followers(served)).toBe(0));
      await eventually(() => expect(served.time.sleeping()).toBe(0));
    }
    expect(await queries().getSnapshot(jobId, 1)).toEqual(before);
  });

  it("ends with a rotation where the storage stays away, and the log knows why", async () => {
    let isAway = false;
    const ill = (storage: MemoryStorage) =>
      storage.withFaults((_, when) => (isAway && when === "before" ? "unavailable" : null));
    served = await serveStreams({}, ill);
    const { jobId } = await running(queries());
    const live = await stream(jobId);
    await eventually(() => expect(live.frames()).toHaveLength(3));
    isAway = true;
    await served.time.until(live.ended);
    expect(live.frames().at(-1)).toEqual({ id: null, event: "rotate", data: { resumeAfter: 3 } });
    const faults = served.lines.filter(({ event }) => event === "fault");
    expect(faults.map(({ fields }) => fields["fault"])).toEqual(["StoreUnavailableError"]);
    expect(served.time.sleeping()).toBe(0);
  });

  it("ends with a rotation when the job is gone, which is no fault", async () => {
    const { jobId } = await running(queries());
    const live = await stream(jobId);
    await eventually(() => expect(live.frames()).toHaveLength(3));
    const [key = "", body = ""] =
      [...served.storage.bodies()].find(([name]) => name.startsWith("queries/roots/")) ?? [];
    served.storage.plant(key, JSON.stringify({ ...JSON.parse(body), retirement: "removing" }));
    await served.time.until(live.ended);
    expect(live.frames().at(-1)?.event).toBe("rotate");
    expect(served.lines.filter(({ event }) => event === "fault")).toEqual([]);
  });

  it("of a job is told of in the log once, when it begins, by its route", async () => {
    const { jobId } = await admitted(queries());
    await (await stream(jobId)).leave();
    const told = served.lines.map(({ fields }) => [fields["route"], fields["status"]]);
    expect(told).toEqual([["/v1/query-jobs/{jobId}/events", 200]]);
    expect(JSON.stringify(served.lines)).not.toContain(jobId);
  });
});

describe("a reader that takes nothing", () => {
  /** Texts of the longest kind, far more than is kept for a reader. */
  async function long(): Promise<string> {
    const { jobId } = await running(queries());
    for (let n = 0; n < 400; n += 1)
      await queries().appendActivity(jobId, "status", `${n} ${"x".repeat(1_990)}`);
    return jobId;
  }

  /** Takes the beginning, and then nothing. */
  async function stalled(jobId: string): Promise<Response> {
    const { response, reader } = await begun(jobId);
    reader.releaseLock();
    return response;
  }

  async function begun(jobId: string) {
    const asked = request(eventsPath(jobId), { accept: "text/event-stream" });
    const response = await served.app.fetch(asked);
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("there is no body");
    await reader.read();
    return { response, reader };
  }

  it("is kept little for: one chunk waits for it, and no more is made than it takes", async () => {
    const jobId = await long();
    const { reader } = await begun(jobId);
    for (let chunk = 0; chunk < 3; chunk += 1) {
      await served.time.advance(15_000);
      const { value } = await reader.read();
      expect(value?.length).toBeGreaterThan(60_000);
      expect(value?.length).toBeLessThan(100_000);
    }
    await reader.cancel();
  });

  it("is cut off after a minute with where it was, and gets the rest by the next connection", async () => {
    const jobId = await long();
    const response = await stalled(jobId);
    await served.time.advance(59_999);
    expect(await followers(served)).toBe(1);
    await served.time.advance(1);
    expect([await followers(served), served.time.sleeping()]).toEqual([0, 0]);
    const late = reading(response);
    await late.ended;
    const frames = late.frames();
    const last = frames.at(-1);
    const seen = frames.length - 1;
    expect(seen).toBeLessThan(80);
    expect(last).toMatchObject({
      id: null,
      event: "snapshot",
      data: { reason: "slow_consumer", resumeAfter: seen, job: { jobId, status: "running" } },
    });
    await queries().complete(jobId, { text: "x" });
    const next = await stream(jobId, "", { "last-event-id": String(seen) });
    await next.ended;
    expect(ids(next.text())).toEqual(Array.from({ length: 404 - seen }, (_, n) => seen + 1 + n));
  });
});

describe("five hundred readers of one job in one process", () => {
  it("are each told every event once, in order, wherever they begin", async () => {
    const { jobId } = await running(queries());
    const readers = await Promise.all(
      Array.from({ length: 500 }, (_, n) => stream(jobId, `&after=${n % 4}`)),
    );
    for (let n = 0; n < 50; n += 1) await queries().appendPartial(jobId, `${n} `);
    await queries().complete(jobId, { text: "done" });
    await Promise.all(readers.map(({ ended }) => ended));
    for (const [n, { text }] of readers.entries()) {
      const from = n % 4;
      expect(ids(text())).toEqual(Array.from({ length: 54 - from }, (_, at) => from + 1 + at));
    }
    expect([await followers(served), served.time.sleeping()]).toEqual([0, 0]);
  });
});
