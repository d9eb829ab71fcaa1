/**
 * The pass: finds, promotes, delivers and retires what is due, and ends in time. Any number of passes
 * may run at once, in one process or many, and each may be cut off anywhere: all they do is done by
 * conditional writes, and by leases.
 */
import * as z from "zod/mini";
import { durationMs } from "../../core/time.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";
import type { EmailDeps } from "../email-commands.ts";
import type { EmailService } from "../emails.ts";
import { checked, checkedOptions } from "../input.ts";
import type { QueryService } from "../queries.ts";
import type { ReceiptService } from "../receipts.ts";
import { PASS_MS_MAX, PASS_MS_MIN } from "./budget.ts";
import type { PassParts } from "./context.ts";
import { type Deadline, endOf, openEnd } from "./deadline.ts";
import { hangWatch } from "./hanging.ts";
import { logPass } from "./log-pass.ts";
import { outageWatch } from "./outage.ts";
import { passOver } from "./pass.ts";
import { type PassRecord, type PassReport, passRecord } from "./report.ts";
import { passTime } from "./time.ts";

export interface PassOptions {
  /** How long the pass may take; 100 to 3,600,000 ms, default `limits.passMs`, which is 25,000. */
  readonly budgetMs?: number;
  /** Ends the pass early: nothing more is begun, and what is being sent has a few seconds. */
  readonly signal?: AbortSignal;
  /** Tells what one page of everything would come to, and does nothing. */
  readonly dryRun?: boolean;
}

export interface ReconcileOptions extends PassOptions {
  /** Other tenants, at most 10,000, each in its turn; the next pass begins behind those that had theirs. */
  readonly tenants?: readonly string[];
}

/** What a pass needs of a tenant. */
export interface PassTenant {
  readonly deps: EmailDeps;
  readonly service: EmailService;
  readonly receipts: ReceiptService;
  readonly queries: QueryService;
}

export interface Reconciler {
  /** A pass over these tenants in turn. Throws InvalidInputError, and no fault of the storage. */
  run(tenants: readonly PassTenant[], options: PassOptions): Promise<PassReport>;
  /** Ends the passes that run, and waits for them. */
  close(): Promise<void>;
}

const passOptions = z.object({
  budgetMs: z.optional(z.int().check(z.minimum(PASS_MS_MIN), z.maximum(PASS_MS_MAX))),
  signal: z.optional(
    z.custom<AbortSignal>((signal) => typeof Object(signal).addEventListener === "function"),
  ),
  dryRun: z._default(z.boolean(), false),
});

export interface ReconcilerOptions {
  readonly random: Random;
  /** Of a pass that nobody gives another. */
  readonly budgetMs: number;
  /** Told of every pass that was to do something, and of the texts of what went wrong in it. */
  readonly log: Log;
}

export function reconciler(parts: PassParts, options: ReconcilerOptions): Reconciler {
  const { random, log, budgetMs: standardMs } = options;
  const closed = openEnd();
  const inTurn = turns(random);
  const running = new Set<Promise<unknown>>();

  async function pass(tenants: readonly PassTenant[], options: PassOptions): Promise<Passed> {
    checkedOptions(options, "options");
    const { budgetMs = standardMs, signal, dryRun } = checked(passOptions, options, "options");
    const stopped = endOf(signal);
    const record = passRecord(log);
    const forget = closed.onOver(stopped.end);
    try {
      const whole = { tenants, stopped, record, budgetMs, dryRun };
      const served = await passOverAll(parts, whole);
      const report = record.report();
      if (!dryRun) logPass(log, report);
      return { report, served };
    } finally {
      forget();
      stopped.stop();
    }
  }

  async function passInTurn(
    tenants: readonly PassTenant[],
    options: PassOptions,
  ): Promise<PassReport> {
    // A tenant that asks for itself must not move the turn of all, nor one that only looks.
    if (tenants.length < 2 || options.dryRun === true) return (await pass(tenants, options)).report;
    const { report, served } = await pass(inTurn.next(tenants), options);
    inTurn.moveOn(served, tenants.length);
    return report;
  }

  return {
    async run(tenants, options) {
      const whole = passInTurn(tenants, options);
      running.add(whole);
      try {
        return await whole;
      } finally {
        running.delete(whole);
      }
    },
    async close() {
      closed.end();
      await Promise.allSettled(running);
    },
  };
}

interface Passed {
  readonly report: PassReport;
  readonly served: number;
}

interface Turns {
  /** The list from the place where its turn is, and round. */
  next<T>(list: readonly T[]): readonly T[];
  /** The first `served` of the list that `next` gave, of `length`, had their turn. */
  moveOn(served: number, length: number): void;
}

/**
 * The same list beginning further on each time, at least by one, so that whoever has much to do leaves
 * the others their turn. It begins anywhere: a process may live for one pass only.
 */
function turns(random: Random): Turns {
  let turn: number | null = null;
  return {
    next(list) {
      turn ??= Math.floor(random.fraction() * list.length);
      const first = turn % list.length;
      // At once, for the sake of passes beside this one.
      turn += 1;
      return [...list.slice(first), ...list.slice(0, first)];
    },
    moveOn(served, length) {
      if (turn !== null && served < length) turn += Math.max(served - 1, 0);
    },
  };
}

interface Whole {
  readonly tenants: readonly PassTenant[];
  readonly stopped: Deadline;
  readonly record: PassRecord;
  readonly budgetMs: number;
  readonly dryRun: boolean;
}

/** How many tenants had their turn: all that there was time for. */
async function passOverAll(
  parts: PassParts,
  { tenants, stopped, record, budgetMs, dryRun }: Whole,
): Promise<number> {
  const clock = tenants[0]?.deps.clock;
  if (clock === undefined) return 0;
  const budget = durationMs(budgetMs);
  const time = passTime(clock, budget, stopped);
  // Of the whole pass: its tenants share the mailer and the sources.
  const outages = outageWatch();
  const hanging = hangWatch();
  let served = 0;
  let isCutShort = false;
  try {
    for (const { deps, service, receipts, queries } of tenants) {
      const observe = dryRun ? null : deps.observe;
      const report = record.of("emails", deps.tenant, observe);
      const ofReceipts = { service: receipts, report: record.of("receipts", deps.tenant, observe) };
      const ofQueries = { service: queries, report: record.of("queries", deps.tenant, observe) };
      if (time.lease.isOver()) {
        report.more();
        break;
      }
      observe?.("email.pass.started", 1);
      const own = { deps, service, receipts: ofReceipts, queries: ofQueries, time, report };
      const common = { since: null, outage: outages.ofTenant(), hanging };
      await passOver({ ...parts, ...own, ...common }, budget, dryRun);
      report.tell();
      ofReceipts.report.tell();
      ofQueries.report.tell();
      observe?.("email.pass.finished", 1);
      // One that was cut short, or kept from something by what others met, comes first the next time,
      // unless it was the first already.
      isCutShort ||= time.lease.isOver() || outages.isCommon() || hanging.isAnyGivenUp();
      if (!isCutShort) served += 1;
    }
  } finally {
    time.stop();
  }
  return served;
}
