/** The service that finds and delivers by itself, and what is told of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { type Env, holdfast, type ServerProcess, startServer } from "./process.ts";

let folder: string;
let server: ServerProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-passes-"));
});

afterEach(async () => {
  await server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const MAIL = { HOLDFAST_MAILER: "capture", HOLDFAST_MAIL_FROM: "jobs@example.com" };

async function serving(env: Env): Promise<void> {
  server = await startServer({ HOLDFAST_DATA_DIR: folder, ...env });
}

const KEY = `hf_app_${"k".repeat(43)}`;
const OPS = `hf_acme_${"o".repeat(43)}`;
const KEYS = JSON.stringify([
  { id: "app", scopes: ["*"], sha256: sha256Hex(KEY) },
  { id: "acme", tenant: "acme", scopes: ["*"], sha256: sha256Hex(OPS) },
]);

function asked(path: string, method = "GET", body?: unknown, key = KEY): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(server.url + path, { method, headers, ...sent });
}

async function enqueued(logicalKey: string, key = KEY): Promise<void> {
  const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
  expect((await asked("/v1/emails", "POST", { logicalKey, payload }, key)).status).toBe(201);
}

async function stateOf(logicalKey: string, key = KEY): Promise<unknown> {
  const { job } = JSON.parse(
    await (await asked(`/v1/emails/${logicalKey}`, "GET", undefined, key)).text(),
  );
  return job.state;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 400) throw new Error("it never came to that");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe("passes of the service", () => {
  it("deliver what is enqueued, of every tenant that has a key, without being asked", async () => {
    await serving({ ...MAIL, HOLDFAST_KEYS: KEYS, HOLDFAST_RECONCILE_MS: "250" });
    await enqueued("mine");
    await enqueued("theirs", OPS);
    await until(async () => (await stateOf("mine")) === "sent");
    await until(async () => (await stateOf("theirs", OPS)) === "sent");
    const mails = readdirSync(join(folder, "mail")).map((name) =>
      JSON.parse(readFileSync(join(folder, "mail", name), "utf8")),
    );
    expect(mails).toHaveLength(2);
    expect(JSON.stringify(mails)).toContain("ann@example.com");
    const { stdout } = await server.kill("SIGTERM");
    expect(stdout).toMatch(/"sent":[12],.*"event":"pass"/);
    expect(stdout).not.toContain("ann@example.com");
  });

  it("begin when somebody asks for one, for the key's tenant alone", async () => {
    await serving({ ...MAIL, HOLDFAST_KEYS: KEYS, HOLDFAST_RECONCILE_MS: "0" });
    await enqueued("mine");
    await enqueued("theirs", OPS);
    const dry = await asked("/v1/reconciliations", "POST", { dryRun: true });
    expect(await dry.json()).toMatchObject({ emails: { promoted: 1, sent: 1 } });
    expect(await stateOf("mine")).toBe("pending");
    const done = await asked("/v1/reconciliations", "POST");
    expect(await done.json()).toMatchObject({
      emails: { promoted: 1, sent: 1 },
      failures: [],
      hasMore: false,
    });
    expect([await stateOf("mine"), await stateOf("theirs", OPS)]).toEqual(["sent", "pending"]);
    const env = { HOLDFAST_DATA_DIR: folder };
    const { stdout } = await holdfast(env, "--json", "--tenant", "acme", "reconcile");
    expect(JSON.parse(stdout)).toMatchObject({ emails: { sent: 1 } });
    expect(await stateOf("theirs", OPS)).toBe("sent");
  });

  it("find and make ready, and send nothing, where no mailer is", async () => {
    await serving({ HOLDFAST_KEYS: KEYS, HOLDFAST_RECONCILE_MS: "250" });
    await enqueued("mine");
    await until(async () => (await stateOf("mine")) === "ready");
  });

  it("are counted for who may see all tenants, and for nobody else", async () => {
    await serving({ ...MAIL, HOLDFAST_KEYS: KEYS, HOLDFAST_RECONCILE_MS: "0" });
    await enqueued("mine");
    await asked("/v1/reconciliations", "POST");
    const told = await asked("/v1/metrics");
    expect(told.headers.get("content-type")).toContain("text/plain");
    const text = await told.text();
    expect(text).toContain('holdfast_observed_total{what="email.sent"} 1\n');
    expect(text).not.toContain("mine");
    expect((await asked("/v1/metrics", "GET", undefined, OPS)).status).toBe(403);
    expect((await fetch(`${server.url}/v1/metrics`)).status).toBe(401);
  });
});
