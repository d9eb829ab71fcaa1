/** The HTTP service: every request is known by an id, let in or not, checked, carried out and logged. */
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { uuid } from "../core/ids.ts";
import { durationMs } from "../core/time.ts";
import type { Log, LogLevel } from "../ports/log.ts";
import type { Services } from "../services/services.ts";
import { type Allowed, accessJudge, TICKET_PARAMETER } from "./access.ts";
import { docsPage, documentText } from "./docs.ts";
import { emailRoutes } from "./emails.ts";
import { endings } from "./endings.ts";
import { fewAtOnce, type Gate, oneForEach } from "./few-at-once.ts";
import { readJsonBody } from "./json-body.ts";
import { allows, type Principal } from "./keys.ts";
import { faultFields } from "./log-fields.ts";
import { type Counts, metricsText } from "./metrics.ts";
import { operationRoutes } from "./operations.ts";
import { checkOptions, corsOptions, type HttpOptions, ROTATION_MS } from "./options.ts";
import { honoPath, matches, pathOf, pathParams, queryOf } from "./paths.ts";
import { PROBLEMS, type Problem, problemBody, problemOf, retryAfterOf } from "./problem.ts";
import { queryRoutes } from "./queries.ts";
import { queryEventRoutes } from "./query-events.ts";
import { readiness } from "./ready.ts";
import { receiptRoutes } from "./receipts.ts";
import { givenRequestId } from "./request-id.ts";
import type { Answer, Route, Streaming } from "./route.ts";
import { BEYOND_TICKETS, beyondTicket, isForTickets, ticketOffice } from "./tickets.ts";

export const ROUTES: readonly Route[] = [
  ...Object.values(emailRoutes),
  ...Object.values(receiptRoutes),
  ...Object.values(queryRoutes),
  ...Object.values(queryEventRoutes),
  ...Object.values(operationRoutes),
];

/** What all answers to one request share. */
interface Exchange {
  readonly c: Context;
  readonly requestId: string;
  readonly begunAt: number;
  /** The route as it is written, never the path that was asked for: that holds logical keys. */
  readonly pattern: string;
  caller: Principal | null;
}

