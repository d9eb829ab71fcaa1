/** Functions over a table or a bucket of this process, by the settings that a deployment has. */
import { sha256Hex } from "../../../src/core/hash.ts";
import type { DynamodbFront } from "../../fakes/dynamodb-front.ts";
import type { FakeS3 } from "../../fakes/s3.ts";
import type { Env } from "./environment.ts";

export const TABLE_ENTRY = "../../../adapters/runtime/lambda/dynamodb.js";
export const BUCKET_ENTRY = "../../../adapters/runtime/lambda/s3.js";

export const KEY = `hf_app_${"A".repeat(43)}`;

export const AUTHORIZED = { authorization: `Bearer ${KEY}` };

export const JSON_AUTHORIZED = { ...AUTHORIZED, "content-type": "application/json" };

const KEYS = [
  { id: "app", scopes: ["*"], sha256: sha256Hex(KEY) },
  { id: "shop", tenant: "shop", scopes: ["*"], sha256: sha256Hex(`hf_shop_${"A".repeat(43)}`) },
];

const COMMON: Env = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  HOLDFAST_KEYS: JSON.stringify(KEYS),
};

export async function tableEnv(front: DynamodbFront): Promise<Env> {
  return {
    ...COMMON,
    HOLDFAST_TABLE: await front.createTable(),
    HOLDFAST_ENDPOINT: front.endpoint,
  };
}

export function bucketEnv(bucket: FakeS3): Env {
  return {
    ...COMMON,
    HOLDFAST_BUCKET: bucket.bucket,
    HOLDFAST_PREFIX: "holdfast",
    HOLDFAST_ENDPOINT: bucket.endpoint,
    HOLDFAST_PATH_STYLE: "true",
  };
}

export function enqueueBody(logicalKey: string, text = "Good to have you here."): string {
  const payload = { type: "message", recipient: "ann@example.com", subject: "Welcome", text };
  return JSON.stringify({ logicalKey, payload });
}
