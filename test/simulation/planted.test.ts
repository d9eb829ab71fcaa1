/** The simulation can fail: each checker sees the fault that it is there for, within a few seeds. */
import { describe, expect, it } from "vitest";
import { emails } from "./emails/machine.ts";
import { prefixOf } from "./machine.ts";
import { repeating, rewritten, type Spoil, spoiled, unconditional } from "./planted.ts";
import { queries } from "./queries/machine.ts";
import { receipts } from "./receipts/machine.ts";
import { CAPACITY } from "./receipts/places.ts";
import { simulate } from "./simulate.ts";

const SEEDS_MAX = 20;

const has = (part: string) => (key: string) => key.includes(part);

const OTHERS = prefixOf("acme");

/** One tenant's reads are of another's records. */
const mixedTenants = (part: string) =>
  spoiled((backend) => ({
    get: (key) => backend.get(key.includes(part) ? (key.replace(OTHERS, "") as typeof key) : key),
  }));

/** Told to be stored, and is not. */
const forgetful = (part: string) =>
  spoiled((backend) => {
    let count = 0;
    return {
      async putIf(key, body, condition) {
        count += key.includes(part) ? 1 : 0;
        if (!key.includes(part) || count % 4 !== 0) return backend.putIf(key, body, condition);
        const version = `forgotten-${count}` as Exclude<typeof condition.expected, "absent">;
        return { kind: "stored", version };
      },
    };
  });

const notIndexed = spoiled((backend) => ({
  putIf: (key, body, condition) =>
    body === ""
      ? Promise.resolve({ kind: "refused", current: "unread" })
      : backend.putIf(key, body, { ...condition, due: null }),
}));

const falseRefusal = spoiled((backend) => ({
  async putIf(key, body, condition) {
    try {
      return await backend.putIf(key, body, condition);
    } catch {
      return { kind: "refused", current: "unread" };
    }
  },
}));

/** Whatever is on its way is shown already, and may yet be lost. */
const shownEarly = spoiled((backend) => {
  const sent = new Map<string, string>();
  return {
    async putIf(key, body, condition) {
      if (key.includes("/log/")) sent.set(key, body);
      return backend.putIf(key, body, condition);
    },
    async get(key) {
      const found = await backend.get(key);
      const body = sent.get(key);
      if (found !== null || body === undefined) return found;
      return { body, version: "not-yet" as NonNullable<typeof found>["version"] };
    },
  };
});

const unread = (part: string) =>
  spoiled((backend) => ({ get: async (key) => (has(part)(key) ? null : backend.get(key)) }));

const noMargin: Spoil = ({ limits, ...options }) => ({
  ...options,
  limits: { ...limits, dispatchMarginMs: 1 },
});

/** Places that are given back stay taken. */
function leakyPlaces(): Spoil {
  const most = new Map<string, number>();
  return rewritten((key, body) => {
    if (!key.includes("/scopes/")) return null;
    const used = Math.max(Number(body["used"]), most.get(key) ?? 0);
    most.set(key, used);
    return { ...body, used };
  });
}

const uncountedPlaces = rewritten((key, body) =>
  key.includes("/scopes/") ? { ...body, used: Math.min(Number(body["used"]), CAPACITY - 2) } : null,
);

const otherResults = rewritten((key, body) =>
  key.includes("receipts/records/") && body["result"] !== undefined
    ? { ...body, result: { tag: "own", charge: "another" } }
    : null,
);

const lostWords = rewritten((key, body) => {
  const { items } = body;
  if (!key.includes("/log/") || !Array.isArray(items)) return null;
  return { ...body, items: items.map((item) => ("delta" in item ? { ...item, delta: "" } : item)) };
});

const forgottenLogs = rewritten((key, body) =>
  key.includes("/roots/") && body["retirement"] === "removing"
    ? { ...body, retirement: "removed" }
    : null,
);

const PLANTED = [
  [emails, "a replacement whose condition is not checked", unconditional(has("emails/jobs/"))],
  [emails, "a write that is acknowledged and forgotten", forgetful("emails/jobs/")],
  [emails, "a lost reply that is told as a refusal", falseRefusal],
  [emails, "a due time that is not indexed", notIndexed],
  [emails, "a lease token that is used again", repeating(2)],
  [emails, "a tenant that reads another's jobs", mixedTenants("emails/jobs/")],
  [
    receipts,
    "a transition whose condition is not checked",
    unconditional(has("receipts/records/")),
  ],
  [receipts, "a receipt that is acknowledged and forgotten", forgetful("receipts/records/")],
  [receipts, "a dispatch token that is used again", repeating(1)],
  [receipts, "a live dispatch that is given up for lost", noMargin],
  [receipts, "a place that is leaked", leakyPlaces()],
  [receipts, "a place that is not counted", uncountedPlaces],
  [receipts, "a result that is stored as another", otherResults],
  [receipts, "a lapse that is not indexed", notIndexed],
  [receipts, "a tenant that reads another's receipts", mixedTenants("receipts/records/")],
  [queries, "an event that is shown before it is durable", shownEarly],
  [queries, "a part that is written over", unconditional(has("queries/log/"))],
  [queries, "an admission whose condition is not checked", unconditional(has("queries/roots/"))],
  [queries, "an event that is acknowledged and forgotten", forgetful("queries/log/")],
  [queries, "a hold that is acknowledged and forgotten", forgetful("queries/fences/")],
  [queries, "a hold that is not looked at", unread("queries/fences/")],
  [queries, "a delta that is lost", lostWords],
  [queries, "a log that is forgotten before it is removed", forgottenLogs],
  [queries, "a lease that is not indexed", notIndexed],
  [queries, "a tenant that reads another's roots", mixedTenants("queries/roots/")],
] as const;

const CASES = PLANTED.map(([machine, what, spoil]) => ({
  ...{ machine, what, spoil },
  name: machine.name,
}));

describe("the simulation notices", () => {
  it.each(CASES)("in $name: $what", { timeout: 120_000 }, async ({ machine, spoil }) => {
    const found: string[] = [];
    for (let seed = 1; seed <= SEEDS_MAX && found.length === 0; seed += 1) {
      found.push(...(await simulate({ seed, machine, spoil })).violations);
    }
    expect(found).not.toEqual([]);
  });
});
