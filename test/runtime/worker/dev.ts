/**
 * `npm run dev:worker`: the Worker as wrangler builds it, in workerd on this machine, its bucket kept in
 * .wrangler, a cron event each minute. `--port` and `--persist` (a folder) for others. Miniflare ends
 * workerd, and this process, when it is told to stop.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Log, LogLevel, Miniflare } from "miniflare";
import { newKey } from "../../../src/http/keys.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { built, ROOT } from "./built.ts";

const EVERY_MS = 60_000;

interface Scheduled {
  scheduled(event: { cron: string; scheduledTime: Date }): Promise<{ outcome: string }>;
}

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8787" },
    persist: { type: "string", default: join(ROOT, ".wrangler", "state") },
  },
});

const print = (text: string) => void process.stdout.write(`${text}\n`);

print("Building the Worker with wrangler …");
const { script, compatibilityDate, compatibilityFlags } = await built();
// A new one for each start: what is stored is the default tenant's, whatever the key.
const { key, entry } = newKey("dev", systemRandom().bytes(32), { scopes: ["*"] });
const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: Number(values.port),
  log: new Log(LogLevel.WARN),
  cf: false,
  modules: true,
  script,
  compatibilityDate,
  compatibilityFlags: [...compatibilityFlags],
  r2Buckets: { HOLDFAST_BUCKET: "holdfast" },
  r2Persist: join(values.persist, "r2"),
  bindings: {
    HOLDFAST_KEYS: JSON.stringify([entry]),
    HOLDFAST_SECRET: Buffer.from(systemRandom().bytes(32)).toString("hex"),
    HOLDFAST_LOG_LEVEL: "debug",
  },
});
const url = String(await miniflare.ready).replace(/\/$/, "");

async function pass(): Promise<void> {
  // Miniflare's types are made of Cloudflare's, which are not installed.
  const worker: unknown = await miniflare.getWorker();
  const event = { cron: "* * * * *", scheduledTime: new Date() };
  const { outcome } = await (worker as Scheduled).scheduled(event);
  if (outcome !== "ok") print(`the cron event failed: ${outcome}`);
}

print(`Serving ${url}, documents at ${url}/docs, the bucket in ${values.persist}.`);
print(`HOLDFAST_URL=${url} HOLDFAST_KEY=${key}`);
print(`curl -H 'Authorization: Bearer ${key}' ${url}/v1/health`);

await pass();
setInterval(() => {
  pass().catch((error: unknown) => print(`no cron event: ${String(error)}`));
}, EVERY_MS);
