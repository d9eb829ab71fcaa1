/** The email calls: one for each route, under the names of the library where it has them. */
import type { Call, CallRequest } from "./call.ts";
import { invalid, unexpected } from "./errors.ts";
import type { CallOptions, EmailRoutes, Job, RouteAnswer, RouteBody, RouteQuery } from "./types.ts";
import { hexOf, uuid } from "./wire.ts";

type Body<R extends keyof EmailRoutes> = RouteBody<EmailRoutes[R]>;
type Answer<R extends keyof EmailRoutes> = Promise<RouteAnswer<EmailRoutes[R]>>;
type ListQuery = RouteQuery<EmailRoutes["list"]>;

/**
 * `key` is the logical key as it was enqueued, or `sha256:` and its digest, as `stuck` tells it. Spaces
 * around it are trimmed, as enqueueing trims them: the service itself would find nothing under such a key.
 * Every call throws HoldfastError; `job_not_found`, `job_expired` and `record_corrupt` are possible
 * wherever there is a key.
 */
export interface EmailsClient {
  /** Creates the job of a logical key once; later calls answer the stored job. Throws `job_payload_conflict`. */
  enqueue(body: Body<"enqueue">, options?: CallOptions): Answer<"enqueue">;
  /** 1 to 100 items, each with the verdict that it would have alone. */
  enqueueBatch(
    body: { readonly jobs: readonly Body<"enqueue">[] } & Body<"enqueueBatch">,
    options?: CallOptions,
  ): Answer<"enqueueBatch">;
  /** The recipient's first-import job, turned to this recording where it still can. */
  enqueueFirstImport(body: Body<"firstImport">, options?: CallOptions): Answer<"firstImport">;
  /** One page; it may be short, even empty, and have a `nextCursor`. */
  list(query?: ListQuery, options?: CallOptions): Answer<"list">;
  /**
   * All jobs, page after page of `limit`; the options are each page's own. What cannot be read is left
   * out: `list` tells it. Throws `unexpected_answer` for pages that lead back to one of them.
   */
  listAll(query?: Omit<ListQuery, "cursor">, options?: CallOptions): AsyncGenerator<Job, void>;
  read(key: string, options?: CallOptions): Answer<"read">;
  /** A move that needs no credential. Throws `state_mismatch`, `invalid_transition`. */
  transition(key: string, body: Body<"transition">, options?: CallOptions): Answer<"transition">;
  /** Throws `not_claimable`. */
  claim(key: string, body: Body<"claim">, options?: CallOptions): Answer<"claim">;
  /** Takes over a stale claim. Throws `not_claimable`. */
  reclaim(key: string, body: Body<"reclaim">, options?: CallOptions): Answer<"reclaim">;
  /** Hands in the text. Throws `claim_lost`. */
  complete(key: string, body: Body<"complete">, options?: CallOptions): Answer<"complete">;
  /** Throws `claim_lost`. */
  release(key: string, body: Body<"release">, options?: CallOptions): Answer<"release">;
  /** Claims what has waited longest; null when nothing waits. */
  claimNext(body: Body<"claimNext">, options?: CallOptions): Answer<"claimNext">;
  /**
   * Leases one job, due or not. Without a `requestId` in its body it has one of its own, so that its
   * retries get the lease of an attempt whose answer was lost. Throws `not_leasable`.
   */
  lease(key: string, body: Body<"lease">, options?: CallOptions): Answer<"lease">;
  /** Up to `limit` jobs that are due, oldest first. A lost answer costs its jobs one lease time. */
  leaseDue(body: Body<"leaseDue">, options?: CallOptions): Answer<"leaseDue">;
  /** A new end of the lease, counted from now. Throws `lease_lost`. */
  extend(key: string, body: Body<"extend">, options?: CallOptions): Answer<"extend">;
  /** Ends a lease; the same again is answered as before. Throws `lease_lost`. */
  settle(key: string, body: Body<"settle">, options?: CallOptions): Answer<"settle">;
  /** A failed job's new life. Throws `state_mismatch`. */
  requeue(key: string, options?: CallOptions): Answer<"requeue">;
  /** Throws `config_not_found`. */
  readConfig(options?: CallOptions): Answer<"readConfig">;
  ensureConfig(options?: CallOptions): Answer<"ensureConfig">;
  /** Throws `config_not_found`, `cursor_not_found`. */
  setCursor(name: string, body: Body<"setCursor">, options?: CallOptions): Answer<"setCursor">;
}

