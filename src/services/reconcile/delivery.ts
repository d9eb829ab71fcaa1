/** One delivery: lease, validate and render, send, settle. */
import { errorText } from "../../core/error-text.ts";
import { isOf } from "../../core/foreign.ts";
import { durationMs, isoTime, minutes } from "../../core/time.ts";
import {
  type CheckedContent,
  INVALID_CONTENT,
  type PrepareEmail,
  parseContent,
} from "../../machines/emails/content.ts";
import { LAST_ERROR_CHARS_MAX, timeOf } from "../../machines/emails/fields.ts";
import { idempotencyKeyOf } from "../../machines/emails/idempotency-key.ts";
import type { EmailKind } from "../../machines/emails/kinds.ts";
import type { DeliveryOutcome } from "../../machines/emails/outcome.ts";
import { OutcomeUnknownError } from "../../ports/faults.ts";
import type { Stored } from "../../store/store.ts";
import type { MailOptions } from "../app.ts";
import { isLeased } from "../email-commands.ts";
import type { LeasedJob } from "../emails.ts";
import { idOf, type PassContext } from "./context.ts";
import { type Deadline, deadline, NO_GRACE, within } from "./deadline.ts";
import type { PassFailureCode } from "./failure-texts.ts";
import { mailed } from "./mail.ts";
import { saidOf } from "./said.ts";
import { settle } from "./settle.ts";
import { type PassTime, SEND_MS_MIN } from "./time.ts";

/** As long as the original's (semantics A6). */
const LEASE_MS = minutes(2);

/** What is left of a lease when its send must be over: the settlement may take a command's time. */
const SETTLE_MS = 15_000;

/** What is left of a lease, by the clock that tells less, when no send begins any more. */
export const SEND_LEFT_MS = SETTLE_MS + SEND_MS_MIN;

/** A kind that the pass can deliver. */
export type PreparedKind = EmailKind & { readonly prepare: PrepareEmail };

/**
 * Leases the job of `stored` if it is due, and brings its attempt to an end, whatever mailer and kind
 * do. A job whose attempts are used up is failed instead (EMAIL-81). Answers whether the job stays where
 * it is, since the storage did not answer in time. Throws the store's faults before anything is sent.
 */
export async function leaseAndDeliver(
  context: PassContext,
  mail: MailOptions,
  kind: PreparedKind,
  stored: Stored,
): Promise<boolean> {
  const { deps, service, report, time } = context;
  const { clock } = deps;
  // All begin before the lease is asked for, so they are over before it is.
  const askedAt = clock.elapsed();
  const end = deadline(clock, durationMs(LEASE_MS - SETTLE_MS), [time.over]);
  try {
    const leaseToken = service.commands.freshToken();
    const command = { kind: "acquireDue", leaseMs: LEASE_MS, leaseToken } as const;
    const leased = await inTime(
      time,
      () => service.commands.runOn(stored, command),
      () => service.commands.runOn(stored, { ...NOT_WAITED_FOR, leaseToken }),
    );
    if (leased === null) {
      report.fail(idOf(stored), "store_timeout");
      report.more();
      return true;
    }
    // Somebody else was first.
    if (leased.kind !== "applied") return false;
    if (!isLeased(leased.job)) {
      report.count("failed");
      report.met("email.exhausted");
      return false;
    }
    const { job } = leased;
    const idempotencyKey = idempotencyKeyOf(deps.tenant, leased.email);
    const until = timeOf(job.leaseUntil);
    // No clock tells all: one stands still while the machine sleeps, the other may be set back.
    const leftMs = (): number =>
      Math.min(askedAt + LEASE_MS - clock.elapsed(), until - clock.now());
    const id = idOf(stored);
    const delivery = { context, mail, kind, job, idempotencyKey, id, end, leftMs };
    await settle(context, kind, job, await delivered(delivery));
    return false;
  } finally {
    end.stop();
  }
}

/** Of a lease that may have been taken while nobody waited for it any more. */
const NOT_WAITED_FOR = {
  kind: "giveBack",
  lastError: "not begun: the storage did not answer in time",
  isAtOnce: true,
} as const;

/**
 * What `ask` comes to; null when it takes too long for one job. `undo` is then done as soon as it has
 * ended, and also where it is not known whether it was done.
 */
