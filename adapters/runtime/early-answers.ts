/** Answers that the service's routes do not give: before they are there, and to what never gets to them. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { PROBLEMS, problemBody } from "../../src/http/problem.ts";
import { givenRequestId } from "../../src/http/request-id.ts";

/** How long a connection that was answered may take to close its side. */
const CLOSING_MS = 1_000;

/** Before the storage is open: a folder whose index is made anew may take its time. */
export function notYet(request: Request): Response {
  const { pathname } = new URL(request.url);
  const requestId = givenRequestId(request.headers) ?? randomUUID();
  if (pathname === "/healthz") {
    return Response.json({ status: "ok" }, { headers: { "x-request-id": requestId } });
  }
  const body = problemBody(
    { code: "unavailable", detail: "the service is starting" },
    pathname,
    "/docs",
  );
  const headers = { ...problemHeaders(requestId), "retry-after": "1" };
  return new Response(JSON.stringify(body), { status: PROBLEMS.unavailable.status, headers });
}

/** What no request for a route can be made of. */
export function badTarget(): Response {
  const { status, text, headers } = badRequest("the target or the host is missing or not valid");
  return new Response(text, { status, headers });
}

/**
 * Whether a request has a body that no route reads. Its end would have to be waited for before the
 * connection can be used again, however much comes.
 */
export function hasUnreadBody({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Answers and closes the connection, whatever is still coming. */
export function refuse(outgoing: ServerResponse, detail: string): void {
  const { status, text, headers } = badRequest(detail);
  outgoing.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  outgoing.end(text);
}

/** Refuses for want of room, before anything is read. */
export function refuseForNow(outgoing: ServerResponse, detail: string): void {
  const body = problemBody({ code: "unavailable", detail }, "/", "/docs");
  const text = JSON.stringify(body);
  outgoing.writeHead(PROBLEMS.unavailable.status, {
    ...problemHeaders(randomUUID()),
    "content-length": Buffer.byteLength(text),
    "retry-after": "1",
    connection: "close",
  });
  outgoing.end(text);
}

/** What Node itself refuses before there is a request: told in the same form. */
export function refuseRaw(socket: Duplex, detail: string): void {
  const { text, headers } = badRequest(detail);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.join("")}content-length: ${Buffer.byteLength(text)}\r\n` +
      `connection: close\r\n\r\n${text}`,
  );
  setTimeout(() => socket.destroy(), CLOSING_MS).unref();
}

/** What a client did that Node gave up on. */
export function clientFault({ code }: NodeJS.ErrnoException): string {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "the request did not arrive in time";
  if (code === "HPE_HEADER_OVERFLOW") return "the headers are too long";
  return "this is not a request of HTTP/1.1";
}

function badRequest(detail: string) {
  const body = problemBody({ code: "bad_request", detail }, "/", "/docs");
  return {
    status: PROBLEMS.bad_request.status,
    text: JSON.stringify(body),
    headers: problemHeaders(randomUUID()),
  };
}

function problemHeaders(requestId: string) {
  return {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-request-id": requestId,
  };
}
