/** How a delivery ended, and what becomes of its job. */
import { assert, unreachable } from "../../core/assert.ts";
import { LAST_ERROR_CHARS_MAX, type SettledState } from "./fields.ts";
import type { EmailKind } from "./kinds.ts";

/**
 * `invalid`: not to be sent any more. `unprepared`: not sent, since it could not be validated or
 * rendered, or since there was no time left. The others as a mailer says them.
 */
export type DeliveryOutcome =
  | { readonly kind: "sent" | "invalid" }
  | { readonly kind: "unprepared" | "retry" | "permanent" | "unknown"; readonly error: string };

export interface Settlement {
  readonly to: SettledState;
  /** Null: nothing went wrong. */
  readonly lastError: string | null;
}

/** Stands before the error of a send that may or may not have happened. */
export const UNKNOWN = "outcome unknown: ";

/** Of a job that was leased for the attempt number `attempts` (EMAIL-79, EMAIL-80). */
export function settlementOf(
  outcome: DeliveryOutcome,
  attempts: number,
  kind: Pick<EmailKind, "maxAttempts" | "unknown">,
): Settlement {
  assert(attempts >= 1, "a delivery without an attempt");
  const again = attempts < kind.maxAttempts ? "ready" : "failed";
  switch (outcome.kind) {
    case "sent":
      return { to: "sent", lastError: null };
    case "invalid":
      return { to: "cancelled", lastError: null };
    case "unprepared":
    case "retry":
      return { to: again, lastError: cut(outcome.error) };
    case "permanent":
      return { to: "failed", lastError: cut(outcome.error) };
    case "unknown":
      return {
        to: kind.unknown === "fail" ? "failed" : again,
        lastError: cut(UNKNOWN + outcome.error),
      };
    default:
      return unreachable(outcome);
  }
}

function cut(text: string): string {
  return text.slice(0, LAST_ERROR_CHARS_MAX).toWellFormed();
}
