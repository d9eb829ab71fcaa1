/** Payloads that are not what they must be: named, and nothing is written (G9). */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "./bench.ts";
import { expectRefused, FIRST_VIEW, KEY, MESSAGE, thrownBy, times } from "./given.ts";

export function describePayloads(bench: CurrentBench): void {
  describe("payloads", () => {
    describeBadPayloads(bench);
    describeBadMessages(bench);
    describeHugePayloads(bench);
  });
}

class Envelope {
  readonly type = "first-view";
}

function nested(levels: number): unknown {
  let value: unknown = "end";
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

function cyclic(): unknown {
  const payload: Record<string, unknown> = { ...FIRST_VIEW };
  payload["shareId"] = { payload };
  return payload;
}

const BAD_PAYLOADS: readonly [string, unknown, string][] = [
  ["null", null, "payload"],
  ["nothing", undefined, "payload"],
  ["a number", 7, "payload"],
  ["a text", "first-view", "payload"],
  ["an array", [FIRST_VIEW], "payload"],
  ["a function", () => FIRST_VIEW, "payload"],
  ["a symbol", Symbol("payload"), "payload"],
  ["an instance of a class", new Envelope(), "payload"],
  ["a date", new Date(0), "payload"],
  ["a map", new Map([["type", "first-view"]]), "payload"],
  ["an empty object", {}, "payload.type"],
  ["an unknown kind", { ...FIRST_VIEW, type: "letter" }, "payload.type"],
  ["a kind that is no text", { ...FIRST_VIEW, type: 7 }, "payload.type"],
  ["a kind named as a method", { ...FIRST_VIEW, type: "toString" }, "payload.type"],
  ["no recipient", { type: "first-view", recordingIds: ["a"] }, "payload.recipient"],
  ["two recipients", { ...FIRST_VIEW, recipient: ["a@b.example"] }, "payload.recipient"],
  ["no recordings", { type: "first-view", recipient: "a@b.example" }, "payload.recordingIds"],
  ["a blank recording", { ...FIRST_VIEW, recordingIds: [" "] }, "payload.recordingIds[0]"],
  ["a recording that is null", { ...FIRST_VIEW, recordingIds: [null] }, "payload.recordingIds[0]"],
  ["an empty share", { ...FIRST_VIEW, shareId: "" }, "payload.shareId"],
  ["a share that is null", { ...FIRST_VIEW, shareId: null }, "payload.shareId"],
  ["a state of its own", { ...FIRST_VIEW, state: "sent" }, "payload.state"],
  ["a lease of its own", { ...FIRST_VIEW, leaseToken: "t" }, "payload.leaseToken"],
  ["our own property", { ...FIRST_VIEW, holdfast: {} }, "payload.holdfast"],
  ["NUL", { ...FIRST_VIEW, shareId: "a\u0000" }, "payload.shareId"],
  ["half a surrogate pair", { ...FIRST_VIEW, shareId: "\ud800" }, "payload.shareId"],
  ["a bigint", { ...FIRST_VIEW, shareId: 7n }, "payload.shareId"],
  ["a number that is not finite", { ...FIRST_VIEW, shareId: Number.NaN }, "payload.shareId"],
  ["a date in a field", { ...FIRST_VIEW, shareId: new Date(0) }, "payload.shareId"],
  ["a hole in an array", { ...FIRST_VIEW, recordingIds: new Array(1) }, "payload.recordingIds[0]"],
  [
    "a property __proto__",
    JSON.parse('{"type":"first-view","__proto__":{"recipient":"a@b.example"}}'),
    "payload.__proto__",
  ],
];

function describeBadPayloads(bench: CurrentBench): void {
  it.each(BAD_PAYLOADS)("a payload with, or being, %s is refused", async (_, payload, path) => {
    await expectRefused(bench(), () => bench().emails.enqueue(KEY, payload), path);
  });

  it.each([
    ["100 levels deep", { ...FIRST_VIEW, shareId: nested(100) }],
    ["100,000 levels deep", { ...FIRST_VIEW, shareId: nested(100_000) }],
    ["cyclic", cyclic()],
  ])("a payload that is %s is refused", async (_, payload) => {
    const before = await bench().contents();
    const error = await thrownBy(() => bench().emails.enqueue(KEY, payload));
    expect(String(error)).toMatch(/payload\.shareId\..*nested deeper than 32, or cyclic/);
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(await bench().contents()).toEqual(before);
  });

  it("a bad key and a bad payload are told together", async () => {
    const error = await thrownBy(() => bench().emails.enqueue("", { type: "letter" }));
    expect(String(error)).toMatch(/logicalKey.*payload\.type/);
  });

  it("what is told of a payload shows nothing of its content", async () => {
    const payload = { ...MESSAGE, recipient: "SECRET", subject: "SECRET\n", text: "" };
    const error = await thrownBy(() => bench().emails.enqueue(KEY, payload));
    expect(String(error) + JSON.stringify(error)).not.toContain("SECRET");
  });

  it("a property that is undefined counts as absent", async () => {
    const { job } = await bench().emails.enqueue(KEY, { ...FIRST_VIEW, shareId: undefined });
    expect(Object.keys(job)).not.toContain("shareId");
  });
}

function describeBadMessages(bench: CurrentBench): void {
  it.each<[string, object, string]>([
    ["no subject", { subject: undefined }, "payload.subject"],
    ["an empty subject", { subject: "" }, "payload.subject"],
    ["a subject of 999 characters", { subject: "s".repeat(999) }, "payload.subject"],
    ["a subject of two lines", { subject: "a\r\nBcc: b@example.com" }, "payload.subject"],
    ["no text", { text: undefined }, "payload.text"],
    ["a text of 100,001 characters", { text: "t".repeat(100_001) }, "payload.text"],
    ["an html of 100,001 characters", { html: "h".repeat(100_001) }, "payload.html"],
    ["a reply address that is none", { replyTo: "bob" }, "payload.replyTo"],
    ["headers that are a list", { headers: ["X-A: b"] }, "payload.headers"],
    ["a header that is a number", { headers: { "X-A": 7 } }, "payload.headers.X-A"],
    ["a header of two lines", { headers: { "X-A": "b\nBcc: c" } }, "payload.headers.X-A"],
    ["a header name with a space", { headers: { "X A": "b" } }, "payload.headers.X A"],
    ["a second recipient", { headers: { BCC: "b@example.com" } }, "payload.headers.BCC"],
    ["51 headers", { headers: manyHeaders(51) }, "payload.headers"],
    ["recordings", { recordingIds: ["a"] }, "payload.recordingIds"],
    [
      "a header __proto__",
      { headers: JSON.parse('{"__proto__":"a"}') },
      "payload.headers.__proto__",
    ],
  ])("a message with %s is refused", async (_, fields, path) => {
    const payload = { ...MESSAGE, ...fields };
    await expectRefused(bench(), () => bench().emails.enqueue(KEY, payload), path);
  });

  it("a message at all of its bounds is stored and read back", async () => {
    const payload = {
      ...MESSAGE,
      subject: "s".repeat(998),
      text: "t".repeat(100_000),
      html: "h".repeat(100_000),
      headers: { ...manyHeaders(49), constructor: "v".repeat(998) },
    };
    await bench().emails.enqueue(KEY, payload);
    expect(await bench().emails.readJob(KEY)).toMatchObject(payload);
  });
}

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(times(count, (index) => [`X-${index}`, "v"]));
}