/** Throws InvalidInputError for options that cannot be meant. */
export function httpApp(services: Services, options: HttpOptions): Hono {
  checkOptions(options);
  const { publicUrl = "", corsOrigins = [], stopping = new AbortController().signal } = options;
  const log = harmless(options.log ?? (() => {}));
  const docs = `${publicUrl}/docs`;
  const { secret } = options;
  const tickets = secret === undefined ? null : ticketOffice(secret, services.clock.now);
  const judge = accessJudge(options, tickets);
  const streams = endings(stopping);
  const rotationMs = durationMs(options.rotationMs ?? ROTATION_MS);
  const gates = { heavy: fewAtOnce(HEAVY_AT_ONCE, HEAVY_WAITING_MAX), long: oneForEach() };
  const app = new Hono();

  function begin(c: Context, pattern: string): Exchange {
    const requestId = givenRequestId(c.req.raw.headers) ?? uuid(services.random.bytes(16));
    return { c, requestId, begunAt: services.clock.now(), pattern, caller: null };
  }

  function end(exchange: Exchange, answer: Answer): Response {
    const { requestId, c } = exchange;
    const headers: Record<string, string> = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    const problem = "problem" in answer ? answer.problem : null;
    const status = "problem" in answer ? PROBLEMS[answer.problem.code].status : answer.status;
    tell(exchange, status, problem);
    if (problem !== null) {
      Object.assign(headers, problem.headers, retryHeader(problem));
      headers["content-type"] = "application/problem+json";
      const body = problemBody(problem, instanceOf(c), docs);
      return new Response(JSON.stringify(body), { status, headers });
    }
    if ("stream" in answer) {
      return new Response(answer.stream, { status, headers: { ...headers, ...STREAM_HEADERS } });
    }
    const body = "problem" in answer ? null : answer.body;
    if (body === null) return new Response(null, { status, headers });
    headers["content-type"] = "application/json";
    return new Response(JSON.stringify(body), { status, headers });
  }

  function tell(exchange: Exchange, status: number, problem: Problem | null): void {
    const { requestId, begunAt, pattern, caller, c } = exchange;
    log(levelOf(status, pattern), "request", {
      requestId,
      method: c.req.method,
      route: pattern,
      status,
      ms: services.clock.now() - begunAt,
      ...(caller === null ? {} : { key: caller.keyId, tenant: caller.tenant }),
      ...(problem === null ? {} : { code: problem.code }),
    });
  }

  function named(exchange: Exchange, answer: Response): Response {
    tell(exchange, answer.status, null);
    answer.headers.set("x-request-id", exchange.requestId);
    return answer;
  }

  async function answered(exchange: Exchange, route: Route): Promise<Answer> {
    const { c } = exchange;
    const request = c.req.raw;
    const access = judge(request, c.env);
    if (!access.ok) return { problem: access.problem };
    const { caller, ticket } = access;
    exchange.caller = caller;
    const refusal = refusalOf(access, route);
    if (refusal !== null) return { problem: refusal };
    const params = pathParams(route.path, request.url);
    if (params === null) return { problem: BAD_PATH };
    const query = queryOf(request.url);
    if (query === null) return { problem: BAD_QUERY };
    // Beside a key it counts for nothing, where it could count.
    if (ticket !== null || isForTickets(route)) delete query[TICKET_PARAMETER];
    const read = await bodyOf(request, route);
    if (!read.ok) return { problem: read.problem };
    const streaming = streamingOf(route, exchange);
    const carriedOut = route.gate === null || streaming !== null ? open : gates[route.gate];
    const call = {
      tenant: services.tenant(caller.tenant),
      caller,
      params,
      query,
      json: read.value,
      stopping,
      told: (problem: Problem) => problemBody(problem, instanceOf(c), docs),
      ...{ tickets, streaming },
    };
    const beyond = ticket === null ? null : beyondTicket(ticket, call);
    if (beyond !== null) return { problem: beyond };
    return carriedOut(() => route.run(call), { who: caller.tenant, gone: request.signal });
  }

  /** Null: no stream is asked for, or the route has none. */
  function streamingOf(route: Route, exchange: Exchange): Streaming | null {
    const { method, headers } = exchange.c.req.raw;
    // The route answers HEAD, too, which asks for no stream.
    if (route.stream === null || method !== "GET" || !acceptsStream(headers)) return null;
    return {
      lastEventId: headers.get("last-event-id"),
      clock: services.clock,
      rotationMs,
      onStopping: streams.add,
      failed: (fault) => tellFault(exchange, fault),
    };
  }

  async function serve(c: Context, route: Route): Promise<Response> {
    const exchange = begin(c, route.path);
    try {
      return end(exchange, await answered(exchange, route));
    } catch (error) {
      return failed(exchange, error);
    }
  }

  function failed(exchange: Exchange, error: unknown): Response {
    const problem = problemOf(error);
    tellFault(exchange, error);
    return end(exchange, { problem });
  }

  /** Nothing of what a caller is refused for: that is no fault. */
  function tellFault({ requestId }: Exchange, error: unknown): void {
    if (PROBLEMS[problemOf(error).code].status < 500) return;
    log("error", "fault", { requestId, ...faultFields(error) });
  }

  if (corsOrigins.length > 0) {
    const allowed = cors(corsOptions(corsOrigins));
    app.use("*", async (c, next) => {
      const answer = await allowed(c, next);
      // A preflight, which no route is asked for.
      return answer instanceof Response ? named(begin(c, "none"), answer) : answer;
    });
  }
  for (const route of ROUTES) {
    app.on(route.method, honoPath(route.path), (c) => serve(c, route));
  }
  const isReady = readiness(services);
  // Made when it is asked for: an app may live for one request, and most ask for something else.
  let document: Promise<string> | null = null;
  const { counts } = options;
  if (counts !== undefined) app.get("/v1/metrics", (c) => metrics(begin(c, "/v1/metrics"), counts));
  app.get("/healthz", (c) => end(begin(c, "/healthz"), { status: 200, body: { status: "ok" } }));
  app.get("/readyz", async (c) => end(begin(c, "/readyz"), await isReady()));
  app.get("/openapi.json", async (c) => {
    const exchange = begin(c, "/openapi.json");
    document ??= documentText(publicUrl);
    return text(exchange, await document, "application/json");
  });
  app.get("/docs", async (c) => {
    const exchange = begin(c, "/docs");
    return text(exchange, await docsPage(), "text/html; charset=utf-8");
  });

  function metrics(exchange: Exchange, counts: Counts): Response {
    const access = judge(exchange.c.req.raw, exchange.c.env);
    if (!access.ok) return end(exchange, { problem: access.problem });
    exchange.caller = access.caller;
    const isOps = access.caller.tenant === null && allows(access.caller.scopes, "ops");
    if (!isOps) return end(exchange, { problem: NO_METRICS });
    return text(exchange, metricsText(counts), "text/plain; version=0.0.4; charset=utf-8");
  }

  function text(exchange: Exchange, body: string, type: string): Response {
    tell(exchange, 200, null);
    const headers = {
      "content-type": type,
      "x-request-id": exchange.requestId,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "x-content-type-options": "nosniff",
    };
    return new Response(body, { headers });
  }

  app.notFound((c) => end(begin(c, "none"), { problem: unknownRoute(c.req.path) }));
  app.onError((error, c) => failed(begin(c, "none"), error));
  return app;
}

