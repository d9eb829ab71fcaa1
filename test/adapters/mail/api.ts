/** An HTTP API in this process, over real sockets, that answers as it is told, or not at all. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * `hang` says nothing and stays; `reset` breaks the connection; both also after the head and a part of the
 * body, as `ending`.
 */
export type ApiAnswer =
  | "hang"
  | "reset"
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly ending?: "hang" | "reset";
    };

export interface Api {
  readonly url: string;
  /** Everything that was asked for, bodies whole. */
  readonly requests: readonly ApiRequest[];
  /** What the next requests get. */
  answer: ApiAnswer;
  /** Resolves when this many requests have come. */
  asked(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startApi(answer: ApiAnswer): Promise<Api> {
  const requests: ApiRequest[] = [];
  let tell: () => void = () => {};

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { method = "", url = "", headers } = message;
    requests.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
    tell();
    if (api.answer === "hang") return;
    if (api.answer === "reset") return void message.socket.resetAndDestroy();
    const { status, headers: given = {}, body = "", ending } = api.answer;
    response.writeHead(status, { "content-type": "application/json", ...given });
    if (ending === undefined) return void response.end(body);
    response.write(body, () => {
      if (ending === "reset") message.socket.resetAndDestroy();
    });
  }

  const server = createServer((message, response) => {
    handle(message, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const api: Api = {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer,
    async asked(count) {
      while (requests.length < count) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return api;
}
