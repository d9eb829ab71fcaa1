/**
 * What AWS Lambda and Cloudflare Workers serve: the HTTP service, and the pass that a schedule begins. A
 * configuration that is wrong is answered and logged, since a function has nobody to tell it to at its start.
 */
import { errorText } from "../../src/core/error-text.ts";
import { uuid } from "../../src/core/ids.ts";
import { type EpochMs, epochMs } from "../../src/core/time.ts";
import { faultFields } from "../../src/http/log-fields.ts";
import { PROBLEMS, problemBody, problemOf } from "../../src/http/problem.ts";
import { givenRequestId } from "../../src/http/request-id.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Log } from "../../src/ports/log.ts";
import { systemRandom } from "../../src/ports/random.ts";
import type { Service } from "../../src/service.ts";
import type { App } from "../../src/services/app.ts";
import type { HoldfastOptions } from "../../src/services/options.ts";
import { PASS_MS_MIN } from "../../src/services/reconcile/budget.ts";
import type { PassReport } from "../../src/services/reconcile/report.ts";
import { clockFinding } from "../../src/store/probe.ts";
import { type Config, tenantsOf, unknownText } from "./config.ts";
import { type FunctionPlace, type FunctionStorage, readFunctionConfig } from "./function-config.ts";
import { functionLog } from "./function-log.ts";
import { limitsOf } from "./limits.ts";
import type { OpenMailer } from "./mailer-config.ts";

/** `S`: how much of the library it holds. */
export interface FunctionParts<S extends Service> extends FunctionPlace {
  readonly create: (options: HoldfastOptions) => Promise<S>;
  /** Connects to nothing yet. Throws MisconfiguredError. */
  readonly openStorage: (config: FunctionStorage) => Storage;
  /** The same; null where no mailer is configured. */
  readonly openMailer: (config: Config["mailer"]) => Promise<OpenMailer | null>;
  /** What time it is for the storage, by one request; null: it tells none. Throws faults. */
  readonly storageTime: (config: FunctionStorage) => Promise<EpochMs | null>;
  readonly application: App;
  /** After how long a reader of a stream is told to connect again: less than one answer may take. */
  readonly rotationMs: number;
}

export interface FunctionService<S extends Service = Service> {
  /** Never throws. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * One pass over every tenant, the first after a look at the storage's clock, of HOLDFAST_RECONCILE_BUDGET_MS, or of `budgetMs` where that is less. Faults
   * of the storage are told in the report. Throws MisconfiguredError, also for a clock that is far off; and
   * the storage's fault where it answered neither what the time is nor what the pass asked.
   */
  readonly reconcile: (options: {
    readonly budgetMs: number;
    readonly signal?: AbortSignal;
  }) => Promise<PassReport>;
  /** What requests use, with the tenants that keys name. Throws what opening it throws. */
  readonly open: () => Promise<Opened<S>>;
  /** Opens all that requests need, for a process that is made before there is one. Never throws. */
  readonly warm: () => Promise<void>;
  readonly log: Log;
}

