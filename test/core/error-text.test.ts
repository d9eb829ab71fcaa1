import { describe, expect, it } from "vitest";
import { errorText } from "../../src/core/error-text.ts";

const hostile = {
  toString(): string {
    throw new Error("no text");
  },
};
const lying = { toString: () => 7 };
const bare = Object.create(null) as object;
const trapped = new Proxy(new Error("x"), {
  get() {
    throw new Error("trapped");
  },
});

describe("the text of what was thrown", () => {
  // Made inside of each case: whatever prints a case would look at them.
  it.each<[string, () => unknown, string]>([
    ["an error", () => new Error("connection reset"), "connection reset"],
    ["an error without a message", () => new TypeError(""), "TypeError"],
    ["a string", () => "a string", "a string"],
    ["a number", () => 42, "42"],
    ["undefined", () => undefined, "undefined"],
    ["null", () => null, "null"],
    ["a symbol", () => Symbol("why"), "Symbol(why)"],
    ["nothing but spaces", () => "  \n", "an error without a text"],
    ["a text that throws", () => hostile, "an error without a text"],
    ["a text that is none", () => lying, "7"],
    ["an object without a prototype", () => bare, "an error without a text"],
    ["an error that throws when it is looked at", () => trapped, "an error without a text"],
    ["a NUL character", () => "a\u0000b", "a\ufffdb"],
  ])("%s is shown", (_, thrown, text) => {
    expect(errorText(thrown(), 100)).toBe(text);
  });

  it("is cut, without half a character at its end", () => {
    expect(errorText("x".repeat(5_000), 4_000)).toHaveLength(4_000);
    const cut = errorText(`${"x".repeat(9)}🙂`, 10);
    expect(cut).toBe(`${"x".repeat(9)}\ufffd`);
  });
});
