/** What connections may do to the service, and what they are told in its own form. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientFault, earlyAnswers } from "../../adapters/runtime/early-answers.ts";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { holdfast, type ServerProcess, startServer } from "./process.ts";

let folder: string;
let servers: ServerProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-connections-"));
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill("SIGKILL")));
  rmSync(folder, { recursive: true, force: true });
});

async function serving(env = {}, filesMax?: number): Promise<ServerProcess> {
  const server = await startServer({ HOLDFAST_DATA_DIR: join(folder, "data"), ...env }, filesMax);
  servers.push(server);
  return server;
}

/** All that comes until the connection is closed. `more` is sent again and again. */
function raw(port: number, text: string, more: Buffer | null = null): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text);
      pump();
    });
    const pump = (): void => {
      while (more !== null && !socket.destroyed && socket.write(more));
    };
    let answer = "";
    socket.on("drain", pump);
    socket.setEncoding("utf8").on("data", (part) => {
      answer += part;
    });
    // Whoever sends without end may be cut off.
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

const portOf = (server: ServerProcess): number => Number(new URL(server.url).port);

async function freePort(): Promise<number> {
  const server = createNetServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("a service on the network", () => {
  it.each([
    ["an expectation that nobody has", "GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n"],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["no host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["a GET with a body", "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"],
    ["too long headers", `GET /healthz HTTP/1.1\r\nHost: a\r\nA: ${"a".repeat(20_000)}\r\n\r\n`],
    ["what is no HTTP", "hello\r\n\r\n"],
  ])("refuses %s in its own form, and logs it under the id that it tells", async (_, text) => {
    const server = await serving();
    const answer = await raw(portOf(server), text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
    expect(answer).toContain('"code":"bad_request"');
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const { stdout } = await server.kill("SIGTERM");
    const [, requestId] = /\r\nx-request-id: (\S+)\r\n/i.exec(answer) ?? [];
    const line = { event: "request", route: "none", status: 400, code: "bad_request", requestId };
    const lines = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(lines.filter(({ event }) => event === "request")).toEqual([
      expect.objectContaining(line),
    ]);
  });

  it("does not read on what a GET sends without end", async () => {
    const server = await serving();
    const head = "GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = Buffer.from(`10000\r\n${" ".repeat(65_536)}\r\n`);
    const begun = performance.now();
    await raw(portOf(server), head, chunk);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it("tells a request that did not arrive in time as that", async () => {
    const http = createServer({
      headersTimeout: 100,
      requestTimeout: 200,
      connectionsCheckingInterval: 50,
    });
    const { refuseRaw } = earlyAnswers(() => {});
    http.on("clientError", (error, socket) => refuseRaw(socket, clientFault(error)));
    http.listen(0, "127.0.0.1");
    await new Promise((resolve) => http.once("listening", resolve));
    const answer = await raw(
      (http.address() as AddressInfo).port,
      "POST /v1/emails HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{",
    );
    http.close();
    expect(answer).toContain('"detail":"the request did not arrive in time"');
  });

  it("keeps files for the storage, however many connections there are", async () => {
    const server = await serving({}, 256);
    const sockets: Socket[] = [];
    for (let n = 0; n < 300; n += 1) {
      const socket = connect(portOf(server), "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      // One of them asks, and goes on asking.
      if (n === 0) await new Promise((resolve) => socket.once("connect", resolve));
    }
    await sleep(300);
    const statuses: string[] = [];
    const [first] = sockets;
    first?.setEncoding("utf8").on("data", (part) => {
      statuses.push(
        ...[...String(part).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => String(one)),
      );
    });
    const payload = { type: "message", recipient: "a@example.com", subject: "s", text: "t" };
    for (let n = 0; n < 20; n += 1) {
      const body = JSON.stringify({ logicalKey: `job-${n}`, payload });
      first?.write(
        "POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
    while (statuses.length < 20) await sleep(20);
    for (const socket of sockets) socket.destroy();
    expect(new Set(statuses)).toEqual(new Set(["201"]));
  });
});

describe("a service that starts", () => {
  it("answers with request ids before it is ready", async () => {
    const app = join(folder, "app.mjs");
    writeFileSync(app, "await new Promise((go) => setTimeout(go, 1500)); export default {};");
    const port = await freePort();
    const started = serving({ HOLDFAST_APP: app, PORT: String(port) });
    const url = `http://127.0.0.1:${port}`;
    const early = async (path: string): Promise<Response> => {
      for (;;) {
        const answer = await fetch(url + path, { headers: { "x-request-id": "mine" } }).catch(
          () => null,
        );
        if (answer !== null) return answer;
        await sleep(20);
      }
    };
    expect((await early("/healthz")).headers.get("x-request-id")).toBe("mine");
    const refused = await early("/v1/emails");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("x-request-id")).toBe("mine");
    expect(await refused.json()).toMatchObject({ detail: "the service is starting" });
    await started;
  });

  it("waits for a command that is still looking into the folder", async () => {
    const directory = join(folder, "data");
    const storage = filesystemStorage({ directory, sharing: "exclusive" });
    const looking = await createHoldfast({ storage });
    let closed: Promise<void> | null = null;
    const server = await startServer({ HOLDFAST_DATA_DIR: directory }, undefined, (lines) => {
      const isWaiting = lines.some(
        ({ event, pid }) => event === "waiting for the folder" && pid === process.pid,
      );
      if (isWaiting) closed ??= looking.close();
    });
    servers.push(server);
    // It serves, so the command has let go, which it did when it was waited for.
    expect(closed).not.toBeNull();
    await closed;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("gives up when whoever has the folder keeps it", async () => {
    const directory = join(folder, "data");
    const storage = filesystemStorage({ directory, sharing: "exclusive" });
    const keeping = await createHoldfast({ storage });
    const { status, stderr } = await holdfast({ HOLDFAST_DATA_DIR: directory, PORT: "0" }, "serve");
    await keeping.close();
    expect(status).toBe(1);
    expect(stderr).toContain(`process ${process.pid}`);
  }, 30_000);
});
