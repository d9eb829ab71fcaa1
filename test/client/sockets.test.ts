/** The client with the global fetch, over real sockets. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { message, service } from "./service.ts";

describe("over a socket", () => {
  it("a stream survives its server's drops, and its end closes the connection", async () => {
    const cursors: string[] = [];
    let closed = 0;
    const { url, close } = await served((request, response) => {
      const from = Number(request.headers["last-event-id"] ?? "0");
      cursors.push(String(request.headers["last-event-id"]));
      response.on("close", () => {
        closed += 1;
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("retry: 10\n\n");
      response.write(`id: ${from + 1}\ndata: ${"🐋".repeat(50_000)}\n\n`);
      if (from < 2) response.write(`id: ${from + 2}\ndata: {`, () => request.socket.destroy());
      else response.write(`id: ${from + 2}\nevent: completed\ndata: done\n\n`);
    });
    const client = createClient({ url });
    const seen: string[] = [];
    for await (const one of client.events("/v1/events", {
      isTerminal: ({ event }) => event === "completed",
    })) {
      seen.push(`${one.id} ${one.event} ${one.data.length}`);
    }
    expect(seen).toEqual([
      "1 message 100000",
      "2 message 100000",
      "3 message 100000",
      "4 completed 4",
    ]);
    expect(cursors).toEqual(["undefined", "1", "2"]);
    await expect.poll(() => closed).toBe(3);
    await close();
  });

  it("an abort ends a call and a stream that hang, and a dead port is no answer", async () => {
    let closed = 0;
    const { url, close } = await served((request, response) => {
      response.on("close", () => {
        closed += 1;
      });
      if (request.url === "/v1/events") {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      }
    });
    const client = createClient({ url, retry: { attempts: 1 } });
    const reason = new Error("enough");
    const abort = new AbortController();
    const call = expect(client.health({ signal: abort.signal })).rejects.toBe(reason);
    const next = client.events("/v1/events", { signal: abort.signal }).next();
    await setTimeout(100);
    abort.abort(reason);
    await call;
    expect((await next).done).toBe(true);
    await expect.poll(() => closed).toBe(2);
    await close();
    await expect(client.health()).rejects.toMatchObject({
      code: "network",
      detail: expect.stringMatching(/^no whole answer came: [A-Z_]+$/),
    });
  });

  it("a redirect is not followed", async () => {
    const asked: (string | undefined)[] = [];
    const { url, close } = await served((request, response) => {
      asked.push(request.url);
      response.writeHead(301, { location: "/v1/elsewhere" }).end();
    });
    const call = createClient({ url }).emails.enqueue(message("a"));
    await expect(call).rejects.toMatchObject({ code: "unexpected_answer", status: 301 });
    expect(asked).toEqual(["/v1/emails"]);
    await close();
  });

  it("the real service answers the global fetch", async () => {
    const { app } = await service();
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { emails } = createClient({ url: `http://127.0.0.1:${port}` });
    for (const key of ["..", "a/b", "grüße 🐋", "welcome:ann@example.com"]) {
      await emails.enqueue(message(key));
      expect((await emails.read(key)).job.logicalKey).toBe(key);
      const asked = emails.settle(key, { leaseToken: "t", to: "sent" });
      await expect(asked).rejects.toMatchObject({ code: "lease_lost", status: 409 });
    }
    expect(await emails.claimNext({ claimant: "writer@example.com" })).toBeNull();
    server.close();
  });
});

async function served(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