async function inTime<T>(
  { clock, leastMs }: PassTime,
  ask: () => Promise<T>,
  undo: () => Promise<unknown>,
): Promise<T | null> {
  const limit = deadline(clock, leastMs);
  const asked = ask();
  try {
    const answer = await within({ clock, graceMs: NO_GRACE }, limit, () => asked);
    if (answer.kind === "answer") return answer.value;
    if (answer.kind === "thrown" && !isOf(answer.error, OutcomeUnknownError)) throw answer.error;
    // Nobody waits for it: what fails here is left to the end of the lease.
    void asked.then(undo, undo).catch(() => {});
    if (answer.kind === "thrown") throw answer.error;
    return null;
  } finally {
    limit.stop();
  }
}

export interface Delivery {
  readonly context: PassContext;
  readonly mail: MailOptions;
  readonly kind: PreparedKind;
  readonly job: LeasedJob;
  readonly idempotencyKey: string;
  /** How a failure names the job. */
  readonly id: string;
  /** When whatever still goes on is given up. */
  readonly end: Deadline;
  /** What is left of its lease for sure, in milliseconds; 0 or less: it may be another's by now. */
  readonly leftMs: () => number;
}

async function delivered(delivery: Delivery): Promise<DeliveryOutcome> {
  const { context } = delivery;
  const { clock } = context.deps;
  const early = hindrance(delivery);
  if (early !== null) return unbegun(delivery, early);
  const begunAt = clock.elapsed();
  const prepared = await preparation(delivery);
  if (prepared.kind !== "content" && prepared.kind !== "late") return prepared;
  // A process may stand still anywhere, so this is looked at last, with nothing awaited before the send.
  const hindered = hindrance(delivery) ?? (prepared.kind === "late" ? "out_of_time" : null);
  if (hindered === null && prepared.kind === "content") return mailed(delivery, prepared.content);
  const { leastMs, isStopped } = context.time;
  const hadItsTime = !isStopped() && clock.elapsed() - begunAt >= leastMs;
  // One that is always too slow must come to its end.
  if (hindered !== "lease_over" && hadItsTime) {
    return prepared.kind === "late"
      ? unprepared(delivery, "prepare_timeout", "it was not prepared in time")
      : unprepared(delivery, "out_of_time", "there was no time left to send it");
  }
  return unbegun(delivery, hindered ?? "out_of_time");
}

/** Why no send may begin now; null: one may. */
function hindrance({ context, leftMs }: Delivery): "lease_over" | "out_of_time" | null {
  if (leftMs() <= 0) return "lease_over";
  return leftMs() <= SEND_LEFT_MS || context.time.send.isOver() ? "out_of_time" : null;
}

/** The job is as it was: neither it nor what prepares it is to blame. */
function unbegun({ context, id }: Delivery, code: "lease_over" | "out_of_time"): DeliveryOutcome {
  // That somebody ended the pass is no failure.
  if (code === "lease_over" || !context.time.isStopped()) context.report.fail(id, code);
  return { kind: "unbegun", error: UNBEGUN_TEXTS[code] };
}

const UNBEGUN_TEXTS = {
  lease_over: "the lease was over before the mail was",
  out_of_time: "the time was up",
} as const;

type Prepared =
  | { readonly kind: "content"; readonly content: CheckedContent }
  | { readonly kind: "late" }
  | DeliveryOutcome;

async function preparation(delivery: Delivery): Promise<Prepared> {
  const { context, kind, job, end } = delivery;
  const { since, deps, time } = context;
  const { clock, tenant } = deps;
  const prepared = await within(time, end, (signal) =>
    context.suppress(job.recipient.trim().toLowerCase())
      ? null
      : kind.prepare(job, { signal, now: isoTime(clock.now()), since, tenant }),
  );
  if (prepared.kind === "late") return prepared;
  if (prepared.kind === "thrown") {
    const text = errorText(prepared.error, LAST_ERROR_CHARS_MAX);
    return unprepared(delivery, "prepare_failed", text);
  }
  const parsed = contentOf(prepared.value);
  if (!parsed.ok) {
    return unprepared(delivery, "invalid_content", INVALID_CONTENT + parsed.reason);
  }
  return parsed.content === null
    ? { kind: "invalid" }
    : { kind: "content", content: parsed.content };
}

/** An answer whose fields cannot even be read is none. */
function contentOf(answer: unknown): ReturnType<typeof parseContent> {
  try {
    return parseContent(answer);
  } catch {
    return { ok: false, reason: "the content cannot be read" };
  }
}

function unprepared(
  { context, id, job }: Delivery,
  code: PassFailureCode,
  error: string,
): DeliveryOutcome {
  context.report.fail(id, code, saidOf(error, job));
  return { kind: "unprepared", error };
}
