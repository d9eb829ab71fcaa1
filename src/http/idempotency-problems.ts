/** How the Idempotency-Key middleware refuses: problems as the service's own, with codes beside theirs. */
import { InvalidInputError } from "../services/errors.ts";
import {
  OperationReceiptConflictError,
  OperationReceiptInFlightError,
  OperationReceiptOutcomeUnknownError,
  OperationReceiptResolvedError,
} from "../services/receipt-errors.ts";
import type { Answer } from "./kept-response.ts";
import { problemBody, problemOf } from "./problem.ts";

/** Names the codes. The application whose route it is has no page that explains them. */
const TYPES = "urn:holdfast:problems";

/** Milliseconds after which an identical request may be through. */
const IN_FLIGHT_RETRY_MS = 1_000;

/** Beside those of the service itself. */
const REFUSALS = {
  idempotency_key_missing: {
    status: 400,
    title: "The request needs a key",
    detail: "send Idempotency-Key, fresh for each operation and the same for its repeats",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "The key is not valid",
    detail: "Idempotency-Key must be 1 to 255 printable ASCII characters",
  },
  body_too_large: {
    status: 413,
    title: "The body is too large",
    detail: "a request with Idempotency-Key has at most 1,048,576 bytes",
  },
  idempotency_key_conflict: {
    status: 422,
    title: "The key belongs to another request",
    detail: "the same Idempotency-Key came with another method, path, query or body",
  },
  operation_in_flight: {
    status: 409,
    title: "The same request is still running",
    detail: "an identical request has not been answered yet; nothing was done by this one",
  },
  operation_outcome_unknown: {
    status: 409,
    title: "The outcome is not known",
    detail: "the request was begun, and what came of it is not known; it is not run again",
  },
  already_resolved: {
    status: 409,
    title: "A person's answer stands",
    detail: "the request did not come to its end, as a person has found out; use a new key",
  },
  response_not_kept: {
    status: 409,
    title: "The response was not kept",
    detail:
      "the request was carried out; its response was too large, or a stream, to be sent again",
  },
} as const;

interface Beside {
  readonly retryAfterMs?: number;
  readonly receiptId?: string;
  readonly outcome?: string;
}

/** `instance`: the path that was asked for. */
export function refusal(
  code: keyof typeof REFUSALS,
  instance: string,
  beside: Beside = {},
): Answer {
  const { status, title, detail } = REFUSALS[code];
  return told({ type: `${TYPES}#${code}`, title, status, detail, instance, code, ...beside });
}

/** Null: neither the service's refusal nor its storage's fault, so the application is to hear of it. */
export function refusalOf(error: unknown, instance: string): Answer | null {
  if (error instanceof OperationReceiptConflictError) {
    return refusal("idempotency_key_conflict", instance);
  }
  if (error instanceof OperationReceiptInFlightError) {
    return refusal("operation_in_flight", instance, { retryAfterMs: IN_FLIGHT_RETRY_MS });
  }
  if (error instanceof OperationReceiptOutcomeUnknownError) {
    return refusal("operation_outcome_unknown", instance, { receiptId: error.receiptId });
  }
  if (error instanceof OperationReceiptResolvedError) {
    return refusal("already_resolved", instance, { outcome: error.resolution.outcome });
  }
  // Everything that is checked was made here or by the application, none of it by the client.
  if (error instanceof InvalidInputError) return null;
  const problem = problemOf(error);
  return problem.code === "internal_error" ? null : told(problemBody(problem, instance, TYPES));
}

interface ProblemBody {
  readonly status: number;
  readonly retryAfterMs?: number;
}

function told<B extends ProblemBody>(body: B): Answer {
  const { status, retryAfterMs } = body;
  const type = ["content-type", "application/problem+json"] as const;
  const headers =
    retryAfterMs === undefined
      ? [type]
      : [type, ["retry-after", String(Math.ceil(retryAfterMs / 1_000))] as const];
  return { status, headers, body: JSON.stringify(body) };
}
