/** The one error of the client: what the service refused, or that it gave no answer. */
import type { ProblemCode, problemBody } from "../http/problem.ts";

/**
 * Beside the codes of the service. `network`: no answer came. `timeout`: none came in time. In both cases
 * the call may have been carried out, and repeating it does no harm. `unexpected_answer`: whatever
 * answered was not the service, or a part of it that the client does not know.
 */
export type ClientCode = "network" | "timeout" | "unexpected_answer";

/** The body of a problem answer (RFC 9457). Its `instance` names the path, and so may hold a logical key. */
export type ProblemBody = Readonly<ReturnType<typeof problemBody>>;

interface ErrorFields {
  readonly code: ProblemCode | ClientCode;
  readonly status: number | null;
  readonly detail: string;
  readonly problem?: ProblemBody;
  readonly requestId?: string;
  readonly retryAfterMs?: number | null;
}

/** Match on `code`. The message never holds a logical key, nor anything that was sent. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  /** Of the service's table, or one of the client's own. A newer service may have more codes. */
  readonly code: ProblemCode | ClientCode | (string & Record<never, never>);
  /** The answer's; null without an answer. */
  readonly status: number | null;
  readonly detail: string;
  /** Names the call in the service's log. */
  readonly requestId: string | null;
  /** After how many milliseconds the service wants to be asked again; null: it does not say. */
  readonly retryAfterMs: number | null;
  readonly #problem: ProblemBody | null;

  constructor({ code, status, detail, problem, requestId, retryAfterMs }: ErrorFields) {
    super(`${detail}${issuesOf(problem?.errors)} (${code})`);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.requestId = requestId ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.#problem = problem ?? null;
  }

  /** The whole body of a problem answer; not among what a logger prints of an error. */
  get problem(): ProblemBody | null {
    return this.#problem;
  }
}

/** Issues that the message repeats; the others are in `problem`. */
const ISSUES_TOLD_MAX = 3;

/** What answered may not be the service: a problem of another's may have anything there. */
function issuesOf(errors: unknown): string {
  const issues: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const told = issues.slice(0, ISSUES_TOLD_MAX).map((issue) => {
    const { path, message } = Object(issue) as Partial<Record<string, unknown>>;
    return typeof path === "string" && typeof message === "string" ? `; ${path}: ${message}` : "";
  });
  return told.join("");
}

/** For an answer that is not what the route answers. */
export function unexpected(detail: string, status = 200): HoldfastError {
  return new HoldfastError({ code: "unexpected_answer", status, detail });
}

/** For what cannot be sent: the service was not asked. */
export function invalid(detail: string): HoldfastError {
  return new HoldfastError({ code: "invalid_request", status: null, detail });
}
