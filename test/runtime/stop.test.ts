/** How the service ends: what it still sends, what it does not wait for, and that it does end. */
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Env, type ServerProcess, startServer } from "./process.ts";

let server: ServerProcess;
let sockets: Socket[];

beforeEach(async () => {
  server = await startServer({ HOLDFAST_STORAGE: "memory" });
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.kill("SIGKILL");
});

async function opened(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  sockets.push(socket);
  // The end of the server is nothing to fail for.
  socket.on("error", () => {});
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return socket;
}

function job(logicalKey: string, text = "Hello.") {
  const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text };
  return { logicalKey, payload };
}

async function post(path: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify(body) };
  expect((await fetch(server.url + path, sent)).ok).toBe(true);
}

async function msToEnd(): Promise<number> {
  const begun = performance.now();
  expect((await server.kill("SIGTERM")).status).toBe(0);
  return performance.now() - begun;
}

describe("holdfast serve, told to stop", () => {
  it("sends a long answer to its last byte to a reader that takes its time", async () => {
    for (let batch = 0; batch < 3; batch += 1) {
      const jobs = Array.from({ length: 30 }, (_, n) => job(`${batch}-${n}`, "t".repeat(99_000)));
      await post("/v1/email-batches", { jobs });
    }
    const socket = await opened("GET /v1/emails?limit=90 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let [got, length] = [0, 0];
    const headed = new Promise<void>((resolve) => {
      socket.on("data", (bytes) => {
        const head = length === 0 ? /content-length: (\d+).*?\r\n\r\n/is.exec(String(bytes)) : null;
        if (head !== null) {
          length = Number(head[1]) + head.index + head[0].length;
          resolve();
        }
        got += bytes.length;
        socket.pause();
        setTimeout(() => socket.resume(), 10);
      });
    });
    await headed;
    const ended = server.kill("SIGTERM");
    await once(socket, "close");
    // A page ends at about 2 MiB, which is more than sockets hold back.
    expect(length).toBeGreaterThan(2_000_000);
    expect(got).toBe(length);
    expect((await ended).status).toBe(0);
  });

  it("answers what comes over connections in use, and resets none of them", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const faults: string[] = [];
    let answers = 0;
    const hammer = async (): Promise<void> => {
      while (!faults.includes("ECONNREFUSED")) {
        await new Promise<void>((resolve) => {
          const asked = request(`${server.url}/v1/emails`, { agent }, (answer) => {
            answers += 1;
            answer.resume().on("end", resolve);
          });
          asked.on("error", (error: NodeJS.ErrnoException) => {
            faults.push(String(error.code));
            resolve();
          });
          asked.end();
        });
      }
    };
    const hammering = Promise.all(Array.from({ length: 8 }, hammer));
    await sleep(500);
    expect(await msToEnd()).toBeLessThan(3_000);
    await hammering;
    agent.destroy();
    expect(answers).toBeGreaterThan(8);
    expect([...new Set(faults)]).toEqual(["ECONNREFUSED"]);
  });

  it("does not wait for connections that have asked nothing, or not all of it", async () => {
    for (let n = 0; n < 20; n += 1) {
      await opened("");
      await opened("GET /healthz HTTP/1.1\r\nHo");
      await opened("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    await sleep(100);
    expect(await msToEnd()).toBeLessThan(3_000);
  });

  it("does not wait for a body that does not come, and does for one that is coming to its end", async () => {
    const head =
      "POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const body = JSON.stringify(job("late"));
    for (let n = 0; n < 5; n += 1) await opened(`${head}Content-Length: 9\r\n\r\n{`);
    const late = await opened(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`);
    const answer = once(late, "data");
    await sleep(100);
    const ended = msToEnd();
    await sleep(500);
    late.write(body.slice(9));
    expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 201 /);
    expect(await ended).toBeLessThan(5_000);
  });

  it("ends when nobody reads its log, and has let go of everything", async () => {
    server.readLog(false);
    const many = async (): Promise<void> => {
      for (let n = 0; n < 300; n += 1) await (await fetch(`${server.url}/v1/emails/none`)).text();
    };
    await Promise.all(Array.from({ length: 8 }, many));
    process.kill(server.pid, "SIGTERM");
    await sleep(3_000);
    expect(() => process.kill(server.pid, 0)).toThrow("ESRCH");
    server.readLog(true);
    expect((await server.ended).status).toBe(0);
  });

  it("ends at once when it is told again, by either signal", async () => {
    await opened(
      "POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    await sleep(100);
    process.kill(server.pid, "SIGTERM");
    await sleep(500);
    process.kill(server.pid, 0);
    const begun = performance.now();
    expect((await server.kill("SIGINT")).signal).toBe("SIGKILL");
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe("holdfast serve, told to stop in the middle of a pass", () => {
  let folder: string;

  beforeEach(async () => {
    await server.kill("SIGKILL");
    folder = mkdtempSync(join(tmpdir(), "holdfast-stop-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function servingApp(code: string, env: Env = {}): Promise<void> {
    const app = join(folder, "app.mjs");
    writeFileSync(app, code);
    server = await startServer({ HOLDFAST_STORAGE: "memory", HOLDFAST_APP: app, ...env });
  }

  async function readJob(logicalKey: string): Promise<unknown> {
    return (await fetch(`${server.url}/v1/emails/${logicalKey}`)).json();
  }

  /** Takes a mail, and then says nothing, whatever it is told, nor when it is closed. */
  const deaf = (): string => `
    import { writeFileSync } from "node:fs";
    const never = new Promise(() => {});
    const send = () => { writeFileSync(${JSON.stringify(join(folder, "asked"))}, ""); return never; };
    const mailer = { send, close: () => never };
    export default { mail: { mailer, from: "jobs@example.com" } };
  `;

  async function asked(): Promise<void> {
    while (!existsSync(join(folder, "asked"))) await sleep(20);
  }

  it("ends one that was asked for, answers who asked, and ends in time and in order", async () => {
    await servingApp(deaf());
    await post("/v1/emails", job("hello"));
    const pass = fetch(`${server.url}/v1/reconciliations`, { method: "POST" });
    await asked();
    expect(await msToEnd()).toBeLessThan(10_000);
    expect(await (await pass).json()).toMatchObject({
      emails: { retried: 1 },
      failures: [{ code: "mailer_timeout" }],
    });
  }, 20_000);

  it("ends one of its own schedule in time and in order", async () => {
    await servingApp(deaf(), { HOLDFAST_RECONCILE_MS: "250" });
    await post("/v1/emails", job("hello"));
    await asked();
    expect(await msToEnd()).toBeLessThan(10_000);
  }, 20_000);

  it("is in order, also when the mailer throws where nobody catches", async () => {
    await servingApp(`
      const send = (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => { throw new Error("S3cret"); }));
      const mailer = { send, close: async () => {} };
      export default { mail: { mailer, from: "jobs@example.com" } };
    `);
    await post("/v1/emails", job("hello"));
    const pass = fetch(`${server.url}/v1/reconciliations`, { method: "POST" });
    await expect.poll(() => readJob("hello")).toMatchObject({ job: { state: "sending" } });
    const { status, stdout, stderr } = await server.kill("SIGTERM");
    expect(await (await pass).json()).toMatchObject({ failures: [{ code: "mailer_timeout" }] });
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toContain('"event":"uncaught exception"');
    expect(stdout).toContain('"event":"stopped"');
    expect(stdout).not.toContain("S3cret");
  }, 20_000);

  it("ends in time, and says that it was in disorder, when something never ends", async () => {
    await servingApp(
      'import { Server } from "node:http"; Server.prototype.close = () => {}; export default {};',
    );
    const begun = performance.now();
    const { status, stdout } = await server.kill("SIGTERM");
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(status).toBe(1);
    expect(stdout).toContain("stopped in disorder");
  }, 20_000);
});

describe("holdfast serve, with an application that lets something fall", () => {
  let folder: string;

  beforeEach(async () => {
    await server.kill("SIGKILL");
    folder = mkdtempSync(join(tmpdir(), "holdfast-fall-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function passWith(stray: string): Promise<Response> {
    const app = join(folder, "app.mjs");
    writeFileSync(
      app,
      `const send = async () => { ${stray}; return { kind: "sent", id: null }; };
       const mailer = { send, close: async () => {} };
       export default { mail: { mailer, from: "jobs@example.com" } };`,
    );
    server = await startServer({ HOLDFAST_STORAGE: "memory", HOLDFAST_APP: app });
    await post("/v1/emails", job("hello"));
    return fetch(`${server.url}/v1/reconciliations`, { method: "POST" });
  }

  it("logs a promise that nobody handles, without its words, and goes on", async () => {
    const pass = await passWith('void Promise.reject(new Error("S3cret"))');
    expect(await pass.json()).toMatchObject({ emails: { sent: 1 } });
    const stray = { level: "error", event: "unhandled rejection", fault: "Error" };
    await expect.poll(() => server.lines()).toContainEqual(expect.objectContaining(stray));
    const { status, stdout, stderr } = await server.kill("SIGTERM");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).not.toContain("S3cret");
  });

  it("logs what is thrown where nobody catches, answers what is in flight, and stops", async () => {
    const pass = await passWith('process.nextTick(() => { throw new Error("S3cret"); })');
    expect(await pass.json()).toMatchObject({ emails: { sent: 1 } });
    const { status, stdout, stderr } = await server.ended;
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/"level":"error".*"event":"uncaught exception"/);
    expect(stdout).toContain('"why":"an uncaught exception"');
    expect(stdout).toContain('"event":"stopped"');
    expect(stdout).not.toContain("S3cret");
  });
});
