/** The one moment in which something leaves: a mailer is asked, and whatever it does is made sense of. */
import { errorText } from "../../core/error-text.ts";
import type { CheckedContent } from "../../machines/emails/content.ts";
import { LAST_ERROR_CHARS_MAX } from "../../machines/emails/fields.ts";
import type { DeliveryOutcome } from "../../machines/emails/outcome.ts";
import { within } from "./deadline.ts";
import type { Delivery } from "./delivery.ts";
import type { PassFailureCode } from "./failure-texts.ts";

/** Never rejects. What a mailer does not say, or says too late, is not known. */
export async function mailed(
  delivery: Delivery,
  content: CheckedContent,
): Promise<DeliveryOutcome> {
  const { context, mail, job, end } = delivery;
  const message = { ...content, from: mail.from, to: job.recipient };
  const { tenant } = context.deps;
  // Two tenants may have a job of one key: to a provider they are two mails.
  const idempotencyKey = tenant === null ? job.logicalKey : `${tenant}/${job.logicalKey}`;
  const sent = await within(context.time, end, (signal) =>
    mail.mailer.send(message, { idempotencyKey, signal }),
  );
  if (sent.kind === "late") {
    return unknown(delivery, "mailer_timeout", "the mailer did not answer in time");
  }
  if (sent.kind === "thrown") {
    return unknown(delivery, "mailer_failed", errorText(sent.error, LAST_ERROR_CHARS_MAX));
  }
  return (
    outcomeOf(sent.value) ??
    unknown(delivery, "mailer_failed", "the mailer answered with no result")
  );
}

function unknown({ context, id }: Delivery, code: PassFailureCode, error: string): DeliveryOutcome {
  context.report.fail(id, code, error);
  return { kind: "unknown", error };
}

/** Null for what is no result: a mailer may be plain JavaScript. */
export function outcomeOf(result: unknown): DeliveryOutcome | null {
  try {
    const { kind, error, isUnavailable }: Partial<Record<string, unknown>> = Object(result);
    if (kind === "sent") return { kind };
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
