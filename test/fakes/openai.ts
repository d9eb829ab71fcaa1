/**
 * A provider of streamed chat completions in this process, over a real socket: it says exactly what it
 * is told, bytes and status alike, and breaks off where it is told to.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** `hang` says nothing more and stays; `reset` breaks the connection. */
export type FakeStep = string | Uint8Array | "hang" | "reset";

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In their order, each written by itself once the one before has left. */
  readonly steps: Iterable<FakeStep> | AsyncIterable<FakeStep>;
}

export interface FakeOpenAi {
  readonly baseUrl: string;
  /** Everything that was asked for, in order, bodies whole. */
  readonly requests: readonly FakeRequest[];
  /** Bytes of bodies that were written so far. */
  readonly written: number;
  /** What the next requests get. */
  answerOf: (request: FakeRequest) => FakeAnswer;
  /** Resolves when there was a step `hang`, and every step before it is written. */
  hanging(): Promise<void>;
  /** Resolves when no request is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** One event of a completion that goes on with `content`. */
export function chunk(content: string | null, finishReason: string | null = null): string {
  const choice = {
    index: 0,
    delta: content === null ? {} : { content },
    finish_reason: finishReason,
  };
  return event({ object: "chat.completion.chunk", model: "fake-1-2026", choices: [choice] });
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const DONE = "data: [DONE]\n\n";

export function answering(...parts: readonly string[]): FakeAnswer {
  return { steps: [...parts.map((part) => chunk(part)), chunk(null, "stop"), DONE] };
}

export async function fakeOpenAi(): Promise<FakeOpenAi> {
  const requests: FakeRequest[] = [];
  const open = new Set<ServerResponse>();
  let written = 0;
  let wake: () => void = () => {};
  let changed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let isHanging = false;

  function tell(): void {
    wake();
    changed = new Promise((resolve) => {
      wake = resolve;
    });
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    open.add(response);
    response.on("close", () => {
      open.delete(response);
      tell();
    });
    const request: FakeRequest = {
      method: message.method ?? "",
      path: message.url ?? "",
      headers: message.headers,
      body: await textOf(message),
    };
    requests.push(request);
    tell();
    await play(response, fake.answerOf(request));
  }

  async function play(response: ServerResponse, answer: FakeAnswer): Promise<void> {
    const headers = { "content-type": "text/event-stream", ...answer.headers };
    response.writeHead(answer.status ?? 200, headers).flushHeaders();
    for await (const step of answer.steps) {
      if (response.destroyed) return;
      if (step === "hang") {
        isHanging = true;
        return tell();
      }
      if (step === "reset") return void response.socket?.resetAndDestroy();
      written += step.length;
      // Each by itself in a packet, where the reader is there in time.
      const isOpen = response.write(step);
      await (isOpen ? new Promise(setImmediate) : drained(response));
    }
    response.end();
  }

  const server = createServer((message, response) => {
    handle(message, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const fake: FakeOpenAi = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    get written() {
      return written;
    },
    answerOf: () => answering("Hello"),
    async hanging() {
      while (!isHanging) await changed;
    },
    async idle() {
      while (open.size > 0) await changed;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return fake;
}

async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  over.abort();
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
