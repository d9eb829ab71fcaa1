/** What runs on AWS Lambda: three handlers over one storage, opened once and kept for as long as a process lives. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { App } from "../../../src/services/app.ts";
import type { PassReport } from "../../../src/services/reconcile/report.ts";
import { type FunctionParts, functionService } from "../function.ts";
import { openMailer } from "../mailer.ts";
import { type BatchAnswer, enqueueHandler } from "./enqueue.ts";
import { bufferedHandler, streamingHandler } from "./http.ts";
import { type LambdaHandler, streaming } from "./platform.ts";
import { reconcileHandler } from "./reconcile.ts";
import type { Result } from "./result.ts";

export interface LambdaOptions {
  readonly app?: App;
  /**
   * After how long a reader of a stream is told to connect again, in milliseconds; default 55,000. A reader
   * that went away is not noticed before, and is paid for until then.
   */
  readonly rotationMs?: number;
}

export interface LambdaHandlers {
  /**
   * Behind a function URL with RESPONSE_STREAM, a REST API with responseTransferMode STREAM, an HTTP API or a
   * load balancer.
   */
  readonly http: LambdaHandler;
  /** The same behind a function URL or a REST API that buffers: those get no streams. */
  readonly httpBuffered: LambdaHandler<Result>;
  /** For a schedule. */
  readonly reconcile: LambdaHandler<PassReport>;
  /** For an SQS queue, with ReportBatchItemFailures. */
  readonly enqueue: LambdaHandler<BatchAnswer>;
}

/** See FunctionParts. */
export type LambdaStorage = Pick<
  FunctionParts<Holdfast>,
  "storage" | "openStorage" | "storageTime"
>;

/** Longer than this no reader is served at once: nobody tells a function that its reader left. */
const ROTATION_MS = 55_000;

/**
 * Begins to open the storage at once, in what is left of the process's first phase, which has a whole CPU. What
 * cannot be opened then is opened by the first request, and told by that.
 */
export function lambdaHandlers(
  parts: LambdaStorage,
  { app = {}, rotationMs = ROTATION_MS }: LambdaOptions,
): LambdaHandlers {
  const service = functionService(
    {
      ...parts,
      platform: "AWS Lambda",
      create: createHoldfast,
      mailers: ["smtp", "ses", "http"],
      app: "give it to lambda({ app }) in an entry of your own",
      readText,
      openMailer: (config) => openMailer(config).catch(notBundled),
      application: app,
      rotationMs,
    },
    process.env,
  );
  void service.warm();

  const platform = streaming();
  const httpBuffered = bufferedHandler(service);
  return {
    http:
      platform === null
        ? httpBuffered
        : platform.streamifyResponse(streamingHandler(service, platform)),
    httpBuffered,
    reconcile: reconcileHandler(service),
    enqueue: enqueueHandler(service),
  };
}

/**
 * The handlers of an entry that is deployed as it is. Each is asked for by its name, so that a bundle of an
 * application's own, which uses none of them, has none of them.
 */
export function readyHandlers(make: () => LambdaHandlers) {
  let handlers: LambdaHandlers | null = null;
  return <N extends keyof LambdaHandlers>(name: N): LambdaHandlers[N] => {
    handlers ??= make();
    return handlers[name];
  };
}

/** Whoever reads what to install has installed it, perhaps, and left it out of the bundle. */
function notBundled(error: unknown): never {
  if (!(error instanceof MisconfiguredError)) throw error;
  const text = `${error.message}, then bundle it, too: without --external: and its name`;
  throw new MisconfiguredError(text, { cause: error });
}

/** A file of the deployment package. */
function readText(path: string): string {
  return readFileSync(resolve(process.env["LAMBDA_TASK_ROOT"] ?? ".", path), "utf8");
}
