/** Whoever mails are posted to: a server on this machine that takes all of them. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Env } from "./workers.ts";

export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Provider {
  /** The variables of a Worker that mails by it. */
  readonly env: Env;
  readonly posts: readonly Post[];
  close(): void;
}

export async function startProvider(): Promise<Provider> {
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    posts.push({ headers: request.headers, body: JSON.parse(await text(request)) });
    response.writeHead(202, { "content-type": "application/json" }).end('{"id":"m-1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    posts,
    env: {
      HOLDFAST_MAILER: "http",
      HOLDFAST_MAIL_FROM: "Shop <shop@example.com>",
      HOLDFAST_MAIL_HTTP_URL: `http://127.0.0.1:${port}/send`,
      HOLDFAST_MAIL_HTTP_HEADERS: { authorization: "Bearer S3cret" },
      HOLDFAST_MAIL_HTTP_BODY: { to: "{{to}}", subject: "{{subject}}", text: "{{text}}" },
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
