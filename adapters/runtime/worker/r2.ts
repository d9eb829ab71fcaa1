/** The Worker as it is deployed: over an R2 bucket, bound as HOLDFAST_BUCKET. No SDK, nothing of Node. */
import { assert } from "../../../src/core/assert.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { type R2Binding, r2Storage, r2Time } from "../../storage/r2.ts";
import { type Worker, type WorkerOptions, type WorkerStorage, workerOver } from "./worker.ts";

export type { CronEvent, Worker, WorkerOptions } from "./worker.ts";

/** Throws TypeError for an application that is none. */
export function worker(options: WorkerOptions = {}): Worker {
  return workerOver(R2, options);
}

const R2: WorkerStorage = {
  kind: "r2",
  binding: "HOLDFAST_BUCKET",
  bind(config, env) {
    assert(config.kind === "r2", "a storage that is not bundled");
    const options = { bucket: bucketIn(env), prefix: config.prefix };
    return {
      storage: r2Storage(options),
      time: () => r2Time(options),
    };
  },
};

const NO_BUCKET = `HOLDFAST_BUCKET must be the binding of an R2 bucket. Make one with \`wrangler r2 bucket create holdfast\`, and have in wrangler.toml:
[[r2_buckets]]
binding = "HOLDFAST_BUCKET"
bucket_name = "holdfast"`;

function bucketIn(env: object): R2Binding {
  const bucket: unknown = Object(env).HOLDFAST_BUCKET;
  if (!isR2(bucket)) throw new MisconfiguredError(NO_BUCKET);
  return bucket;
}

/** Other bindings have other methods, and texts have none. */
function isR2(value: unknown): value is R2Binding {
  return ["get", "put", "list", "delete", "head"].every(
    (name) => typeof Object(value)[name] === "function",
  );
}

export default worker();
