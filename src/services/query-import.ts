/**
 * Brings the jobs of an original's journal into any storage (semantics C2 to C4). Creates only: what is
 * there stays as it is, so it may be cut off anywhere and run again. Meant for an original that does not
 * run, and not beside `gc`.
 */
import * as z from "zod/mini";
import { assert } from "../core/assert.ts";
import type { Key } from "../core/key.ts";
import { type DurationMs, durationMs } from "../core/time.ts";
import { begunJob, parseJournalRow } from "../machines/queries/journal.ts";
import { journalJob, type RowVerdict } from "../machines/queries/journal-job.ts";
import { HISTORY_MAX, RETENTION_MS } from "../machines/queries/limits.ts";
import type { Backend, Storage } from "../ports/backend.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Observe } from "../ports/observe.ts";
import type { JournalPlace, QueryJournal } from "../ports/query-journal.ts";
import { type Random, systemRandom } from "../ports/random.ts";
import { COMMAND_DEADLINE_MS } from "../store/limits.ts";
import { openLogs } from "../store/log.ts";
import { logRoot } from "../store/log-keys.ts";
import { dueOfBody } from "../store/record.ts";
import { createStore } from "../store/store.ts";
import { type CopyReport, type CopyTally, copyTally } from "./copy-tally.ts";
import { checked, namedOptions } from "./input.ts";
import { mapLimited } from "./map-limited.ts";
import { originalDue, plainOriginals } from "./originals.ts";
import { patiently } from "./patience.ts";
import { sessionFences } from "./query-fences.ts";
import { type IndexedJob, indexJournal } from "./query-import-index.ts";
import {
  findTarget,
  type ImportTarget,
  type RebuiltJob,
  standingJob,
  writeJobs,
} from "./query-import-jobs.ts";
import { queueOf } from "./query-known.ts";
import { checkTenantId } from "./services.ts";

/** In jobs, but for the rows. */
export interface JournalReport extends CopyReport {
  /** Past their retention, so that nothing of them would be shown. */
  readonly expired: number;
  readonly rows: number;
  /** Rows that are not in the logs, those apart that the original had passed already. */
  readonly skippedRows: number;
}

/** What was not brought along as it stands in the journal, and why: nothing of its content. */
export interface JournalTrouble {
  /** Of one row `skipped`; of a whole job the others. `gap`: rows before this one are not there. */
  readonly kind: "skipped" | "gap" | "conflict" | "unreadable" | "failed";
  /** `<file>:<line>`; null: it is of no single row. */
  readonly at: string | null;
  readonly jobId: string | null;
  readonly reason: string;
}

export interface ImportOptions {
  /** Whose the jobs will be; null: the default tenant's. */
  readonly tenant: string | null;
  /** Tells what would become of each job, and writes nothing. */
  readonly isDryRun: boolean;
  /** How long the original kept a job from its admission on. */
  readonly retentionMs: DurationMs;
  readonly onProgress: (report: JournalReport) => void;
  readonly onTrouble: (trouble: JournalTrouble) => void;
}

export interface ImportContext {
  readonly from: QueryJournal;
  readonly to: Backend;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
}

const CHANGED = "its rows are not what they were a moment ago: stop who writes them";

/** Client jobs that are read and written together. */
const AT_ONCE = 8;

