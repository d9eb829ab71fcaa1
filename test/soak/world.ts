/** The world outside: a provider of mails and side effects that remembers what was done and acknowledged. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { BAD, type Fact } from "./facts.ts";

export interface World {
  readonly url: string;
  /** In the order in which they were told. */
  readonly facts: readonly Fact[];
  close(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const facts: Fact[] = [];
  const effects = new Map<string, string[]>();

  function take(fact: Fact): void {
    facts.push(fact);
    if (fact.kind !== "effect") return;
    effects.set(fact.id, [...(effects.get(fact.id) ?? []), fact.by]);
  }

  const server = createServer(async (request, response) => {
    const { url = "" } = request;
    const body = await text(request);
    if (url === "/facts") {
      take(JSON.parse(body) as Fact);
      response.writeHead(204).end();
    } else if (url.startsWith("/effects/")) {
      response.end(JSON.stringify(effects.get(url.slice("/effects/".length)) ?? []));
    } else {
      // A mail of a pass; the services' mailer posts the logical key along.
      const key = String(request.headers["idempotency-key"]);
      const isBad = key.startsWith(BAD);
      if (!isBad) take({ kind: "mailed", key, token: null });
      response.writeHead(isBad ? 400 : 200, { "content-type": "application/json" }).end("{}");
    }
  });
  // A process that was paused goes on with the connection that it has.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    facts,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
