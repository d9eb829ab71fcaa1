/**
 * A function URL on a loopback port, with invoke mode RESPONSE_STREAM: requests become events, and what the
 * handler streams becomes answers, as AWS Lambda does both.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";

export interface Context {
  readonly awsRequestId: string;
  readonly getRemainingTimeInMillis: () => number;
}

type Handler = (event: unknown, context: Context) => Promise<unknown>;
type Streaming = (event: unknown, stream: PassThrough, context: Context) => Promise<unknown>;

/** Handlers that Lambda gives a stream to, by what its runtime made of them. */
const STREAMING = new WeakMap<Handler, Streaming>();

const HTTP_ANSWER = "application/vnd.awslambda.http-integration-response";
const METADATA_END = Buffer.alloc(8);

/** Content types of answers, as the handler set them. */
const TYPES = new WeakMap<PassThrough, string>();

interface Metadata {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/** The global of Lambda's runtime for Node, for bundles that are imported from then on. */
export function provideAwslambda(): void {
  const streamifyResponse = (streaming: Streaming): Handler => {
    const handler: Handler = async () => {
      throw new Error("a streaming handler is not called without its stream");
    };
    STREAMING.set(handler, streaming);
    return handler;
  };
  const from = (stream: PassThrough, metadata: Metadata): PassThrough => {
    TYPES.set(stream, HTTP_ANSWER);
    const write = stream.write.bind(stream);
    // They go out in front of the first bytes, and never without any.
    const first = (chunk: string | Uint8Array): boolean => {
      Object.assign(stream, { write });
      write(Buffer.concat([Buffer.from(JSON.stringify(metadata)), METADATA_END]));
      return write(chunk);
    };
    Object.assign(stream, { write: first });
    return stream;
  };
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
}

export interface FunctionUrl {
  readonly url: string;
  close(): Promise<void>;
}

/** `timeoutMs`: what the function may take. `port` 0: any free one. */
export async function functionUrl(
  handler: Handler,
  { timeoutMs, port = 0 }: { readonly timeoutMs: number; readonly port?: number },
): Promise<FunctionUrl> {
  const streaming = STREAMING.get(handler);
  if (streaming === undefined) throw new Error("the handler is none that streams");
  const server = createServer((incoming, response) => {
    const stream = new PassThrough();
    Object.assign(stream, { setContentType: (type: string) => TYPES.set(stream, type) });
    eventOf(incoming)
      .then((event) => {
        const invoked = streaming(event, stream, contextOf(timeoutMs));
        return Promise.all([answer(stream, response), invoked]);
      })
      .catch(() => {
        // What went wrong is in the function's log, which is all that anybody learns of it from Lambda, too.
        if (!response.headersSent) response.writeHead(502);
        response.end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** For an invocation that begins now. */
export function contextOf(timeoutMs: number): Context {
  const end = Date.now() + timeoutMs;
  return {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
  };
}

/** In payload format 2.0. */
export async function eventOf(incoming: IncomingMessage): Promise<unknown> {
  const { method = "GET", url = "/", headers } = incoming;
  const [rawPath = "/", ...query] = url.split("?");
  const { cookie, ...others } = headers;
  const texts = Object.entries(others).map(([name, value]) => [name, String(value)]);
  const body = await buffer(incoming);
  const isText = /^(?:text\/|application\/(?:json|javascript|xml))/i.test(
    headers["content-type"] ?? "",
  );
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString: query.join("?"),
    ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }),
    headers: Object.fromEntries(texts),
    requestContext: {
      accountId: "anonymous",
      apiId: "local",
      domainPrefix: "local",
      domainName: "local.lambda-url.eu-central-1.on.aws",
      http: {
        method,
        path: rawPath,
        protocol: "HTTP/1.1",
        sourceIp: "127.0.0.1",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: new Date().toISOString(),
      timeEpoch: Date.now(),
    },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** A client that leaves does not stop the function: the rest of its stream goes nowhere. */
async function answer(stream: PassThrough, response: ServerResponse): Promise<void> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    if (head === null) {
      response.write(bytes);
      continue;
    }
    head = Buffer.concat([head, bytes]);
    const end = TYPES.get(stream) === HTTP_ANSWER ? head.indexOf(METADATA_END) : 0;
    if (end < 0) continue;
    writeHead(response, stream, head.subarray(0, end));
    const rest = end === 0 ? head : head.subarray(end + METADATA_END.length);
    if (rest.length > 0) response.write(rest);
    head = null;
  }
  if (head !== null) writeHead(response, stream, head);
  response.end();
}

function writeHead(response: ServerResponse, stream: PassThrough, metadata: Buffer): void {
  if (metadata.length === 0) {
    response.writeHead(200, { "content-type": TYPES.get(stream) ?? "application/octet-stream" });
    return;
  }
  const { statusCode = 200, headers = {}, cookies = [] }: Metadata = JSON.parse(String(metadata));
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  response.writeHead(statusCode);
  response.flushHeaders();
}
