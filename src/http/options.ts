/** What the HTTP service is made with. */
import { issuesOf } from "../core/issues.ts";
import { safeParse } from "../core/safe-parse.ts";
import type { Log } from "../ports/log.ts";
import { InvalidInputError } from "../services/errors.ts";
import type { AccessOptions } from "./access.ts";
import { keyEntries } from "./keys.ts";
import type { Counts } from "./metrics.ts";
import { isTicketSecret, SECRET_MUST_BE } from "./tickets.ts";

export interface HttpOptions extends AccessOptions {
  /** Where the service is reached from outside, such as `https://jobs.example.com`; for links. */
  readonly publicUrl?: string;
  /** One line for every request. */
  readonly log?: Log;
  /** Aborted when the process is to end: passes that requests asked for end early, and are answered. */
  readonly stopping?: AbortSignal;
  /**
   * What this process counted, of all tenants together: served at `/v1/metrics` to keys of the default
   * tenant with the scope `ops`. Left out where a process lives for one request.
   */
  readonly counts?: Counts;
  /**
   * Makes tickets for browsers and phones, and tells them from others: 32 to 512 characters of visible
   * ASCII, random ones, the same in every process of a service. Without it there are no tickets.
   */
  readonly secret?: string;
  /**
   * How long an event stream lasts before its reader is told to connect again, in milliseconds: 1 to
   * 86,400,000, default 900,000. Less than what the platform gives one answer.
   */
  readonly rotationMs?: number;
}

/** Long enough to cost little, and short enough for proxies and for what balances load. */
export const ROTATION_MS = 900_000;
const ROTATION_MS_MAX = 86_400_000;

/** Throws InvalidInputError for options that cannot be meant. */
export function checkOptions(options: HttpOptions): void {
  const { keys = [], open = false, secret, rotationMs = ROTATION_MS } = options;
  const checked = safeParse(keyEntries, keys);
  if (!checked.success) throw new InvalidInputError(issuesOf(checked.error));
  if (open && keys.length > 0) {
    throw new InvalidInputError([{ path: "open", message: "must not be set beside keys" }]);
  }
  if (secret !== undefined && !isTicketSecret(secret)) {
    throw new InvalidInputError([{ path: "secret", message: `must be ${SECRET_MUST_BE}` }]);
  }
  if (!Number.isInteger(rotationMs) || rotationMs < 1 || rotationMs > ROTATION_MS_MAX) {
    const message = "must be a whole number of milliseconds, 1 to 86,400,000";
    throw new InvalidInputError([{ path: "rotationMs", message }]);
  }
}

export function corsOptions(origins: readonly string[]) {
  return {
    origin: [...origins],
    allowMethods: ["GET", "HEAD", "POST", "PUT"],
    allowHeaders: ["authorization", "content-type", "x-request-id", "last-event-id"],
    exposeHeaders: ["x-request-id", "retry-after"],
    maxAge: 600,
  };
}
