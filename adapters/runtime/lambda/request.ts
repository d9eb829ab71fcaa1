/** The request that an event tells of. */
import type { HttpEvent } from "./event.ts";

/** What no request can be made of; its message is for whoever sent it. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

/** Throws BadRequestError. */
export function requestOf(event: HttpEvent): Request {
  const { method, path, query } = event;
  const body = bytesOf(event);
  if (body.length > 0 && /^(?:get|head)$/i.test(method)) {
    throw new BadRequestError(`a ${method} request must not have a body`);
  }
  try {
    const headers = headersOf(event);
    if (!path.startsWith("/")) throw new TypeError("no path");
    const url = `https://${hostOf(headers, event)}${path}${query === "" ? "" : `?${query}`}`;
    if (body.length === 0) return new Request(url, { method, headers });
    headers.set("content-length", String(body.length));
    return new Request(url, { method, headers, body });
  } catch (cause) {
    throw new BadRequestError("the method, the path or a header is not valid", { cause });
  }
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** What is no host would bring a path of its own. */
function hostOf(headers: Headers, event: HttpEvent): string {
  const told = [headers.get("host"), event.host].find((host) => HOST.test(host ?? ""));
  return told ?? "localhost";
}

function headersOf({ headers: pairs }: HttpEvent): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) {
    // Bytes are told as text; a header has them one by one, as a server of Node shows them.
    headers.append(name, Buffer.from(value, "utf8").toString("latin1"));
  }
  // Of the body as it was sent to AWS, not as it is here.
  headers.delete("content-length");
  return headers;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytesOf({ body, isBase64Encoded }: HttpEvent): Uint8Array<ArrayBuffer> {
  if (!isBase64Encoded) return new Uint8Array(Buffer.from(body, "utf8"));
  if (!BASE64.test(body)) {
    throw new BadRequestError("the body is told to be base64, and is not");
  }
  return new Uint8Array(Buffer.from(body, "base64"));
}
