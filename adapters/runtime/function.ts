/**
 * What AWS Lambda and Cloudflare Workers serve: the HTTP service, and the pass that a schedule begins. A
 * configuration that is wrong is answered and logged, since a function has nobody to tell it to at its start.
 */
import { uuid } from "../../src/core/ids.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { faultFields } from "../../src/http/log-fields.ts";
import { PROBLEMS, problemBody, problemOf } from "../../src/http/problem.ts";
import { givenRequestId } from "../../src/http/request-id.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Log } from "../../src/ports/log.ts";
import { systemRandom } from "../../src/ports/random.ts";
import type { App } from "../../src/services/app.ts";
import type { PassReport } from "../../src/services/reconcile/report.ts";
import { type Config, tenantsOf, unknownText } from "./config.ts";
import { type FunctionPlace, type FunctionStorage, readFunctionConfig } from "./function-config.ts";
import { functionLog } from "./function-log.ts";
import { limitsOf } from "./limits.ts";
import type { OpenMailer } from "./mailer.ts";

export interface FunctionParts extends FunctionPlace {
  /** Connects to nothing yet. Throws MisconfiguredError. */
  readonly openStorage: (config: FunctionStorage) => Storage;
  /** The same; null where no mailer is configured. */
  readonly openMailer: (config: Config["mailer"]) => Promise<OpenMailer | null>;
  readonly application: App;
  /** After how long a reader of a stream is told to connect again: less than one answer may take. */
  readonly rotationMs: number;
}

export interface FunctionService {
  /** Never throws. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * One pass over every tenant, of HOLDFAST_RECONCILE_BUDGET_MS, or of `budgetMs` where that is less. Throws
   * MisconfiguredError; faults of the storage are told in the report.
   */
  readonly reconcile: (options: {
    readonly budgetMs: number;
    readonly signal?: AbortSignal;
  }) => Promise<PassReport>;
  /** What requests use, with the tenants that keys name. Throws what opening it throws. */
  readonly open: () => Promise<Opened>;
  /** Opens all that requests need, for a process that is made before there is one. Never throws. */
  readonly warm: () => Promise<void>;
  readonly log: Log;
}

export interface Opened {
  readonly holdfast: Holdfast;
  readonly tenants: readonly string[];
}

/**
 * Opens what `env` says at the first use, and anew after a fault of opening it. One for each process where
 * a process serves one request after another (Lambda); one for each request where what belongs to one may
 * not be waited for by another (Workers).
 */
export function functionService(
  parts: FunctionParts,
  env: Readonly<Record<string, string | undefined>>,
): FunctionService {
  const config = configured(parts, env);
  const log = functionLog(config.ok ? config.value.logLevel : "info");
  let opening: Promise<Holdfast> | null = null;

  function opened(): Promise<Holdfast> {
    opening ??= open(parts, config, log).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  let serving: Promise<Fetch> | null = null;
  function served(): Promise<Fetch> {
    serving ??= serve(parts, config, opened, log).catch((error: unknown) => {
      serving = null;
      throw error;
    });
    return serving;
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
      const holdfast = await opened();
      if (!config.ok) throw config.error;
      const budget = Math.min(budgetMs, config.value.reconcileBudgetMs);
      const tenants = tenantsOf(config.value);
      return holdfast.reconcile({ ...options, budgetMs: budget, tenants });
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

function configured(
  parts: FunctionParts,
  env: Readonly<Record<string, string | undefined>>,
): Configured {
  try {
    return { ok: true, value: readFunctionConfig(parts, env) };
  } catch (error) {
    return { ok: false, error };
  }
}

async function open(parts: FunctionParts, config: Configured, log: Log): Promise<Holdfast> {
  if (!config.ok) throw config.error;
  const { value } = config;
  for (const one of value.unknown) {
    log("warn", "unknown variable", { variable: unknownText(one) });
  }
  const mail = await parts.openMailer(value.mailer);
  return createHoldfast({
    storage: parts.openStorage(value.storage),
    app: parts.application,
    log,
    ...(mail === null ? {} : { mail }),
    limits: limitsOf(value),
    heldQueries: value.heldQueries,
  });
}

async function serve(
  { rotationMs }: FunctionParts,
  config: Configured,
  opened: () => Promise<Holdfast>,
  log: Log,
): Promise<Fetch> {
  if (!config.ok) throw config.error;
  const { keys, corsOrigins, secret, publicUrl } = config.value;
  if (keys.length === 0) throw new MisconfiguredError(NO_KEYS);
  const holdfast = await opened();
  const app = holdfast.http({
    ...{ keys, corsOrigins, log, rotationMs },
    ...(secret === null ? {} : { secret }),
    ...(publicUrl === null ? {} : { publicUrl }),
  });
  return async (request) => app.fetch(request);
}

const NO_KEYS =
  "HOLDFAST_KEYS must be set: a function is reached by everybody (`holdfast key new` makes a key)";

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
  const names = message.split("\n").map((line) => /^[A-Z][A-Z_]+(?= )/.exec(line)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
