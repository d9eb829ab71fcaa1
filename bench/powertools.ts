/**
 * Powertools for AWS Lambda, which receipts are measured beside: installed from its registry when it is
 * first asked for, so that nobody else has to.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ACCESS } from "./cloud-places.ts";

const PACKAGE = "@aws-lambda-powertools/idempotency";

const PINNED = [
  `${PACKAGE}@2.35.0`,
  "@aws-sdk/client-dynamodb@3.1169.0",
  "@aws-sdk/lib-dynamodb@3.1169.0",
];

// This file runs from dist/bench. Kept between runs; not in a build, and not in git.
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const CACHE = join(ROOT, "node_modules", ".cache", "powertools-2.35.0");

/** What of it is used. */
interface Powertools {
  readonly makeIdempotent: <Payload, Result>(
    work: (payload: Payload) => Promise<Result>,
    options: { readonly persistenceStore: unknown; readonly config: unknown },
  ) => (payload: Payload) => Promise<Result>;
  readonly IdempotencyConfig: new (
    options: object,
  ) => { registerLambdaContext(context: { getRemainingTimeInMillis(): number }): void };
}

interface Layers {
  readonly DynamoDBPersistenceLayer: new (options: object) => unknown;
}

/** The time a function has left, in which nobody else runs what it has begun. */
const REMAINING_MS = 60_000;

/** Makes functions of a payload run once, in `table`, which has the keys of Holdfast's own. */
export async function powertoolsOn(
  endpoint: string,
  table: string,
): Promise<
  <Payload, Result>(
    work: (payload: Payload) => Promise<Result>,
  ) => (payload: Payload) => Promise<Result>
> {
  await install();
  const { resolve: pathOf } = createRequire(join(CACHE, "package.json"));
  const load = (name: string): Promise<unknown> => import(pathToFileURL(pathOf(name)).href);
  const { makeIdempotent, IdempotencyConfig } = (await load(PACKAGE)) as Powertools;
  const { DynamoDBPersistenceLayer } = (await load(`${PACKAGE}/dynamodb`)) as Layers;
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: table,
    keyAttr: "pk",
    sortKeyAttr: "sk",
    clientConfig: { endpoint, ...ACCESS },
  });
  const config = new IdempotencyConfig({});
  config.registerLambdaContext({ getRemainingTimeInMillis: () => REMAINING_MS });
  return (work) => makeIdempotent(work, { persistenceStore, config });
}

async function install(): Promise<void> {
  if (existsSync(join(CACHE, "node_modules", PACKAGE))) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-save", "--no-audit", "--no-fund", ...PINNED];
  await promisify(execFile)("npm", args, { cwd: CACHE });
}
