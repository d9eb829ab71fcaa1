/** One delivery: lease, validate and render, send, settle. */
import { errorText } from "../../core/error-text.ts";
import { durationMs, isoTime, minutes } from "../../core/time.ts";
import {
  type CheckedContent,
  INVALID_CONTENT,
  type PrepareEmail,
  parseContent,
} from "../../machines/emails/content.ts";
import { LAST_ERROR_CHARS_MAX, timeOf } from "../../machines/emails/fields.ts";
import type { EmailKind } from "../../machines/emails/kinds.ts";
import type { DeliveryOutcome } from "../../machines/emails/outcome.ts";
import type { Stored } from "../../store/store.ts";
import type { MailOptions } from "../app.ts";
import { isLeased } from "../email-commands.ts";
import type { LeasedJob } from "../emails.ts";
import { idOf, type PassContext } from "./context.ts";
import { type Deadline, deadline, within } from "./deadline.ts";
import type { PassFailureCode } from "./failure-texts.ts";
import { mailed } from "./mail.ts";
import { settle } from "./settle.ts";
import { SEND_MS_MIN } from "./time.ts";

/** As long as the original's (semantics A6). */
const LEASE_MS = minutes(2);

/** What is left of a lease when its send must be over: the settlement may take a command's time. */
const SETTLE_MS = 15_000;

/** What is left of a lease, by the clock that tells less, when no send begins any more. */
const SEND_LEFT_MS = SETTLE_MS + SEND_MS_MIN;

/** A kind that the pass can deliver. */
export type PreparedKind = EmailKind & { readonly prepare: PrepareEmail };

/**
 * Leases the job of `stored` if it is due, and brings its attempt to an end, whatever mailer and kind
 * do. A job whose attempts are used up is failed instead (EMAIL-81). Throws the store's faults before
 * anything is sent.
 */
export async function leaseAndDeliver(
  context: PassContext,
  mail: MailOptions,
  kind: PreparedKind,
  stored: Stored,
): Promise<void> {
  const { deps, service, report, time } = context;
  const { clock } = deps;
  // Both begin before the lease is asked for, so they are over before it is.
  const askedAt = clock.elapsed();
  const end = deadline(clock, durationMs(LEASE_MS - SETTLE_MS), [time.over]);
  try {
    const leaseToken = service.commands.freshToken();
    const command = { kind: "acquireDue", leaseMs: LEASE_MS, leaseToken } as const;
    const leased = await service.commands.runOn(stored, command);
    // Somebody else was first.
    if (leased.kind !== "applied") return;
    if (!isLeased(leased.job)) {
      report.count("failed");
      return;
    }
    const { job } = leased;
    const until = timeOf(job.leaseUntil);
    // No clock tells all: one stands still while the machine sleeps, the other may be set back.
    const leftMs = (): number =>
      Math.min(askedAt + LEASE_MS - clock.elapsed(), until - clock.now());
    const outcome = await delivered({ context, mail, kind, job, id: idOf(stored), end, leftMs });
    if (outcome !== null) await settle(context, kind, job, outcome);
  } finally {
    end.stop();
  }
}

export interface Delivery {
  readonly context: PassContext;
  readonly mail: MailOptions;
  readonly kind: PreparedKind;
  readonly job: LeasedJob;
  /** How a failure names the job. */
  readonly id: string;
  /** When whatever still goes on is given up. */
  readonly end: Deadline;
  /** What is left of its lease for sure, in milliseconds; 0 or less: it may be another's by now. */
  readonly leftMs: () => number;
}

/** Null: its lease was over before anything was sent, so it is left to whoever takes it next. */
async function delivered(delivery: Delivery): Promise<DeliveryOutcome | null> {
  if (isLeaseOver(delivery)) return null;
  const prepared = await preparation(delivery);
  if (prepared.kind !== "content") return prepared;
  // A process may stand still anywhere, so this is looked at last, with nothing awaited before the send.
  if (isLeaseOver(delivery)) return null;
  if (delivery.leftMs() <= SEND_LEFT_MS || delivery.context.time.send.isOver()) {
    return unprepared(delivery, "out_of_time", "there was no time left to send it");
  }
  return mailed(delivery, prepared.content);
}

function isLeaseOver({ context, id, leftMs }: Delivery): boolean {
  if (leftMs() > 0) return false;
  context.report.fail(id, "lease_over");
  return true;
}

type Prepared = { readonly kind: "content"; readonly content: CheckedContent } | DeliveryOutcome;

async function preparation(delivery: Delivery): Promise<Prepared> {
  const { context, kind, job, end } = delivery;
  const { since, deps, time } = context;
  const { clock, tenant } = deps;
  const prepared = await within(time, end, (signal) =>
    context.suppress(job.recipient.trim().toLowerCase())
      ? null
      : kind.prepare(job, { signal, now: isoTime(clock.now()), since, tenant }),
  );
  if (prepared.kind === "late") {
    return unprepared(delivery, "prepare_timeout", "it was not prepared in time");
  }
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
  { context, id }: Delivery,
  code: PassFailureCode,
  error: string,
): DeliveryOutcome {
  context.report.fail(id, code, error);
  return { kind: "unprepared", error };
}
