/** Event streams, against answers that are cut and dropped at will. */
import { describe, expect, it } from "vitest";
import {
  createClient,
  type EventsOptions,
  type Fetch,
  type StreamEvent,
} from "../../src/client/client.ts";
import { manualTime } from "./manual-time.ts";
import { html, problem } from "./service.ts";

const PATH = "/v1/query-jobs/j/events?generation=1";

const isTerminal = ({ event }: StreamEvent): boolean => event === "completed";

/** What one connection does: its bytes, then its end. */
interface Connection {
  readonly text?: string;
  /** More, each in a chunk of its own. */
  readonly more?: readonly string[];
  readonly ends: "closed" | "dropped" | "never";
}

function streamOf(connection: Connection, onCancel: () => void = () => {}): Response {
  const { text = "", more = [], ends } = connection;
  const chunks = [text, ...more].filter((one) => one !== "");
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = chunks.shift();
        if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
        else if (ends === "closed") controller.close();
        else if (ends === "dropped") controller.error(new TypeError("terminated"));
        else return new Promise(() => {});
        return Promise.resolve();
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

interface Asked {
  readonly at: number;
  readonly path: string;
  readonly lastEventId: string | null;
}

/** The answers in their order; the last one again and again. */
function scripted(answers: readonly (() => Response)[]) {
  const time = manualTime();
  const asked: Asked[] = [];
  const fetch: Fetch = (url, init) => {
    const lastEventId = new Headers(init.headers).get("last-event-id");
    asked.push({ at: time.now(), path: url.replace("http://localhost", ""), lastEventId });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer === undefined) throw new TypeError("fetch failed");
    return answer();
  };
  const client = createClient({ url: "http://localhost", fetch, deps: time.deps });
  const events: StreamEvent[] = [];
  const read = async (options: EventsOptions = {}): Promise<readonly StreamEvent[]> => {
    for await (const event of client.events(PATH, { isTerminal, ...options })) events.push(event);
    return events;
  };
  return { time, asked, events, client, read };
}

const stream = (connection: Connection) => () => streamOf(connection);
const chunk = (id: number): string => `id: ${id}\nevent: chunk\ndata: {"text":"${id}"}\n\n`;
const event = (id: number): StreamEvent => ({
  id: String(id),
  event: "chunk",
  data: `{"text":"${id}"}`,
});
const COMPLETED = 'id: 9\nevent: completed\ndata: {"text":"all"}\n\n';
const completed: StreamEvent = { id: "9", event: "completed", data: '{"text":"all"}' };
const ROTATE = 'event: rotate\ndata: {"resumeAfter":2}\n\n';

