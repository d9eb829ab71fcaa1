/**
 * A Cloudflare Worker: HTTP, and the pass that a cron trigger begins. What one request opens, no other may
 * wait for, so each has services of its own; they share what was read of the environment.
 */
import { assert } from "../../../src/core/assert.ts";
import { type EpochMs, minutes } from "../../../src/core/time.ts";
import { faultFields } from "../../../src/http/log-fields.ts";
import type { Storage } from "../../../src/ports/backend.ts";
import { createService, type Service } from "../../../src/service.ts";
import { type App, defineApp } from "../../../src/services/app.ts";
import { httpMailer } from "../../mail/http/index.ts";
import type { Config } from "../config.ts";
import { type FunctionParts, type FunctionService, functionServices } from "../function.ts";
import type { FunctionStorage } from "../function-config.ts";
import type { OpenMailer } from "../mailer-config.ts";
import { type Texts, textsOf } from "./environment.ts";

export interface WorkerOptions {
  /** Kinds of email, operations, sources and the like; made by `defineApp`. */
  readonly app?: App;
  /** After how long a reader of a stream is told to connect again, in milliseconds; 900,000 by default. */
  readonly rotationMs?: number;
}

/** What is used of Cloudflare's `ScheduledController`. */
export interface CronEvent {
  readonly cron: string;
  /** When it was to begin. */
  readonly scheduledTime: number;
}

/** Handlers of a module Worker; `env` has its variables, secrets and bindings. */
export interface Worker {
  /** Never throws. */
  readonly fetch: (request: Request, env: object) => Promise<Response>;
  /**
   * One pass over every tenant. What throws makes the event a failed one: MisconfiguredError, and the fault
   * of a storage that does not answer.
   */
  readonly scheduled: (event: CronEvent, env: object) => Promise<void>;
}

/** A storage as it is found in the environment of a deployment. */
export interface WorkerStorage {
  readonly kind: FunctionStorage["kind"];
  /** What it is bound by, which is no variable; null: variables name it. */
  readonly binding: string | null;
  /** Called once for a deployment, and again where it threw: MisconfiguredError. */
  readonly bind: (config: FunctionStorage, env: object, texts: Texts) => BoundStorage;
}

export interface BoundStorage {
  /** Requests share it, so it may hold nothing of one before it is opened. */
  readonly storage: Storage;
  /** See `FunctionParts`. */
  readonly time: () => Promise<EpochMs | null>;
}

const ROTATION_MS = minutes(15);

/** A cron event is ended after 15. */
const PASS_MS_MAX = minutes(14);

/** Throws TypeError for an application that is none. */
export function workerOver(
  { kind, binding, bind }: WorkerStorage,
  { app = {}, rotationMs = ROTATION_MS }: WorkerOptions,
): Worker {
  const application = defineApp(app);
  /** An isolate has one, the same object for every request. */
  const deployments = new WeakMap<object, OpenService>();

  function deployed(env: object): OpenService {
    const known = deployments.get(env) ?? deployment(env);
    deployments.set(env, known);
    return known;
  }

  function deployment(env: object): OpenService {
    const texts = textsOf(env, binding);
    let bound: BoundStorage | null = null;
    function storageOf(config: FunctionStorage): BoundStorage {
      bound ??= bind(config, env, texts);
      return bound;
    }
    const parts: FunctionParts<Service> = {
      create: createService,
      platform: "Cloudflare Workers",
      storage: kind,
      mailers: ["http"],
      app: "give what its module exports to worker({ app }), in an entry of your own",
      readText: null,
      needsKeys: true,
      openStorage: (config) => storageOf(config).storage,
      storageTime: (config) => storageOf(config).time(),
      openMailer,
      application,
      rotationMs,
    };
    return functionServices(parts, texts);
  }

  return {
    // Its streams and passes end with its client, as far as the runtime tells (enable_request_signal).
    fetch: (request, env) => deployed(env)(request.signal).fetch(request),
    async scheduled({ cron, scheduledTime }, env) {
      const { log, reconcile } = deployed(env)();
      log("debug", "cron", { cron, lateMs: Date.now() - scheduledTime });
      try {
        await reconcile({ budgetMs: PASS_MS_MAX });
      } catch (error) {
        // The dashboard counts what is thrown; the log has what to do.
        log("error", "pass not run", faultFields(error));
        throw error;
      }
    },
  };
}

type OpenService = (stopping?: AbortSignal) => FunctionService;

async function openMailer(config: Config["mailer"]): Promise<OpenMailer | null> {
  if (config.kind === "none") return null;
  assert(config.kind === "http", "a mailer that is not bundled");
  const { from, url, headers, body } = config;
  return { from, mailer: httpMailer({ url, headers, body }) };
}
