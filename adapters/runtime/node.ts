/** The service as a process of Node: listens, opens the storage, serves, and stops in good order. */
import { randomBytes } from "node:crypto";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { epochMs } from "../../src/core/time.ts";
import type { Holdfast } from "../../src/holdfast.ts";
import { PROBLEMS, problemBody } from "../../src/http/problem.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Log, LogLevel } from "../../src/ports/log.ts";
import type { Observation, Observe } from "../../src/ports/observe.ts";
import { folderOwner } from "../storage/filesystem/index.ts";
import { type Config, checkServable } from "./config.ts";
import { isLoopback } from "./config-values.ts";
import { openHoldfast } from "./open.ts";

export interface NodeServer {
  /** Where this host reaches it. */
  readonly url: string;
  /** Resolves when the folder is this process's no more: all that is left is to stop. */
  readonly lost: Promise<void>;
  /**
   * Takes no more connections, lets requests in flight end for up to `graceMs`, and lets go of the
   * storage. Nothing that was acknowledged depends on it: a kill loses no more.
   */
  stop(graceMs: number): Promise<void>;
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
};

/** Longer than the proxies before a service usually keep a connection, so that they close it first. */
const KEEP_ALIVE_MS = 75_000;

/** For the whole of one request to arrive. */
const REQUEST_MS = 60_000;

/**
 * Throws MisconfiguredError (what is wrong with a variable, a port in use) or FolderInUseError (with
 * the owner's pid and address).
 */
export async function startServer(config: Config, log: Log): Promise<NodeServer> {
  checkServable(config);
  let app: Hono | null = null;
  const listener = getRequestListener(
    (request, env) => app?.fetch(request, env) ?? notYet(request),
    {
      errorHandler: () =>
        problemResponse("bad_request", "the target or the host is not valid", "/"),
    },
  );
  const http = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  http.on("clientError", refuseRaw);
  const url = await listen(http, config);
  const secret = randomBytes(32).toString("base64url");
  let lose = (): void => {};
  const lost = new Promise<void>((resolve) => (lose = resolve));
  const observe: Observe = (name, count) => {
    if (LOGGED[name] !== undefined) log(LOGGED[name], "observed", { what: name, count });
    if (name === "folder.lock.lost") lose();
  };
  let holdfast: Holdfast;
  try {
    holdfast = await openHoldfast(config, { address: url, secret }, observe);
    app = holdfast.http({
      ...(config.keys.length > 0 ? { keys: config.keys } : { open: true }),
      owner: { secret, isLocal },
      corsOrigins: config.corsOrigins,
      ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
      log,
    });
  } catch (error) {
    http.closeAllConnections();
    http.close();
    throw error;
  }
  return {
    url,
    lost,
    async stop(graceMs) {
      await drain(http, graceMs);
      await holdfast.close();
    },
  };
}

/** Asks again and again: a connection that was busy at first is idle in a moment. */
async function drain(http: HttpServer, graceMs: number): Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    http.close(() => {
      isClosed = true;
      resolve();
    });
  });
  const POLL_MS = 25;
  for (let waited = 0; !isClosed && waited < graceMs; waited += POLL_MS) {
    http.closeIdleConnections();
    await Promise.race([closed, sleep(POLL_MS)]);
  }
  http.closeAllConnections();
  await closed;
}

/** Before the storage is open: a folder whose index is made anew may take its time. */
function notYet(request: Request): Response {
  const { pathname } = new URL(request.url);
  if (pathname === "/healthz") return Response.json({ status: "ok" });
  return problemResponse("unavailable", "the service is starting", pathname);
}

function problemResponse(code: "unavailable" | "bad_request", detail: string, instance: string) {
  const body = problemBody({ code, detail }, instance, "/docs");
  const headers = { "content-type": "application/problem+json", "retry-after": "1" };
  return new Response(JSON.stringify(body), { status: PROBLEMS[code].status, headers });
}

/** What Node itself refuses before there is a request: told in the same form. */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const isTooLong = error.code === "HPE_HEADER_OVERFLOW";
  const detail = isTooLong ? "the headers are too long" : "this is not a request of HTTP/1.1";
  const body = JSON.stringify(problemBody({ code: "bad_request", detail }, "/", "/docs"));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
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
