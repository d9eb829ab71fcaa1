/** The Worker over a bucket of S3, or of a store that speaks it: HOLDFAST_BUCKET, reached as aws.ts says. */
import { assert } from "../../../src/core/assert.ts";
import { s3Storage, s3Time } from "../../storage/s3/index.ts";
import { awsAccess } from "./aws.ts";
import { provideDomParser } from "./dom-parser.ts";
import { type Worker, type WorkerOptions, type WorkerStorage, workerOver } from "./worker.ts";

export type { CronEvent, Worker, WorkerOptions } from "./worker.ts";

/** Throws TypeError for an application that is none. */
export function worker(options: WorkerOptions = {}): Worker {
  return workerOver(S3, options);
}

const S3: WorkerStorage = {
  kind: "s3",
  binding: null,
  bind(config, _env, texts) {
    assert(config.kind === "s3", "a storage that is not bundled");
    provideDomParser();
    const { bucket, prefix, endpoint, isPathStyle } = config;
    const options = {
      bucket,
      prefix,
      forcePathStyle: isPathStyle,
      ...awsAccess(texts),
      ...(endpoint === null ? {} : { endpoint }),
    };
    return {
      storage: s3Storage(options),
      time: () => s3Time(options),
    };
  },
};

export default worker();
