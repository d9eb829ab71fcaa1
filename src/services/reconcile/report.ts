/** What a pass did, as it is told to whoever asked for it and to who counts. */
import { errorText } from "../../core/error-text.ts";
import { fieldOf } from "../../core/foreign.ts";
import type { Log } from "../../ports/log.ts";
import type { Observation, Observe } from "../../ports/observe.ts";
import { FAILURE_TEXTS, failureCode, type PassFailureCode } from "./failure-texts.ts";

/** Each counted when the storage had it, and not before. */
export interface EmailPassCounts {
  /** Jobs that sources named, new or not. */
  readonly discovered: number;
  /** Of them, those that were made, or turned to another recording. */
  readonly enqueued: number;
  /** pending → ready. */
  readonly promoted: number;
  readonly sent: number;
  /** Ready again after an attempt that failed. */
  readonly retried: number;
  readonly failed: number;
  /** Not valid any more when they were to be sent. */
  readonly cancelled: number;
  /** Past their retention, replaced by tombstones. */
  readonly retired: number;
  /** A warning: claimed for their text more than 30 minutes ago. They are left as they are. */
  readonly stale: number;
  /** Found for addresses that are never mailed or are none; or due, and left to other workers. */
  readonly skipped: number;
}

export interface ReceiptPassCounts {
  /** Dispatches that lapsed, and whose outcome is unknown now. */
  readonly recovered: number;
  /** Past their retention, replaced by tombstones. */
  readonly retired: number;
}

export interface QueryPassCounts {
  /** Their answer was ready, and whoever ran them was not heard of any more. */
  readonly completed: number;
  /** Whoever ran them was not heard of any more, before their answer was ready. */
  readonly interrupted: number;
  /** Client jobs of which something is past its retention, and gone. */
  readonly retired: number;
}

/** Whose part of a pass something is. */
export type PassMachine = "emails" | "receipts" | "queries";

export interface PassFailure {
  readonly machine: PassMachine;
  /** Null: the default tenant. */
  readonly tenant: string | null;
  /**
   * `sha256:` and a job's id, a receipt's id, `source:` and its name, or the part of the pass that went
   * wrong.
   */
  readonly id: string;
  readonly code: PassFailureCode;
  /** How often; 1 or more. */
  readonly count: number;
  /** What it means and what to do, in words for a person; nothing of any job's content. */
  readonly why: string;
  readonly action: string;
}

export interface PassReport {
  readonly emails: EmailPassCounts;
  readonly receipts: ReceiptPassCounts;
  readonly queries: QueryPassCounts;
  /** What went wrong and stopped nothing else; at most 100, each told once. */
  readonly failures: readonly PassFailure[];
  /** How many more times something went wrong. */
  readonly failuresLeftOut: number;
  /** Whether another pass would find more to do now. */
  readonly hasMore: boolean;
}

export type PassCount = keyof EmailPassCounts;
export type ReceiptPassCount = keyof ReceiptPassCounts;
export type QueryPassCount = keyof QueryPassCounts;

export interface PassCollector {
  count(name: PassCount, by?: number): void;
  /** What its service counts for whoever observes is only told in the report. */
  countReceipt(name: ReceiptPassCount): void;
  countQuery(name: QueryPassCount): void;
  /** `thrown`: what the failure comes from, or a text about it, for the operator's log alone. */
  fail(id: string, code: PassFailureCode, thrown?: unknown): void;
  /** Something that is due was not looked at. */
  more(): void;
  /** Something that is counted without being told in the report. */
  met(observation: Observation): void;
  /** Tells the counts so far to whoever observes: once for each name, however many there were. */
  tell(): void;
}

/** Past this many, one more tells nobody anything new. */
const FAILURES_MAX = 100;

/** A job's or a receipt's, and no source's or part's. */
const RECORD_ID = /^(?:sha256:)?[0-9a-f]{64}$/;

/** What is counted elsewhere by another name is not counted here again. */
const OBSERVATIONS: Readonly<Record<PassCount, Observation | null>> = {
  discovered: "email.discovered",
  enqueued: null,
  promoted: "email.promoted",
  sent: "email.sent",
  retried: "email.retried",
  failed: "email.failed",
  cancelled: "email.cancelled",
  retired: "email.retired",
  stale: "email.stale",
  skipped: "email.skipped",
};

