/** What is told of a provider's failure: never what it was asked, nor what lets us at it. */
import { describe, expect, it } from "vitest";
import { toldOnOneLine } from "../../src/ports/runner-failures.ts";

describe("a provider's words", () => {
  it.each([
    [
      "whole",
      "what is the capital of France",
      "bad: what is the capital of France!",
      "bad: [redacted]!",
    ],
    ["cut short", "what is the capital of France", "bad: what is the capital…", "bad: [redacted]…"],
    ["a line of it", "some of it\nthe other line", "bad: the other line", "bad: [redacted]"],
    ["short, on several lines", "pin ab\n4711", "bad: pin ab\n4711", "bad: [redacted]"],
  ])("are told without a secret: %s", (_, secret, text, told) => {
    expect(toldOnOneLine(text, [secret])).toBe(told);
  });

  it("are told with what is too short to be a secret", () => {
    expect(toldOnOneLine("no such city", ["city"])).toBe("no such city");
  });
});
