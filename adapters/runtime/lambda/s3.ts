/** AWS Lambda on a bucket: `lambda` makes handlers for an application, the others are ready to deploy. */
import { assert } from "../../../src/core/assert.ts";
import { type S3StorageOptions, s3Storage, s3Time } from "../../storage/s3/index.ts";
import type { FunctionStorage } from "../function-config.ts";
import {
  type LambdaHandlers,
  type LambdaOptions,
  type LambdaStorage,
  lambdaHandlers,
  readyHandlers,
} from "./lambda.ts";

export type { LambdaHandlers, LambdaOptions } from "./lambda.ts";

/** Handlers by the environment's HOLDFAST_ variables; what is wrong with those is answered and logged. */
export function lambda(options: LambdaOptions = {}): LambdaHandlers {
  return lambdaHandlers(BUCKET, options);
}

const BUCKET: LambdaStorage = {
  storage: "s3",
  openStorage: (config) => s3Storage(optionsOf(config)),
  storageTime: (config) => s3Time(optionsOf(config)),
};

/** The rest is found by the SDK. */
function optionsOf(config: FunctionStorage): S3StorageOptions {
  assert(config.kind === "s3", "a storage that is not bundled");
  const { bucket, prefix, endpoint, isPathStyle } = config;
  return {
    bucket,
    prefix,
    ...(endpoint === null ? {} : { endpoint }),
    ...(isPathStyle ? { forcePathStyle: true } : {}),
  };
}

const ready = /* @__PURE__ */ readyHandlers(lambda);

export const http = /* @__PURE__ */ ready("http");
export const httpBuffered = /* @__PURE__ */ ready("httpBuffered");
export const reconcile = /* @__PURE__ */ ready("reconcile");
export const enqueue = /* @__PURE__ */ ready("enqueue");
