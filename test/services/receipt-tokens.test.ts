import { describe, expect, it } from "vitest";
import { dispatchTokens } from "../../src/services/receipt-tokens.ts";

describe("the dispatch tokens of a service (protocols 6.2, rule 8)", () => {
  it("are had back by their receipt until they are forgotten", () => {
    const tokens = dispatchTokens();
    tokens.keep("a", "token-a");
    expect([tokens.of("a"), tokens.of("b")]).toEqual(["token-a", null]);
    tokens.forget("a");
    expect(tokens.of("a")).toBeNull();
  });

  it("G9 are 10,000 at most: the oldest is forgotten for one more", () => {
    const tokens = dispatchTokens();
    for (let n = 0; n < 10_000; n += 1) tokens.keep(`r${n}`, `t${n}`);
    expect(tokens.of("r0")).toBe("t0");
    tokens.keep("more", "t");
    expect([tokens.of("r0"), tokens.of("r1"), tokens.of("more")]).toEqual([null, "t1", "t"]);
  });
});
