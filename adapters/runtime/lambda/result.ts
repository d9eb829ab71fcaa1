/** What is made of an answer, for whoever asked the function. */
import { STATUS_CODES } from "node:http";
import { unreachable } from "../../../src/core/assert.ts";
import type { HttpEvent, Source } from "./event.ts";
import type { Metadata } from "./platform.ts";

/** Of an answer that is streamed. */
export function metadataOf({ status, headers }: Response): Metadata {
  return { statusCode: status, headers: headersOf(headers), cookies: headers.getSetCookie() };
}

/** An answer that is handed over as a whole, in the form that `source` takes. */
export type Result = Readonly<Record<string, unknown>>;

/** `body`: the text of the answer. All that we answer is text. */
export function resultOf({ form }: HttpEvent, answer: Response, body: string): Result {
  const { status, headers: all } = answer;
  const common = { statusCode: status, body, isBase64Encoded: false };
  const headers = headersOf(all);
  const cookies = all.getSetCookie();
  switch (form) {
    case "2.0":
      return { ...common, headers, ...(cookies.length > 0 ? { cookies } : {}) };
    case "single":
      return {
        ...common,
        statusDescription: description(status),
        headers: { ...headers, ...(cookies[0] === undefined ? {} : { "set-cookie": cookies[0] }) },
      };
    case "multi": {
      const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
      const multiValueHeaders = Object.fromEntries(
        cookies.length > 0 ? [...lists, ["set-cookie", cookies]] : lists,
      );
      return { ...common, statusDescription: description(status), multiValueHeaders };
    }
    default:
      return unreachable(form);
  }
}

/** Bytes of a result, as JSON, that are passed on; more of them, and the caller gets a bare 502. */
export function resultBytesMax(source: Source): number {
  return source === "load balancer" ? 1_000_000 : 6_000_000;
}

function headersOf(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => name !== "set-cookie"));
}

function description(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}
