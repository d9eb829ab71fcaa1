import { describe, expect, it } from "vitest";
import { writeId } from "../../src/core/ids.ts";
import type { Version } from "../../src/ports/backend.ts";
import { type Header, nextHeader } from "../../src/store/header.ts";
import { standingOf } from "../../src/store/own-writes.ts";

const w = (n: number) => writeId(new Uint8Array(12).fill(n));
const version = (text: string) => text as Version;

/** The header after the writes `ids`, one upon another from nothing. */
function headerAfter(ids: readonly number[]): Header {
  let header: Header | null = null;
  for (const id of ids) header = nextHeader(header, { w: w(id), marker: null, due: null });
  if (header === null) throw new Error("no writes");
  return header;
}

describe("what became of a write (protocols 1.1, step 5)", () => {
  const replacing = { w: w(9), expected: version("v2"), expectedV: 2 };
  const creating = { w: w(9), expected: "absent", expectedV: 0 } as const;
  const found = (ids: readonly number[], at = "now") => ({
    version: version(at),
    header: headerAfter(ids),
  });

  it("5a: ours is the current version", () => {
    expect(standingOf(replacing, found([1, 2, 9]))).toBe("stored");
    expect(standingOf(creating, found([9]))).toBe("stored");
  });

  it("5b: what we expected still stands, so the write may yet land", () => {
    expect(standingOf(replacing, found([1, 2], "v2"))).toBe("not_landed");
    expect(standingOf(creating, null)).toBe("not_landed");
  });

  it("5c: ours is at its own position and others wrote on top", () => {
    expect(standingOf(replacing, found([1, 2, 9, 4]))).toBe("superseded");
    expect(standingOf(replacing, found([1, 2, 9, 4, 5, 6, 7, 8, 10, 11]))).toBe("superseded");
    expect(standingOf(creating, found([9, 3, 4]))).toBe("superseded");
  });

  it("5d: another write is at our position, which is definite", () => {
    expect(standingOf(replacing, found([1, 2, 4]))).toBe("refused");
    expect(standingOf(replacing, found([1, 2, 4, 5, 6, 7, 8, 10, 11]))).toBe("refused");
    expect(standingOf(creating, found([3]))).toBe("refused");
  });

  it("5c: position, not membership: our id elsewhere in the list is not this write", () => {
    expect(standingOf({ ...replacing, expectedV: 1 }, found([1, 4, 9, 5]))).toBe("refused");
  });

  it("5e: the entry of our position has slid out, or the record has vanished", () => {
    const nine = [1, 2, 9, 20, 21, 22, 23, 24, 25, 26, 27];
    expect(standingOf(replacing, found(nine.slice(0, 10)))).toBe("superseded");
    expect(standingOf(replacing, found(nine))).toBe("unknowable");
    expect(standingOf(replacing, null)).toBe("unknowable");
  });

  it("a record that is older than what we expected proves nothing", () => {
    expect(standingOf({ ...replacing, expectedV: 7 }, found([1, 2]))).toBe("unknowable");
  });

  it("an original's file without a header refuses a creation", () => {
    const foreign: Header = { ...headerAfter([1]), v: 0, w: null, recent: [] };
    expect(standingOf(creating, { version: version("sha"), header: foreign })).toBe("refused");
  });

  it("the first write over an original's file is recognised", () => {
    const over = { w: w(9), expected: version("sha"), expectedV: 0 };
    expect(standingOf(over, found([9]))).toBe("stored");
    expect(standingOf(over, found([9, 2]))).toBe("superseded");
    expect(standingOf(over, found([2]))).toBe("refused");
  });
});
