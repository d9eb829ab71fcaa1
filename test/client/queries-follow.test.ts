/** Following a job's live stream, whatever is cut, repeated or left out on the way. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient, type Fetch, type FollowOptions } from "../../src/client/client.ts";
import { manualTime } from "./manual-time.ts";
import { problem } from "./service.ts";

const JOB_ID = "6ff3b5a7-3d46-4c2e-9b7b-0c5f4e0f7f11";
const JOB = { jobId: JOB_ID, status: "running", eventSeq: 5 };

function frameOf(seq: number, last: number): string {
  const type = seq === last ? "completed" : seq < 3 ? "accepted" : "chunk";
  const data = { type, eventSeq: seq, data: { text: `${seq} 🐋 Grüße` } };
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const snapshot = (reason: string, resumeAfter: number): string =>
  `event: snapshot\ndata: ${JSON.stringify({ reason, job: JOB, resumeAfter })}\n\n`;

const ROTATE = 'event: rotate\ndata: {"resumeAfter":1}\n\n';

function sse(text: string, { dropped = false, size = 7 } = {}): Response {
  const bytes = new TextEncoder().encode(text);
  let from = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = bytes.subarray(from, from + size);
      from += size;
      if (piece.length > 0) controller.enqueue(piece);
      else if (dropped) controller.error(new TypeError("terminated"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Cursors that were asked with, and what the reader was told. */
function reading(answer: (cursor: number, connection: number) => Response) {
  const time = manualTime();
  const asked: number[] = [];
  const fetch: Fetch = (url, init) => {
    const after = new URL(url).searchParams.get("after");
    const cursor = Number(new Headers(init.headers).get("last-event-id") ?? after);
    asked.push(cursor);
    return answer(cursor, asked.length - 1);
  };
  const client = createClient({ url: "http://localhost", fetch, deps: time.deps });
  const told: string[] = [];
  const read = async (options: Partial<FollowOptions> = {}): Promise<readonly string[]> => {
    for await (const one of client.queries.follow(JOB_ID, { generation: 1, ...options })) {
      told.push(one.type === "snapshot" ? `${one.reason} ${one.resumeAfter}` : `${one.eventSeq}`);
    }
    return told;
  };
  return { time, asked, told, read };
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);

/** The events behind `cursor` of a log that is complete. */
const log = (cursor: number, last: number): string =>
  range(cursor + 1, last)
    .map((seq) => frameOf(seq, last))
    .join("");

describe("a job that is followed", () => {
  it("is told to its terminal event, and nothing behind it", async () => {
    const { read, asked } = reading((cursor) =>
      sse(`: hello\n\n${log(cursor, 4)}${frameOf(5, 9)}`),
    );
    expect(await read()).toEqual(["1", "2", "3", "4"]);
    expect(asked).toEqual([0]);
  });

  it("is told from the event on that is known already", async () => {
    const { read, asked } = reading((cursor) => sse(log(cursor, 6)));
    expect(await read({ after: 4 })).toEqual(["5", "6"]);
    expect(asked).toEqual([4]);
  });

  it("is told event by event, each once, whatever is cut, repeated and said in between", async () => {
    const connection = fc.record({
      /** Of its bytes, in a hundredth. */
      until: fc.nat(100),
      dropped: fc.boolean(),
      size: fc.integer({ min: 1, max: 200 }),
      /** Events before the cursor that come again. */
      again: fc.nat(3),
      between: fc.constantFrom("", ": still here\n\n", "event: later\ndata: {}\n\n"),
      ending: fc.constantFrom("", ROTATE, snapshot("slow_consumer", 40)),
      refusal: fc.constantFrom(null, null, 429, 503),
    });
    const plans = fc.array(connection, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.integer({ min: 1, max: 30 }),
        fc.nat(30),
        async (all, last, at) => {
          const after = Math.min(at, last - 1);
          const { read, time } = reading((cursor, n) => {
            const plan = all[n];
            if (plan === undefined) return sse(log(cursor, last));
            if (plan.refusal !== null) return problem(plan.refusal, "throttled");
            const seqs = range(Math.max(1, cursor + 1 - plan.again), last);
            const text = seqs.map((seq) => frameOf(seq, last) + plan.between).join("");
            const bytes = new TextEncoder().encode(text);
            const cut = bytes.subarray(0, Math.floor((bytes.length * plan.until) / 101));
            const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(cut);
            const isAtFrame = whole === "" || whole.endsWith("\n\n");
            return sse(isAtFrame ? whole + plan.ending : whole, plan);
          });
          const told = await time.until(read({ after, patienceMs: 3_600_000 }));
          expect(told).toEqual(range(after + 1, last).map(String));
        },
      ),
      { numRuns: 120 },
    );
  });

  it("that has ended before the cursor is shown as it is (http-api, terminal_snapshot)", async () => {
    const { read, asked } = reading(() => sse(snapshot("terminal_snapshot", 5)));
    expect(await read({ after: 5 })).toEqual(["terminal_snapshot 5"]);
    expect(asked).toEqual([5]);
  });

  it("is shown where the cursor lies ahead, and loses nothing behind that (http-api)", async () => {
    const { read, asked, time } = reading((cursor, n) => {
      if (n === 0) return sse(snapshot("cursor_ahead", 5), { dropped: true });
      return sse(log(cursor, 7));
    });
    expect(await time.until(read({ after: 99 }))).toEqual(["cursor_ahead 5", "6", "7"]);
    expect(asked).toEqual([99, 5]);
  });

  it("is read anew where the stream leaves out an event", async () => {
    const { read, asked } = reading((cursor, n) =>
      sse(n === 0 ? frameOf(1, 9) + frameOf(3, 9) : log(cursor, 4)),
    );
    expect(await read()).toEqual(["1", "2", "3", "4"]);
    expect(asked).toEqual([0, 1]);
  });

  it("ends with an error where the stream leaves it out again and again", async () => {
    const { read } = reading(() => sse(frameOf(2, 9)));
    await expect(read()).rejects.toMatchObject({ code: "unexpected_answer" });
  });

  it.each([
    ["an event without its number", 'id: 1\nevent: chunk\ndata: {"type":"chunk"}\n\n'],
    ["an event of another number", 'id: 1\nevent: chunk\ndata: {"eventSeq":2}\n\n'],
    ["an event that is no JSON", "id: 1\nevent: chunk\ndata: hello\n\n"],
    ["a snapshot without a job", 'event: snapshot\ndata: {"reason":"cursor_ahead"}\n\n'],
  ])("ends with an error for %s", async (_, text) => {
    const { read } = reading(() => sse(text));
    await expect(read()).rejects.toMatchObject({ code: "unexpected_answer" });
  });

  it("ends with an error for a refusal, such as an expired ticket's", async () => {
    const { read, told, time } = reading((_, n) =>
      n === 0 ? sse(frameOf(1, 9)) : problem(401, "unauthorized"),
    );
    await expect(time.until(read())).rejects.toMatchObject({ code: "unauthorized" });
    expect(told).toEqual(["1"]);
  });

  it("ends without an error when its reader aborts, wherever that is", async () => {
    const abort = new AbortController();
    const { read, time } = reading(() => sse(frameOf(1, 9)));
    const done = read({ signal: abort.signal });
    await time.advance(500);
    abort.abort();
    expect(await done).toEqual(["1"]);
    expect(await read({ signal: abort.signal })).toEqual(["1"]);
  });
});
