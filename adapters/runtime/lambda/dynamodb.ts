/** AWS Lambda on a DynamoDB table: `lambda` makes handlers for an application, the others are ready to deploy. */
import { assert } from "../../../src/core/assert.ts";
import { dynamodbClient, dynamodbStorage, serverTime } from "../../storage/dynamodb/index.ts";
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
  return lambdaHandlers(TABLE, options);
}

const TABLE: LambdaStorage = {
  storage: "dynamodb",
  openStorage(config) {
    const { table, dueShards } = own(config);
    return dynamodbStorage({
      table,
      ...placeOf(config),
      ...(dueShards === null ? {} : { dueShards }),
    });
  },
  async storageTime(config) {
    const client = dynamodbClient(placeOf(config));
    try {
      return await serverTime(client, own(config).table);
    } finally {
      client.destroy();
    }
  },
};

/** What the SDK does not find by itself. */
function placeOf(config: FunctionStorage) {
  const { endpoint } = own(config);
  return endpoint === null ? {} : { endpoint };
}

function own(config: FunctionStorage) {
  assert(config.kind === "dynamodb", "a storage that is not bundled");
  return config;
}

const ready = /* @__PURE__ */ readyHandlers(lambda);

export const http = /* @__PURE__ */ ready("http");
export const httpBuffered = /* @__PURE__ */ ready("httpBuffered");
export const reconcile = /* @__PURE__ */ ready("reconcile");
export const enqueue = /* @__PURE__ */ ready("enqueue");
