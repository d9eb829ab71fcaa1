/** The text of journaled jobs, which every row repeats, as deltas (semantics C2, C4). */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeParse } from "../../../src/core/safe-parse.ts";
import { minutes } from "../../../src/core/time.ts";
import { foldJob, type QueryJob } from "../../../src/machines/queries/fold.ts";
import {
  begunJob,
  type JournalRow,
  parseJournalRow,
} from "../../../src/machines/queries/journal.ts";
import { journalJob } from "../../../src/machines/queries/journal-job.ts";
import { storedEvent } from "../../../src/machines/queries/stored.ts";
import { type JournaledJob, journaled } from "../../services/queries/journal.ts";

const DAY = minutes(24 * 60);

function rowsOf(job: JournaledJob): readonly JournalRow[] {
  return job.rows.map((row) => {
    const parsed = parseJournalRow(JSON.stringify(row));
    if (!parsed.ok) throw new TypeError(parsed.reason);
    return parsed.row;
  });
}

/** The job that the log holds, and its events. */
function rebuilt(job: JournaledJob): QueryJob {
  const [first, ...rest] = rowsOf(job);
  const begun = first === undefined ? null : begunJob(first, DAY);
  if (begun?.ok !== true) throw new TypeError("it does not begin");
  const journal = journalJob(begun.start);
  for (const row of rest) journal.add(row);
  const events = journal.events(null);
  for (const event of events) expect(safeParse(storedEvent, event).success).toBe(true);
  const folded = foldJob(null, job.jobId, { first: 1, events });
  if (!folded.ok) throw new TypeError(folded.reason);
  return folded.state;
}

const begun = () => journaled("one", 1_000_000).starting().running();
const told = (job: JournaledJob, partialText: string) =>
  job.add("chunk", "running", { partialText, partialTruncated: false }, { text: "" });

describe("the text of a journaled job", () => {
  it("is what its last row says, whatever the rows before it said", () => {
    const piece = fc.constantFrom("a", "ab", "", "\ud83d", "\ude00", "\u20ac", "xyz");
    const texts = fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, (list) => {
        const job = begun();
        for (const pieces of list) told(job, pieces.join(""));
        const last = list.at(-1)?.join("") ?? "";
        // Half a pair at the end waits for its other half.
        const whole = /[\ud800-\udbff]$/.test(last) ? last.slice(0, -1) : last;
        expect(rebuilt(job).text).toBe(whole.toWellFormed());
      }),
    );
  });

  it("is never parted within a pair", () => {
    const job = rebuilt(told(told(begun(), "a\ud83d"), "a\ud83d\ude00b"));
    expect(job.text).toBe("a\u{1f600}b");
  });

  it("QUERY-22 of an answer that differs from what was told is stored whole, once", () => {
    const job = rebuilt(told(begun(), "draft").ready("final").completed("final"));
    expect(job).toMatchObject({ text: "final", head: { status: "completed", seq: 6 } });
  });

  it("QUERY-21 that was cut is flagged, and the rows behind the cut keep their numbers", () => {
    const job = begun().chunk("x".repeat(127_999)).chunk("yz", true).chunk("more", true);
    expect(rebuilt(job)).toMatchObject({
      text: `${"x".repeat(127_999)}y`,
      head: { seq: 6, text: { isTruncated: true } },
    });
  });
});

describe("what a journaled job tells", () => {
  it("QUERY-24 is redacted again, as the original does when it reads", () => {
    const said = "token sk-abcdefghijklmnop in /home/me/x";
    expect(rebuilt(begun().activity("output", said)).activity).toMatchObject([
      { text: "token [redacted] in [path]" },
    ]);
  });

  it("QUERY-18 keeps the time it began, also where the original moved it with each linkage", () => {
    const job = rebuilt(begun().owned({ claudeRunId: "run-1" }));
    expect(job).toMatchObject({ startedAt: 1_002_000, ownershipConfirmedAt: 1_003_000 });
  });
});
