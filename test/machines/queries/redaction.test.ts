import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redacted } from "../../../src/machines/queries/redaction.ts";
import { cutText, joinHalf } from "../../../src/machines/queries/text.ts";

const shown = (text: string): string => redacted(text, 2_000).text;

describe("QUERY-24 a text about a run is shown without", () => {
  it.each([
    ["Bearer abcdefgh", "[redacted]"],
    ["got BASIC dXNlcjpwYXNz== back", "got [redacted] back"],
    ["Bearer abcdefg", "Bearer abcdefg"],
    ["X_Bearer abcdefgh", "X_[redacted]"],
    ["KEY_sk-abcdefghijkl", "KEY_[redacted]"],
    ["key sk-abcdefghijkl.", "key [redacted]."],
    ["key sk-proj-abcdefghijkl_1", "key [redacted]"],
    ["ghp_abcdefghijkl github_pat_abcdefghijkl", "[redacted] [redacted]"],
    ["xoxb-123456789012-abc", "[redacted]"],
    ["glpat-abcdefghijkl", "[redacted]"],
    ["AKIAABCDEFGHIJKLMNOP", "[redacted]"],
    ["AIzaSyAbcdefghijkl", "[redacted]"],
    ["hf_worker_abcdefghijklmnop", "[redacted]"],
    ["sk-short", "sk-short"],
    ["api key: abc", "[redacted]"],
    ['{"api_key": "abc"}', '{"[redacted]"}'],
    ["OPENAI_API_KEY=abc next", "OPENAI_[redacted] next"],
    ["access-token = abc, next", "[redacted], next"],
    ["Authorization: Bearer abcdefghijkl", "[redacted]"],
    ["authorization: Digest abcdef", "[redacted]"],
    ["the api key is missing", "the api key is missing"],
  ])("credentials: %j", (text, instead) => {
    expect(shown(text)).toBe(instead);
  });

  it.each([
    ["open /home/ann/.ssh/id: no", "open [path] no"],
    ["/Users/ann/x and /tmp/y", "[path] and [path]"],
    ["in /var/log/x, /Volumes/disk/y", "in [path] [path]"],
    ["file:///home/ann/x", "file://[path]"],
    ["cwd=/tmp", "cwd=[path]"],
    ["C:\\Users\\ann\\x", "[path]"],
    ["at d:/jobs/x", "at [path]"],
    ["\\\\server\\share\\x", "[path]"],
    ["~/notes.txt", "[path]"],
    ["https://example.com/var/x", "https://example.com/var/x"],
    ["/usr/bin/node", "/usr/bin/node"],
    ["/tmpfile", "/tmpfile"],
  ])("local paths: %j", (text, instead) => {
    expect(shown(text)).toBe(instead);
  });

  it.each([
    ["a\u0000b\u001b[0m", "a b [0m"],
    ["  a \t b  ", "a b"],
    ["a\n\n\n\nb\r\nc", "a\n\nb\nc"],
    ["\u0007", ""],
    ["a\ud83d", "a\ufffd"],
  ])("control characters and needless blanks: %j", (text, instead) => {
    expect(shown(text)).toBe(instead);
  });
});

const pieces = fc.constantFrom(
  ...[
    "Bearer ",
    "basic ",
    "sk-",
    "ghp_",
    "AKIA",
    "abcdefghijkl",
    "api key",
    ": ",
    "=",
    "authorization",
  ],
  ...["/home/ann", "/tmp", "C:\\", "\\\\", "~/", "x", " ", "\t", "\n", "\n\n", '"', "'", ",", "."],
  ...["\u0000", "\r", "[path]", "[redacted]", "😀", "\ud83d", "\ude00", "/", "\\", "_", "-"],
);

const text = fc.oneof(
  fc.array(pieces, { maxLength: 30 }).map((list) => list.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
);

describe("whatever is redacted", () => {
  it("redacting it again changes nothing", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), (given, charsMax) => {
        const once = redacted(given, charsMax).text;
        expect(redacted(once, charsMax).text).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  it("is no longer than it may be, well-formed, and holds none of the forms", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), (given, charsMax) => {
        const { text: once } = redacted(given, charsMax);
        expect(once.length).toBeLessThanOrEqual(charsMax);
        expect(once.isWellFormed()).toBe(true);
        expect(once).not.toMatch(/(?<![\w.])\/home\/|(?<![a-z\d])sk-[\w-]{12}|bearer\s+[\w-]{8}/i);
        expect(once).toBe(once.trim());
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes no time for a text made to take long", () => {
    for (const piece of [
      "Bearer ",
      "api key ",
      "authorization: a ",
      "/tmp",
      "\\\\",
      "~/",
      "a:",
      "\n ",
      "sk-",
      "eyJ",
    ]) {
      expect(redacted(piece.repeat(200_000), 2_000).text.length).toBeLessThanOrEqual(2_000);
    }
  });
});

const anyText = fc.array(fc.constantFrom("a", "😀", "\ud83d", "\ude00", "é"), { maxLength: 12 });

describe("cutting and joining", () => {
  it("never parts a pair, and keeps as much as fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (given, charsMax) => {
        const { text: cut, isCut } = cutText(given, charsMax);
        expect(given.startsWith(cut)).toBe(true);
        expect(isCut).toBe(cut !== given);
        expect(cut.isWellFormed()).toBe(given.isWellFormed());
        expect(cut.length).toBeLessThanOrEqual(charsMax);
        if (isCut) expect(cut.length).toBeGreaterThanOrEqual(charsMax - 1);
      }),
    );
  });

  it("deltas cut anywhere add up to the well-formed text, but for half a pair at its end", () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(24)), (list, cuts) => {
        const whole = list.join("");
        const places = [...cuts.filter((at) => at < whole.length), whole.length].sort(
          (a, b) => a - b,
        );
        let half: number | null = null;
        let joined = "";
        let from = 0;
        for (const to of places) {
          const next = joinHalf(half, whole.slice(from, to));
          expect(next.text.isWellFormed()).toBe(true);
          joined += next.text;
          half = next.half;
          from = to;
        }
        const rest = half === null ? "" : String.fromCharCode(half);
        expect((joined + rest).toWellFormed()).toBe(whole.toWellFormed());
      }),
    );
  });
});
