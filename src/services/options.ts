/** What Holdfast is opened with, checked. */
import * as z from "zod/mini";
import { safeParse } from "../core/safe-parse.ts";
import { type DurationMs, durationMs } from "../core/time.ts";
import { HELD_QUERIES, type HeldQueries } from "../machines/queries/admission.ts";
import { RETENTION_MS as QUERY_RETENTION_MS, RUN_LEASE_MS } from "../machines/queries/limits.ts";
import {
  CAPACITY_MAX,
  DISPATCH_MARGIN_MS,
  RETENTION_MS,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import type { Storage } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Observe } from "../ports/observe.ts";
import type { Random } from "../ports/random.ts";
import { COMMAND_DEADLINE_MS } from "../store/limits.ts";
import type { App, MailOptions } from "./app.ts";
import { InvalidInputError } from "./errors.ts";
import { checked, namedOptions } from "./input.ts";
import { PASS_MS_DEFAULT, PASS_MS_MAX, PASS_MS_MIN } from "./reconcile/budget.ts";

export interface HoldfastOptions {
  readonly storage: Storage;
  readonly app?: App;
  /** How mail leaves; without it, and without the application's own, nothing is sent. */
  readonly mail?: MailOptions;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Counts of what happened, by a fixed vocabulary; a throw in it is ignored. */
  readonly observe?: Observe;
  /** One line for each pass, and for what went wrong in it; a throw in it is ignored. */
  readonly log?: Log;
  readonly limits?: Limits;
  /**
   * A query whose session is held, since a provider that was interrupted may still be at work: `refuse`,
   * the default, until it is free; or `admit`, to be started once it is.
   */
  readonly heldQueries?: HeldQueries;
}

export interface Limits {
  /** How long one call may take, waiting for others included; 15,000 ms by default. */
  readonly commandMs?: number;
  /** How long emails are kept after they were sent or cancelled; for ever by default. */
  readonly emailRetentionMs?: number;
  /**
   * How long receipts are kept after they were finished; 30 days by default, `off`: for ever. What is
   * over leaves a tombstone, so that its operation never runs again.
   */
  readonly receiptRetentionMs?: number | "off";
  /**
   * Receipts of one workspace, 1 to 65,536, counted exactly across processes; by default 8,192 in a
   * folder, and `off` elsewhere.
   */
  readonly receiptCapacity?: number | "off";
  /** How long after its lease a dispatch counts as live; 30,000 ms by default. */
  readonly dispatchMarginMs?: number;
  /** How long query jobs are kept from their admission on; 7 days by default. */
  readonly queryRetentionMs?: number;
  /** How long an accepted query job may wait to be started before it is interrupted; for ever by default. */
  readonly admissionTimeoutMs?: number;
  /** The lease of a run whose caller says nothing else; 60,000 ms by default. */
  readonly runLeaseMs?: number;
  /** How long a pass may take that is given no budget; 100 to 3,600,000 ms, default 25,000. */
  readonly passMs?: number;
}

const OPTIONS = {
  storage: true,
  app: true,
  mail: true,
  clock: true,
  random: true,
  observe: true,
  log: true,
  limits: true,
  heldQueries: true,
} as const;

const LIMITS = {
  commandMs: true,
  emailRetentionMs: true,
  receiptRetentionMs: true,
  receiptCapacity: true,
  dispatchMarginMs: true,
  queryRetentionMs: true,
  admissionTimeoutMs: true,
  runLeaseMs: true,
  passMs: true,
} as const;

/** Throws InvalidInputError for what cannot be meant, also for options that there are not. */
export function checkedLimits(options: HoldfastOptions) {
  if (typeof options?.storage?.open !== "function") {
    throw new InvalidInputError([
      { path: "storage", message: "must be a storage, such as filesystemStorage({ directory })" },
    ]);
  }
  namedOptions(options, OPTIONS, "options");
  const limits = namedOptions(options.limits ?? {}, LIMITS, "limits");
  return {
    commandMs: limit(limits.commandMs, "limits.commandMs") ?? COMMAND_DEADLINE_MS,
    passMs: limit(limits.passMs, "limits.passMs", PASS_MS) ?? PASS_MS_DEFAULT,
    emailRetentionMs: limit(limits.emailRetentionMs, "limits.emailRetentionMs"),
    receipts: {
      retentionMs: receiptRetention(limits.receiptRetentionMs),
      marginMs: limit(limits.dispatchMarginMs, "limits.dispatchMarginMs") ?? DISPATCH_MARGIN_MS,
    },
    receiptCapacity: receiptCapacity(limits.receiptCapacity),
    queries: queryOptionsOf(limits, options.heldQueries ?? "refuse"),
  };
}

const PASS_MS = { min: PASS_MS_MIN, max: PASS_MS_MAX };
const LEASE_MS = { min: 1, max: 86_400_000 };

function limit(
  value: number | undefined,
  path: string,
  { min, max }: { readonly min: number; readonly max: number | null } = { min: 1, max: null },
): DurationMs | null {
  if (value === undefined) return null;
  if (Number.isInteger(value) && value >= min && value <= (max ?? value)) return durationMs(value);
  const range = max === null ? `${min} or more` : `${min} to ${max}`;
  throw new InvalidInputError([
    { path, message: `must be a whole number of milliseconds, ${range}` },
  ]);
}

function queryOptionsOf(limits: Limits, heldQueries: HeldQueries) {
  return {
    retentionMs: limit(limits.queryRetentionMs, "limits.queryRetentionMs") ?? QUERY_RETENTION_MS,
    admissionTimeoutMs: limit(limits.admissionTimeoutMs, "limits.admissionTimeoutMs"),
    runLeaseMs: limit(limits.runLeaseMs, "limits.runLeaseMs", LEASE_MS) ?? RUN_LEASE_MS,
    heldQueries: checked(z.enum(HELD_QUERIES), heldQueries, "heldQueries"),
  };
}

function receiptRetention(value: number | "off" | undefined): DurationMs | null {
  if (value === "off") return null;
  if (value === undefined) return RETENTION_MS;
  if (Number.isInteger(value) && value >= 1) return durationMs(value);
  const message = 'must be "off", which keeps them for ever, or milliseconds, 1 or more';
  throw new InvalidInputError([{ path: "limits.receiptRetentionMs", message }]);
}

/** RECEIPT-13. Null: off. Undefined: as the storage has it. */
function receiptCapacity(value: number | "off" | undefined): number | null | undefined {
  if (value === undefined) return undefined;
  if (value === "off") return null;
  if (safeParse(receiptInputs.capacity, value).success) return value;
  throw new InvalidInputError([
    { path: "limits.receiptCapacity", message: `must be "off", or from 1 to ${CAPACITY_MAX}` },
  ]);
}