export function emailsClient(call: Call): EmailsClient {
  const post = <T>(path: string, body: unknown, options?: CallOptions) =>
    call<T>({ method: "POST", path, body }, options);

  async function onJob<T>(key: string, verb: string, body: unknown, options?: CallOptions) {
    return post<T>(`/v1/emails/${await keySegment(key)}/${verb}`, body, options);
  }

  const list: EmailsClient["list"] = (query, options) =>
    call(get(`/v1/emails${queryText(query)}`), options);

  async function* listAll(
    query?: Omit<ListQuery, "cursor">,
    options?: CallOptions,
  ): AsyncGenerator<Job, void> {
    let cursor: string | null = null;
    // Pages that lead round in a circle would be read for ever. One cursor is remembered, a later one each
    // time the walk has doubled: any circle comes back to one of them, however long the walk is.
    let mark: string | null = null;
    for (let pages = 1; ; pages += 1) {
      const from: ListQuery = cursor === null ? { ...query } : { ...query, cursor };
      const page = await list(from, options);
      if (!isPage(Object(page))) throw unexpected("the answer is no page of jobs");
      yield* page.jobs;
      cursor = page.nextCursor;
      if (cursor === null) return;
      if (cursor === mark) throw unexpected("the pages lead in a circle");
      if ((pages & (pages - 1)) === 0) mark = cursor;
    }
  }

  return {
    enqueue: (body, options) => post("/v1/emails", body, options),
    enqueueBatch: (body, options) => post("/v1/email-batches", body, options),
    enqueueFirstImport: (body, options) => post("/v1/emails/first-imports", body, options),
    list,
    listAll,
    read: async (key, options) => call(get(`/v1/emails/${await keySegment(key)}`), options),
    transition: (key, body, options) => onJob(key, "transitions", body, options),
    claim: (key, body, options) => onJob(key, "ai-claims", body, options),
    reclaim: (key, body, options) => onJob(key, "ai-reclaims", body, options),
    complete: (key, body, options) => onJob(key, "ai-completions", body, options),
    release: (key, body, options) => onJob(key, "ai-releases", body, options),
    claimNext: (body, options) => post("/v1/email-ai-claims", body, options),
    lease: (key, body, options) => {
      const { requestId = uuid(), ...rest } = body;
      return onJob(key, "leases", { ...rest, requestId }, options);
    },
    leaseDue: (body, options) => post("/v1/email-leases", body, options),
    extend: (key, body, options) => onJob(key, "lease-extensions", body, options),
    settle: (key, body, options) => onJob(key, "settlements", body, options),
    requeue: (key, options) => onJob(key, "requeues", undefined, options),
    readConfig: (options) => call(get("/v1/email-config"), options),
    ensureConfig: (options) => call({ method: "PUT", path: "/v1/email-config" }, options),
    setCursor: async (name, body, options) => {
      const path = `/v1/email-config/cursors/${await keySegment(name)}`;
      return call({ method: "PUT", path, body }, options);
    },
  };
}

export function get(path: string): CallRequest {
  return { method: "GET", path };
}

/** With its question mark; empty without parameters. */
export function queryText(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function isPage({ jobs, nextCursor }: { jobs?: unknown; nextCursor?: unknown }): boolean {
  return Array.isArray(jobs) && (nextCursor === null || typeof nextCursor === "string");
}

/** A path segment longer than this may meet the limits of whatever stands in between. */
const SEGMENT_CHARS_MAX = 1_024;

/**
 * The path segment of a logical key, trimmed. As its digest goes what would not arrive as it is: dots are taken
 * out of paths, and slashes, backslashes and control characters are read in more than one way.
 * Throws HoldfastError `invalid_request`.
 */
export async function keySegment(text: string): Promise<string> {
  const key = text.trim();
  if (key === "") throw invalid("a key must not be empty");
  const segment = encoded(key);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const isPlain = !/^\.+$|[/\\\x00-\x1f\x7f]/.test(key) && segment.length <= SEGMENT_CHARS_MAX;
  if (isPlain) return segment;
  const subtle: typeof crypto.subtle | undefined = crypto.subtle;
  if (subtle === undefined) throw invalid("this key can only be used on a page that came over TLS");
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(key));
  return `sha256:${hexOf(new Uint8Array(digest))}`;
}

function encoded(key: string): string {
  try {
    return encodeURIComponent(key);
  } catch {
    throw invalid("a key must not hold half a surrogate pair");
  }
}
