/** Tickets: they let a browser or a phone at one query job for a while, without a key (http-api, "Tickets"). */
import { hmacSha256 } from "../core/hash.ts";
import { base64Url } from "../core/ids.ts";
import { isSameText } from "../core/same-text.ts";
import { type EpochMs, epochMs } from "../core/time.ts";
import type { Principal } from "./keys.ts";
import type { Problem } from "./problem.ts";
import type { RawCall } from "./route.ts";

export interface Ticket {
  /** Null: the default tenant. */
  readonly tenant: string | null;
  /** In lower case. */
  readonly jobId: string;
  readonly generation: number;
  readonly expiresAt: EpochMs;
}

/** Nothing is stored of a ticket: whoever has the secret can tell whether one was given out. */
export interface Tickets {
  issue(ticket: Ticket): string;
  /** Null: none that was given out with this secret, or one that is over. */
  read(text: string): Ticket | null;
  now(): EpochMs;
}

/** Fewer than these of a good source could be guessed. */
export const SECRET_CHARS_MIN = 32;
export const SECRET_CHARS_MAX = 512;

/** Visible ASCII, so that no two ways to write it down differ. */
export function isTicketSecret(text: string): boolean {
  const { length } = text;
  return length >= SECRET_CHARS_MIN && length <= SECRET_CHARS_MAX && /^[\x21-\x7e]*$/.test(text);
}

export const SECRET_MUST_BE = `${SECRET_CHARS_MIN} to ${SECRET_CHARS_MAX} characters of visible ASCII`;

/** No key begins like it. A version of its own, since nothing else could tell two forms apart. */
const PREFIX = "hft1.";

const TICKET =
  /^(hft1\.([a-z0-9-]{0,63})\.([0-9a-f-]{36})\.([1-9]\d{0,15})\.(\d{1,16}))\.([\w-]{43})$/;

/** `secret` as isTicketSecret has it; `now` is the time that tickets go by. */
export function ticketOffice(secret: string, now: () => EpochMs): Tickets {
  const seal = (text: string): string => base64Url(hmacSha256(secret, text));
  return {
    issue({ tenant, jobId, generation, expiresAt }) {
      const text = `${PREFIX}${tenant ?? ""}.${jobId}.${generation}.${expiresAt}`;
      return `${text}.${seal(text)}`;
    },
    read(given) {
      const found = TICKET.exec(given);
      if (found === null) return null;
      const [, text = "", tenant = "", jobId = "", generation, expires, given43 = ""] = found;
      // As texts: the last character of one has bits that no byte is made of.
      if (!isSameText(given43, seal(text))) return null;
      const expiresAt = epochMs(Number(expires));
      if (expiresAt <= now()) return null;
      return {
        tenant: tenant === "" ? null : tenant,
        jobId,
        generation: Number(generation),
        expiresAt,
      };
    },
    now,
  };
}

/** Whether `text` has the form of a ticket, which says nothing about whether it is good. */
export function isTicket(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Whom a ticket stands for, on the routes that it is good for. */
export function ticketHolder({ tenant }: Ticket): Principal {
  return { keyId: "ticket", tenant, scopes: ["queries:read", "queries:write"] };
}

/** By their ids: what a ticket is good for, and nothing else ever. */
const TICKET_ROUTES: readonly string[] = [
  "readQuery",
  "readQueryEvents",
  "cancelQuery",
  "acknowledgeQuery",
];

export function isForTickets({ id }: { readonly id: string }): boolean {
  return TICKET_ROUTES.includes(id);
}

export const BEYOND_TICKETS: Problem = {
  code: "forbidden",
  detail:
    "a ticket is good for reading, following, cancelling and acknowledging its own job: use a key",
};

/** What is wrong with a call of such a route by `ticket`; null: nothing. */
export function beyondTicket(
  ticket: Ticket,
  { params, query, json }: Pick<RawCall, "params" | "query" | "json">,
): Problem | null {
  const isOwnJob = params["jobId"]?.toLowerCase() === ticket.jobId;
  const given = [query["generation"], Object(json)["generation"]].filter(
    (one) => one !== undefined,
  );
  const isOwn = given.length > 0 && given.every((one) => String(one) === `${ticket.generation}`);
  if (isOwnJob && isOwn) return null;
  const detail = isOwnJob
    ? `the ticket is good for one generation of its job only: send generation ${ticket.generation}`
    : "the ticket is good for another job: ask for one of this job";
  return { code: "forbidden", detail };
}
