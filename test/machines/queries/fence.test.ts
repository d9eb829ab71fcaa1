import { describe, expect, it } from "vitest";
import {
  fenceIdOf,
  fenceRecord,
  fenceUntil,
  held,
  heldUntil,
  NO_FENCE,
  parseFence,
  released,
} from "../../../src/machines/queries/fence.ts";
import { queryInputs } from "../../../src/machines/queries/inputs.ts";
import { at, CLIENT_JOB_ID, JOB_ID, NEXT_JOB_ID } from "./given.ts";

describe("the fence of a session", () => {
  it("QUERY-31 holds for 21 minutes, and at that very instant no more (QUERY-7)", () => {
    const until = fenceUntil(at(0));
    expect(until).toBe(at(21 * 60_000));
    const fence = held(NO_FENCE, JOB_ID, until, at(0));
    expect(heldUntil(fence, at(21 * 60_000 - 1))).toBe(until);
    expect(heldUntil(fence, until)).toBeNull();
    expect(heldUntil(NO_FENCE, at(0))).toBeNull();
  });

  it("QUERY-7 holds until the latest of its jobs", () => {
    const fence = held(held(NO_FENCE, JOB_ID, at(10), at(0)), NEXT_JOB_ID, at(5), at(0));
    expect(heldUntil(fence, at(6))).toBe(at(10));
  });

  it("protocols 4.3 is never set to an earlier end, and is taken back for one job alone", () => {
    const fence = held(held(NO_FENCE, JOB_ID, at(10), at(0)), JOB_ID, at(5), at(0));
    expect(fence.holds[JOB_ID]).toBe(at(10));
    const two = held(fence, NEXT_JOB_ID, at(20), at(0));
    expect(released(two, NEXT_JOB_ID, at(0))).toEqual(fence);
  });

  it("forgets what has expired with the next write", () => {
    const fence = held(NO_FENCE, JOB_ID, at(10), at(0));
    expect(Object.keys(held(fence, NEXT_JOB_ID, at(30), at(10)).holds)).toEqual([NEXT_JOB_ID]);
    expect(released(fence, NEXT_JOB_ID, at(10))).toEqual(NO_FENCE);
  });

  it("QUERY-8 is of one session, named by a hash", () => {
    expect(fenceIdOf("a")).not.toBe(fenceIdOf("b"));
    expect(fenceIdOf("session-durable-1")).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is read back as it was written, and unreadable otherwise", () => {
    const fence = held(NO_FENCE, JOB_ID, at(10), at(0));
    expect(parseFence(JSON.parse(JSON.stringify(fenceRecord(fence))))).toEqual({ ok: true, fence });
    for (const fields of [{}, { holds: { secret: 1 } }, { holds: { [JOB_ID]: "secret" } }]) {
      const parsed = parseFence(fields);
      expect(parsed.ok).toBe(false);
      expect(JSON.stringify(parsed)).not.toContain('"secret"');
    }
  });
});

describe("what callers pass beside requests", () => {
  it("QUERY-15 ids are lower-cased", () => {
    expect(queryInputs.id.parse(` ${CLIENT_JOB_ID.replace("1", "A")} `)).toMatch(/^a1/);
  });

  it.each([
    ["id", ["x", "", 1, CLIENT_JOB_ID.replace("-4", "-1")]],
    ["generation", [0, "1", 1.5]],
    ["status", ["done"]],
    ["token", ["", "x".repeat(257)]],
    ["leaseMs", [0, 86_400_001, 1.5]],
    ["requestId", ["", "a b", "é", "x".repeat(129)]],
    ["delta", ["x".repeat(16_001), 1]],
    ["activityKind", ["text"]],
    ["text", [1]],
    ["after", [-1, 1.5]],
    ["eventsLimit", [0, 257]],
    ["limit", [0, 101]],
  ] as const)("%s is refused over its bounds", (name, values) => {
    for (const value of values) expect(queryInputs[name].safeParse(value).success).toBe(false);
  });
});
