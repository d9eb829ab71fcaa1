import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeId } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { key } from "../../src/core/key.ts";
import { epochMs } from "../../src/core/time.ts";
import { decodeRecord, encodeRecord, nextHeader } from "../../src/store/header.ts";

const KEY = key("emails/jobs/x");
const W = writeId(new Uint8Array(12).fill(1));

describe("the header of a record", () => {
  it("stands under `holdfast`, beside the original's own fields", () => {
    const due = { queue: "deliver", at: epochMs(1_000) } as const;
    const header = nextHeader(null, { w: W, marker: null, due });
    const text = encodeRecord(
      { fields: { state: "ready" }, extra: { epoch: 2 } },
      header,
      "compact",
    );
    expect(JSON.parse(text)).toEqual({
      state: "ready",
      holdfast: {
        schema: 1,
        v: 1,
        w: "AQEBAQEBAQEBAQEB",
        recent: ["AQEBAQEBAQEBAQEB"],
        marker: null,
        due: { queue: "deliver", at: 1_000 },
        epoch: 2,
      },
    });
  });

  it("EMAIL-16: is written as two-space JSON with a line feed on a folder", () => {
    const header = nextHeader(null, { w: W, marker: null, due: null });
    const text = encodeRecord({ fields: { state: "ready" }, extra: {} }, header, "indented");
    expect(text.startsWith('{\n  "state": "ready",\n  "holdfast": {\n    "schema": 1,')).toBe(true);
    expect(text.endsWith("}\n")).toBe(true);
  });

  it("counts writes and keeps the last eight", () => {
    let header = nextHeader(null, { w: W, marker: null, due: null });
    for (let n = 2; n <= 11; n += 1) {
      const w = writeId(new Uint8Array(12).fill(n));
      header = nextHeader(header, { w, marker: null, due: null });
    }
    expect(header.v).toBe(11);
    expect(header.recent).toHaveLength(8);
    expect(header.recent.at(-1)).toBe(header.w);
  });

  it("takes a record without it for an original's, in version 0", () => {
    const record = decodeRecord(KEY, '{"state":"sent"}');
    expect(record).toMatchObject({ isForeign: true, fields: { state: "sent" }, header: { v: 0 } });
  });

  for (const [what, text, reason] of [
    ["no JSON", "{", "not JSON"],
    ["an array", "[]", "not a JSON object"],
    ["a header that is a number", '{"holdfast":1}', '"holdfast" is not an object'],
    ["a header without a counter", '{"holdfast":{"schema":1}}', 'does not fit at "holdfast.v"'],
    ["a newer release's record", '{"holdfast":{"schema":2}}', "newer release"],
  ] as const) {
    it(`refuses ${what}, saying what is wrong and not what is in it`, () => {
      expect(() => decodeRecord(KEY, text)).toThrow(reason);
    });
  }

  it("gives back any fields and extras exactly", () => {
    const json = fc.dictionary(
      fc.string().filter((name) => name !== "holdfast" && name !== "__proto__"),
      fc.jsonValue({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(json, fc.constantFrom("compact", "indented"), (value, format) => {
        const fields: JsonObject = JSON.parse(JSON.stringify(value));
        const header = nextHeader(null, { w: W, marker: null, due: null });
        const decoded = decodeRecord(KEY, encodeRecord({ fields, extra: {} }, header, format));
        expect(JSON.stringify(decoded.fields)).toBe(JSON.stringify(fields));
        expect(decoded.header).toEqual(header);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
