/** The OpenAI runner against a real server that speaks the protocol, and breaks it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenAiRunnerOptions, openAiRunner } from "../../../adapters/ai/openai/index.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { RunnerExecution, RunnerResult } from "../../../src/ports/runner.ts";
import { manualTime, START_MS } from "../../client/manual-time.ts";
import {
  answering,
  chunk,
  DONE,
  event,
  type FakeAnswer,
  type FakeOpenAi,
  type FakeStep,
  fakeOpenAi,
} from "../../fakes/openai.ts";
import { openAiWorld } from "./openai-world.ts";
import { describeRunner, EXECUTION, failureOf, never, recorder } from "./runner-contract.ts";

describeRunner("the OpenAI runner", openAiWorld);

let fake: FakeOpenAi;
beforeEach(async () => {
  fake = await fakeOpenAi();
});
afterEach(() => fake.close());

const KEY = "sk-S3cretS3cretS3cret";

interface Given extends Partial<OpenAiRunnerOptions> {
  readonly execution?: Partial<RunnerExecution>;
}

function begun(given: Given = {}, told = recorder()) {
  const { execution, ...options } = given;
  const runner = openAiRunner({ baseUrl: fake.baseUrl, model: "fake-1", key: KEY, ...options });
  return { told, run: runner.run({ ...EXECUTION, ...execution }, told.callbacks, never) };
}

async function answerTo(answer: FakeAnswer | readonly FakeStep[], given: Given = {}) {
  fake.answerOf = () => ("steps" in answer ? answer : { steps: answer });
  const { run, told } = begun(given);
  const result: RunnerResult = await run;
  return { text: told.text(), result, told };
}

async function failureTo(answer: FakeAnswer | readonly FakeStep[], given: Given = {}) {
  fake.answerOf = () => ("steps" in answer ? answer : { steps: answer });
  const { run, told } = begun(given);
  return { failure: await failureOf(run), text: told.text() };
}

describe("the request", () => {
  it("is one POST of the query, with the key", async () => {
    await answerTo(answering("a"));
    expect(fake.requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/chat/completions",
        headers: {
          authorization: `Bearer ${KEY}`,
          "content-type": "application/json",
          accept: "text/event-stream",
        },
      },
    ]);
    expect(JSON.parse(fake.requests[0]?.body ?? "")).toEqual({
      model: "fake-1",
      messages: [{ role: "user", content: EXECUTION.query }],
      stream: true,
    });
  });

  it("has the reference as an earlier exchange, and the execution's own model and effort", async () => {
    const reference = { query: "Who?", response: "Ann." };
    await answerTo(answering("a"), { execution: { reference, model: "big-2", effort: "high" } });
    expect(JSON.parse(fake.requests[0]?.body ?? "")).toEqual({
      model: "big-2",
      messages: [
        { role: "user", content: "Who?" },
        { role: "assistant", content: "Ann." },
        { role: "user", content: EXECUTION.query },
      ],
      stream: true,
      reasoning_effort: "high",
    });
  });

  it("goes to a provider that asks for no key, whatever ends its URL", async () => {
    const runner = openAiRunner({ baseUrl: `${fake.baseUrl}/`, model: "m" });
    await runner.run(EXECUTION, recorder().callbacks, never);
    expect(fake.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    expect(fake.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("names the model that was asked for before it leaves, and the one that answered", async () => {
    const { result, told } = await answerTo(answering("a"));
    expect(told.calls.slice(0, 2)).toEqual([
      { name: "started", value: {} },
      { name: "ownership", value: { resolvedModel: "fake-1" } },
    ]);
    expect(result).toEqual({ linkage: { resolvedModel: "fake-1-2026" } });
  });

  it("is not made with attachments, which it cannot send", async () => {
    const { failure } = await failureTo([], {
      execution: { attachmentIds: ["m_0123456789abcdef01234567"] },
    });
    expect(failure).toMatchObject({ code: "attachments_unsupported", retryable: false });
    expect(fake.requests).toEqual([]);
  });

  it("does not follow to elsewhere", async () => {
    const { failure } = await failureTo({
      status: 307,
      headers: { location: `${fake.baseUrl}/other` },
      steps: [],
    });
    expect(failure).toMatchObject({ code: "provider_protocol", retryable: false });
    expect(fake.requests).toHaveLength(1);
  });

  it.each([
    { baseUrl: "api.example.com/v1" },
    { baseUrl: "ftp://example.com" },
    { baseUrl: "https://example.com/v1?a=b" },
    { baseUrl: "https://ann:pw@example.com" },
    { key: "a\nb" },
    { key: "schlüssel" },
    { key: "" },
  ])("is not made with %j, which is not repeated", (options) => {
    const make = () => openAiRunner({ baseUrl: fake.baseUrl, model: "m", ...options });
    expect(make).toThrow(MisconfiguredError);
    const [text = ""] = Object.values(options);
    if (text !== "") expect(make).not.toThrow(text);
  });
});

describe("a stream", () => {
  const PARTS = ["Grüße ", "🙂", "漢字\n\n", "end"];
  const WHOLE = PARTS.join("");
  const STREAM = [...PARTS.map((part) => chunk(part)), chunk(null, "stop"), DONE].join("");

  it("is whole however its bytes are cut", async () => {
    const bytes = new TextEncoder().encode(STREAM);
    const one = (_: number, n: number): Uint8Array => bytes.subarray(n, n + 1);
    const { text } = await answerTo(Array.from(bytes, one));
    expect(text).toBe(WHOLE);
  });

  it.each([
    ["lines that end in CR LF", STREAM.replaceAll("\n", "\r\n")],
    [
      "comments that keep it alive",
      `: hello\n\n${STREAM.replaceAll("\n\n", "\n\n: still here\n\n")}`,
    ],
    ["no blank behind the colons", STREAM.replaceAll("data: ", "data:")],
    ["names and numbers of events", STREAM.replaceAll("data: ", "id: 7\nevent: message\ndata: ")],
    ["nothing behind its finish", STREAM.replace(DONE, "")],
    [
      "no finish but its end mark",
      STREAM.replace('"finish_reason":"stop"', '"finish_reason":null'),
    ],
    ["empty finishes on the way", STREAM.replaceAll('"finish_reason":null', '"finish_reason":""')],
    [
      "events about something else",
      event({ choices: [], prompt_filter_results: [] }) +
        event({ choices: [{ index: 0, delta: { role: "assistant", content: null } }] }) +
        event({ usage: { total_tokens: 7 }, choices: null }) +
        STREAM,
    ],
  ])("may have %s", async (_, stream) => {
    expect((await answerTo([stream])).text).toBe(WHOLE);
  });

  it("may say no more once it is whole, and stay", async () => {
    expect((await answerTo([chunk("a", "stop"), "hang"])).text).toBe("a");
    await fake.idle();
  });

  it("may cut a character in two halves", async () => {
    const half = (text: string): string =>
      `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`;
    const told = recorder();
    async function* steps(): AsyncGenerator<FakeStep, void> {
      yield half("a\\ud83d");
      // The rest comes by itself.
      while (told.text() === "") await new Promise(setImmediate);
      yield* [half("\\ude42b\\ud83d"), DONE];
    }
    fake.answerOf = () => ({ steps: steps() });
    await begun({}, told).run;
    expect(told.text()).toBe("a🙂b\ufffd");
    for (const { value } of told.calls.slice(2)) expect(String(value).isWellFormed()).toBe(true);
  });

  it("that was cut at the model's limit is an answer, and says so", async () => {
    const { text, told } = await answerTo([chunk("so far"), chunk(null, "length"), DONE]);
    expect(text).toBe("so far");
    expect(told.calls.at(-1)).toEqual({
      name: "activity",
      value: ["status", expect.stringMatching(/length limit/)],
    });
  });

  it("that the content filter ends is none", async () => {
    const { failure, text } = await failureTo([
      chunk("so far"),
      chunk(null, "content_filter"),
      DONE,
    ]);
    expect(failure).toMatchObject({ code: "provider_refused", retryable: false });
    expect(text).toBe("so far");
  });

  it.each<[string, readonly FakeStep[]]>([
    ["just ends", [chunk("so "), chunk("far")]],
    ["ends inside an event", [chunk("so "), chunk("far"), 'data: {"choices":[{"del']],
    ["breaks", [chunk("so "), chunk("far"), "reset"]],
    ["is never begun", ["reset"]],
  ])("that %s is a fault of the provider, after all that came", async (_, steps) => {
    const { failure, text } = await failureTo(steps);
    expect(failure).toMatchObject({ code: "provider_unavailable", retryable: true });
    expect(text).toBe(steps[0] === "reset" ? "" : "so far");
  });

  it.each<[string, string]>([
    ["an event that is not JSON", "data: so far\n\n"],
    ["an event that is no object", "data: 7\n\n"],
    ["choices that are none", event({ choices: { delta: {} } })],
    ["content that is no text", event({ choices: [{ delta: { content: ["a"] } }] })],
    ["an event without an end", `data: ${"x".repeat(4_300_000)}`],
  ])("with %s is not of the protocol", async (_, text) => {
    const { failure, text: said } = await failureTo([chunk("before"), text, "hang"]);
    expect(failure).toMatchObject({ code: "provider_protocol", retryable: false });
    expect(said).toBe("before");
  });

  it.each<[unknown, string, boolean]>([
    [{ error: { message: "at capacity", code: 503 } }, "provider_unavailable", true],
    [{ error: { message: "at capacity", code: "429" } }, "provider_rate_limited", true],
    [
      { error: { message: "at capacity", type: "server_error", code: null } },
      "provider_unavailable",
      true,
    ],
    [{ error: { message: "at capacity", code: 400 }, choices: [] }, "provider_refused", false],
    [{ error: "at capacity" }, "provider_unavailable", true],
  ])("with the error %j in its middle fails with it", async (error, code, retryable) => {
    const { failure, text } = await failureTo([chunk("so far"), event(error), "hang"]);
    expect(failure).toMatchObject({ code, retryable });
    expect(failure.message).toBe("the provider broke its answer off: at capacity");
    expect(text).toBe("so far");
  });

  it("with an event of the name error fails with it", async () => {
    const { failure } = await failureTo([`event: error\n${event({ message: "no", code: 401 })}`]);
    expect([failure.code, failure.message]).toEqual([
      "provider_unauthorized",
      "the provider broke its answer off: no",
    ]);
  });
});

describe("an answer that is no stream", () => {
  const body = (message: string): string => JSON.stringify({ error: { message, type: "t" } });

  it.each<[number, string, boolean]>([
    [400, "provider_refused", false],
    [401, "provider_unauthorized", false],
    [403, "provider_unauthorized", false],
    [404, "provider_refused", false],
    [408, "provider_unavailable", true],
    [413, "provider_refused", false],
    [429, "provider_rate_limited", true],
    [500, "provider_unavailable", true],
    [503, "provider_unavailable", true],
    [529, "provider_unavailable", true],
    [204, "provider_protocol", false],
  ])("with status %i is %s", async (status, code, retryable) => {
    const { failure } = await failureTo({ status, steps: status === 204 ? [] : [body("because")] });
    expect(failure).toMatchObject({ code, retryable, retryAfterMs: null });
    const said = status === 204 ? "" : ": because";
    expect(failure.message).toBe(`the provider answered with status ${status}${said}`);
  });

  it.each<[string, number | null]>([
    ["7", 7_000],
    ["0", 0],
    ["999999999", 86_400_000],
    [new Date(START_MS + 30_000).toUTCString(), 30_000],
    [new Date(START_MS - 30_000).toUTCString(), 0],
    ["soon", null],
    ["-1", 0],
  ])("says when to try again: %j", async (text, ms) => {
    const { clock } = manualTime();
    const headers = { "retry-after": text };
    const { failure } = await failureTo({ status: 429, headers, steps: [] }, { clock });
    expect(failure.retryAfterMs).toBe(ms);
  });

  it("is told without the key and the prompt that it repeats, in few words", async () => {
    const echo = `bad key ${KEY} for ${EXECUTION.query} ${"x".repeat(5_000)}`;
    const { failure } = await failureTo({ status: 401, steps: [body(echo)] });
    expect(failure.message).toMatch(/: bad key \[redacted\] for \[redacted\] x+$/);
    expect(failure.message.length).toBeLessThan(1_100);
  });

  it.each([
    ["cut short", EXECUTION.query.slice(0, 24)],
    ["quoted", JSON.stringify(EXECUTION.query)],
    ["a line of it", EXECUTION.query.split("\n")[1] ?? ""],
  ])("is told without the prompt that it repeats %s", async (_, repeated) => {
    const { failure } = await failureTo({ status: 400, steps: [body(`not this: <${repeated}>`)] });
    expect(failure.message).toMatch(/: not this: <["\\n[\]redact]+>$/);
  });

  it.each<[string, readonly FakeStep[]]>([
    ["a page", ["<html>secret page</html>"]],
    ["another shape", [JSON.stringify({ detail: [{ msg: "secret" }] })]],
    ["a body without an end", [...Array<string>(100).fill("secret".repeat(1_000)), "hang"]],
    ["a body that breaks", ['{"error":{"message":"secret', "reset"]],
  ])("is told by its status alone when it is %s", async (_, steps) => {
    const { failure } = await failureTo({ status: 502, steps });
    expect([failure.code, failure.message]).toEqual([
      "provider_unavailable",
      "the provider answered with status 502",
    ]);
    await fake.idle();
  });

  it.each(["application/json", "text/html"])(
    "with status 200 and %s is not of the protocol",
    async (type) => {
      const { failure } = await failureTo({ headers: { "content-type": type }, steps: ["{}"] });
      expect(failure).toMatchObject({ code: "provider_protocol", retryable: false });
    },
  );

  it("since nobody is there is a fault of the provider, told without its address", async () => {
    const gone = await fakeOpenAi();
    await gone.close();
    const failure = await failureOf(begun({ baseUrl: gone.baseUrl }).run);
    expect(failure).toMatchObject({ code: "provider_unavailable", retryable: true });
    expect(failure.message).toBe("the connection to the provider failed: ECONNREFUSED");
  });
});

describe("a provider that is silent", () => {
  it.each<[string, FakeAnswer]>([
    ["from the beginning", { steps: ["hang"] }],
    ["in the middle", { steps: [chunk("so far"), "hang"] }],
    ["in an error", { status: 500, steps: ["{", "hang"] }],
  ])("%s is given up in time", async (where, answer) => {
    const time = manualTime();
    fake.answerOf = () => answer;
    const { run, told } = begun({ clock: time.clock, silenceMs: 60_000 });
    await fake.hanging();
    while (where === "in the middle" && told.text() === "") await time.advance(0);
    const failure = await time.until(failureOf(run));
    expect(time.now()).toBe(60_000);
    expect(failure.retryable).toBe(true);
    expect([failure.code, failure.message]).toEqual(
      where === "in an error"
        ? ["provider_unavailable", "the provider answered with status 500"]
        : ["provider_timeout", "the provider sent nothing for 60000 ms"],
    );
    await fake.idle();
  });

  it("is not, while it sends comments, nor while a delta is awaited", async () => {
    const time = manualTime();
    let waits = 0;
    const clock: Clock = {
      ...time.clock,
      sleep(ms, signal) {
        waits += 1;
        return time.clock.sleep(ms, signal);
      },
    };
    async function* steps(): AsyncGenerator<FakeStep, void> {
      for (let n = 0; n < 4; n += 1) {
        // Almost all of the silence that is allowed, and not on before that was heard.
        await time.advance(50_000);
        const before = waits;
        yield ": still here\n\n";
        while (waits === before) await new Promise(setImmediate);
      }
      yield* [chunk("a"), chunk("b", "stop"), DONE];
    }
    fake.answerOf = () => ({ steps: steps() });
    const told = recorder({ delta: () => time.advance(600_000) });
    await begun({ clock, silenceMs: 60_000 }, told).run;
    expect(told.text()).toBe("ab");
    expect(time.now()).toBeGreaterThanOrEqual(800_000);
  });
});
