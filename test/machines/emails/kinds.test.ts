import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { safeParse } from "../../../src/core/safe-parse.ts";
import { defineEmailKind, emailKinds } from "../../../src/machines/emails/kinds.ts";
import { parsePayload } from "../../../src/machines/emails/payload.ts";

const plain = z.object({ plan: z.string() });

describe("defining a kind", () => {
  it("fills in what most kinds want: no AI and three attempts", () => {
    const kind = defineEmailKind({ name: "welcome", payload: plain });
    expect([kind.name, kind.waitsForAi, kind.maxAttempts]).toEqual(["welcome", false, 3]);
  });

  it("takes a payload of zod/mini, too, and checks and makes of it what that says", () => {
    const trimmed = mini.string().check(mini.trim(), mini.minLength(1));
    const kind = defineEmailKind({ name: "welcome", payload: mini.object({ plan: trimmed }) });
    const given = { type: "welcome", recipient: "ann@example.com" };
    const kinds = emailKinds([kind]);
    expect(parsePayload({ ...given, plan: " pro " }, kinds)).toMatchObject({
      ok: true,
      payload: { plan: "pro" },
    });
    expect(parsePayload({ ...given, plan: " ", seats: 3 }, kinds)).toMatchObject({
      ok: false,
      issues: [
        { path: "plan", message: "Too small: expected string to have >=1 characters" },
        { path: "seats", message: "unknown property" },
      ],
    });
  });

  it("keeps what is given", () => {
    const kind = defineEmailKind({ name: "7", payload: plain, waitsForAi: true, maxAttempts: 100 });
    expect([kind.name, kind.waitsForAi, kind.maxAttempts]).toEqual(["7", true, 100]);
  });

  it("makes the payload strict, whatever the schema said of unknown properties", () => {
    const kind = defineEmailKind({ name: "welcome", payload: z.looseObject({ plan: z.string() }) });
    expect(safeParse(kind.payload, { plan: "pro" }).success).toBe(true);
    expect(safeParse(kind.payload, { plan: "pro", seats: 3 }).success).toBe(false);
  });

  it.each(["", "-a", "A", "a_b", "a b", "a".repeat(64), "ä"])("refuses the name %j", (name) => {
    expect(() => defineEmailKind({ name, payload: plain })).toThrow(/a name is 1 to 63/);
  });

  it("takes a name of 63 characters", () => {
    expect(defineEmailKind({ name: "a".repeat(63), payload: plain }).name).toHaveLength(63);
  });

  it.each([
    ...["logicalKey", "type", "state", "recipient", "recordingIds", "shareId", "requestedBy"],
    ...["generatedSummary", "attempts", "createdAt", "updatedAt", "aiDispatchedAt", "aiClaimedBy"],
    ...["readyAt", "sendingAt", "sentAt", "cancelledAt", "failedAt", "lastError", "leaseUntil"],
    ...["leaseToken", "holdfast", "__proto__"],
  ])("refuses the reserved field name %s and says so", (field) => {
    const payload = z.object(Object.fromEntries([[field, z.string()]]));
    expect(() => defineEmailKind({ name: "welcome", payload })).toThrow(
      new TypeError(`email kind "welcome": the field "${field}" is reserved`),
    );
  });

  it("is delivered by others, and tries again after an unknown outcome, unless it says more", () => {
    const kind = defineEmailKind({ name: "welcome", payload: plain });
    expect([kind.prepare, kind.unknown]).toEqual([null, "retry"]);
    const prepare = () => null;
    const own = defineEmailKind({ name: "welcome", payload: plain, prepare, unknown: "fail" });
    expect([own.prepare, own.unknown]).toEqual([prepare, "fail"]);
  });

  it.each([
    [{ prepare: "render" }, /prepare must be a function/],
    [{ unknown: "ignore" }, /unknown is "retry" or "fail"/],
  ])("refuses %j", (options, message) => {
    const define = () => defineEmailKind({ name: "w", payload: plain, ...(options as object) });
    expect(define).toThrow(message);
  });

  it.each([0, 101, 1.5, Number.NaN, -1])("refuses %d attempts", (maxAttempts) => {
    const define = () => defineEmailKind({ name: "welcome", payload: plain, maxAttempts });
    expect(define).toThrow(/maxAttempts is a whole number from 1 to 100/);
  });
});

describe("the registry of kinds", () => {
  it("holds the five built-in kinds, of which only two-clips waits for AI", () => {
    const kinds = emailKinds([]);
    expect(
      [...kinds.values()].map((kind) => [kind.name, kind.waitsForAi, kind.maxAttempts]),
    ).toEqual([
      ["first-view", false, 3],
      ["unviewed-reminder", false, 3],
      ["first-import", false, 3],
      ["two-clips", true, 3],
      ["message", false, 3],
    ]);
  });

  it("adds an application's own kinds", () => {
    const own = defineEmailKind({ name: "welcome", payload: plain, maxAttempts: 7 });
    expect(emailKinds([own]).get("welcome")).toBe(own);
  });

  it("refuses a second kind of one name", () => {
    const own = defineEmailKind({ name: "welcome", payload: plain });
    expect(() => emailKinds([own, own])).toThrow(
      new TypeError('email kind "welcome" is defined twice'),
    );
  });

  it("refuses the name of a built-in kind", () => {
    const own = defineEmailKind({ name: "first-view", payload: plain });
    expect(() => emailKinds([own])).toThrow(new TypeError('email kind "first-view" is built in'));
  });

  it("takes how built-in kinds are prepared, and changes nothing else of them", () => {
    const prepare = () => null;
    const kinds = emailKinds([], { "first-view": prepare });
    const { payload, ...plainKind } = { ...emailKinds([]).get("first-view"), payload: null };
    expect(kinds.get("first-view")).toMatchObject({ ...plainKind, prepare });
    expect(kinds.get("first-import")?.prepare).toBeNull();
  });

  it("refuses to prepare a kind that is not built in, and what is no function", () => {
    expect(() => emailKinds([], { welcome: () => null })).toThrow(
      new TypeError('prepare: no kind "welcome" is built in'),
    );
    expect(() => emailKinds([], { message: "text" as never })).toThrow(/must be a function/);
  });
});
