/** The service beside bare Hono: the same body, validated, over keep-alive connections of one host. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { median, table } from "./measure.ts";

const SERVER = fileURLToPath(new URL("./http-server.js", import.meta.url));
const KEY = `hf_bench_${"k".repeat(43)}`;
const CONNECTIONS = 64;

interface Server {
  readonly url: string;
  ask<T>(what: "memory" | "cpu"): Promise<T>;
  stop(): void;
}

async function start(which: "bare" | "holdfast"): Promise<Server> {
  // Log lines go where a supervisor would take them: into a file, not to the bench's own output.
  const log = openSync("/dev/null", "w");
  const child: ChildProcess = fork(SERVER, [which, KEY], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", log, "inherit", "ipc"],
  });
  const [{ port }] = await once(child, "message");
  return {
    url: `http://127.0.0.1:${port}`,
    async ask(what) {
      child.send(what);
      const [answer] = await once(child, "message");
      return answer;
    },
    stop: () => child.kill(),
  };
}

let made = 0;

function request(path: string, body: () => unknown) {
  return {
    method: "POST" as const,
    path,
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
    setupRequest: (base: object) => ({ ...base, body: JSON.stringify(body()) }),
  };
}

function enqueue() {
  made += 1;
  const text = "Good to have you here. ".repeat(10);
  const payload = { type: "message", recipient: "ann@example.com", subject: `Hi ${made}`, text };
  return { logicalKey: `welcome:${made}`, payload };
}

interface Run {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p99: number;
}

/** After these the compiler is through with what is asked for again and again. */
const WARM_UP = 60_000;

async function measured(server: Server, load: { amount: number } | { duration: number }) {
  await server.ask("cpu");
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    ...load,
    requests: [request("/v1/emails", enqueue)],
  });
  const { cpuMs } = await server.ask<{ cpuMs: number }>("cpu");
  const good = result["2xx"];
  if (result.non2xx + result.errors + result.timeouts > 0) throw new Error("a request failed");
  const run: Run = {
    perSecond: result.requests.average,
    cpuMicros: (cpuMs * 1_000) / good,
    p99: result.latency.p99,
  };
  return run;
}

export async function httpTable(rounds: number, seconds: number): Promise<string> {
  const names = ["bare", "holdfast"] as const;
  const runs: Record<(typeof names)[number], Run[]> = { bare: [], holdfast: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      // A fresh process each time: the memory storage grows with every job.
      const server = await start(name);
      await measured(server, { amount: WARM_UP });
      runs[name].push(await measured(server, { duration: seconds }));
      server.stop();
    }
  }
  const of = (name: (typeof names)[number], field: keyof Run): number =>
    median(runs[name].map((run) => run[field]));
  const share = runs.bare.map((run, n) => (runs.holdfast[n]?.perSecond ?? 0) / run.perSecond);
  const rows = names.map((name) => [
    name === "bare"
      ? "bare Hono, body validated by zod"
      : "Holdfast: key, limits, log line, enqueue",
    Math.round(of(name, "perSecond")).toLocaleString("en"),
    name === "bare" ? "100 %" : `${Math.round(median(share) * 100)} %`,
    of(name, "cpuMicros").toFixed(0),
    of(name, "p99").toFixed(0),
  ]);
  const head = ["`POST /v1/emails`, 64 at a time", "requests/s", "", "CPU µs each", "p99 ms"];
  return table(head, rows);
}

/** Repeats that store nothing more, so that what grows would be the service's own. */
export async function keepAliveTable(batches: number): Promise<string> {
  const server = await start("holdfast");
  const known = Array.from({ length: 100 }, enqueue);
  const rows: string[][] = [];
  for (let batch = 0; batch <= batches; batch += 1) {
    let next = 0;
    const result = await autocannon({
      url: server.url,
      connections: CONNECTIONS,
      amount: 10_000,
      requests: [request("/v1/emails", () => known[next++ % known.length])],
    });
    const { heapUsed, rss } = await server.ask<NodeJS.MemoryUsage>("memory");
    // The first one warms up: the compiler's code and the buffers of the connections come with it.
    if (batch === 0) continue;
    rows.push([
      `${batch * 10_000}`,
      String(result.non2xx + result.errors + result.timeouts),
      (heapUsed / 1_048_576).toFixed(1),
      (rss / 1_048_576).toFixed(0),
    ]);
  }
  server.stop();
  return table(["requests, 64 at a time", "failed", "heap MiB", "RSS MiB"], rows);
}