export interface Opened<S> {
  readonly holdfast: S;
  readonly tenants: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** For a process that serves one request after another: what the first opens, the next ones use. */
export function functionService<S extends Service>(
  parts: FunctionParts<S>,
  env: Environment,
): FunctionService<S> {
  return functionServices(parts, env)();
}

/**
 * The same for each request alone, where what belongs to one may not be waited for by another: they share
 * the configuration, which is read and told of once. `stopping`: aborted when the request is to end.
 */
export function functionServices<S extends Service>(
  parts: FunctionParts<S>,
  env: Environment,
): (stopping?: AbortSignal) => FunctionService<S> {
  const config = configured(parts, env);
  const log = functionLog(config.ok ? config.value.logLevel : "info");
  for (const one of config.ok ? config.value.unknown : []) {
    log("warn", "unknown variable", { variable: unknownText(one) });
  }
  return (stopping) => serviceOf(parts, config, { log, stopping });
}

interface ServiceOptions {
  readonly log: Log;
  readonly stopping: AbortSignal | undefined;
}

/** Opens at the first use, and anew after a fault of opening. */
function serviceOf<S extends Service>(
  parts: FunctionParts<S>,
  config: Configured,
  options: ServiceOptions,
): FunctionService<S> {
  const { log } = options;
  let opening: Promise<S> | null = null;
  function opened(): Promise<S> {
    opening ??= open(parts, config, log).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  let serving: Promise<Fetch> | null = null;
  function served(): Promise<Fetch> {
    serving ??= serve(parts, config, opened, options).catch((error: unknown) => {
      serving = null;
      throw error;
    });
    return serving;
  }

  /** Clocks that are kept stay so, and looking takes a request. */
  let isClockGood = false;
  async function clockTrouble(storage: FunctionStorage): Promise<unknown> {
    if (isClockGood) return null;
    const fault = await clockFault(() => parts.storageTime(storage), log);
    isClockGood = fault === null;
    return fault;
  }

  return {
    async fetch(request) {
      try {
        const answer = await served();
        return await answer(request);
      } catch (error) {
        return unserved(request, error, log);
      }
    },
    async reconcile({ budgetMs, ...options }) {
      const until = performance.now() + budgetMs;
      const holdfast = await opened();
      if (!config.ok) throw config.error;
      const { reconcileBudgetMs, storage } = config.value;
      const fault = await clockTrouble(storage);
      const tenants = tenantsOf(config.value);
      // Less what opening and the clock took, where time is short.
      const leftMs = Math.max(Math.floor(until - performance.now()), PASS_MS_MIN);
      const budget = Math.min(leftMs, reconcileBudgetMs);
      const report = await holdfast.reconcile({ ...options, budgetMs: budget, tenants });
      if (fault !== null && report.failures.length > 0) throw fault;
      return report;
    },
    async open() {
      const holdfast = await opened();
      return { holdfast, tenants: config.ok ? tenantsOf(config.value) : [] };
    },
    async warm() {
      // Whoever asks next is told what is wrong, if it still is.
      await served().catch(() => {});
    },
    log,
  };
}

type Fetch = (request: Request) => Promise<Response>;

type Configured =
  | { readonly ok: true; readonly value: Config<FunctionStorage> }
  | { readonly ok: false; readonly error: unknown };

function configured(parts: FunctionPlace, env: Environment): Configured {
  try {
    return { ok: true, value: readFunctionConfig(parts, env) };
  } catch (error) {
    return { ok: false, error };
  }
}

async function open<S extends Service>(
  parts: FunctionParts<S>,
  config: Configured,
  log: Log,
): Promise<S> {
  if (!config.ok) throw config.error;
  const { value } = config;
  const mail = await parts.openMailer(value.mailer);
  return parts.create({
    storage: parts.openStorage(value.storage),
    app: parts.application,
    log,
    ...(mail === null ? {} : { mail }),
    limits: limitsOf(value),
    heldQueries: value.heldQueries,
  });
}

async function serve(
  { rotationMs }: FunctionParts<Service>,
  config: Configured,
  opened: () => Promise<Service>,
  { log, stopping }: ServiceOptions,
): Promise<Fetch> {
  if (!config.ok) throw config.error;
  const { keys, corsOrigins, secret, publicUrl } = config.value;
  if (keys.length === 0) throw new MisconfiguredError(NO_KEYS);
  const holdfast = await opened();
  const app = holdfast.http({
    ...{ keys, corsOrigins, log, rotationMs },
    ...(stopping === undefined ? {} : { stopping }),
    ...(secret === null ? {} : { secret }),
    ...(publicUrl === null ? {} : { publicUrl }),
  });
  return async (request) => app.fetch(request);
}

const NO_KEYS =
  "HOLDFAST_KEYS must be set: a function is reached by everybody (`holdfast key new` makes a key)";

/** What kept the storage from telling its time, or null. Throws MisconfiguredError for a clock far off. */
async function clockFault(ask: () => Promise<EpochMs | null>, log: Log): Promise<unknown> {
  const from = epochMs(Date.now());
  let at: EpochMs | null;
  try {
    at = await ask();
  } catch (error) {
    if (error instanceof MisconfiguredError) throw error;
    log("warn", "clock not compared", { detail: errorText(error, DETAIL_CHARS_MAX) });
    return error;
  }
  if (at === null) return null;
  const { verdict, detail } = clockFinding(at, { from, until: epochMs(Date.now()) });
  if (verdict === "fail") throw new MisconfiguredError(detail);
  if (verdict === "warn") log("warn", "clock", { detail });
  return null;
}

const DETAIL_CHARS_MAX = 500;

/** The log has the words, which may name what is nobody else's business; the answer the variables alone. */
function unserved(request: Request, error: unknown, log: Log): Response {
  const requestId = givenRequestId(request.headers) ?? uuid(systemRandom().bytes(16));
  const headers = { "x-request-id": requestId, "cache-control": "no-store" };
  const { pathname } = new URL(request.url);
  // It says that the process lives, which it does.
  if (pathname === "/healthz") return Response.json({ status: "ok" }, { headers });
  const problem = problemOf(error);
  log("error", "fault", { requestId, ...faultFields(error) });
  const names = error instanceof MisconfiguredError ? variablesIn(error.message) : [];
  const detail =
    names.length === 0 ? problem.detail : `${names.join(", ")}: the log says what is wrong`;
  return new Response(JSON.stringify(problemBody({ ...problem, detail }, pathname, "/docs")), {
    status: PROBLEMS[problem.code].status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
}

function variablesIn(message: string): readonly string[] {
  const names = message.split("\n").map((line) => /^[A-Z][A-Z_]+(?=[ :])/.exec(line)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
