/**
 * The first walk through an original's journal: which jobs there are, and where their rows lie. What is
 * kept of it grows with the number of rows, some tens of bytes each, and not with their text.
 */
import type { DurationMs, EpochMs } from "../core/time.ts";
import { begunJob, type JournalRow, parseJournalRow } from "../machines/queries/journal.ts";
import type { JournalPlace, QueryJournal } from "../ports/query-journal.ts";

export interface IndexedJob {
  readonly jobId: string;
  readonly clientJobId: string;
  readonly generation: number;
  readonly first: JournalPlace;
  /** Of its rows behind the first. */
  readonly places: JournalPlace[];
}

/** What was met that is not brought along. */
export interface IndexWatch {
  readonly isStopped: () => boolean;
  readonly onRow: () => void;
  readonly onSkipped: (place: JournalPlace, reason: string) => void;
  /** A job whose beginning cannot be one. */
  readonly onUnreadable: (jobId: string, place: JournalPlace, reason: string) => void;
  /** A job past its retention. */
  readonly onExpired: () => void;
}

export interface IndexRules {
  readonly now: EpochMs;
  readonly retentionMs: DurationMs;
}

/**
 * The generations of each client job, the greatest first. Of two jobs of one generation the later one
 * counts, as in the original.
 */
export async function indexJournal(
  journal: QueryJournal,
  { now, retentionMs }: IndexRules,
  watch: IndexWatch,
): Promise<readonly (readonly IndexedJob[])[]> {
  const jobs = new Map<string, IndexedJob>();
  const expired = new Set<string>();
  /** Jobs that were told of: their other rows are no news. */
  const told = new Set<string>();

  /** A row of a job that has not begun. */
  function begin(row: JournalRow, place: JournalPlace): void {
    const { jobId } = row;
    const begun = begunJob(row, retentionMs);
    if (begun.ok && begun.start.retentionUntil > now) {
      const { clientJobId, generation } = row;
      jobs.set(jobId, { jobId, clientJobId, generation, first: place, places: [] });
    } else if (begun.ok) {
      expired.add(jobId);
      watch.onExpired();
    } else if (!told.has(jobId)) {
      told.add(jobId);
      if (row.type === "accepted") watch.onUnreadable(jobId, place, begun.reason);
      else watch.onSkipped(place, begun.reason);
    }
  }

  for await (const { place, text } of journal.lines()) {
    if (watch.isStopped()) break;
    watch.onRow();
    const parsed = text === null ? TOO_LONG : parseJournalRow(text);
    if (!parsed.ok) {
      watch.onSkipped(place, parsed.reason);
      continue;
    }
    const { row } = parsed;
    const known = jobs.get(row.jobId);
    if (known !== undefined) known.places.push(place);
    else if (!expired.has(row.jobId)) begin(row, place);
  }
  return lineages(jobs.values(), watch);
}

const TOO_LONG = { ok: false, reason: "longer than a row can be" } as const;

function lineages(
  jobs: Iterable<IndexedJob>,
  { onUnreadable }: IndexWatch,
): readonly (readonly IndexedJob[])[] {
  const byClient = new Map<string, Map<number, IndexedJob>>();
  for (const job of jobs) {
    const { clientJobId, generation } = job;
    const generations = byClient.get(clientJobId) ?? new Map<number, IndexedJob>();
    const other = generations.get(generation);
    if (other !== undefined) {
      onUnreadable(other.jobId, other.first, "a later job has the same generation");
    }
    generations.set(generation, job);
    byClient.set(clientJobId, generations);
  }
  return [...byClient.values()].map((generations) =>
    [...generations.values()].sort((a, b) => b.generation - a.generation),
  );
}
