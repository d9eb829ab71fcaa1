/** The one moment in which something leaves: a mailer is asked, and whatever it does is made sense of. */
import { errorText } from "../../core/error-text.ts";
import { durationMs } from "../../core/time.ts";
import type { CheckedContent } from "../../machines/emails/content.ts";
import { LAST_ERROR_CHARS_MAX } from "../../machines/emails/fields.ts";
import type { DeliveryOutcome } from "../../machines/emails/outcome.ts";
import { deadline, within } from "./deadline.ts";
import { type Delivery, SEND_LEFT_MS } from "./delivery.ts";
import type { PassFailureCode } from "./failure-texts.ts";
import { saidOf } from "./said.ts";

/** Never rejects. What a mailer does not say, or says too late, is not known. */
export async function mailed(
  delivery: Delivery,
  content: CheckedContent,
): Promise<DeliveryOutcome> {
  const { context, mail, job, idempotencyKey, end, leftMs } = delivery;
  const { time } = context;
  const message = { ...content, from: mail.from, to: job.recipient };
  const told = { ...content, idempotencyKey };
  const left = durationMs(Math.max(0, Math.floor(leftMs()) - SEND_LEFT_MS));
  const begun = deadline(time.clock, left, [time.send]);
  const unbegun = new AbortController();
  begun.onOver(() => unbegun.abort());
  const sent = await within(time, end, (signal) =>
    mail.mailer.send(message, { idempotencyKey, signal, beginSignal: unbegun.signal }),
  );
  begun.stop();
  if (sent.kind === "late") {
    return unknown(delivery, "mailer_timeout", "the mailer did not answer in time");
  }
  if (sent.kind === "thrown") {
    const error = errorText(sent.error, LAST_ERROR_CHARS_MAX);
    context.report.fail(delivery.id, "mailer_failed", saidOf(error, job, told));
    return { kind: "unknown", error };
  }
  const outcome = outcomeOf(sent.value);
  if (outcome === null) {
    return unknown(delivery, "mailer_failed", "the mailer answered with no result");
  }
  if (outcome.kind === "unavailable") {
    // Of the mailer, whoever's mail it was: nothing of this one belongs into it.
    const error = saidOf(outcome.error, job, told);
    // Whoever is stopped while it waits or connects may say so, too, which tells nothing of the mailer.
    return { kind: unbegun.signal.aborted ? "unbegun" : "unavailable", error };
  }
  return outcome;
}

function unknown({ context, id }: Delivery, code: PassFailureCode, error: string): DeliveryOutcome {
  context.report.fail(id, code, error);
  return { kind: "unknown", error };
}

/** Null for what is no result: a mailer may be plain JavaScript. */
export function outcomeOf(result: unknown): DeliveryOutcome | null {
  try {
    const { kind, error, isUnavailable, isUnbegun }: Partial<Record<string, unknown>> =
      Object(result);
    if (kind === "sent") return { kind };
    if (kind === "retry" && isUnbegun === true) {
      return { kind: "unbegun", error: errorText(error, LAST_ERROR_CHARS_MAX) };
    }
    if (kind === "retry" && isUnavailable === true) {
      return { kind: "unavailable", error: errorText(error, LAST_ERROR_CHARS_MAX) };
    }
    if (kind === "retry" || kind === "permanent" || kind === "unknown") {
      return { kind, error: errorText(error, LAST_ERROR_CHARS_MAX) };
    }
  } catch {
    // Its fields cannot be read.
  }
  return null;
}
