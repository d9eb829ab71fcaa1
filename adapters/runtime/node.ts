/** The service as a process of Node: listens, opens the storage, serves, and stops in good order. */
import { randomBytes } from "node:crypto";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { epochMs } from "../../src/core/time.ts";
import type { Holdfast } from "../../src/holdfast.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Log, LogLevel } from "../../src/ports/log.ts";
import type { Observation, Observe } from "../../src/ports/observe.ts";
import type { ProbeFinding } from "../../src/store/probe.ts";
import { folderOwner } from "../storage/filesystem/index.ts";
import { answerQueries } from "./answering.ts";
import { type Config, checkServable, tenantsOf } from "./config.ts";
import { isLoopback } from "./config-values.ts";
import { type Connections, watchConnections } from "./connections.ts";
import { clientFault, type EarlyAnswers, earlyAnswers, hasUnreadBody } from "./early-answers.ts";
import { openHoldfast, whenFree } from "./open.ts";
import { openRunner } from "./runner.ts";
import { schedule } from "./schedule.ts";

export interface NodeServer {
  /** Where this host reaches it. */
  readonly url: string;
  /** Resolves when the folder is this process's no more: all that is left is to stop. */
  readonly lost: Promise<void>;
  /**
   * Takes no more connections, ends passes and runs, lets requests in flight be answered to the last byte
   * for up to `graceMs`, and lets go of the storage. Rejects after `limitMs`, whatever still goes on. Nothing that was
   * acknowledged depends on it: a kill loses no more.
   */
  stop(times: { readonly graceMs: number; readonly limitMs: number }): Promise<void>;
}

/** What an operator wants to see as it happens; the rest is counted by whoever observes. */
const LOGGED: Partial<Record<Observation, LogLevel>> = {
  "folder.lock.lost": "error",
  "folder.lock.taken_over": "warn",
  "folder.rebuild.started": "info",
  "folder.rebuild.finished": "info",
  "store.record_corrupt": "warn",
  "store.put.outcome_unknown": "warn",
  "email.exhausted": "warn",
  "email.lease_lost": "warn",
  "email.stale": "warn",
};

/** Longer than the proxies before a service usually keep a connection, so that they close it first. */
const KEEP_ALIVE_MS = 75_000;

/** For the whole of one request to arrive. */
const REQUEST_MS = 60_000;

/** How much later than that it may be told. */
const CHECKING_MS = 5_000;

/**
 * `env` is what a runner's command gets, but for our own variables. Throws MisconfiguredError (what is wrong
 * with a variable, a port in use) or FolderInUseError (with the owner's pid and address).
 */
export async function startServer(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<NodeServer> {
  checkServable(config);
  let app: Hono | null = null;
  const early = earlyAnswers(log);
  const listener = getRequestListener(
    (request, env) => app?.fetch(request, env) ?? early.notYet(request),
    { errorHandler: early.badTarget },
  );
  const http = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECKING_MS,
    // Left to the listener, which answers in our form.
    requireHostHeader: false,
  });
  const connections = watchConnections(http);
  http.on("request", (incoming, outgoing) => {
    connections.begin(incoming, outgoing);
    if (connections.isFull()) early.refuseForNow(outgoing, "too many answers wait to be read");
    else if (!hasUnreadBody(incoming)) void listener(incoming, outgoing);
    else early.refuse(outgoing, `a ${incoming.method} request must not have a body`);
  });
  refuseOddities(http, connections, early);
  const url = await listen(http, config);
  const secret = randomBytes(32).toString("base64url");
  let lose = (): void => {};
  const lost = new Promise<void>((resolve) => (lose = resolve));
  const counts = new Map<string, number>();
  const observe: Observe = (name, count) => {
    counts.set(name, (counts.get(name) ?? 0) + count);
    if (LOGGED[name] !== undefined) log(LOGGED[name], "observed", { what: name, count });
    if (name === "folder.lock.lost") lose();
  };
  const stopping = new AbortController();
  let holdfast: Holdfast;
  try {
    const owner = { address: url, secret };
    const onProbed = ({ check, detail }: ProbeFinding): void => {
      log("warn", "storage", { check, detail });
    };
    holdfast = await whenFree(() => openHoldfast(config, { owner, observe, log, onProbed }), log);
    app = holdfast.http({
      ...(config.keys.length > 0 ? { keys: config.keys } : { open: true }),
      owner: { secret, isLocal },
      corsOrigins: config.corsOrigins,
      ...(config.secret === null ? {} : { secret: config.secret }),
      ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
      stopping: stopping.signal,
      log,
      counts,
    });
  } catch (error) {
    http.closeAllConnections();
    http.close();
    throw error;
  }
  const tenants = tenantsOf(config);
  const passes = schedule(holdfast, { everyMs: config.reconcileMs, tenants }, log);
  const answering = answerQueries(holdfast, openRunner(config.runner, env), tenants, log);
  return {
    url,
    lost,
    stop({ graceMs, limitMs }) {
      // Passes that requests asked for take longest: the others need not wait for their end to begin.
      stopping.abort();
      const stopped = async (): Promise<void> => {
        await Promise.all([connections.drain(graceMs), passes.stop(), answering.stop()]);
        await holdfast.close();
      };
      return inTime(stopped(), limitMs);
    },
  };
}

async function inTime(work: Promise<void>, limitMs: number): Promise<void> {
  const ended = new AbortController();
  const late = sleep(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`not ended within ${limitMs} ms`);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    late.catch(() => {});
    ended.abort();
  }
}

/** What Node would answer in a form of its own, or not at all. */
function refuseOddities(
  http: HttpServer,
  connections: Connections,
  { refuse, refuseRaw }: EarlyAnswers,
): void {
  http.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const isOver = !socket.writable || error.code === "ECONNRESET";
    if (isOver || connections.isAnswering(socket)) socket.destroy();
    else refuseRaw(socket, clientFault(error));
  });
  http.on("checkExpectation", (incoming, outgoing) => {
    connections.begin(incoming, outgoing);
    refuse(outgoing, "no expectation but 100-continue can be met");
  });
  http.on("connect", (_, socket) => {
    // Nobody else listens from here on.
    socket.on("error", () => {});
    refuseRaw(socket, "CONNECT is not for this service");
  });
}

/** Resolves to the URL. */
function listen(http: HttpServer, { host, port, storage }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => {
      const owner =
        storage.kind === "filesystem" ? folderOwner(storage.directory, epochMs(Date.now())) : null;
      const who = owner === null ? "" : `; its folder belongs to process ${owner.pid}`;
      reject(
        new MisconfiguredError(
          error.code === "EADDRINUSE"
            ? `PORT ${port} of HOST ${host} is in use${who}: stop what listens there, or set another, such as PORT=${port + 1}`
            : `HOST ${host}, PORT ${port}: cannot listen there (${error.code ?? error.message}); such as HOST=127.0.0.1 PORT=8787`,
          { cause: error },
        ),
      );
    });
    http.listen(port, host, () => {
      const address = http.address();
      const actual = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${reachable(host)}:${actual}`);
    });
  });
}

/** The host as this host reaches it: one that means "all" is no address to connect to. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Whether a connection came from this host: over loopback, or from the very address that it went to. */
function isLocal(env: unknown): boolean {
  const { socket } = (env as { readonly incoming: IncomingMessage }).incoming;
  const remote = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  const local = (socket.localAddress ?? "").replace(/^::ffff:/, "");
  return remote !== "" && (isLoopback(remote) || remote === local);
}
