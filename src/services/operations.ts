/** What an operator asks of one tenant: how much waits, and what is stuck. */
import { machineOf } from "../core/key.ts";
import type { Queue } from "../core/machine.ts";
import { isoTime } from "../core/time.ts";
import type { Cursor, DueEntry, DuePage } from "../ports/backend.ts";
import type { Observation } from "../ports/observe.ts";
import { PAGE_MAX } from "../store/limits.ts";
import { EMAIL_MACHINE, type EmailDeps } from "./email-commands.ts";
import { QUERY_MACHINE } from "./query-records.ts";
import { RECEIPT_MACHINE } from "./receipt-commands.ts";
import type { ReceiptService } from "./receipts.ts";
import { type StuckPage, stuckPage } from "./stuck.ts";

export interface QueueHealth {
  /**
   * Records due now, as far as the index says: some may have been dealt with, or put off, as a lease does,
   * where due markers are kept early (protocols 3.1). At most 1,000.
   */
  readonly due: number;
  /** Whether there are, or may be, more than `due` says. */
  readonly more: boolean;
  /** ISO 8601; null when nothing is due, as far as was looked. */
  readonly oldestDueAt: string | null;
}

/** What this process met since it started; another process counts its own. */
export interface Counters {
  readonly corruptRecords: number;
  readonly contended: number;
  readonly unknownOutcomes: number;
  readonly leasesLost: number;
  /** Passes that found the mailer unavailable. */
  readonly mailerUnavailable: number;
}

export interface MachineHealth extends Readonly<Record<Queue, QueueHealth>> {
  readonly counters: Counters;
}

/** Nothing of receipts is delivered. */
export interface ReceiptHealth extends Readonly<Record<"attend" | "stuck", QueueHealth>> {
  readonly counters: ReceiptCounters;
}

export interface ReceiptCounters {
  /** Calls that were answered from what is stored. */
  readonly replays: number;
  /** Calls with another payload or result. */
  readonly conflicts: number;
  readonly outcomesUnknown: number;
  /** Late reports against a person's resolution. */
  readonly contradictions: number;
  readonly dispatchesLost: number;
}

/** Nor is anything of queries. */
export interface QueriesHealth extends Readonly<Record<"attend" | "stuck", QueueHealth>> {
  readonly counters: QueriesCounters;
}

export interface QueriesCounters {
  readonly admitted: number;
  /** Admissions that were answered from what is stored. */
  readonly duplicates: number;
  readonly refused: number;
  readonly completed: number;
  readonly failed: number;
  readonly interrupted: number;
  /** Calls with the token of a run that was not current. */
  readonly leasesLost: number;
}

export interface Health {
  readonly emails: MachineHealth;
  readonly receipts: ReceiptHealth;
  readonly queries: QueriesHealth;
}

export interface Operations {
  /**
   * From the due index alone: costs the same whatever is stored. The machines share its queues, each of
   * which is read up to 3,000 entries. When there are more, each machine may have more than it shows, one
   * that has none before them included.
   */
  health(): Promise<Health>;
  /** `limit`: 1 to 100. Throws InvalidCursorError. */
  stuck(options: { limit: number; cursor: string | null }): Promise<StuckPage>;
}

export function createOperations(
  deps: EmailDeps,
  receipts: ReceiptService,
  counts: ReadonlyMap<Observation, number>,
): Operations {
  const parts = { deps, receipts };
  return {
    async health() {
      const [deliver, attend, stuck] = await Promise.all([
        queueHealth(deps, "deliver"),
        queueHealth(deps, "attend"),
        queueHealth(deps, "stuck"),
      ]);
      const waiting = (machine: string) => ({ attend: attend(machine), stuck: stuck(machine) });
      return {
        emails: {
          deliver: deliver(EMAIL_MACHINE),
          ...waiting(EMAIL_MACHINE),
          counters: countersOf(counts),
        },
        receipts: { ...waiting(RECEIPT_MACHINE), counters: receiptCountersOf(counts) },
        queries: { ...waiting(QUERY_MACHINE), counters: queryCountersOf(counts) },
      };
    },
    stuck: ({ limit, cursor }) => stuckPage(parts, limit, cursor),
  };
}

/** As many as each of three machines can show together. */
const HEALTH_PAGES_MAX = 3;

/** Of each machine, what it has in the queue. */
async function queueHealth(
  { store, clock }: EmailDeps,
  queue: Queue,
): Promise<(machine: string) => QueueHealth> {
  const until = clock.now();
  const entries: DueEntry[] = [];
  let cursor: Cursor | null = null;
  for (let pages = 0; pages < HEALTH_PAGES_MAX; pages += 1) {
    const page: DuePage = await store.due(queue, { until, cursor, limit: PAGE_MAX });
    entries.push(...page.entries);
    cursor = page.cursor;
    if (cursor === null) break;
  }
  const isCut = cursor !== null;
  return (machine) => {
    const own = entries.filter(({ key }) => machineOf(key) === machine);
    const [oldest] = own;
    return {
      due: Math.min(own.length, PAGE_MAX),
      more: isCut || own.length > PAGE_MAX,
      oldestDueAt: oldest === undefined ? null : isoTime(oldest.at),
    };
  };
}

function countersOf(counts: ReadonlyMap<Observation, number>): Counters {
  const count = (name: Observation): number => counts.get(name) ?? 0;
  return {
    corruptRecords: count("store.record_corrupt"),
    contended: count("store.contended"),
    unknownOutcomes: count("store.put.outcome_unknown"),
    leasesLost: count("email.lease_lost"),
    mailerUnavailable: count("email.mailer_unavailable"),
  };
}

function receiptCountersOf(counts: ReadonlyMap<Observation, number>): ReceiptCounters {
  const count = (name: Observation): number => counts.get(name) ?? 0;
  return {
    replays: count("receipt.replay"),
    conflicts: count("receipt.conflict"),
    outcomesUnknown: count("receipt.outcome-unknown"),
    contradictions: count("receipt.contradiction"),
    dispatchesLost: count("receipt.dispatch_lost"),
  };
}

function queryCountersOf(counts: ReadonlyMap<Observation, number>): QueriesCounters {
  const count = (name: Observation): number => counts.get(name) ?? 0;
  return {
    admitted: count("query.admitted"),
    duplicates: count("query.duplicate"),
    refused: count("query.refused"),
    completed: count("query.completed"),
    failed: count("query.failed"),
    interrupted: count("query.interrupted"),
    leasesLost: count("query.lease_lost"),
  };
}
