import { expect, it } from "vitest";
import { isSameText } from "../../src/core/same-text.ts";

const KNOWN = "a-secret-of-32-characters-or-so.";

/** A text that counts how often one of its characters is looked at. */
function counting(text: string): { readonly text: string; readonly looks: () => number } {
  let looks = 0;
  const counted = {
    length: text.length,
    charCodeAt(index: number): number {
      looks += 1;
      return text.charCodeAt(index);
    },
  };
  return { text: counted as unknown as string, looks: () => looks };
}

it("tells the same text from every other one", () => {
  expect(isSameText(KNOWN, KNOWN)).toBe(true);
  const others = ["", KNOWN.slice(1), KNOWN.slice(0, -1), `${KNOWN}.`, KNOWN.toUpperCase()];
  expect(others.filter((other) => isSameText(other, KNOWN))).toEqual([]);
});

it.each([
  ["nothing", "x".repeat(KNOWN.length)],
  ["the first half", KNOWN.slice(0, 16) + "x".repeat(KNOWN.length - 16)],
  ["all but the last", `${KNOWN.slice(0, -1)}x`],
  ["all of it", KNOWN],
  ["a part of it", KNOWN.slice(0, 4)],
])("looks at as many characters when %s is right", (_, given) => {
  const [shown, known] = [counting(given), counting(KNOWN)];
  isSameText(shown.text, known.text);
  expect([shown.looks(), known.looks()]).toEqual([KNOWN.length, KNOWN.length]);
});
