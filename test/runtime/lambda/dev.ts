/**
 * `npm run dev:lambda`: the bundle that is deployed, behind a function URL on this machine, over a DynamoDB in
 * memory or at HOLDFAST_ENDPOINT, with a pass each minute. `--port` for another, and every HOLDFAST_ variable counts.
 */
import { randomBytes } from "node:crypto";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
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

const { values } = parseArgs({ options: { port: { type: "string", default: "8787" } } });

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
setDefaults({
  HOLDFAST_KEYS: JSON.stringify([entry]),
  HOLDFAST_SECRET: randomBytes(32).toString("hex"),
  // What only the SDK's makers can do anything about.
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
});

const bundle = await lambdaBundle("holdfast/lambda/dynamodb");
provideAwslambda();
const { http, reconcile } = await import(pathToFileURL(bundle.entry).href);
const { url } = await functionUrl(http, {
  timeoutMs: HTTP_TIMEOUT_MS,
  port: Number(values.port),
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== "EADDRINUSE") throw error;
  say(`the port ${values.port} is in use: npm run dev:lambda -- --port 8788`);
  return process.exit(1);
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
say(
  `Serving ${url}, documents at ${url}/docs, on ${isOurs ? "a DynamoDB in memory" : process.env["HOLDFAST_ENDPOINT"]}`,
);
const shown = hasKeys ? "<key>" : key;
say(`HOLDFAST_URL=${url} HOLDFAST_KEY=${shown}`);
say(`curl -H 'Authorization: Bearer ${shown}' ${url}/v1/health`);
await pass();
