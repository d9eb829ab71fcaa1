/** Who asks, and whether they may: keys, the owner of a folder, and a service that is open to this host. */
import { isSameText } from "../core/same-text.ts";
import type { KeyEntry, KeyRing, Principal } from "./keys.ts";
import { keyRing } from "./keys.ts";
import type { Problem } from "./problem.ts";
import { isTicket, type Ticket, type Tickets, ticketHolder } from "./tickets.ts";

export interface AccessOptions {
  /** Whoever presents one of these may do what its scopes say. */
  readonly keys?: readonly KeyEntry[];
  /**
   * Everybody may do everything to the default tenant, without a key: for a server that only this host
   * can reach. Requests that a browser sends for another site are refused. Not together with `keys`.
   */
  readonly open?: boolean;
  /** Lets the command line in beside the keys: into any tenant, with every scope, from this host only. */
  readonly owner?: {
    readonly secret: string;
    /** Whether the request came from this host; `env` is what the runtime gave to the app's `fetch`. */
    readonly isLocal: (env: unknown) => boolean;
  };
  /** Exact origins that browsers may use the service from; none by default. */
  readonly corsOrigins?: readonly string[];
}

export interface Allowed {
  readonly ok: true;
  readonly caller: Principal;
  /** What let the caller in; null: a key, or that nobody needs one. */
  readonly ticket: Ticket | null;
}

export type Access = Allowed | { readonly ok: false; readonly problem: Problem };

/** Judges one request by its headers, and by the ticket in its query. */
export type Judge = (request: Request, env: unknown) => Access;

/** The parameter that a ticket may come in, where a browser sets no headers: no route sees it. */
export const TICKET_PARAMETER = "ticket";

/** Names the tenant that the owner's command line works for. */
export const TENANT_HEADER = "holdfast-tenant";

const NO_KEYS: Problem = {
  code: "misconfigured",
  detail: "there are no keys, so nobody can be let in: give http() its keys (HOLDFAST_KEYS)",
};

const NO_VALID_KEY: Problem = {
  code: "unauthorized",
  detail: "send Authorization: Bearer and a key of this service",
  headers: { "www-authenticate": "Bearer" },
};

const NO_VALID_TICKET: Problem = {
  code: "unauthorized",
  detail:
    "the ticket is over, or not one of this service: ask for another with POST /v1/query-jobs/{jobId}/tickets",
  headers: { "www-authenticate": "Bearer" },
};

/** `tickets`: null where the service has no secret for them, so that none is good. */
export function accessJudge(options: AccessOptions, tickets: Tickets | null): Judge {
  const { keys = [], open = false, owner, corsOrigins = [] } = options;
  const ring = keyRing(keys);
  return (request, env) => {
    const presented = bearerOf(request);
    if (owner !== undefined && presented !== null && isSameText(presented, owner.secret)) {
      return owner.isLocal(env) ? asOwner(request) : refused(NO_VALID_KEY);
    }
    if (request.headers.get(TENANT_HEADER) !== null) {
      return forbidden(`${TENANT_HEADER} is for the command line: a key has its own tenant`);
    }
    const ticket = ticketOf(request, presented);
    if (ticket !== null) return byTicket(tickets?.read(ticket) ?? null);
    if (open) return asAnybody(request, corsOrigins);
    return byKey(ring, presented);
  };
}

function byTicket(ticket: Ticket | null): Access {
  if (ticket === null) return refused(NO_VALID_TICKET);
  return { ok: true, caller: ticketHolder(ticket), ticket };
}

/** What was presented as a ticket; null: nothing. A key stands in a header only. */
function ticketOf({ url }: Request, presented: string | null): string | null {
  if (presented !== null) return isTicket(presented) ? presented : null;
  const at = url.indexOf("?");
  return at < 0 ? null : new URLSearchParams(url.slice(at + 1)).get(TICKET_PARAMETER);
}

function byKey(ring: KeyRing, presented: string | null): Access {
  if (ring.size === 0) return refused(NO_KEYS);
  const caller = presented === null ? null : ring.check(presented);
  return caller === null ? refused(NO_VALID_KEY) : allowed(caller);
}

function asOwner(request: Request): Access {
  const tenant = request.headers.get(TENANT_HEADER);
  return allowed({ keyId: "owner", tenant, scopes: ["*"] });
}

/**
 * A page of any site can make the browser of this host send requests here. The browser names the page's
 * origin, and the name that it looked up stands in the host: both must be ours.
 */
function asAnybody(request: Request, corsOrigins: readonly string[]): Access {
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  if (url === null || !isLoopbackName(url.hostname)) {
    return forbidden(
      "without keys (HOLDFAST_KEYS) only requests to a loopback address are answered",
    );
  }
  const { protocol, host } = url;
  // A proxy of this host may let the whole world in here; most of them say so.
  if (FORWARDED.some((name) => request.headers.get(name) !== null)) {
    return forbidden(
      "without keys nothing that a proxy passes on is answered: give http() its keys (HOLDFAST_KEYS)",
    );
  }
  const origin = request.headers.get("origin");
  if (origin === null && request.headers.get("sec-fetch-site") === "cross-site") {
    return forbidden("without keys nothing that another site's page asks for is answered");
  }
  if (origin !== null && origin !== `${protocol}//${host}` && !corsOrigins.includes(origin)) {
    return forbidden(
      "without keys only pages of this service and of HOLDFAST_CORS_ORIGINS may ask",
    );
  }
  return allowed({ keyId: "anybody", tenant: null, scopes: ["*"] });
}

const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-real-ip",
  "cf-connecting-ip",
];

/** Whether a host name can only mean this host. */
function isLoopbackName(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

function bearerOf(request: Request): string | null {
  const header = request.headers.get("authorization");
  if (header === null || !/^bearer /i.test(header)) return null;
  return header.slice("bearer ".length).trim();
}

function allowed(caller: Principal): Access {
  return { ok: true, caller, ticket: null };
}

function refused(problem: Problem): Access {
  return { ok: false, problem };
}

function forbidden(detail: string): Access {
  return refused({ code: "forbidden", detail });
}