const FAILURES = {
  emails: "email.pass.failure",
  receipts: "receipt.pass.failure",
  queries: "query.pass.failure",
} as const;

export interface PassRecord {
  /** `observe` is told what happens to this tenant; null: nothing happens, it is only looked at. */
  of(machine: PassMachine, tenant: string | null, observe: Observe | null): PassCollector;
  report(): PassReport;
}

/** `log` gets the texts of what went wrong, once for each source or part and code, whatever the tenants. */
export function passRecord(log: Log): PassRecord {
  const counts: Record<PassCount, number> = {
    discovered: 0,
    enqueued: 0,
    promoted: 0,
    sent: 0,
    retried: 0,
    failed: 0,
    cancelled: 0,
    retired: 0,
    stale: 0,
    skipped: 0,
  };
  const receipts: Record<ReceiptPassCount, number> = { recovered: 0, retired: 0 };
  const queries: Record<QueryPassCount, number> = { completed: 0, interrupted: 0, retired: 0 };
  const failures = new Map<string, PassFailure>();
  const told = new Set<string>();
  let failuresLeftOut = 0;
  let hasMore = false;

  function tellWhy({ machine, tenant, id, code, thrown }: Why): void {
    // Of records the first is enough: each job has its own text in its lastError.
    const name = JSON.stringify([machine, code, RECORD_ID.test(id) ? null : id]);
    if (told.has(name) || told.size >= FAILURES_MAX) return;
    told.add(name);
    log("warn", "pass failure", { machine, tenant, id, code, detail: operatorText(thrown) });
  }

  function collector(
    machine: PassMachine,
    tenant: string | null,
    observe: Observe | null,
  ): PassCollector {
    const untold = new Map<Observation, number>();
    const met = (observation: Observation, by = 1): void => {
      untold.set(observation, (untold.get(observation) ?? 0) + by);
    };
    return {
      count(name, by = 1) {
        if (by === 0) return;
        counts[name] += by;
        const observation = OBSERVATIONS[name];
        if (observation !== null) met(observation, by);
      },
      countReceipt(name) {
        receipts[name] += 1;
      },
      countQuery(name) {
        queries[name] += 1;
      },
      fail(id, code, thrown) {
        if (thrown !== undefined) tellWhy({ machine, tenant, id, code, thrown });
        const name = JSON.stringify([machine, tenant, id, code]);
        const count = (failures.get(name)?.count ?? 0) + 1;
        const failure = { machine, tenant, id, code, count };
        if (count === 1 && failures.size >= FAILURES_MAX) failuresLeftOut += 1;
        else failures.set(name, { ...failure, ...FAILURE_TEXTS[code] });
        met(FAILURES[machine]);
      },
      more() {
        hasMore = true;
      },
      met: (observation) => met(observation),
      tell() {
        for (const [observation, by] of untold) observe?.(observation, by);
        untold.clear();
      },
    };
  }

  return {
    of: collector,
    report: () => ({
      emails: { ...counts },
      receipts: { ...receipts },
      queries: { ...queries },
      failures: [...failures.values()],
      failuresLeftOut,
      hasMore,
    }),
  };
}

interface Why {
  readonly machine: PassMachine;
  readonly tenant: string | null;
  readonly id: string;
  readonly code: PassFailureCode;
  readonly thrown: unknown;
}

/** Of what was thrown; of it the log has the first DETAIL_CHARS_MAX. */
const LOOKED_AT_CHARS_MAX = 2_000;
const DETAIL_CHARS_MAX = 500;

/** One line without mail addresses: servers repeat whom a mail was for, and keys are made of them. */
function operatorText(thrown: unknown): string {
  return errorText(thrown, LOOKED_AT_CHARS_MAX)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/[^\s<>"',;:()]+@[^\s<>"',;:()]+/g, "(address)")
    .slice(0, DETAIL_CHARS_MAX)
    .toWellFormed();
}

/** The code of a fault or refusal of ours. Never throws, whatever was thrown. */
export function codeOf(error: unknown): PassFailureCode {
  return failureCode(fieldOf(error, "code"));
}
