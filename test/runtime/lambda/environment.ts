/**
 * One execution environment: a process with a handler, and the Runtime API that it talks to. It is frozen from
 * the moment it asks for the next invocation until there is one, as Lambda freezes it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const BOOTSTRAP = fileURLToPath(new URL("bootstrap.js", import.meta.url));

export type Env = Readonly<Record<string, string>>;

export interface Ended {
  /** Null: it was killed, or its time was up. */
  readonly error: { readonly errorType: string; readonly errorMessage: string } | null;
  readonly body: Buffer;
}

export interface Invocation {
  readonly isStreaming: Promise<boolean>;
  /** What has come so far. */
  bytes(): Buffer;
  /** Told of everything that comes. */
  onBytes(listener: (bytes: Buffer) => void): void;
  /** Rejects when the process ends before the handler does. */
  readonly ended: Promise<Ended>;
}

export interface EnvironmentOptions {
  readonly bundle: string;
  readonly handler: string;
  readonly env: Env;
  /** After which the process is killed. */
  readonly timeoutMs: number;
}

export interface Environment {
  readonly pid: number;
  readonly isOver: boolean;
  /** Resolves when it is stopped between two invocations; rejects when its module cannot be loaded. */
  whenIdle(): Promise<void>;
  invoke(event: unknown): Invocation;
  /** In the middle of whatever it does. */
  freeze(): void;
  thaw(): void;
  /** Lines of its log. */
  log(): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

interface Pending {
  readonly begin: (isStreaming: boolean) => void;
  readonly take: (bytes: Buffer) => void;
  readonly end: (ended: Ended) => void;
  readonly fail: (error: Error) => void;
}

interface Settled {
  readonly promise: Promise<void>;
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

function settled(): Settled {
  let done = (): void => {};
  let fail = (_error: Error): void => {};
  const promise = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  promise.catch(() => {});
  return { promise, done, fail };
}

export async function environment(options: EnvironmentOptions): Promise<Environment> {
  const { bundle, handler, env, timeoutMs } = options;
  let next: ServerResponse | null = null;
  let pending: Pending | null = null;
  let count = 0;
  let output = "";
  let isOver = false;
  let idle = settled();

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const child: ChildProcess = spawn(process.execPath, [BOOTSTRAP, bundle, handler], {
    env: {
      PATH: process.env["PATH"],
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (some) => {
      output += some;
    });
  }
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      isOver = true;
      const error = new Error(`the process ended: ${code ?? signal}\n${output}`);
      idle.fail(error);
      pending?.fail(error);
      resolve();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "" } = request;
    if (url.endsWith("/invocation/next")) {
      pending = null;
      next = response;
      child.kill("SIGSTOP");
      return idle.done();
    }
    if (url.endsWith("/init/error")) {
      const { errorMessage } = JSON.parse(await text(request));
      idle.fail(new Error(errorMessage));
      return void response.writeHead(202).end();
    }
    const invocation = pending;
    if (invocation === null) return void response.writeHead(403).end();
    if (url.endsWith("/error")) {
      const error = JSON.parse(await text(request));
      response.writeHead(202).end();
      return invocation.end({ error, body: Buffer.alloc(0) });
    }
    invocation.begin(request.headers["lambda-runtime-function-response-mode"] === "streaming");
    const parts: Buffer[] = [];
    for await (const part of request) {
      parts.push(part);
      invocation.take(part);
    }
    response.writeHead(202).end();
    const errorType = request.trailers["lambda-runtime-function-error-type"];
    const told = request.trailers["lambda-runtime-function-error-body"];
    const error =
      errorType === undefined
        ? null
        : { errorType, ...JSON.parse(Buffer.from(String(told), "base64").toString()) };
    invocation.end({ error, body: Buffer.concat(parts) });
  }

  function invoke(event: unknown): Invocation {
    const response = next;
    if (response === null) throw new Error("the environment is at work");
    next = null;
    idle = settled();
    count += 1;
    const id = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
    const parts: Buffer[] = [];
    const listeners: ((bytes: Buffer) => void)[] = [];
    let begin = (_isStreaming: boolean): void => {};
    const isStreaming = new Promise<boolean>((resolve) => {
      begin = resolve;
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const ended = new Promise<Ended>((resolve, fail) => {
      const over = (): void => clearTimeout(timer);
      pending = {
        begin,
        take(bytes) {
          parts.push(bytes);
          for (const listener of listeners) listener(bytes);
        },
        end(told) {
          over();
          resolve(told);
        },
        fail(error) {
          over();
          fail(error);
        },
      };
    });
    ended.catch(() => {});
    child.kill("SIGCONT");
    response
      .writeHead(200, {
        "content-type": "application/json",
        "lambda-runtime-aws-request-id": id,
        "lambda-runtime-deadline-ms": String(Date.now() + timeoutMs),
        "lambda-runtime-invoked-function-arn":
          "arn:aws:lambda:eu-central-1:123456789012:function:holdfast",
        "lambda-runtime-trace-id": "Root=1-00000000-000000000000000000000000",
      })
      .end(JSON.stringify(event));
    return {
      isStreaming,
      ended,
      bytes: () => Buffer.concat(parts),
      onBytes(listener) {
        for (const part of parts) listener(part);
        listeners.push(listener);
      },
    };
  }

  return {
    pid: child.pid ?? 0,
    get isOver() {
      return isOver;
    },
    whenIdle: () => idle.promise,
    invoke,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    log: () =>
      output
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line)),
    async close() {
      child.kill("SIGKILL");
      await exited;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
