/** Answers that the service's routes do not give: before they are there, and to what never gets to them. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { PROBLEMS, type Problem, problemBody } from "../../src/http/problem.ts";
import { givenRequestId } from "../../src/http/request-id.ts";
import type { Log, LogLevel } from "../../src/ports/log.ts";

/** Each leaves a line as a route's answer does, of the route `none`. */
export interface EarlyAnswers {
  /** Before the storage is open: a folder whose index is made anew may take its time. */
  notYet(request: Request): Response;
  /** What no request for a route can be made of. */
  badTarget(): Response;
  /** Answers and closes the connection, whatever is still coming. */
  refuse(outgoing: ServerResponse, detail: string): void;
  /** Refuses for want of room, before anything is read. */
  refuseForNow(outgoing: ServerResponse, detail: string): void;
  /** What Node itself refuses before there is a request: told in the same form. */
  refuseRaw(socket: Duplex, detail: string): void;
}

/** How long a connection that was answered may take to close its side. */
const CLOSING_MS = 1_000;

/** What asks whether the process lives asks often. */
const PROBES = ["/healthz", "/readyz"];

export function earlyAnswers(log: Log): EarlyAnswers {
  function told(problem: Problem, about: About): Refusal {
    const { requestId = randomUUID(), path = "/", level = "info", method } = about;
    const { code } = problem;
    const { status } = PROBLEMS[code];
    log(level, "request", {
      requestId,
      ...(method === undefined ? {} : { method }),
      route: "none",
      status,
      code,
    });
    const headers = {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...problem.headers,
    };
    return { status, headers, text: JSON.stringify(problemBody(problem, path, "/docs")) };
  }

  function answer(outgoing: ServerResponse, problem: Problem, level: LogLevel): void {
    const { method = "" } = outgoing.req;
    const { status, headers, text } = told(problem, { method, level });
    const length = Buffer.byteLength(text);
    outgoing.writeHead(status, { ...headers, "content-length": length, connection: "close" });
    outgoing.end(text);
  }

  return {
    notYet(request) {
      const { pathname } = new URL(request.url);
      const requestId = givenRequestId(request.headers) ?? randomUUID();
      if (pathname === "/healthz") {
        return Response.json({ status: "ok" }, { headers: { "x-request-id": requestId } });
      }
      const { status, headers, text } = told(STARTING, {
        requestId,
        path: pathname,
        method: request.method,
        level: PROBES.includes(pathname) ? "debug" : "info",
      });
      return new Response(text, { status, headers });
    },

    badTarget() {
      const { status, headers, text } = told(BAD_TARGET, {});
      return new Response(text, { status, headers });
    },

    refuse: (outgoing, detail) => answer(outgoing, { code: "bad_request", detail }, "info"),

    refuseForNow: (outgoing, detail) =>
      answer(outgoing, { code: "unavailable", detail, headers: LATER }, "error"),

    refuseRaw(socket, detail) {
      const { headers, text } = told({ code: "bad_request", detail }, {});
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(
        `HTTP/1.1 400 Bad Request\r\n${lines.join("")}content-length: ${Buffer.byteLength(text)}\r\n` +
          `connection: close\r\n\r\n${text}`,
      );
      setTimeout(() => socket.destroy(), CLOSING_MS).unref();
    },
  };
}

/** As far as it is known. */
interface About {
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly level?: LogLevel;
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const LATER = { "retry-after": "1" };

const STARTING: Problem = {
  code: "unavailable",
  detail: "the service is starting",
  headers: LATER,
};

const BAD_TARGET: Problem = {
  code: "bad_request",
  detail: "the target or the host is missing or not valid",
};

/**
 * Whether a request has a body that no route reads. Its end would have to be waited for before the
 * connection can be used again, however much comes.
 */
export function hasUnreadBody({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** What a client did that Node gave up on. */
export function clientFault({ code }: NodeJS.ErrnoException): string {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "the request did not arrive in time";
  if (code === "HPE_HEADER_OVERFLOW") return "the headers are too long";
  return "this is not a request of HTTP/1.1";
}
