/** Who asks, and whether they may: keys, the owner of a folder, and a service that is open to this host. */
import type { KeyEntry, KeyRing, Principal } from "./keys.ts";
import { keyRing } from "./keys.ts";
import type { Problem } from "./problem.ts";

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

export type Access =
  | { readonly ok: true; readonly caller: Principal }
  | { readonly ok: false; readonly problem: Problem };

/** Judges one request by its headers. */
export type Judge = (request: Request, env: unknown) => Access;

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

export function accessJudge(options: AccessOptions): Judge {
  const { keys = [], open = false, owner, corsOrigins = [] } = options;
  const ring = keyRing(keys);
  return (request, env) => {
    const presented = bearerOf(request);
    if (owner !== undefined && presented !== null && isSecret(presented, owner.secret)) {
      return owner.isLocal(env) ? asOwner(request) : refused(NO_VALID_KEY);
    }
    if (request.headers.get(TENANT_HEADER) !== null) {
      return forbidden(`${TENANT_HEADER} is for the command line: a key has its own tenant`);
    }
    if (open) return asAnybody(request, corsOrigins);
    return byKey(ring, presented);
  };
}

function byKey(ring: KeyRing, presented: string | null): Access {
  if (ring.size === 0) return refused(NO_KEYS);
  const caller = presented === null ? null : ring.check(presented);
  return caller === null ? refused(NO_VALID_KEY) : { ok: true, caller };
}

function asOwner(request: Request): Access {
  const tenant = request.headers.get(TENANT_HEADER);
  return { ok: true, caller: { keyId: "owner", tenant, scopes: ["*"] } };
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
  return { ok: true, caller: { keyId: "anybody", tenant: null, scopes: ["*"] } };
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

function isSecret(presented: string, secret: string): boolean {
  // Every character is looked at: an early end would tell how many of them were right.
  let difference = presented.length ^ secret.length;
  for (let index = 0; index < secret.length; index += 1) {
    difference |= presented.charCodeAt(index) ^ secret.charCodeAt(index);
  }
  return difference === 0;
}

function refused(problem: Problem): Access {
  return { ok: false, problem };
}

function forbidden(detail: string): Access {
  return refused({ code: "forbidden", detail });
}
