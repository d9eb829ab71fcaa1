/**
 * Copies records from one storage to another: what is not at the target is created there, what is stays
 * as it is; then the receipts of the target are counted anew. May be cut off anywhere and run again. Meant
 * for a source that nobody writes meanwhile: a record that changed after it was copied is a conflict of
 * the next run.
 */
import { type Key, keyOrNull, key as recordKey } from "../core/key.ts";
import { after } from "../core/time.ts";
import type { Backend, BackendRecord, Cursor, ListedRecord, ListPage } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import { RecordCorruptError, StoreUnavailableError } from "../ports/faults.ts";
import type { Observe } from "../ports/observe.ts";
import type { Random } from "../ports/random.ts";
import {
  type CopyDeps,
  type CopyVerdict,
  carried,
  copyPart,
  copyRecord,
} from "../store/copying.ts";
import { COMMAND_DEADLINE_MS, PAGE_MAX, READS_AT_ONCE } from "../store/limits.ts";
import { isLogKey } from "../store/log-keys.ts";
import { checkLogBody } from "../store/log-parts.ts";
import { readRecord, type Stored } from "../store/record.ts";
import { createStore } from "../store/store.ts";
import { type CopyReport, type CopyTally, type CopyTrouble, copyTally } from "./copy-tally.ts";
import { mapLimited } from "./map-limited.ts";
import { checkOriginal, type Originals, originalDue } from "./originals.ts";
import { patiently } from "./patience.ts";
import { RECEIPT_SCOPES } from "./receipt-books.ts";
import { RECEIPT_RECORDS } from "./receipt-commands.ts";
import { type ReceiptRecount, receiptRecount } from "./receipt-recount.ts";

export type { CopyReport, CopyTrouble } from "./copy-tally.ts";

export interface CopyContext {
  readonly from: Backend;
  readonly to: Backend;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
  /** What an original's records are checked by; they have no header yet. */
  readonly originals: Originals;
}

export interface CopyOptions {
  /** What keys begin with at the source, and in its place at the target: empty, or ending in `/`. */
  readonly below: string;
  readonly under: string;
  /** Tells what would become of each record, and writes nothing. */
  readonly isDryRun: boolean;
  /** Whether the source is an original's: of its receipts nobody has counted any yet, nor will. */
  readonly isImport: boolean;
  /** Called whenever something was counted. */
  readonly onProgress: (report: CopyReport) => void;
  /** Called for each record that was not moved. */
  readonly onTrouble: (trouble: CopyTrouble) => void;
}

/** What machines keep, of any tenant; how far `gc` has walked is each storage's own. Other things may lie beside it: due markers, probes, mails of a capturing mailer. */
const OF_A_MACHINE = /^(?:tenants\/[a-z0-9][a-z0-9-]*\/)?(?:emails|receipts|queries(?!\/gc\/))\//;

/** With what stands before the keys of its tenant. */
const RECEIPTS = new RegExp(`^((?:tenants/[^/]+/)?)${RECEIPT_RECORDS}`);

/** Counts of receipts are each storage's own, and made of the receipts that are there. */
const SCOPES = new RegExp(`^(?:tenants/[^/]+/)?${RECEIPT_SCOPES}`);

/** They name the logs' parts, which have to be there before. */
const ROOTS = /^(?:tenants\/[^/]+\/)?queries\/roots\//;

