/** Built Workers in workerd: each an isolate of its own, behind a socket of its own, over one bucket. */
import type { Readable } from "node:stream";
import { Miniflare, type WorkerOptions } from "miniflare";
import { type Client, createClient } from "../../../src/client/client.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import type { JsonValue } from "../../../src/core/json.ts";
import { TICKET_SECRET } from "../../http/fixture.ts";
import type { Built } from "./built.ts";

export const KEY = `hf_app_${"A".repeat(43)}`;
export const OTHER_KEY = `hf_other_${"B".repeat(43)}`;

export const KEYS = JSON.stringify([
  { id: "app", scopes: ["*"], sha256: sha256Hex(KEY) },
  { id: "other", tenant: "other", scopes: ["*"], sha256: sha256Hex(OTHER_KEY) },
]);

/** Null: not set. */
export type Env = Readonly<Record<string, JsonValue>>;

/** Requests to R2 by their names, since the last look. */
export type Counts = Readonly<Partial<Record<"get" | "put" | "list" | "delete", number>>>;

export interface Running {
  readonly url: string;
  client(key?: string): Client;
  /** What a cron trigger comes to: `ok`, or `exception`. */
  cron(): Promise<string>;
  counts(): Promise<Counts>;
}

export interface Workers {
  readonly workers: readonly Running[];
  /** What they logged, parsed. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export interface WorkersOptions {
  readonly env?: Env;
  readonly count?: number;
  /** How far R2's clock is ahead of the isolate's. */
  readonly aheadMs?: number;
  readonly isBound?: boolean;
}

interface Scheduled {
  scheduled(event: { cron: string; scheduledTime: Date }): Promise<{ outcome: string }>;
}

/** Stands before the Worker: counts what it asks of R2, and sets R2's clock. */
const FRONT = `
import worker from "./worker.js";

let counts = {};
const environments = new WeakMap();

function environment(env) {
  if (env.HOLDFAST_BUCKET?.put === undefined) return env;
  const known = environments.get(env);
  if (known !== undefined) return known;
  const bucket = { head: () => null };
  for (const name of ["get", "put", "list", "delete"]) {
    bucket[name] = async (...given) => {
      counts[name] = (counts[name] ?? 0) + 1;
      const answer = await env.HOLDFAST_BUCKET[name](...given);
      if (name !== "put" || answer === null) return answer;
      const { key, etag, uploaded } = answer;
      return { key, etag, uploaded: new Date(uploaded.getTime() + env.AHEAD_MS) };
    };
  }
  const made = { ...env, HOLDFAST_BUCKET: bucket };
  environments.set(env, made);
  return made;
}

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/counts") {
      return worker.fetch(request, environment(env), context);
    }
    const told = counts;
    counts = {};
    return Response.json(told);
  },
  scheduled: (event, env, context) => worker.scheduled(event, environment(env), context),
};
`;

export async function openWorkers(
  { script, compatibilityDate, compatibilityFlags }: Built,
  { env = {}, count = 1, aheadMs = 0, isBound = true }: WorkersOptions = {},
): Promise<Workers> {
  const names = Array.from({ length: count }, (_, n) => `worker-${n}`);
  let output = "";
  const miniflare = new Miniflare({
    cf: false,
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
        });
      }
    },
    workers: names.map(
      (name): WorkerOptions => ({
        name,
        modulesRoot: "/",
        modules: [
          { type: "ESModule", path: "/front.js", contents: FRONT },
          { type: "ESModule", path: "/worker.js", contents: script },
        ],
        compatibilityDate,
        compatibilityFlags: [...compatibilityFlags],
        unsafeDirectSockets: [{}],
        ...(isBound ? { r2Buckets: { HOLDFAST_BUCKET: "jobs" } } : {}),
        bindings: {
          HOLDFAST_KEYS: KEYS,
          HOLDFAST_SECRET: TICKET_SECRET,
          HOLDFAST_LOG_LEVEL: "info",
          AHEAD_MS: aheadMs,
          ...env,
        },
      }),
    ),
  });
  await miniflare.ready;
  const workers = await Promise.all(names.map((name) => running(miniflare, name)));
  return {
    workers,
    lines: () =>
      output
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line)),
    close: () => miniflare.dispose(),
  };
}

async function running(miniflare: Miniflare, name: string): Promise<Running> {
  const url = String(await miniflare.unsafeGetDirectURL(name)).replace(/\/$/, "");
  return {
    url,
    client: (key = KEY) => createClient({ url, key }),
    async cron() {
      // Miniflare's types are made of Cloudflare's, which are not installed.
      const worker: unknown = await miniflare.getWorker(name);
      const event = { cron: "* * * * *", scheduledTime: new Date() };
      return (await (worker as Scheduled).scheduled(event)).outcome;
    },
    async counts() {
      const answer = await fetch(`${url}/counts`);
      return JSON.parse(await answer.text());
    },
  };
}
