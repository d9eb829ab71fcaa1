import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { type Env, holdfast, type ServerProcess, startServer } from "./process.ts";

let folder: string;
let servers: ServerProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-serve-"));
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill("SIGKILL")));
  rmSync(folder, { recursive: true, force: true });
});

async function serving(env: Env = {}): Promise<ServerProcess> {
  const server = await startServer({ HOLDFAST_DATA_DIR: join(folder, "data"), ...env });
  servers.push(server);
  return server;
}

const KEY = `hf_app_${"k".repeat(43)}`;

function keysFor(...scopes: string[]): string {
  return JSON.stringify([{ id: "app", scopes, sha256: sha256Hex(KEY) }]);
}

function post(server: ServerProcess, path: string, body: unknown, headers = {}): Promise<Response> {
  return fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

function message(logicalKey: string) {
  const text = "Good to have you here.";
  const payload = { type: "message", recipient: "ann@example.com", subject: "Welcome", text };
  return { logicalKey, payload };
}

describe("holdfast serve", () => {
  it("keeps what it acknowledged over a kill, and the next owner has the folder at once", async () => {
    const first = await serving();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => post(first, "/v1/emails", message(`job-${n}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 201));
    await first.kill("SIGKILL");
    const second = await serving();
    for (let n = 0; n < 40; n += 1) {
      expect((await fetch(`${second.url}/v1/emails/job-${n}`)).status).toBe(200);
    }
  });

  it("answers what is in flight when it is told to stop, lets go of the folder, and ends with 0", async () => {
    const server = await serving();
    await post(server, "/v1/emails", message("warm"));
    const inFlight = Array.from({ length: 50 }, (_, n) =>
      post(server, "/v1/emails", message(`job-${n}`)).then(
        ({ status }) => status,
        () => "refused",
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    const ended = await server.kill("SIGTERM");
    const statuses = await Promise.all(inFlight);
    expect(ended.status).toBe(0);
    expect(existsSync(join(folder, "data", "folder.lock"))).toBe(false);
    // Each was answered in full or not let in at all.
    expect(new Set(statuses)).not.toContain(503);
    const next = await serving();
    for (const [n, status] of statuses.entries()) {
      if (status !== 201) continue;
      expect((await fetch(`${next.url}/v1/emails/job-${n}`)).status).toBe(200);
    }
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
  });

  it("refuses a folder that another server has, with that one's pid and address", async () => {
    const first = await serving();
    const env = { HOLDFAST_DATA_DIR: join(folder, "data"), PORT: "0" };
    const { status, stderr } = await holdfast(env, "serve");
    expect(status).toBe(1);
    expect(stderr).toContain(`process ${first.pid}`);
    expect(stderr).toContain(first.url);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  });

  it("ends by itself when its folder is gone, and never says that a job is missing there", async () => {
    const server = await serving();
    await post(server, "/v1/emails", message("a"));
    renameSync(join(folder, "data"), join(folder, "moved"));
    const answer = await fetch(`${server.url}/v1/emails/a`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: "unavailable" });
    const { status, stdout } = await server.ended;
    expect(status).toBe(1);
    expect(stdout).toContain('"what":"folder.lock.lost"');
  });

  it("refuses a port in use by its name, and leaves the folder alone", async () => {
    const first = await serving();
    const port = new URL(first.url).port;
    const other = join(folder, "other");
    const { status, stderr } = await holdfast({ HOLDFAST_DATA_DIR: other, PORT: port }, "serve");
    expect(status).toBe(1);
    expect(stderr).toContain(`PORT ${port} of HOST 127.0.0.1 is in use`);
    expect(existsSync(other)).toBe(false);
  });

  it("refuses an address that others can reach while nobody needs a key", async () => {
    const env = { HOLDFAST_DATA_DIR: join(folder, "data"), HOST: "0.0.0.0" };
    const { status, stderr } = await holdfast(env, "serve");
    expect(status).toBe(1);
    expect(stderr).toContain("HOST");
    expect(stderr).toContain("HOLDFAST_KEYS");
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("names every variable that is wrong", async () => {
    const env = { PORT: "http", HOLDFAST_LOG_LEVEL: "loud", HOLDFAST_DATA_DIR: folder };
    const { status, stderr } = await holdfast(env, "serve");
    expect(status).toBe(1);
    expect(stderr).toMatch(/PORT must be .*, such as PORT=8787/);
    expect(stderr).toMatch(/HOLDFAST_LOG_LEVEL must be .*, such as HOLDFAST_LOG_LEVEL=/);
  });

  it("asks for a key where there are keys, from a file or from the variable", async () => {
    const file = join(folder, "keys.json");
    writeFileSync(file, keysFor("emails:read"));
    for (const HOLDFAST_KEYS of [`@${file}`, keysFor("emails:read")]) {
      const server = await serving({ HOLDFAST_KEYS });
      const authorization = `Bearer ${KEY}`;
      expect((await fetch(`${server.url}/v1/emails`)).status).toBe(401);
      expect((await fetch(`${server.url}/v1/emails`, { headers: { authorization } })).status).toBe(
        200,
      );
      const write = await post(server, "/v1/emails", message("a"), { authorization });
      expect(write.status).toBe(403);
      await server.kill("SIGTERM");
    }
  });

  it("lets the secret in its lock in from this host, into any tenant, and nothing else", async () => {
    const server = await serving({ HOLDFAST_KEYS: keysFor("emails:read") });
    const lock = join(folder, "data", "folder.lock");
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    const { secret } = JSON.parse(readFileSync(lock, "utf8").split("\n")[1] ?? "");
    const authorization = `Bearer ${secret}`;
    const acme = { authorization, "holdfast-tenant": "acme" };
    expect((await post(server, "/v1/emails", message("a"), acme)).status).toBe(201);
    const of = (headers: Record<string, string>) => fetch(`${server.url}/v1/emails/a`, { headers });
    expect((await of(acme)).status).toBe(200);
    expect((await of({ authorization })).status).toBe(404);
    expect((await of({ authorization: `Bearer ${KEY}`, "holdfast-tenant": "acme" })).status).toBe(
      403,
    );
    expect((await of({ authorization: `Bearer ${secret.slice(1)}` })).status).toBe(401);
    const told = JSON.stringify(server.lines());
    expect(told).not.toContain(secret);
    expect(told).not.toContain(KEY);
  });

  it("writes one line of JSON for every request, and none when it is silent", async () => {
    const server = await serving();
    for (let n = 0; n < 5; n += 1) await post(server, "/v1/emails", message(`job-${n}`));
    await fetch(`${server.url}/v1/emails/job-1?secret=hidden`);
    const { stdout } = await server.kill("SIGTERM");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ event }) => event === "request");
    expect(requests.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 422]);
    expect(requests.at(-1)).toMatchObject({ route: "/v1/emails/{k}", code: "invalid_request" });
    expect(stdout).not.toContain("hidden");
    expect(stdout).not.toContain("job-1");
    expect(stdout).not.toContain("ann@example.com");
  });

  it("loads an application's own kinds, and says what is wrong with a module that is none", async () => {
    const app = join(folder, "app.mjs");
    const module = new URL("../../src/machines/emails/kinds.js", import.meta.url).href;
    const zod = import.meta.resolve("zod");
    writeFileSync(
      app,
      `import * as z from ${JSON.stringify(zod)};
       import { defineEmailKind } from ${JSON.stringify(module)};
       export default { kinds: [defineEmailKind({ name: "invoice", payload: z.object({ number: z.string() }) })] };`,
    );
    const server = await serving({ HOLDFAST_APP: app });
    const payload = { type: "invoice", recipient: "ann@example.com", number: "7" };
    expect((await post(server, "/v1/emails", { logicalKey: "i", payload })).status).toBe(201);
    await server.kill("SIGTERM");
    writeFileSync(app, "export const app = 1;");
    const env = { HOLDFAST_DATA_DIR: join(folder, "data"), HOLDFAST_APP: app, PORT: "0" };
    const { status, stderr } = await holdfast(env, "serve");
    expect(status).toBe(1);
    expect(stderr).toContain(`HOLDFAST_APP ${app} must have a default export`);
  });

  it("answers what is no HTTP, and headers without end, in its own form", async () => {
    const server = await serving();
    const { port } = new URL(server.url);
    const raw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
        let answer = "";
        socket.setEncoding("utf8").on("data", (part) => {
          answer += part;
        });
        socket.on("close", () => resolve(answer)).on("error", reject);
      });
    const many = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`;
    for (const text of ["NONSENSE\r\n\r\n", many]) {
      const answer = await raw(text);
      expect(answer).toContain("HTTP/1.1 400");
      expect(answer).toContain("application/problem+json");
      expect(answer).toContain('"code":"bad_request"');
    }
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("serves the address that HOST names, in IPv6 as well", async () => {
    const server = await serving({ HOST: "::1" });
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${server.url}/v1/health`)).status).toBe(200);
  });
});
