import { describe, expect, it } from "vitest";
import { isHeld, isHolder, isRepeatOf, mayBeTakenOver } from "../../../src/core/lease.ts";
import { at } from "./given.ts";

const lease = { token: "token-a", until: at(1_000), requestId: "request-1" };

describe("the rules of a lease", () => {
  it("it is held before its end, and free to take from that instant on (EMAIL-41, EMAIL-42)", () => {
    expect([999, 1_000, 1_001].map((now) => isHeld(lease, at(now)))).toEqual([true, false, false]);
    expect([999, 1_000, 1_001].map((now) => mayBeTakenOver(lease, at(now)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("its token alone tells its holder", () => {
    expect([isHolder(lease, "token-a"), isHolder(lease, "token-b")]).toEqual([true, false]);
  });

  it("the request that made it is recognised while it is held", () => {
    expect(isRepeatOf(lease, "request-1", at(999))).toBe(true);
    expect(isRepeatOf(lease, "request-1", at(1_000))).toBe(false);
    expect(isRepeatOf(lease, "request-2", at(999))).toBe(false);
  });

  it("two acquisitions without a request id are not repeats of each other", () => {
    expect(isRepeatOf({ ...lease, requestId: null }, null, at(999))).toBe(false);
  });
});
