/** `holdfast serve` with a runner: queries that come over HTTP are answered, and end whatever happens. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { answering, type FakeOpenAi, fakeOpenAi } from "../fakes/openai.ts";
import { type Env, type ServerProcess, startServer } from "./process.ts";

let folder: string;
let servers: ServerProcess[];
let fake: FakeOpenAi | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-answering-"));
  servers = [];
  fake = null;
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill("SIGKILL")));
  if (isCommandAlive()) process.kill(commandPid(), "SIGKILL");
  await fake?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serving(env: Env = {}): Promise<ServerProcess> {
  const server = await startServer({ HOLDFAST_DATA_DIR: join(folder, "data"), ...env });
  servers.push(server);
  return server;
}

/** As HOLDFAST_RUNNER_COMMAND: a program of Node with this body, once `prompt` is read. */
function command(body: string): Env {
  const path = join(folder, "runner.mjs");
  const pid = JSON.stringify(join(folder, "pid"));
  writeFileSync(
    path,
    `import { writeFileSync } from "node:fs";
     writeFileSync(${pid}, String(process.pid));
     let prompt = "";
     for await (const text of process.stdin.setEncoding("utf8")) prompt += text;
     ${body}`,
  );
  return { HOLDFAST_RUNNER_COMMAND: JSON.stringify([process.execPath, path]) };
}

const ECHO = `process.stdout.write("You said: " + prompt);`;

/** Says a word, and then nothing, for as long as it is let. */
const HANG = `process.stdout.write("a word"); setInterval(() => {}, 1_000);`;

function commandPid(): number {
  const file = join(folder, "pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

function isCommandAlive(): boolean {
  const pid = commandPid();
  if (pid === 0) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Shown {
  readonly jobId: string;
  readonly status: string;
  readonly response?: string;
  readonly partialText: string;
  readonly error?: { readonly code: string; readonly retryable?: boolean };
}

const CLIENT_JOB_ID = "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f";

async function submitted(
  server: ServerProcess,
  headers: Env = {},
  generation = 1,
): Promise<string> {
  const answer = await fetch(`${server.url}/v1/query-jobs`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      ...{ clientJobId: CLIENT_JOB_ID, generation, sessionId: "chat-42" },
      query: "Are whales fish?",
    }),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { job: Shown }).job.jobId;
}

async function shown(server: ServerProcess, jobId: string, headers: Env = {}): Promise<Shown> {
  const answer = await fetch(`${server.url}/v1/query-jobs/${jobId}?generation=1`, { headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { job: Shown }).job;
}

/** Long before a coordinator would look for jobs by itself. */
const SOON = { timeout: 20_000, interval: 50 };

function reached(server: ServerProcess, jobId: string, what: object, headers: Env = {}) {
  return vi.waitFor(
    async () => expect(await shown(server, jobId, headers)).toMatchObject(what),
    SOON,
  );
}

describe("holdfast serve with a runner", () => {
  it("answers with a command what is submitted over HTTP, at once", async () => {
    const server = await serving(command(ECHO));
    const jobId = await submitted(server);
    await reached(server, jobId, { status: "completed", response: "You said: Are whales fish?" });
    expect(server.lines().find(({ event }) => event === "serving")).toMatchObject({
      runner: process.execPath,
    });
    const { stdout } = await server.kill("SIGTERM");
    expect(stdout).not.toContain("whales");
  });

  it("answers with a provider, whose key is told nobody", async () => {
    fake = await fakeOpenAi();
    fake.answerOf = () => answering("No, ", "mammals.");
    const server = await serving({
      HOLDFAST_AI_BASE_URL: fake.baseUrl,
      HOLDFAST_AI_MODEL: "m-1",
      HOLDFAST_AI_KEY: "sk-S3cretS3cret",
    });
    const jobId = await submitted(server);
    await reached(server, jobId, { status: "completed", response: "No, mammals." });
    expect(fake.requests[0]?.headers["authorization"]).toBe("Bearer sk-S3cretS3cret");
    const { stdout } = await server.kill("SIGTERM");
    expect(stdout).toContain(`"runner":"m-1 at ${fake.baseUrl}"`);
    expect(stdout).not.toContain("S3cret");
    expect(stdout).not.toContain("mammals");
  });

  it("answers the queries of every tenant", async () => {
    const key = `hf_app_${"k".repeat(43)}`;
    const entry = { id: "app", tenant: "acme", scopes: ["*"], sha256: sha256Hex(key) };
    const server = await serving({ ...command(ECHO), HOLDFAST_KEYS: JSON.stringify([entry]) });
    const headers = { authorization: `Bearer ${key}` };
    const jobId = await submitted(server, headers);
    await reached(server, jobId, { status: "completed" }, headers);
  });

  it("begins with what was accepted while nobody answered", async () => {
    const first = await serving();
    expect(first.lines().find(({ event }) => event === "serving")).toMatchObject({
      runner: expect.stringContaining("none here"),
    });
    const jobId = await submitted(first);
    expect((await shown(first, jobId)).status).toBe("accepted");
    await first.kill("SIGTERM");
    const second = await serving(command(ECHO));
    await reached(second, jobId, { status: "completed" });
  });

  it("QUERY-80 interrupts what it answers when it is told to stop, and leaves no command behind", async () => {
    const server = await serving(command(HANG));
    const jobId = await submitted(server);
    await reached(server, jobId, { partialText: "a word" });
    expect((await server.kill("SIGTERM")).status).toBe(0);
    expect(isCommandAlive()).toBe(false);
    const next = await serving();
    expect(await shown(next, jobId)).toMatchObject({
      ...{ status: "interrupted", partialText: "a word" },
      error: { code: "interrupted", retryable: true },
    });
    // Its session is free: 202.
    await submitted(next, {}, 2);
  });

  it("ends in good order over a command that does not want to end", async () => {
    const server = await serving(command(`process.on("SIGTERM", () => {}); ${HANG}`));
    const jobId = await submitted(server);
    await reached(server, jobId, { partialText: "a word" });
    expect(await server.kill("SIGTERM")).toMatchObject({ status: 0, signal: null });
    expect(isCommandAlive()).toBe(false);
  });

  it("ends the command of a query that is canceled over HTTP", async () => {
    const server = await serving(command(HANG));
    const jobId = await submitted(server);
    await reached(server, jobId, { partialText: "a word" });
    const canceled = await fetch(`${server.url}/v1/query-jobs/${jobId}/cancel`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ generation: 1 }),
    });
    expect(canceled.status).toBe(200);
    await vi.waitFor(() => expect(isCommandAlive()).toBe(false), SOON);
    expect((await shown(server, jobId)).status).toBe("canceled");
  });

  it("interrupts what a killed process answered, once its lease is over", async () => {
    const lease = { HOLDFAST_RUN_LEASE_MS: "1000" };
    const server = await serving({ ...command(HANG), ...lease });
    const jobId = await submitted(server);
    await reached(server, jobId, { partialText: "a word" });
    await server.kill("SIGKILL");
    const next = await serving({ ...command(ECHO), ...lease, HOLDFAST_RECONCILE_MS: "250" });
    await reached(next, jobId, { status: "interrupted", partialText: "a word" });
  });
});
