/** How deltas become chunks: by time, by length, and never inside a character. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinedDeltas } from "../../src/client/deltas.ts";
import { manualTime } from "./manual-time.ts";

/** Deltas and what is sent of them; a send ends when the test says so, or at once. */
function joining(options: { readonly isSlow?: boolean } = {}) {
  const time = manualTime();
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  const deltas = joinedDeltas(time.deps, async (text) => {
    sent.push(text);
    if (options.isSlow) await new Promise<void>((resolve) => ends.push(resolve));
  });
  return { time, sent, deltas, finish: () => ends.shift()?.() };
}

describe("deltas", () => {
  it("wait 50 ms for more, and go out together (semantics C6)", async () => {
    const { time, sent, deltas } = joining();
    await deltas.add("Whales ");
    await time.advance(49);
    await deltas.add("are ");
    expect(sent).toEqual([]);
    await time.advance(1);
    expect(sent).toEqual(["Whales are "]);
    await deltas.add("mammals.");
    await time.advance(50);
    expect(sent).toEqual(["Whales are ", "mammals."]);
    expect(time.sleeping()).toBe(0);
  });

  it("go out at once when there are 1,024 characters (semantics C6)", async () => {
    const { sent, deltas, time } = joining();
    await deltas.add("a".repeat(1_023));
    expect(sent).toEqual([]);
    await deltas.add("bc");
    expect(sent).toEqual([`${"a".repeat(1_023)}bc`]);
    await time.advance(1_000);
    expect(sent).toHaveLength(1);
  });

  it("join while a chunk is under way, so that a slow service gets few", async () => {
    const { time, sent, deltas, finish } = joining({ isSlow: true });
    await deltas.add("1");
    await time.advance(50);
    for (const delta of "23456") {
      await deltas.add(delta);
      await time.advance(100);
    }
    expect(sent).toEqual(["1"]);
    finish();
    await time.advance(0);
    expect(sent).toEqual(["1", "23456"]);
  });

  it("are held back where they are many and the service is slow", async () => {
    const { time, deltas, finish } = joining({ isSlow: true });
    let isTaken = false;
    const add = deltas.add("a".repeat(2_000)).then(() => {
      isTaken = true;
    });
    await time.advance(1_000);
    expect(isTaken).toBe(false);
    finish();
    await add;
  });

  it("of more than a chunk may have are cut, but not inside a pair", async () => {
    const { sent, deltas } = joining();
    await deltas.add(`${"a".repeat(15_999)}🐋${"b".repeat(15_999)}`);
    expect(sent).toEqual(["a".repeat(15_999), `🐋${"b".repeat(15_998)}`, "b"]);
  });

  it("keep half a pair back until its other half is there", async () => {
    const [high = "", low = ""] = "🐋".split("");
    const { time, sent, deltas } = joining();
    await deltas.add(`a${high}`);
    await time.advance(50);
    expect(sent).toEqual(["a"]);
    await deltas.flush();
    expect(sent).toEqual(["a"]);
    await deltas.add(`${low}b`);
    await time.advance(50);
    expect(sent).toEqual(["a", "🐋b"]);
    await deltas.add(high);
    await deltas.end();
    expect(sent).toEqual(["a", "🐋b", "\ufffd"]);
  });

  it("add up to the text, whatever they are cut at and whenever they come", async () => {
    const text = fc.string({ unit: "binary", maxLength: 3_000 });
    const cuts = fc.array(fc.nat(3_000), { maxLength: 30 });
    const waits = fc.array(fc.nat(60), { minLength: 31, maxLength: 31 });
    await fc.assert(
      fc.asyncProperty(text, cuts, waits, async (whole, places, pauses) => {
        const { time, sent, deltas } = joining();
        const ends = [...places.filter((at) => at < whole.length).sort((a, b) => a - b)];
        let start = 0;
        for (const [n, end] of [...ends, whole.length].entries()) {
          await deltas.add(whole.slice(start, end));
          await time.advance(pauses[n] ?? 0);
          start = end;
        }
        await deltas.end();
        expect(sent.join("")).toBe(whole);
        expect(sent.filter((chunk) => !chunk.isWellFormed() || chunk === "")).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("tell whoever comes next that sending failed", async () => {
    const time = manualTime();
    const deltas = joinedDeltas(time.deps, () => Promise.reject(new Error("lost")));
    await deltas.add("a");
    await time.advance(50);
    await expect(deltas.flush()).rejects.toThrow("lost");
  });
});
