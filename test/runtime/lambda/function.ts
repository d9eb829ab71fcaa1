/**
 * A deployed function: as many environments as there are invocations at the same time, and a function URL with
 * RESPONSE_STREAM that is reached over real HTTP.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import {
  type Ended,
  type Environment,
  type EnvironmentOptions,
  environment,
  type Invocation,
} from "./environment.ts";
import { functionUrlEvent } from "./events.ts";

export interface Deployed {
  /** All there ever were. */
  readonly environments: readonly Environment[];
  /** By an environment that is idle, or a new one. */
  begin(event: unknown): Promise<{ readonly by: Environment; readonly invocation: Invocation }>;
  invoke(event: unknown): Promise<Ended>;
  /** The JSON that a handler answered. Throws what it threw. */
  result(event: unknown): Promise<Readonly<Record<string, unknown>>>;
  /** Lines of all logs. */
  log(): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

export function deployed(options: EnvironmentOptions): Deployed {
  const environments: Environment[] = [];

  const atWork = new Set<Environment>();

  async function idle(): Promise<Environment> {
    const found = environments.find((one) => !one.isOver && !atWork.has(one));
    const one = found ?? (await environment(options));
    if (found === undefined) environments.push(one);
    atWork.add(one);
    await one.whenIdle();
    return one;
  }

  async function begin(event: unknown) {
    const by = await idle();
    const invocation = by.invoke(event);
    const over = (): void => void atWork.delete(by);
    invocation.ended.then(over, over);
    return { by, invocation };
  }

  async function invoke(event: unknown): Promise<Ended> {
    const { invocation } = await begin(event);
    return invocation.ended;
  }

  return {
    environments,
    begin,
    invoke,
    async result(event) {
      const { error, body } = await invoke(event);
      if (error !== null) throw new Error(`${error.errorType}: ${error.errorMessage}`);
      return JSON.parse(body.toString());
    },
    log: () => environments.flatMap((one) => one.log()),
    async close() {
      await Promise.all(environments.map((one) => one.close()));
    },
  };
}

/** What stands before the body of a streamed answer. */
export interface Prelude {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/** Null: it has not come as a whole. */
export function preludeOf(bytes: Buffer): { prelude: Prelude; body: Buffer } | null {
  const at = bytes.indexOf(Buffer.alloc(8));
  if (at < 0) return null;
  return { prelude: JSON.parse(bytes.subarray(0, at).toString()), body: bytes.subarray(at + 8) };
}

/** A streamed answer that is over. */
export function streamedAnswer({ error, body }: Ended): { prelude: Prelude; text: string } {
  if (error !== null) throw new Error(`${error.errorType}: ${error.errorMessage}`);
  const found = preludeOf(body);
  if (found === null) throw new Error(`no prelude: ${body.toString()}`);
  return { prelude: found.prelude, text: found.body.toString() };
}

export interface FunctionUrl {
  readonly url: string;
  close(): Promise<void>;
}

export async function functionUrl(deployment: Deployed): Promise<FunctionUrl> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [rawPath = "/", rawQueryString = ""] = (request.url ?? "/").split("?");
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const { invocation } = await deployment.begin(
      functionUrlEvent({
        method: request.method ?? "GET",
        path: rawPath,
        query: rawQueryString,
        headers,
        body: body.length === 0 ? null : body.toString("base64"),
        isBase64Encoded: body.length > 0,
      }),
    );
    let isBegun = false;
    let held = Buffer.alloc(0);
    invocation.onBytes((bytes) => {
      if (isBegun) return void response.write(bytes);
      held = Buffer.concat([held, bytes]);
      const found = preludeOf(held);
      if (found === null) return;
      isBegun = true;
      response.writeHead(found.prelude.statusCode, found.prelude.headers);
      response.flushHeaders();
      if (found.body.length > 0) response.write(found.body);
    });
    const { error } = await invocation.ended;
    if (error !== null || !isBegun) return void response.writeHead(502).end();
    response.end();
  }

  const server = createServer((request, response) => {
    // As Lambda does, which then breaks the answer off.
    handle(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
