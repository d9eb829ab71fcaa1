/** How a delivery ended, and what becomes of its job. */
import { assert, unreachable } from "../../core/assert.ts";
import type { GiveBack, Settle } from "./commands.ts";
import { LAST_ERROR_CHARS_MAX } from "./fields.ts";
import type { EmailKind } from "./kinds.ts";

/**
 * `invalid`: not to be sent any more. `unprepared`: not sent, since it could not be validated or
 * rendered, or not in time. `unavailable`: the mailer is not there, so nothing of the mail was tried.
 * `unbegun`: neither was it for want of time. The others as a mailer says them.
 */
export type DeliveryOutcome =
  | { readonly kind: "sent" | "invalid" }
  | {
      readonly kind: "unprepared" | "unavailable" | "unbegun" | "retry" | "permanent" | "unknown";
      readonly error: string;
    };

/** How the lease of a delivery ends, but for its token. Without `lastError` nothing went wrong. */
export type Settlement = Omit<Settle, "leaseToken"> | Omit<GiveBack, "leaseToken">;

/** Stands before the error of a send that may or may not have happened. */
export const UNKNOWN = "outcome unknown: ";

/** Stands before the error of a send that was not tried, for no fault of the mail. */
const UNAVAILABLE = "mailer unavailable: ";

/** Stands before the reason why a send was not begun. */
const UNBEGUN = "not begun: ";

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
      return { kind: "settle", to: "sent" };
    case "invalid":
      return { kind: "settle", to: "cancelled" };
    case "unavailable":
      return { kind: "giveBack", lastError: cut(UNAVAILABLE + outcome.error) };
    case "unbegun":
      return { kind: "giveBack", lastError: cut(UNBEGUN + outcome.error), isAtOnce: true };
    case "unprepared":
    case "retry":
      return { kind: "settle", to: again, lastError: cut(outcome.error) };
    case "permanent":
      return { kind: "settle", to: "failed", lastError: cut(outcome.error) };
    case "unknown":
      return {
        kind: "settle",
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
