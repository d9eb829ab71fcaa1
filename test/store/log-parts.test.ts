/** How parts of a log are written (protocols 5.8): small ones compact, large ones cut where it is safe. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeId } from "../../src/core/ids.ts";
import { type JsonArray, utf8Length } from "../../src/core/json.ts";
import { key } from "../../src/core/key.ts";
import { epochMs } from "../../src/core/time.ts";
import { RecordTooLargeError } from "../../src/ports/faults.ts";
import { BODY_BYTES_MAX, CONTINUATIONS_MAX, READS_AT_ONCE } from "../../src/store/limits.ts";
import {
  decodeContinuation,
  decodePart,
  encodePart,
  joinItems,
  type PartBody,
} from "../../src/store/log-parts.ts";
import { dueOfBody } from "../../src/store/record.ts";

const W = writeId(new Uint8Array(12).fill(7));
const KEY = key("queries/log/job/000000000001");

/** What is read of a part that is written, and in how many continuations it was. */
function carried(body: PartBody): PartBody & { readonly continuations: number } {
  const { text, continuations } = encodePart(W, body);
  for (const one of [text, ...continuations]) {
    expect(utf8Length(one)).toBeLessThanOrEqual(BODY_BYTES_MAX);
    expect(one.isWellFormed()).toBe(true);
  }
  const { about, items } = decodePart(KEY, text);
  if (!("sha256" in items)) return { about, items, continuations: 0 };
  const pieces = continuations.map((one) => decodeContinuation(KEY, one));
  return { about, items: joinItems(KEY, items, pieces), continuations: pieces.length };
}

/** A single item with which the part takes exactly `bytes`. */
function filling(bytes: number): JsonArray {
  const around = encodePart(W, { about: {}, items: [""] }).text.length;
  return ["x".repeat(bytes - around)];
}

describe("a part", () => {
  it("is its items, and 57 bytes for the write that made it", () => {
    const { text } = encodePart(W, { about: {}, items: [1] });
    expect(text).toBe(`{"items":[1],"holdfast":{"schema":1,"w":"${W}"}}`);
    expect(text.length - "[1]".length).toBe(57);
  });

  it("holds its items itself up to the limit of a body, and not one byte more", () => {
    const fits = { about: {}, items: filling(BODY_BYTES_MAX) };
    const over = { about: {}, items: filling(BODY_BYTES_MAX + 1) };
    expect(carried(fits)).toEqual({ ...fits, continuations: 0 });
    expect(carried(over)).toEqual({ ...over, continuations: 2 });
  });

  it("comes back as it was, whatever its characters and wherever it is cut", () => {
    const unit = fc.constantFrom(
      "a",
      '"',
      "\\",
      "\u0001",
      "é",
      "漢",
      "\u{1f600}",
      "\ud800",
      "\u2028",
    );
    const text = fc
      .tuple(fc.array(unit, { minLength: 1, maxLength: 7 }), fc.integer({ min: 1, max: 40_000 }))
      .map(([units, times]) => units.join("").repeat(times));
    const items = fc.array(text, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(items, (some) => {
        expect(carried({ about: { a: 1 }, items: some })).toMatchObject({ items: some });
      }),
      { numRuns: 60 },
    );
  });

  it("is refused where it takes more continuations than are read at a time", () => {
    expect(CONTINUATIONS_MAX).toBeLessThanOrEqual(READS_AT_ONCE);
    const most = filling(BODY_BYTES_MAX * (CONTINUATIONS_MAX - 1));
    expect(carried({ about: {}, items: most }).continuations).toBe(CONTINUATIONS_MAX);
    const more = filling(BODY_BYTES_MAX * CONTINUATIONS_MAX);
    expect(() => encodePart(W, { about: {}, items: more })).toThrow(RecordTooLargeError);
  });

  it("is corrupt where its continuations hold other items than it tells", () => {
    const items = filling(BODY_BYTES_MAX + 1);
    const { text, continuations } = encodePart(W, { about: {}, items });
    const { items: moved } = decodePart(KEY, text.replace('"count":1', '"count":2'));
    if (!("sha256" in moved)) throw new Error("it has its items");
    const pieces = continuations.map((one) => decodeContinuation(KEY, one));
    expect(() => joinItems(KEY, moved, pieces)).toThrow(/other items than it tells/);
    expect(() => joinItems(KEY, moved, [...pieces].reverse())).toThrow(/not what it was written/);
  });

  it("holds the largest request: 224,000 characters that are escaped twice (C6)", () => {
    const query = "\u0001".repeat(48_000);
    const request = { query, reference: { query, response: "\u0001".repeat(128_000) } };
    expect(carried({ about: {}, items: [request] })).toMatchObject({ items: [request] });
    const wide = { query: "漢".repeat(48_000), response: "\u{1f600}".repeat(64_000) };
    expect(carried({ about: {}, items: [wide] })).toMatchObject({ items: [wide] });
  });

  it("is never due, nor is a continuation, of any tenant", () => {
    const dueOf = dueOfBody(() => ({ queue: "attend", at: epochMs(0) }));
    const { text } = encodePart(W, { about: {}, items: [1] });
    expect(dueOf(KEY, text)).toBeNull();
    expect(dueOf(key(`tenants/acme/queries/log/job/b/${W}/0`), "{}")).toBeNull();
    expect(() => dueOf(key("queries/roots/a"), text)).toThrow(/header/);
  });
});