describe("a stream", () => {
  it("tells its events and ends after the terminal one", async () => {
    const { read, asked } = scripted([
      stream({ text: `: hello\n\n${chunk(1)}${COMPLETED}`, ends: "closed" }),
    ]);
    expect(await read()).toEqual([event(1), completed]);
    expect(asked).toEqual([{ at: 0, path: PATH, lastEventId: null }]);
  });

  it("does not wait for the service to end it after the terminal event", async () => {
    const { read, time } = scripted([stream({ text: COMPLETED, ends: "never" })]);
    expect(await read()).toEqual([completed]);
    expect(time.now()).toBe(0);
  });

  it.each(["closed", "dropped"] as const)(
    "goes on after the last id when it was %s",
    async (ends) => {
      const { read, asked, time } = scripted([
        stream({ text: chunk(1) + chunk(2), ends }),
        stream({ text: chunk(3) + COMPLETED, ends: "closed" }),
      ]);
      expect(await time.until(read())).toEqual([event(1), event(2), event(3), completed]);
      expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([null, "2"]);
    },
  );

  it("goes on with the old cursor after a rotation, which is not told", async () => {
    const { read, asked, time } = scripted([
      stream({ text: `retry: 3000\n\n${chunk(1)}`, more: [ROTATE, ": bye\n\n"], ends: "closed" }),
      stream({ ends: "dropped" }),
      stream({ text: COMPLETED, ends: "closed" }),
    ]);
    expect(await time.until(read())).toEqual([event(1), completed]);
    expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([null, "1", "1"]);
    expect(asked.map(({ at }) => at)).toEqual([0, 3_100, 6_300]);
  });

  it("tells a snapshot, which does not move the cursor", async () => {
    const snapshot = 'event: snapshot\ndata: {"reason":"slow_consumer","resumeAfter":7}\n\n';
    const { read, asked, time } = scripted([
      stream({ text: chunk(1) + snapshot, ends: "dropped" }),
      stream({ text: COMPLETED, ends: "closed" }),
    ]);
    const data = '{"reason":"slow_consumer","resumeAfter":7}';
    expect(await time.until(read())).toEqual([
      event(1),
      { id: null, event: "snapshot", data },
      completed,
    ]);
    expect(asked[1]?.lastEventId).toBe("1");
  });

  it("does not tell what a drop cut off, and gets it anew", async () => {
    const { read, time } = scripted([
      stream({ text: `${chunk(1)}id: 2\nevent: chunk\ndata: {"te`, ends: "dropped" }),
      stream({ text: chunk(2) + COMPLETED, ends: "closed" }),
    ]);
    expect(await time.until(read())).toEqual([event(1), event(2), completed]);
  });

  it("begins where it is told to", async () => {
    const { read, asked, time } = scripted([
      stream({ ends: "dropped" }),
      stream({ text: COMPLETED, ends: "closed" }),
    ]);
    await time.until(read({ after: 5, lastEventId: "7" }));
    const path = `${PATH}&after=5`;
    expect(asked).toMatchObject([
      { path, lastEventId: "7" },
      { path, lastEventId: "7" },
    ]);
  });

  it("connects anew after 45 s without a byte", async () => {
    const { read, asked, time } = scripted([
      stream({ text: chunk(1), ends: "never" }),
      stream({ text: COMPLETED, ends: "closed" }),
    ]);
    expect(await time.until(read())).toEqual([event(1), completed]);
    expect(asked.map(({ at }) => at)).toEqual([0, 46_100]);
  });

  it("gives up a connection that hangs before its answer", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const time = manualTime();
    const fetch: Fetch = (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const { deps } = time;
    const hung = createClient({ url: "http://localhost", fetch, deps }).events(PATH);
    void hung.next().catch(() => {});
    await time.advance(44_000);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    await time.advance(3_000);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  it("is not dead while its reader takes its time", async () => {
    const { client, time, asked } = scripted([
      stream({ text: chunk(1) + COMPLETED, ends: "closed" }),
    ]);
    const events = client.events(PATH, { isTerminal });
    expect((await events.next()).value).toEqual(event(1));
    await time.advance(3_600_000);
    expect((await events.next()).value).toEqual(completed);
    expect((await events.next()).done).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it("reads no further than it is asked to", async () => {
    let pulls = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      pulls += 1;
      controller.enqueue(new TextEncoder().encode(chunk(pulls)));
    };
    const headers = { "content-type": "text/event-stream" };
    const { client, time } = scripted([
      () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers }),
    ]);
    const events = client.events(PATH);
    await events.next();
    await events.next();
    await time.advance(1_000);
    expect(pulls).toBe(2);
    await events.return();
  });

  it("lets go of the connection when its reader has enough", async () => {
    let isCancelled = false;
    const onCancel = (): void => {
      isCancelled = true;
    };
    const { client } = scripted([() => streamOf({ text: chunk(1), ends: "never" }, onCancel)]);
    for await (const one of client.events(PATH)) {
      expect(one).toEqual(event(1));
      break;
    }
    expect(isCancelled).toBe(true);
  });

  it("ends without an error when it is aborted, wherever it is", async () => {
    for (const answer of [
      stream({ ends: "never" }),
      stream({ text: chunk(1), ends: "never" }),
      stream({ ends: "closed" }),
    ]) {
      const { read, time } = scripted([answer]);
      const abort = new AbortController();
      const reading = read({ signal: abort.signal });
      await time.advance(500);
      abort.abort();
      await reading;
      expect(time.now()).toBe(500);
    }
    const { read, asked } = scripted([stream({ ends: "never" })]);
    expect(await read({ signal: AbortSignal.abort() })).toEqual([]);
    expect(asked).toEqual([]);
  });

  it.each([
    ["a refusal", () => problem(404, "query_job_not_found"), "query_job_not_found"],
    ["a refused cursor", () => problem(422, "invalid_event_cursor"), "invalid_event_cursor"],
    ["a misconfigured service", () => problem(503, "misconfigured"), "misconfigured"],
    ["an answer that is no stream", () => Response.json({ events: [] }), "unexpected_answer"],
    ["a page of somebody else", () => html(200), "unexpected_answer"],
  ])("ends with an error for %s, also on a later connection", async (_, answer, code) => {
    const { read, events, time } = scripted([stream({ text: chunk(1), ends: "closed" }), answer]);
    await expect(time.until(read())).rejects.toMatchObject({ name: "HoldfastError", code });
    expect(events).toEqual([event(1)]);
  });

  it("ends when the service answers that there is nothing any more", async () => {
    const gone = (): Response => new Response(null, { status: 204 });
    const { read, time } = scripted([stream({ text: chunk(1), ends: "closed" }), gone]);
    expect(await time.until(read())).toEqual([event(1)]);
  });

  it("waits as long as a service without room asks for", async () => {
    const { read, asked, time } = scripted([
      () => problem(503, "unavailable", { retryAfterMs: 5_000 }),
      () => problem(429, "throttled", { retryAfterMs: 500 }),
      stream({ text: COMPLETED, ends: "closed" }),
    ]);
    await time.until(read());
    expect(asked.map(({ at }) => at)).toEqual([0, 5_100, 6_300]);
  });

  it("gives up after a minute without a byte, and not while there are some", async () => {
    const { read, asked, time } = scripted([stream({ text: chunk(1), ends: "dropped" }), html503]);
    await expect(time.until(read())).rejects.toMatchObject({ status: 503 });
    expect(time.now()).toBeGreaterThan(60_000);
    expect(time.now()).toBeLessThan(80_000);
    expect(asked.length).toBeLessThan(25);
    const silent = scripted([stream({ ends: "closed" })]);
    await expect(silent.time.until(silent.read())).rejects.toMatchObject({ code: "network" });
    const alive = scripted([stream({ text: ": hello\n\n", ends: "closed" })]);
    void alive.read({ signal: AbortSignal.timeout(60_000) });
    await alive.time.advance(3_600_000);
    expect(alive.asked.length).toBeGreaterThan(100);
  });

  it("throws what its reader's predicate throws", async () => {
    const { read } = scripted([stream({ text: chunk(1), ends: "never" })]);
    const isWrong = (): boolean => {
      throw new RangeError("mine");
    };
    await expect(read({ isTerminal: isWrong })).rejects.toThrow("mine");
  });
});

const html503 = (): Response => html(503);