function describeHugePayloads(bench: CurrentBench): void {
  it("a payload of one mebibyte is too large, and nothing of it is left", async () => {
    const before = await bench().contents();
    const payload = { ...FIRST_VIEW, shareId: "x".repeat(1_048_576) };
    const error = await thrownBy(() => bench().emails.enqueue(KEY, payload));
    expect(error).toMatchObject({ code: "record_too_large" });
    expect(String(error)).toMatch(/at most 229376/);
    expect(await bench().contents()).toEqual(before);
  });

  it("peer fault 10: size counts in bytes, not in characters", async () => {
    const payload = { ...MESSAGE, text: "😀".repeat(50_000), html: "😀".repeat(50_000) };
    const error = await thrownBy(() => bench().emails.enqueue(KEY, payload));
    expect(error).toMatchObject({ code: "record_too_large" });
    expect(await bench().emails.readJob(KEY)).toBeNull();
  });

  it("a payload of 20,001 values is refused before it is looked at one by one", async () => {
    const payload = { ...FIRST_VIEW, recordingIds: times(20_001, () => "a") };
    const error = await thrownBy(() => bench().emails.enqueue(KEY, payload));
    expect(String(error)).toMatch(/payload\..*more than 20000 values/);
  });

  it("a job of the greatest size that is taken can be leased and fails with any error text", async () => {
    const { emails } = bench();
    const shareId = "x".repeat(229_376 - 700);
    const { job } = await emails.enqueue(KEY, { ...FIRST_VIEW, shareId });
    await emails.transition(job, ["pending"], "ready");
    const [leased] = await emails.acquireDueLeases({ durationMs: 1_000, limit: 1 });
    if (leased === undefined) throw new Error("not leased");
    const lastError = "\u0007".repeat(4_000);
    const failed = await emails.transitionSending(leased, leased.leaseToken ?? "", "failed", {
      lastError,
    });
    expect(failed).toMatchObject({ state: "failed", lastError });
  });

  it("a text that would make a stored job too large is refused, and the job stays", async () => {
    const { emails, contents } = bench();
    const shareId = "x".repeat(225_000);
    await emails.enqueue(KEY, { ...FIRST_VIEW, shareId });
    const before = await contents();
    const changes = { generatedSummary: "s".repeat(20_000) };
    const error = await thrownBy(() => emails.transition(KEY, ["pending"], "ready", changes));
    expect(error).toMatchObject({ code: "record_too_large" });
    expect(await contents()).toEqual(before);
  });
}