/** Why whoever was let in may not ask this route; null: he may. */
function refusalOf({ caller, ticket }: Allowed, route: Route): Problem | null {
  if (ticket !== null && !isForTickets(route)) return BEYOND_TICKETS;
  const { scope } = route;
  if (scope === "any" || allows(caller.scopes, scope)) return null;
  return { code: "forbidden", detail: `the key lacks the scope ${scope}` };
}

async function bodyOf(request: Request, route: Route): ReturnType<typeof readJsonBody> {
  const { method, bodyBytesMax: bytesMax, bodyValuesMax: valuesMax } = route;
  return method === "GET"
    ? { ok: true, value: {} }
    : readJsonBody(request, { bytesMax, valuesMax });
}

/** What asks whether the process lives asks often. */
function levelOf(status: number, pattern: string): LogLevel {
  if (status >= 500) return "error";
  return pattern === "/healthz" || pattern === "/readyz" ? "debug" : "info";
}

/** A line that cannot be written is no reason to answer anything else. */
function harmless(log: Log): Log {
  return (...line) => {
    try {
      log(...line);
    } catch {
      // As above.
    }
  };
}

/** What stands between must neither keep events back nor press them together. */
const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Answers that may be megabytes, made at the same time by one process. */
const HEAVY_AT_ONCE = 8;

/** More than these wait for nothing but their client's patience. */
const HEAVY_WAITING_MAX = 256;

const open: Gate = (work) => work();

const NO_METRICS: Problem = {
  code: "forbidden",
  detail: "metrics are of all tenants: they need a key of the default one with the scope ops",
};

/** Need no key. */
const PUBLIC = ["/healthz", "/readyz", "/openapi.json", "/docs"];

const NOT_FOUND: Problem = { code: "not_found", detail: "there is no such route; see /docs" };

const BAD_PATH: Problem = {
  code: "invalid_request",
  detail: "the path is not valid",
  errors: [{ path: "path", message: "must be URL-encoded UTF-8" }],
};

const BAD_QUERY: Problem = {
  code: "invalid_request",
  detail: "the query is not valid",
  errors: [{ path: "query", message: "a parameter is given twice" }],
};

function acceptsStream(headers: Headers): boolean {
  const accepted = (headers.get("accept") ?? "").toLowerCase().split(",");
  return accepted.some((one) => one.split(";")[0]?.trim() === "text/event-stream");
}

function instanceOf(c: Context): string {
  return pathOf(c.req.url);
}

/** No route of this path, or none of this method. */
function unknownRoute(path: string): Problem {
  const methods = new Set<string>();
  for (const route of ROUTES) if (matches(route.path, path)) methods.add(route.method);
  if (PUBLIC.some((known) => matches(known, path))) methods.add("GET");
  if (methods.size === 0) return NOT_FOUND;
  if (methods.has("GET")) methods.add("HEAD");
  const allow = [...methods].sort().join(", ");
  return { code: "method_not_allowed", detail: `allowed here: ${allow}`, headers: { allow } };
}

/** Whole seconds, as the header has them, never fewer than asked for. */
function retryHeader(problem: Problem): Record<string, string> {
  const retryAfterMs = retryAfterOf(problem);
  return retryAfterMs === null ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
}
