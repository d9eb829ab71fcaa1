/** The real service for tests of the client, in memory. */
import type { Hono } from "hono";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import {
  type Client,
  type ClientOptions,
  createClient,
  type Fetch,
} from "../../src/client/client.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { HttpOptions } from "../../src/http/options.ts";
import type { Clock } from "../../src/ports/clock.ts";

export const URL_OF_SERVICE = "http://localhost";

export interface TestService {
  readonly app: Hono;
  /** The same store, as its library has it. */
  readonly holdfast: Holdfast;
  /** The app without a socket. */
  readonly fetch: Fetch;
  client(options?: Partial<ClientOptions>): Client;
}

export async function service(
  options: { readonly clock?: Clock; readonly http?: HttpOptions } = {},
): Promise<TestService> {
  const { clock, http = { open: true } } = options;
  const holdfast = await createHoldfast({ storage: memoryStorage(), ...(clock && { clock }) });
  const app = holdfast.http(http);
  const fetch: Fetch = (url, init) => app.request(url, init);
  return {
    app,
    holdfast,
    fetch,
    client: (clientOptions) => createClient({ url: URL_OF_SERVICE, fetch, ...clientOptions }),
  };
}

export function message(logicalKey: string) {
  const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
  return { logicalKey, payload };
}

/** A job that is due. */
export async function readyJob(client: Client, logicalKey: string): Promise<void> {
  await client.emails.enqueue(message(logicalKey));
  await client.emails.transition(logicalKey, { from: ["pending"], to: "ready" });
}

/** Answers that the service did not give. */
export const html = (status: number, headers: Record<string, string> = {}): Response =>
  new Response("<html><h1>Something is wrong</h1></html>", {
    status,
    headers: { "content-type": "text/html", ...headers },
  });

export const problem = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Response =>
  new Response(JSON.stringify({ status, code, detail: "it is so", instance: "/v1/x", ...more }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
