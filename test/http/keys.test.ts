/** Keys: who is let in, as whom, and what for (design 6, http-api "Auth"). */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssertionError } from "../../src/core/assert.ts";
import {
  allows,
  isKey,
  type KeyEntry,
  keyEntries,
  keyRing,
  newKey,
  SCOPES,
  type Scope,
} from "../../src/http/keys.ts";
import { InvalidInputError } from "../../src/services/errors.ts";

const anId = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/);
const aSecret = fc.uint8Array({ minLength: 32, maxLength: 32 });
const someScopes = fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 });
const twoSecrets = fc
  .tuple(aSecret, aSecret)
  .filter(([a, b]) => a.some((byte, n) => byte !== b[n]));

const ZERO_KEY = `hf_ann_${"A".repeat(43)}`;
const ZERO_ENTRY: KeyEntry = {
  id: "ann",
  scopes: ["*"],
  sha256: createHash("sha256").update(ZERO_KEY).digest("hex"),
};

describe("scopes", () => {
  const TABLE: Readonly<Record<Scope, readonly Scope[]>> = {
    "emails:read": ["emails:read"],
    "emails:write": ["emails:read", "emails:write"],
    "receipts:read": ["receipts:read"],
    "receipts:write": ["receipts:read", "receipts:write"],
    "queries:read": ["queries:read"],
    "queries:write": ["queries:read", "queries:write"],
    "queries:run": ["queries:run"],
    ops: ["ops"],
    "*": SCOPES,
  };

  it.each(SCOPES)("%s allows what the table says, and nothing else", (granted) => {
    expect(SCOPES.filter((needed) => allows([granted], needed))).toEqual(TABLE[granted]);
  });

  it("several allow what one of them does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SCOPES)),
        fc.constantFrom(...SCOPES),
        (all, needed) => {
          expect(allows(all, needed)).toBe(all.some((one) => TABLE[one].includes(needed)));
        },
      ),
    );
  });
});

describe("a new key", () => {
  it("is its id and its secret in base64url; its entry has the SHA-256 of the whole", () => {
    expect(newKey("ann", new Uint8Array(32), { scopes: ["*"] })).toEqual({
      key: ZERO_KEY,
      entry: ZERO_ENTRY,
    });
  });

  it("has the form of a key, and its entry that of an entry", () => {
    fc.assert(
      fc.property(anId, aSecret, someScopes, fc.option(anId), (id, secret, scopes, tenant) => {
        const { key, entry } = newKey(id, secret, { scopes, ...(tenant && { tenant }) });
        expect(key).toBe(`hf_${id}_${Buffer.from(secret).toString("base64url")}`);
        expect(isKey(key)).toBe(true);
        expect(keyEntries.parse([entry])).toEqual([entry]);
        expect(JSON.stringify(entry)).not.toContain(key.slice(-43));
      }),
    );
  });

  it("names a scope once that is asked for twice", () => {
    const { entry } = newKey("ann", new Uint8Array(32), { scopes: ["ops", "ops"] });
    expect(entry.scopes).toEqual(["ops"]);
  });

  it.each([
    ["id", () => newKey("Ann", new Uint8Array(32), { scopes: ["*"] })],
    ["id", () => newKey("", new Uint8Array(32), { scopes: ["*"] })],
    ["tenant", () => newKey("ann", new Uint8Array(32), { scopes: ["*"], tenant: "a_b" })],
    ["scopes", () => newKey("ann", new Uint8Array(32), { scopes: [] })],
  ])("is not made with a wrong %s", (path, make) => {
    expect(make).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ path })] }));
    expect(make).toThrow(InvalidInputError);
  });

  it("is not made from fewer or more than 32 bytes", () => {
    for (const length of [0, 31, 33]) {
      expect(() => newKey("ann", new Uint8Array(length), { scopes: ["*"] })).toThrow(
        AssertionError,
      );
    }
  });
});

