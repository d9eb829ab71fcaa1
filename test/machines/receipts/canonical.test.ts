import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, payloadHashes } from "../../../src/machines/receipts/canonical.ts";
import { type OperationKey, receiptIdOf } from "../../../src/machines/receipts/key.ts";
import { HASH, ID, KEY } from "./given.ts";

function text(value: unknown): string {
  const canonical = canonicalText(value);
  if (!canonical.ok) throw new Error(JSON.stringify(canonical.problem));
  return canonical.text;
}

function hashes(value: unknown): readonly string[] {
  const hashed = payloadHashes(value);
  if (!hashed.ok) throw new Error(JSON.stringify(hashed.problem));
  return hashed.hashes;
}

describe("the canonical text", () => {
  it("semantics E is that of the golden key and payload", () => {
    expect(text(KEY)).toBe(
      '{"action":"start-pi","memberGeneration":1,"memberId":"owner","operationId":"operation-1",' +
        '"principalId":"stdio:owner","sessionId":"session","tool":"session","workspaceId":"workspace"}',
    );
    const payload = { prompt: "TOP SECRET", requestId: "any", agent: "general" };
    expect(text(payload)).toBe('{"agent":"general","prompt":"TOP SECRET"}');
    expect(hashes(payload)).toEqual([HASH]);
  });

  it("RECEIPT-8 the id is the golden one, each of the 8 fields changes it, nothing else does", () => {
    expect(receiptIdOf(KEY)).toBe(ID);
    const others = Object.keys(KEY).map((name) => ({
      ...KEY,
      [name]: name === "memberGeneration" ? 2 : "other",
    }));
    const ids = new Set([KEY, ...others].map((key: OperationKey) => receiptIdOf(key)));
    expect(ids.size).toBe(9);
    const more: OperationKey & { payloadHash: string } = { ...KEY, payloadHash: HASH };
    expect(receiptIdOf(more)).toBe(ID);
  });

  it("RECEIPT-5 says nothing of the order of keys, and of a requestId at any depth", () => {
    expect(text({ b: [{ y: 1, x: 2, requestId: 3 }], a: null })).toBe(
      text({ requestId: { deep: true }, a: null, b: [{ x: 2, y: 1 }] }),
    );
  });

  it("RECEIPT-6 tells every other difference, and takes undefined for absent", () => {
    expect(text({ a: undefined, b: 1 })).toBe('{"b":1}');
    const values = [null, false, true, 0, 1, "", "0", "1", [], [0], [null], {}, { a: 0 }, "null"];
    expect(new Set(values.map(text)).size).toBe(values.length);
    expect(text("\ud800")).not.toBe(text("\ud801"));
  });

  it("RECEIPT-6 two payloads have the same text only when JSON says the same of them", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(!/requestId/.test(JSON.stringify([one, other])));
        const isSame = text(one) === text(other);
        expect(isSame).toBe(text(JSON.parse(text(one))) === text(JSON.parse(text(other))));
        if (isSame) expect(JSON.parse(text(one))).toEqual(JSON.parse(JSON.stringify(other)));
      }),
    );
  });

  it.each([
    ["a number that is not finite", Number.NaN, ""],
    ["an infinite number inside", { a: [Number.POSITIVE_INFINITY] }, "a[0]"],
    ["a function", { a: () => {} }, "a"],
    ["a bigint", { a: { b: 1n } }, "a.b"],
    ["a symbol", [Symbol("s")], "[0]"],
    ["undefined in an array", { a: [1, undefined] }, "a[1]"],
    ["a hole in an array", { a: Array(1) }, "a[0]"],
    ["undefined itself", undefined, ""],
    ["a date, which would look like any other date", { at: new Date(0) }, "at"],
    ["a map, which would look empty", new Map([["a", 1]]), ""],
  ])("RECEIPT-7 refuses %s", (_name, value, path) => {
    expect(canonicalText(value)).toMatchObject({
      ...{ ok: false, problem: { path, message: expect.any(String) } },
    });
    expect(payloadHashes(value)).toMatchObject({ ok: false });
  });

  it("G9 refuses what is cyclic, too deep, too many or too long", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const deep = (levels: number): unknown =>
      JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    const many = (values: number) => Array.from({ length: values - 1 }, () => 0);
    const long = (chars: number) => ["x".repeat(chars - '["",0]'.length), 0];
    for (const value of [cyclic, deep(33), many(20_001), long(4_194_305)]) {
      expect(canonicalText(value).ok).toBe(false);
    }
    for (const value of [deep(32), many(20_000), long(4_194_304)]) {
      expect(canonicalText(value).ok).toBe(true);
    }
  });

  it("takes an object without a prototype for the object it is", () => {
    expect(text(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it("names the place of a problem in 120 characters at most", () => {
    const canonical = canonicalText({ ["n".repeat(200)]: Number.NaN });
    expect(canonical).toMatchObject({ ok: false, problem: { path: "n".repeat(120) } });
  });

  it("G9 refuses what is too long also where nothing follows it", () => {
    const long = "x".repeat(5_000_000);
    for (const value of [long, [long], { a: long }, { [long]: 1 }]) {
      expect(canonicalText(value).ok).toBe(false);
    }
  });

  it("RECEIPT-5 takes the plain objects of another realm, and no instances of it", () => {
    expect(text(runInNewContext("({ b: [{ a: 1 }] })"))).toBe('{"b":[{"a":1}]}');
    expect(canonicalText(runInNewContext("new Date(0)")).ok).toBe(false);
    expect(canonicalText(runInNewContext("new (class { a = 1 })()")).ok).toBe(false);
  });
});

describe("payloads that the original hashed", () => {
  it("semantics B1 have a second hash where a locale orders their keys differently", () => {
    const payload = { _: 1, B: 2, a: 3, z: 4, Z: 5 };
    expect(text(payload)).toBe('{"B":2,"Z":5,"_":1,"a":3,"z":4}');
    // SHA-256 of {"_":1,"a":3,"B":2,"z":4,"Z":5}.
    expect(hashes(payload)[1]).toBe(
      "12770138a517d4b229993691a2e82ea4e085694cdf8368a05f5142d160b8eed7",
    );
    expect(hashes(payload)).toHaveLength(2);
  });

  it("have one where the orders agree", () => {
    expect(hashes({ handle: "h", message: "m", mode: "follow_up" })).toHaveLength(1);
  });
});