/** Faults of the target are told in the report. Throws MisconfiguredError for what cannot be read. */
export async function importJournal(
  context: ImportContext,
  options: ImportOptions,
): Promise<JournalReport> {
  const { from, clock } = context;
  const counts = { expired: 0, rows: 0, skippedRows: 0 };
  const report = (): JournalReport => ({ ...tally.report(), ...counts });
  const tally: CopyTally = copyTally({
    onProgress: () => options.onProgress(report()),
    onTrouble: ({ kind, key, reason }) =>
      options.onTrouble({ kind, at: places.get(key) ?? null, jobId: jobIdOf(key), reason }),
  });
  /** Of jobs that are told by their first row. */
  const places = new Map<Key, string>();
  const target = targetOf(context, options);

  function skip(place: JournalPlace, jobId: string | null, reason: string): void {
    counts.skippedRows += 1;
    options.onTrouble({ kind: "skipped", at: nameOf(place), jobId, reason });
  }

  function unreadable(jobId: string, place: JournalPlace, reason: string): Promise<void> {
    const key = queueOf(jobId);
    places.set(key, nameOf(place));
    return tally.count(key, async () => {
      throw new RecordCorruptError(key, reason);
    });
  }

  /** What the journal tells of one job; its rows are told of once, however often it is written. */
  async function rebuilt({ jobId, first, places: rest }: IndexedJob): Promise<RebuiltJob> {
    const rows = [first, ...rest];
    let job: RebuiltJob | null = null;
    let at = 0;
    for await (const text of from.read(rows)) {
      const place = rows[at] ?? first;
      at += 1;
      const parsed = parseJournalRow(text);
      if (!parsed.ok) throw new RecordCorruptError(queueOf(jobId), CHANGED);
      if (job === null) {
        const begun = begunJob(parsed.row, options.retentionMs);
        if (!begun.ok) throw new RecordCorruptError(queueOf(jobId), CHANGED);
        job = { start: begun.start, journal: journalJob(begun.start) };
      } else tell(place, jobId, job.journal.add(parsed.row));
    }
    assert(job !== null, "a job has a row");
    return job;
  }

  function tell(place: JournalPlace, jobId: string, verdict: RowVerdict): void {
    if (verdict.kind === "skipped") skip(place, jobId, verdict.reason);
    if (verdict.kind !== "taken" || verdict.missing === 0) return;
    const reason = `${verdict.missing} of its rows before this one are missing`;
    options.onTrouble({ kind: "gap", at: nameOf(place), jobId, reason });
  }

  async function visit(jobs: readonly IndexedJob[]): Promise<void> {
    if (tally.isStopped()) return;
    const [latest] = jobs;
    if (latest === undefined) return;
    const kept = jobs.slice(0, HISTORY_MAX + 1);
    const all = once(async () => {
      const found = await patiently(context, () => findTarget(target, latest.clientJobId));
      const standing = kept.map(({ jobId }) => standingJob(found, jobId));
      if (standing.some((one) => one !== null)) return standing;
      const built: RebuiltJob[] = [];
      for (const job of kept) built.push(await rebuilt(job));
      const verdict = await patiently(context, () => writeJobs(target, found, built));
      return kept.map(() => verdict);
    });
    for (const [at, { jobId }] of kept.entries()) {
      await tally.count(queueOf(jobId), async () => (await all())[at] ?? null);
    }
    for (const { jobId, first } of jobs.slice(kept.length)) {
      await unreadable(jobId, first, `a client job keeps ${HISTORY_MAX} earlier generations`);
    }
  }

  const told: Promise<void>[] = [];
  const rules = { now: clock.now(), retentionMs: options.retentionMs };
  const lineages = await indexJournal(from, rules, {
    isStopped: tally.isStopped,
    onRow() {
      counts.rows += 1;
      options.onProgress(report());
    },
    onSkipped: (place, reason) => skip(place, null, reason),
    onUnreadable: (jobId, place, reason) => void told.push(unreadable(jobId, place, reason)),
    onExpired() {
      counts.expired += 1;
    },
  });
  await Promise.all(told);
  await mapLimited(lineages, AT_ONCE, visit);
  return report();
}

function targetOf(
  { to: backend, clock, random, observe }: ImportContext,
  { tenant, isDryRun, retentionMs }: ImportOptions,
): ImportTarget {
  if (tenant !== null) checkTenantId(tenant);
  const foreignDue = originalDue(plainOriginals());
  const common = { backend, clock, random, observe };
  const deps = {
    ...{ clock, random, observe, tenant, retentionMs },
    store: createStore({ ...common, foreignDue, tenant }),
    logs: openLogs(common, logRoot(tenant)),
    deadlineMs: COMMAND_DEADLINE_MS,
    admissionTimeoutMs: null,
    owner: backend.owner,
    // It does nothing beside what it tells its caller of.
    log: () => {},
  };
  return { deps, copy: { ...common, foreignDue, isDryRun }, fences: sessionFences(deps) };
}

/** The same answer, or the same fault, however often it is asked for. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  return () => {
    answer ??= work();
    return answer;
  };
}

function nameOf({ file, line }: JournalPlace): string {
  return `${file}:${line}`;
}

function jobIdOf(key: Key): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

export interface ImportQueryJournalOptions {
  /** Such as `queryJournal({ directory })` of `holdfast/storage/filesystem`. */
  readonly from: QueryJournal;
  readonly to: Storage;
  readonly tenant?: string;
  /** Default false: tells what would become of each job, and writes nothing. */
  readonly dryRun?: boolean;
  /** How long the original kept a job from its admission on; default 7 days. */
  readonly retentionMs?: number;
  readonly onTrouble?: (trouble: JournalTrouble) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

const OPTIONS = {
  from: true,
  to: true,
  tenant: true,
  dryRun: true,
  retentionMs: true,
  onTrouble: true,
  clock: true,
  random: true,
} as const;

/**
 * Opens `to`, brings the jobs of the journal into it, and closes it. Faults of the storage are told in the
 * report, whose `stopped` says whether it got to the end. Throws MisconfiguredError, FolderInUseError,
 * InvalidInputError.
 */
export async function importQueryJournal(
  options: ImportQueryJournalOptions,
): Promise<JournalReport> {
  namedOptions(options, OPTIONS, "options");
  const { from, tenant = null, dryRun = false, onTrouble = () => {} } = options;
  const retention = options.retentionMs ?? RETENTION_MS;
  const retentionMs = durationMs(
    checked(z.int().check(z.minimum(1)), retention, "options.retentionMs"),
  );
  if (tenant !== null) checkTenantId(tenant);
  const { clock = systemClock(), random = systemRandom() } = options;
  const observe = (): void => {};
  const dueOf = dueOfBody(originalDue(plainOriginals()));
  const to = await options.to.open({ clock, random, observe, dueOf });
  try {
    return await importJournal(
      { from, to, clock, random, observe },
      {
        tenant,
        isDryRun: dryRun,
        retentionMs,
        onProgress: () => {},
        onTrouble,
      },
    );
  } finally {
    await to.close();
  }
}