describe("a ring", () => {
  it("knows every key that it has the entry of, and as whom", () => {
    fc.assert(
      fc.property(anId, aSecret, someScopes, fc.option(anId), (id, secret, scopes, tenant) => {
        const { key, entry } = newKey(id, secret, { scopes, ...(tenant && { tenant }) });
        expect(keyRing([ZERO_ENTRY, entry].slice(id === "ann" ? 1 : 0)).check(key)).toEqual({
          keyId: id,
          tenant,
          scopes,
        });
      }),
    );
  });

  it("refuses a key with any one character altered, left out or put in", () => {
    const edit = fc.constantFrom("altered", "left out", "put in");
    const character = fc.constantFrom(..."abzAZ019-_ é\n");
    fc.assert(
      fc.property(anId, aSecret, fc.nat(), character, edit, (id, secret, at, by, how) => {
        const { key, entry } = newKey(id, secret, { scopes: ["*"] });
        const place = at % key.length;
        const middle = { altered: by, "left out": "", "put in": by + key[place] }[how] ?? "";
        const presented = key.slice(0, place) + middle + key.slice(place + 1);
        fc.pre(presented !== key);
        expect(keyRing([entry]).check(presented)).toBeNull();
      }),
    );
  });

  it("refuses the right secret under another id", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anId, { minLength: 2, maxLength: 2 }), twoSecrets, (ids, two) => {
        const [a = "", b = ""] = ids;
        const [secretOfA, secretOfB] = two;
        const first = newKey(a, secretOfA, { scopes: ["*"] });
        const second = newKey(b, secretOfB, { scopes: ["*"] });
        const ring = keyRing([first.entry, second.entry]);
        expect(ring.check(`hf_${b}_${first.key.slice(-43)}`)).toBeNull();
        expect(ring.check(`hf_${a}_${second.key.slice(-43)}`)).toBeNull();
      }),
    );
  });

  it("refuses every key of an id that it does not know", () => {
    fc.assert(
      fc.property(anId, aSecret, (id, secret) => {
        fc.pre(id !== "ann");
        expect(keyRing([ZERO_ENTRY]).check(newKey(id, secret, { scopes: ["*"] }).key)).toBeNull();
      }),
    );
    expect(keyRing([]).check(ZERO_KEY)).toBeNull();
  });

  it("keeps tenants apart", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anId, { minLength: 2, maxLength: 2 }), twoSecrets, (ids, two) => {
        const [a = "", b = ""] = ids;
        const keys = [
          newKey(a, two[0], { scopes: ["emails:read"], tenant: b }),
          newKey(b, two[1], { scopes: ["emails:write"], tenant: a }),
        ];
        const ring = keyRing(keys.map(({ entry }) => entry));
        expect(keys.map(({ key }) => ring.check(key)?.tenant)).toEqual([b, a]);
        expect(ring.tenants).toEqual([b, a]);
        expect(ring.size).toBe(2);
      }),
    );
  });

  it("names each tenant once, and the default one not at all", () => {
    const entries = ["a", "b", "c", "d"].map((id, n) => ({
      ...ZERO_ENTRY,
      id,
      ...(n > 0 && { tenant: n === 2 ? "beta" : "acme" }),
    }));
    expect(keyRing(entries).tenants).toEqual(["acme", "beta"]);
    expect(keyRing(entries).size).toBe(4);
  });

  it("never throws, whatever it is shown", () => {
    const ring = keyRing([ZERO_ENTRY]);
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((tail) => `hf_ann_${tail}`),
    );
    fc.assert(
      fc.property(text, (presented) => {
        expect(ring.check(presented)).toBeNull();
      }),
    );
    for (const presented of ["", "hf_", "hf_ann_", "\ud800", ZERO_KEY.repeat(100_000)]) {
      expect(ring.check(presented)).toBeNull();
    }
    expect(ring.check("hf___proto_____".padEnd(60, "_"))).toBeNull();
  });

  it("refuses a key whose digest begins, or ends, as the right one", () => {
    const { sha256 } = ZERO_ENTRY;
    const otherDigit = (digit: string | undefined): string => (digit === "0" ? "1" : "0");
    for (const near of [
      sha256.slice(0, -1) + otherDigit(sha256.at(-1)),
      otherDigit(sha256[0]) + sha256.slice(1),
      "0".repeat(64),
    ]) {
      expect(keyRing([{ ...ZERO_ENTRY, sha256: near }]).check(ZERO_KEY)).toBeNull();
    }
  });
});

describe("entries", () => {
  const one = ZERO_ENTRY;
  it.each([
    ["none", []],
    ["one", [one]],
    ["one of a tenant", [{ ...one, tenant: "acme" }]],
    ["an id of 63 characters", [{ ...one, id: "a".repeat(63) }]],
    ["every scope", [{ ...one, scopes: [...SCOPES] }]],
  ])("may be: %s", (_, entries) => {
    expect(keyEntries.parse(entries)).toEqual(entries);
  });

  it.each([
    ["no array", { keys: [] }, []],
    ["an id of 64 characters", [{ ...one, id: "a".repeat(64) }], [0, "id"]],
    ["an id with an underscore", [{ ...one, id: "a_b" }], [0, "id"]],
    ["an id with a line break after it", [{ ...one, id: "a\n" }], [0, "id"]],
    ["the same id twice", [one, { ...one, tenant: "acme" }], [1, "id"]],
    ["an empty tenant", [{ ...one, tenant: "" }], [0, "tenant"]],
    ["a tenant of null", [{ ...one, tenant: null }], [0, "tenant"]],
    ["a tenant of undefined", [{ ...one, tenant: undefined }], [0, "tenant"]],
    ["no scope", [{ ...one, scopes: [] }], [0, "scopes"]],
    ["a scope that there is not", [{ ...one, scopes: ["emails"] }], [0, "scopes", 0]],
    ["an upper-case digest", [{ ...one, sha256: "A".repeat(64) }], [0, "sha256"]],
    ["a short digest", [{ ...one, sha256: "a".repeat(63) }], [0, "sha256"]],
    ["a property too many", [{ ...one, note: "" }], [0]],
    ["a missing property", [{ id: "ann", scopes: ["*"] }], [0, "sha256"]],
  ])("may not be: %s", (_, entries, path) => {
    const found = keyEntries.safeParse(entries);
    expect(found.error?.issues.map((issue) => issue.path)).toEqual([path]);
  });

  it("may not be more than 10,000", () => {
    const entries = Array.from({ length: 10_001 }, (_, n) => ({ ...one, id: `k${n}` }));
    expect(keyEntries.safeParse(entries).success).toBe(false);
    expect(keyEntries.safeParse(entries.slice(1)).success).toBe(true);
  });
});
