/** A Lambda's bundle: its size, and how long a fresh process takes to its first answer, beside a bare one. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newKey, SECRET_BYTES } from "../src/http/keys.ts";
import { dynamodbFront } from "../test/fakes/dynamodb-front.ts";
import { type LambdaBundle, lambdaBundle, sizeOf } from "../test/fakes/lambda-bundle.ts";
import { median, table } from "./measure.ts";

const BARE = fileURLToPath(new URL("./function-bare.js", import.meta.url));
const COLD = fileURLToPath(new URL("./function-cold.js", import.meta.url));

/** What is bundled, by what it is called here. */
const ENTRIES = {
  "bare Hono, DynamoDB's client": BARE,
  "holdfast/lambda/dynamodb": "holdfast/lambda/dynamodb",
  "holdfast/lambda/s3": "holdfast/lambda/s3",
};

async function inBundles<T>(
  entries: readonly string[],
  work: (bundles: readonly LambdaBundle[]) => Promise<T>,
): Promise<T> {
  const bundles: LambdaBundle[] = [];
  try {
    for (const entry of entries) bundles.push(await lambdaBundle(entry));
    return await work(bundles);
  } finally {
    for (const bundle of bundles) bundle.remove();
  }
}

export async function bundleTable(): Promise<string> {
  return inBundles(Object.values(ENTRIES), async (bundles) => {
    const names = Object.keys(ENTRIES);
    const rows = bundles.map(({ folder }, index) => {
      const { bytes, gzipBytes } = sizeOf(folder);
      return [names[index] ?? "", kb(bytes), kb(gzipBytes)];
    });
    return table(["", "KB", "gzip KB"], rows);
  });
}

function kb(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}

interface Cold {
  readonly loadMs: number;
  readonly answerMs: number;
  readonly cpuMs: number;
}

function medians(all: readonly Cold[]): readonly number[] {
  return [
    median(all.map(({ loadMs }) => loadMs)),
    median(all.map(({ answerMs }) => answerMs)),
    median(all.map(({ cpuMs }) => cpuMs)),
  ];
}

/** Fresh processes of both in turn, over one table that has been used before. */
export async function coldStartTable(rounds: number): Promise<string> {
  const front = await dynamodbFront();
  const { key, entry } = newKey("bench", randomBytes(SECRET_BYTES), { scopes: ["*"] });
  const env = {
    ...{ PATH: process.env["PATH"], AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    ...{ AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" },
    HOLDFAST_ENDPOINT: front.endpoint,
    HOLDFAST_TABLE: await front.createTable(),
    HOLDFAST_KEYS: JSON.stringify([entry]),
    HOLDFAST_LOG_LEVEL: "silent",
  };
  const cold = async ({ entry: bundle }: LambdaBundle): Promise<Cold> => {
    const { stdout } = await promisify(execFile)(process.execPath, [COLD, bundle, key], { env });
    return JSON.parse(stdout);
  };
  try {
    return await inBundles([BARE, "holdfast/lambda/dynamodb"], async (bundles) => {
      const all: Cold[][] = bundles.map(() => []);
      for (let round = 0; round <= rounds; round += 1) {
        for (const [index, bundle] of bundles.entries()) {
          const took = await cold(bundle);
          // The first reads the files from the disk, and makes the table's settings.
          if (round > 0) all[index]?.push(took);
        }
      }
      const [bare, ours] = all.map(medians);
      if (bare === undefined || ours === undefined) throw new Error("nothing was measured");
      return table(
        ["", "loading, ms", "from its start to its first answer, ms", "CPU until then, ms"],
        [
          ["bare Hono, DynamoDB's client", ...bare.map((ms) => ms.toFixed(0))],
          ["holdfast/lambda/dynamodb", ...ours.map((ms) => ms.toFixed(0))],
          ["", ...ours.map((ms, index) => `× ${(ms / (bare[index] ?? 0)).toFixed(2)}`)],
        ],
      );
    });
  } finally {
    await front.close();
  }
}
