/** The Worker over a DynamoDB table: HOLDFAST_TABLE, reached as aws.ts says. */
import { assert } from "../../../src/core/assert.ts";
import { dynamodbClient, dynamodbStorage, serverTime } from "../../storage/dynamodb/index.ts";
import { awsAccess } from "./aws.ts";
import { type Worker, type WorkerOptions, type WorkerStorage, workerOver } from "./worker.ts";

export type { CronEvent, Worker, WorkerOptions } from "./worker.ts";

/** Throws TypeError for an application that is none. */
export function worker(options: WorkerOptions = {}): Worker {
  return workerOver(DYNAMODB, options);
}

const DYNAMODB: WorkerStorage = {
  kind: "dynamodb",
  binding: null,
  bind(config, _env, texts) {
    assert(config.kind === "dynamodb", "a storage that is not bundled");
    const { table, endpoint, dueShards } = config;
    const access = { ...awsAccess(texts), ...(endpoint === null ? {} : { endpoint }) };
    return {
      storage: dynamodbStorage({
        table,
        ...access,
        ...(dueShards === null ? {} : { dueShards }),
      }),
      time: () => serverTime(dynamodbClient(access), table),
    };
  },
};

export default worker();
