/** Email operations over more than one job: batches, due leases, lists, retention. */
import * as z from "zod";
import { openCursor, sealCursor } from "../core/cursor.ts";
import { after, type DurationMs, durationMs } from "../core/time.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import type { Cursor, DueEntry } from "../ports/backend.ts";
import { ContendedError, RecordCorruptError, RecordTooLargeError } from "../ports/faults.ts";
import { PAGE_MAX } from "../store/limits.ts";
import type { CorruptRecord, Stored } from "../store/store.ts";
import {
  EMAIL_JOBS,
  EMAIL_MACHINE,
  type EmailCommands,
  type EmailDeps,
  isLeased,
} from "./email-commands.ts";
import type { ClaimedJob, Emails, Enqueued, EnqueueOptions, Job, LeasedJob } from "./emails.ts";
import { InvalidInputError } from "./errors.ts";
import { checked, checkedOptional, checkedOptions } from "./input.ts";
import { mapLimited } from "./map-limited.ts";

export interface EnqueueItem extends EnqueueOptions {
  readonly logicalKey: string;
  readonly payload: unknown;
  /** Default `pending`. */
  readonly initialState?: "pending" | "awaiting_ai";
}

export type BatchResult = Enqueued | { readonly error: unknown };

export interface JobPage {
  readonly jobs: readonly Job[];
  readonly corrupt: readonly CorruptRecord[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

const PAGE_LIMIT = z.int().min(1).max(PAGE_MAX);

/** Items of one batch carried out at the same time. */
const BATCH_AT_ONCE = 16;

/** Jobs leased at the same time by one call. */
const LEASES_AT_ONCE = 8;

const PAGE = 200;

export function emailBatches(
  deps: EmailDeps,
  commands: EmailCommands,
  enqueue: (item: EnqueueItem) => Promise<Enqueued>,
): Pick<
  Emails,
  | "enqueueBatch"
  | "acquireDueLeases"
  | "claimNextAwaitingAi"
  | "listJobs"
  | "listPage"
  | "retireExpired"
> {
  return {
    enqueueBatch: (items) => enqueueBatch(items, enqueue),
    acquireDueLeases: (options) => acquireDueLeases(deps, commands, options),
    claimNextAwaitingAi: (claimant) => claimNext(deps, commands, claimant),
    listJobs: () => listJobs(deps, commands),
    listPage: async (options) => {
      const { limit, cursor } = checkedOptions(options, "options");
      const from = placeOf(cursor);
      const page = await listPage(deps, commands, checked(PAGE_LIMIT, limit, "limit"), from);
      const next = page.nextCursor;
      return { ...page, nextCursor: next === null ? null : sealCursor(EMAIL_JOBS, next) };
    },
    retireExpired: async (limit) =>
      retireExpired(deps, commands, checked(PAGE_LIMIT, limit, "limit")),
  };
}

function placeOf(cursor: string | null | undefined): Cursor | null {
  if (cursor === null || cursor === undefined) return null;
  const place = typeof cursor === "string" ? openCursor(EMAIL_JOBS, cursor) : null;
  if (place !== null) return place as Cursor;
  throw new InvalidInputError([{ path: "cursor", message: "is not one that a listing gave" }]);
}

async function enqueueBatch(
  items: readonly EnqueueItem[],
  enqueue: (item: EnqueueItem) => Promise<Enqueued>,
): Promise<readonly BatchResult[]> {
  if (!Array.isArray(items) || items.length < 1 || items.length > 100) {
    throw new InvalidInputError([{ path: "items", message: "must be an array of 1 to 100 items" }]);
  }
  // Started in their order, so of two items with one key the first is the one that creates.
  return mapLimited(items, BATCH_AT_ONCE, async (item) => {
    try {
      if (typeof item !== "object" || item === null) {
        throw new InvalidInputError([{ path: "", message: "must be an object" }]);
      }
      return await enqueue(item);
    } catch (error) {
      return { error };
    }
  });
}

async function acquireDueLeases(
  deps: EmailDeps,
  commands: EmailCommands,
  options: { durationMs: number; limit: number },
): Promise<readonly LeasedJob[]> {
  checkedOptions(options, "options");
  const leaseMs = durationMs(checked(emailInputs.leaseMs, options.durationMs, "durationMs"));
  const limit = checked(emailInputs.limit, options.limit, "limit");
  const jobs: LeasedJob[] = [];
  await eachDue(deps, "deliver", async (entries) => {
    for (let start = 0; start < entries.length && jobs.length < limit; ) {
      const some = entries.slice(start, start + Math.min(LEASES_AT_ONCE, limit - jobs.length));
      start += some.length;
      const leased = await settledDespiteFaults(
        deps,
        some.map((entry) => leaseDue(deps, commands, entry, leaseMs)),
        jobs.length > 0,
      );
      jobs.push(...leased);
    }
    // What is in hand already runs out while more is looked for.
    return jobs.length === 0;
  });
  if (jobs.length > 0) deps.observe("email.leased", jobs.length);
  return jobs;
}

async function leaseDue(
  { store, observe }: EmailDeps,
  commands: EmailCommands,
  entry: DueEntry,
  leaseMs: DurationMs,
): Promise<LeasedJob | null> {
  const stored = await store.confirmDue(entry);
  if (stored === null) return null;
  const leaseToken = commands.freshToken();
  const outcome = await commands.runOn(stored, { kind: "acquireDue", leaseMs, leaseToken });
  if (outcome.kind !== "applied") return null;
  if (isLeased(outcome.job)) return outcome.job;
  observe("email.exhausted", 1);
  return null;
}

/**
 * One bad or busy record never stops the others. Any other fault stops the call, unless some jobs were
 * leased already: then those are the answer, since nobody else would know their tokens.
 */
async function settledDespiteFaults<T>(
  { observe }: EmailDeps,
  work: readonly Promise<T | null>[],
  hasSome: boolean,
): Promise<T[]> {
  const results = await Promise.allSettled(work);
  const values: T[] = [];
  let fault: unknown = null;
  for (const result of results) {
    if (result.status === "fulfilled") {
      if (result.value !== null) values.push(result.value);
    } else if (result.reason instanceof RecordCorruptError) observe("store.record_corrupt", 1);
    else if (!isOfOneRecord(result.reason)) fault ??= result.reason;
  }
  if (fault !== null && !hasSome && values.length === 0) throw fault;
  return values;
}

function isOfOneRecord(fault: unknown): boolean {
  return fault instanceof ContendedError || fault instanceof RecordTooLargeError;
}

/**
 * Pages through what is due now until `visit` answers false. Throws ContendedError when the time is up
 * before the end: what was not looked at may be there.
 */
async function eachDue(
  { store, clock, deadlineMs }: EmailDeps,
  queue: "deliver" | "attend",
  visit: (entries: readonly DueEntry[]) => Promise<boolean>,
): Promise<void> {
  const until = clock.now();
  const deadlineAt = after(until, deadlineMs);
  let cursor: Cursor | null = null;
  do {
    const page = await store.due(EMAIL_MACHINE, queue, { until, cursor, limit: PAGE });
    if (!(await visit(page.entries))) return;
    cursor = page.cursor;
    if (cursor !== null && clock.now() >= deadlineAt) {
      throw new ContendedError("the time was up before everything that is due was looked at");
    }
  } while (cursor !== null);
}

async function claimNext(
  deps: EmailDeps,
  commands: EmailCommands,
  claimant: string | undefined,
): Promise<ClaimedJob | null> {
  const person = checkedOptional(emailInputs.claimant, claimant, "claimant") ?? null;
  let won: ClaimedJob | null = null;
  await eachDue(deps, "attend", async (entries) => {
    for (const entry of entries) {
      won = await claimOne(deps, commands, entry, person);
      if (won !== null) return false;
    }
    return true;
  });
  return won;
}

async function claimOne(
  deps: EmailDeps,
  commands: EmailCommands,
  entry: DueEntry,
  claimant: string | null,
): Promise<ClaimedJob | null> {
  const [claimed = null] = await settledDespiteFaults(
    deps,
    [
      (async () => {
        const stored = await deps.store.confirmDue(entry);
        if (stored === null || stored.fields["state"] !== "awaiting_ai") return null;
        const claimToken = commands.freshToken();
        const outcome = await commands.runOn(stored, { kind: "claimNext", claimant, claimToken });
        if (outcome.kind !== "applied") return null;
        return commands.alias(outcome.job, Object.freeze({ ...outcome.job, claimToken }));
      })(),
    ],
    false,
  );
  return claimed;
}

async function retireExpired(
  deps: EmailDeps,
  commands: EmailCommands,
  limit: number,
): Promise<number> {
  let retired = 0;
  const walk = eachDue(deps, "attend", async (entries) => {
    for (const entry of entries) {
      const [isRetired] = await settledDespiteFaults(
        deps,
        [deps.store.confirmDue(entry).then((stored) => retireIfOver(deps, commands, stored))],
        retired > 0,
      );
      if (isRetired === true) retired += 1;
      if (retired >= limit) return false;
    }
    return true;
  });
  try {
    await walk;
  } catch (fault) {
    // Out of time: the next call goes on with what is left.
    if (!(fault instanceof ContendedError) || retired === 0) throw fault;
  }
  if (retired > 0) deps.observe("email.retired", retired);
  return retired;
}

async function retireIfOver(
  { clock }: EmailDeps,
  commands: EmailCommands,
  stored: Stored | null,
): Promise<boolean> {
  if (stored === null || stored.due === null || stored.due.at > clock.now()) return false;
  return commands.jobOf(stored) === null && (await commands.retire(stored));
}

async function listPage(
  { store, observe }: EmailDeps,
  commands: EmailCommands,
  limit: number,
  cursor: Cursor | null,
): Promise<JobPage & { readonly nextCursor: Cursor | null }> {
  const page = await store.list(EMAIL_JOBS, cursor, limit);
  const jobs: Job[] = [];
  const corrupt = [...page.corrupt];
  for (const stored of page.records) {
    try {
      const job = commands.jobOf(stored);
      if (job !== null) jobs.push(job);
    } catch (fault) {
      if (!(fault instanceof RecordCorruptError)) throw fault;
      observe("store.record_corrupt", 1);
      corrupt.push({ id: stored.key.slice(EMAIL_JOBS.length), reason: fault.reason });
    }
  }
  return { jobs, corrupt, nextCursor: page.cursor };
}

/** EMAIL-14: by the text of createdAt, then by id. */
async function listJobs(deps: EmailDeps, commands: EmailCommands) {
  const found: { job: Job; order: string }[] = [];
  const corrupt: CorruptRecord[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof listPage>> = await listPage(
      deps,
      commands,
      PAGE_MAX,
      cursor,
    );
    for (const job of page.jobs) {
      found.push({ job, order: `${job.createdAt} ${commands.idOf(job)}` });
    }
    corrupt.push(...page.corrupt);
    cursor = page.nextCursor;
  } while (cursor !== null);
  found.sort((one, other) => (one.order < other.order ? -1 : 1));
  return Object.assign(
    found.map(({ job }) => job),
    { corrupt },
  );
}