/** Faults of the storages are told in the report. */
export async function copyRecords(context: CopyContext, options: CopyOptions): Promise<CopyReport> {
  const { from } = context;
  const tally = copyTally(options);
  const rootPrefixes = new Set<string>();
  const recounts = new Map<string, ReceiptRecount>();

  async function visit({ key, found }: ListedRecord, isSecond: boolean): Promise<void> {
    if (tally.isStopped() || !OF_A_MACHINE.test(key)) return;
    // What others put there; it cannot be named at the target either.
    if (keyOrNull(key) === null) return;
    if (SCOPES.test(key)) return;
    const [prefix] = ROOTS.exec(key) ?? [];
    if (prefix !== undefined && !isSecond) {
      rootPrefixes.add(prefix);
      return;
    }
    const recount = recountOf(key);
    await tally.count(key, () => copyOne(context, options, { key, found, recount }));
  }

  /** Null: nothing is to be counted. Those of an import take no places. */
  function recountOf(key: Key): ReceiptRecount | null {
    const [, under = null] = RECEIPTS.exec(key) ?? [];
    if (under === null || options.isDryRun || options.isImport) return null;
    const recount = recounts.get(under) ?? recountUnder(context, under);
    recounts.set(under, recount);
    return recount;
  }

  async function walk(prefix: string, isSecond: boolean): Promise<void> {
    let cursor: Cursor | null = null;
    do {
      const at: Cursor | null = cursor;
      const page: ListPage = await patiently(context, () => from.list(prefix, at, PAGE_MAX));
      await mapLimited(page.entries, READS_AT_ONCE, (entry) => visit(entry, isSecond));
      cursor = page.cursor;
    } while (cursor !== null && !tally.isStopped());
  }

  try {
    await walk(options.below, false);
    for (const prefix of rootPrefixes) await walk(prefix, true);
    for (const [under, recount] of recounts) {
      if (!tally.isStopped()) await countAnew(under, recount, tally);
    }
  } catch (fault) {
    tally.stop(fault);
  }
  return tally.report();
}

/** `under`: empty, or `tenants/<id>/`, which is the same at both ends. */
function recountUnder(context: CopyContext, under: string): ReceiptRecount {
  const { to: backend, clock, random, observe, originals } = context;
  const foreignDue = originalDue(originals);
  const tenant = under.split("/")[1] ?? null;
  const store = createStore({ backend, clock, random, observe, foreignDue, tenant });
  return receiptRecount({ store, clock, random, observe, originals });
}

/** Also where all that was to be copied was there: an earlier try may have been cut off before it. */
async function countAnew(under: string, recount: ReceiptRecount, tally: CopyTally): Promise<void> {
  for (const { key, reason } of await recount.count()) {
    const name = recordKey(under + key);
    const fault = `what is counted at the target cannot be read: ${reason}`;
    await tally.count(name, async () => {
      throw new RecordCorruptError(name, fault);
    });
  }
}

interface Found extends Pick<ListedRecord, "key" | "found"> {
  /** Null: it is not counted. */
  readonly recount: ReceiptRecount | null;
}

/**
 * Null: there is nothing to copy. Throws RecordCorruptError for what is unreadable at the source, and
 * StoreUnavailableError for what the source lists and does not show.
 */
async function copyOne(
  context: CopyContext,
  options: CopyOptions,
  { key, found, recount }: Found,
): Promise<CopyVerdict | null> {
  const { from, to, clock, random, observe, originals } = context;
  const record = found ?? (await patiently(context, () => from.get(key)));
  if (record === null) throw new StoreUnavailableError("it is listed, and is not there when read");
  const { below, under, isDryRun } = options;
  const target = keyOrNull(under + key.slice(below.length));
  if (target === null) throw new RecordCorruptError(key, "its key would be too long at the target");
  const foreignDue = originalDue(originals);
  const deps: CopyDeps = { backend: to, clock, random, observe, foreignDue, isDryRun };
  const deadline = () => after(clock.now(), COMMAND_DEADLINE_MS);
  if (isLogKey(key)) {
    checkLogBody(key, record.body);
    const part = { key: target, text: record.body };
    return patiently(context, () => copyPart(deps, part, deadline()));
  }
  const read = readSource(context, key, record);
  if (read.header.isVoid) return null;
  const isUncounted = options.isImport && key.startsWith(RECEIPT_RECORDS);
  const stored = isUncounted ? { ...read, extra: { ...read.extra, slot: null } } : read;
  await recount?.expect(stored);
  return patiently(context, () => copyRecord(deps, carried(stored, target), deadline()));
}

/** An original's record is checked by its machine, since it gets a header that vouches for it. */
function readSource({ originals }: CopyContext, key: Key, found: BackendRecord): Stored {
  const stored = readRecord(key, found, originalDue(originals));
  if (stored.header.w === null) checkOriginal(originals, stored);
  return stored;
}
