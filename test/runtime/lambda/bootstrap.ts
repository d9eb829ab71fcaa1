/**
 * A stand-in for Lambda's runtime for Node, as a process: takes one invocation after another from the Runtime
 * API, and has the global `awslambda`, with its trap: of an answer that is only ended nothing is sent, its
 * status included. Arguments: the bundle and the name of its handler.
 */
import { Agent, type ClientRequest, request } from "node:http";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type {
  LambdaContext,
  Metadata,
  ResponseStream,
  StreamingHandler,
} from "../../../adapters/runtime/lambda/platform.ts";

const API = `http://${process.env["AWS_LAMBDA_RUNTIME_API"]}/2018-06-01/runtime`;

/** How far this process's clock is from everybody else's. */
const offsetMs = Number(process.env["CLOCK_OFFSET_MS"] ?? 0);
if (offsetMs !== 0) {
  const now = Date.now;
  Date.now = () => now() + offsetMs;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const streamingHandlers = new WeakSet<object>();
const preludes = new WeakMap<object, Metadata>();

Reflect.set(globalThis, "awslambda", {
  streamifyResponse(handler: object) {
    streamingHandlers.add(handler);
    return handler;
  },
  HttpResponseStream: {
    from(stream: ResponseStream, metadata: Metadata) {
      stream.setContentType("application/vnd.awslambda.http-integration-response");
      preludes.set(stream, metadata);
      return stream;
    },
  },
});

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function send(method: string, path: string, body = ""): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(API + path, { method, agent, headers }, (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, headers, body }), reject);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

const errorOf = (error: unknown) => ({
  errorType: error instanceof Error ? error.name : "Error",
  errorMessage: error instanceof Error ? error.message : String(error),
  trace: error instanceof Error ? (error.stack ?? "").split("\n") : [],
});

function streamOf(outgoing: ClientRequest): ResponseStream {
  let isBegun = false;
  const stream: ResponseStream = {
    setContentType: (type) => outgoing.setHeader("content-type", type),
    write(chunk) {
      const metadata = preludes.get(stream);
      if (!isBegun && metadata !== undefined) {
        outgoing.write(JSON.stringify(metadata));
        outgoing.write(new Uint8Array(8));
      }
      isBegun = true;
      return outgoing.write(chunk);
    },
    end: () => void outgoing.end(),
    on: (event, listener) => outgoing.on(event, listener),
  };
  return stream;
}

async function streamed(
  handler: StreamingHandler,
  event: unknown,
  context: LambdaContext,
): Promise<void> {
  const outgoing = request(`${API}/invocation/${context.awsRequestId}/response`, {
    method: "POST",
    agent,
    headers: {
      "content-type": "application/octet-stream",
      "lambda-runtime-function-response-mode": "streaming",
      "transfer-encoding": "chunked",
      trailer: "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
    },
  });
  const answered = new Promise<void>((resolve, reject) => {
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      response.resume().once("end", resolve);
    });
  });
  try {
    await handler(event, streamOf(outgoing), context);
  } catch (error) {
    const { errorType, ...told } = errorOf(error);
    outgoing.addTrailers({
      "Lambda-Runtime-Function-Error-Type": errorType,
      "Lambda-Runtime-Function-Error-Body": Buffer.from(JSON.stringify(told)).toString("base64"),
    });
    outgoing.end();
  }
  await answered;
}

async function run(): Promise<never> {
  const [bundle = "", name = ""] = process.argv.slice(2);
  let handler: StreamingHandler & ((event: unknown, context: LambdaContext) => Promise<unknown>);
  try {
    handler = (await import(pathToFileURL(bundle).href))[name];
    if (typeof handler !== "function") throw new TypeError(`${name} is no handler`);
  } catch (error) {
    await send("POST", "/init/error", JSON.stringify(errorOf(error)));
    process.exit(1);
  }
  for (;;) {
    const { headers, body } = await send("GET", "/invocation/next");
    const awsRequestId = String(headers["lambda-runtime-aws-request-id"]);
    const deadline = Number(headers["lambda-runtime-deadline-ms"]);
    const context: LambdaContext = {
      awsRequestId,
      getRemainingTimeInMillis: () => deadline - (Date.now() - offsetMs),
    };
    const event: unknown = JSON.parse(body);
    if (streamingHandlers.has(handler)) {
      await streamed(handler, event, context);
      continue;
    }
    const at = `/invocation/${awsRequestId}`;
    await handler(event, context).then(
      (result) => send("POST", `${at}/response`, JSON.stringify(result)),
      (error: unknown) => send("POST", `${at}/error`, JSON.stringify(errorOf(error))),
    );
  }
}

await run();
