/** Email operations over more than one job: batches, due leases, the next claim, retention. */
import * as z from "zod/mini";
import { after, type DurationMs, durationMs } from "../core/time.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import type { Cursor, DueEntry } from "../ports/backend.ts";
import { ContendedError, RecordCorruptError, RecordTooLargeError } from "../ports/faults.ts";
import { PAGE_BYTES_MAX, PAGE_MAX } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import {
  EMAIL_MACHINE,
  type EmailCommands,
  type EmailDeps,
  type EmailOutcome,
  isLeased,
} from "./email-commands.ts";
import { type Enqueue, enqueued } from "./email-methods.ts";
import type { ClaimedJob, Emails, Enqueued, EnqueueOptions, LeasedJob } from "./emails.ts";
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

const PAGE_LIMIT = z.int().check(z.minimum(1), z.maximum(PAGE_MAX));

/** Items of one batch carried out at the same time. */
const BATCH_AT_ONCE = 16;

/** Jobs leased at the same time by one call. */
const LEASES_AT_ONCE = 8;

const PAGE = 200;

export type EmailBatches = Pick<
  Emails,
  "enqueueBatch" | "acquireDueLeases" | "claimNextAwaitingAi" | "retireExpired"
>;

export function emailBatches(
  deps: EmailDeps,
  commands: EmailCommands,
  enqueue: Enqueue,
): EmailBatches {
  return {
    enqueueBatch: async (items) => {
      const outcomes = await enqueueAll(items, enqueue);
      return outcomes.map(resultOf);
    },
    acquireDueLeases: (options) => acquireDueLeases(deps, commands, options),
    claimNextAwaitingAi: (claimant) => claimNext(deps, commands, claimant),
    retireExpired: async (limit) =>
      retireExpired(deps, commands, checked(PAGE_LIMIT, limit, "limit")),
  };
}

function resultOf(outcome: EmailOutcome | { readonly error: unknown }): BatchResult {
  if ("error" in outcome) return outcome;
  try {
    return enqueued(outcome);
  } catch (error) {
    return { error };
  }
}

/** Each item as it would end alone; one's failure stops no other. Throws InvalidInputError. */
export async function enqueueAll(
  items: readonly EnqueueItem[],
  enqueue: Enqueue,
): Promise<readonly (EmailOutcome | { readonly error: unknown })[]> {
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
  let exhausted = 0;
  const lease = async (entry: DueEntry): Promise<LeasedJob | null> => {
    const job = await leaseDue(deps, commands, entry, leaseMs);
    if (job !== "exhausted") return job;
    exhausted += 1;
    return null;
  };
  const walk = eachDue(deps, "deliver", async (entries) => {
    let size = 0;
    for (let start = 0; start < entries.length && jobs.length < limit; ) {
      if (size >= PAGE_BYTES_MAX) break;
      const some = entries.slice(start, start + Math.min(LEASES_AT_ONCE, limit - jobs.length));
      start += some.length;
      const leased = await settledDespiteFaults(deps, some.map(lease), jobs.length > 0);
      jobs.push(...leased);
      for (const job of leased) size += JSON.stringify(job).length;
    }
    // What is in hand already runs out while more is looked for.
    return jobs.length === 0;
  });
  try {
    await walk;
  } finally {
    if (exhausted > 0) deps.observe("email.exhausted", exhausted);
  }
  return jobs;
}

async function leaseDue(
  { store }: EmailDeps,
  commands: EmailCommands,
  entry: DueEntry,
  leaseMs: DurationMs,
): Promise<LeasedJob | "exhausted" | null> {
  const stored = await store.confirmDue(entry);
  if (stored === null) return null;
  const leaseToken = commands.freshToken();
  const outcome = await commands.runOn(stored, { kind: "acquireDue", leaseMs, leaseToken });
  if (outcome.kind !== "applied") return null;
  return isLeased(outcome.job) ? outcome.job : "exhausted";
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
    const page = await store.dueOf(EMAIL_MACHINE, queue, { until, cursor, limit: PAGE });
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
        return commands.alias(outcome.job, { claimToken });
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
