/**
 * `npm run dev:lambda`: the bundle that is deployed, behind a function URL on this machine, over a DynamoDB in
 * memory or at HOLDFAST_ENDPOINT, with a pass each minute. PORT and every HOLDFAST_ variable count.
 */
import { randomBytes } from "node:crypto";
import { pathToFileURL } from "node:url";
import { createTable, dynamodbClient } from "../../../adapters/storage/dynamodb/index.ts";
import { newKey, SECRET_BYTES } from "../../../src/http/keys.ts";
import { dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { contextOf, functionUrl, provideAwslambda } from "../../fakes/function-url.ts";
import { lambdaBundle } from "../../fakes/lambda-bundle.ts";

/** As serverless.yml has them. */
const HTTP_TIMEOUT_MS = 70_000;
const PASS_TIMEOUT_MS = 60_000;
const PASS_EVERY_MS = 60_000;

const TABLE = "holdfast-dev";

/** Sets what is not set already. */
function setDefaults(defaults: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(defaults)) process.env[name] ||= text;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const isOurs = !process.env["HOLDFAST_ENDPOINT"];
const front = isOurs ? await dynamodbFront() : null;
setDefaults({
  AWS_REGION: "eu-central-1",
  HOLDFAST_TABLE: TABLE,
  ...(front === null
    ? {}
    : {
        HOLDFAST_ENDPOINT: front.endpoint,
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
      }),
});
const client = dynamodbClient({ endpoint: process.env["HOLDFAST_ENDPOINT"] ?? "" });
await createTable(client, process.env["HOLDFAST_TABLE"] ?? TABLE);
client.destroy();

const { key, entry } = newKey("dev", randomBytes(SECRET_BYTES), { scopes: ["*"] });
const hasKeys = Boolean(process.env["HOLDFAST_KEYS"]);
setDefaults({ HOLDFAST_KEYS: JSON.stringify([entry]) });

const bundle = await lambdaBundle("holdfast/lambda/dynamodb");
provideAwslambda();
const { http, reconcile } = await import(pathToFileURL(bundle.entry).href);
const { url } = await functionUrl(http, {
  timeoutMs: HTTP_TIMEOUT_MS,
  port: Number(process.env["PORT"] || 8787),
});

async function pass(): Promise<void> {
  try {
    const report = await reconcile({ source: "aws.events" }, contextOf(PASS_TIMEOUT_MS));
    say(`pass: ${JSON.stringify(report)}`);
  } catch (error) {
    say(`pass failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

setInterval(() => void pass(), PASS_EVERY_MS);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    bundle.remove();
    process.exit();
  });
}
say(`Lambda: ${url}, on ${isOurs ? "a DynamoDB in memory" : process.env["HOLDFAST_ENDPOINT"]}`);
if (!hasKeys) say(`key: ${key}`);
say(`curl -H 'authorization: Bearer ${hasKeys ? "<key>" : key}' ${url}/v1/health`);
await pass();
