/** No secret and nothing that is stored comes out of a process but in the answers that are for it. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { type Env, holdfast, startServer } from "./process.ts";

const KEY = `hf_app_${"k".repeat(43)}`;
const OTHER_KEY = `hf_app_${"z".repeat(43)}`;
const TICKET_SECRET = "ticket-secret-of-more-than-32-characters";
const CONFIGURED = {
  password: "smtp-password-1",
  header: "provider-key-in-a-header-1",
  ai: "sk-provider-key-of-the-answers-1",
} as const;
const CONTENT = {
  key: "mail-of-ann-1",
  recipient: "ann.secret@example.com",
  text: "dear-ann-secret",
  prompt: "prompt-secret-of-ann",
  amount: "payload-secret-4200",
  result: "result-secret-ch1",
} as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A provider of mails and of answers that repeats what it was sent in its refusal. */
async function echoing(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: JSON.stringify([request.headers, body]) } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Goes through all three machines. Every credential that was answered on the way. */
async function traffic(url: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const post = async (path: string, body: object, more: object = {}) => {
    const init = { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) };
    return (await fetch(url + path, init)).json() as Promise<Record<string, never>>;
  };
  const payload = {
    type: "message",
    recipient: CONTENT.recipient,
    subject: CONTENT.text,
    text: CONTENT.text,
  };
  await post("/v1/emails", { logicalKey: CONTENT.key, payload });
  await post("/v1/emails", { logicalKey: `${CONTENT.key}-2`, payload });
  await post(`/v1/emails/${CONTENT.key}/transitions`, { from: ["pending"], to: "ready" });
  await post("/v1/reconciliations", {});
  const { job } = await post(`/v1/emails/${CONTENT.key}-2/leases`, { durationMs: 60_000 });
  const prepared = await post("/v1/receipts", {
    operationId: "operation-1",
    payload: { secret: CONTENT.amount },
  });
  const receipt = `/v1/receipts/${Object(prepared["receipt"]).id}`;
  const { dispatchToken } = await post(`${receipt}/dispatches`, {});
  const result = { secret: CONTENT.result };
  await post(`${receipt}/acceptances`, { dispatchToken, result });
  const query = { generation: 1, sessionId: "session-1", query: CONTENT.prompt };
  const asked = await post("/v1/query-jobs", { ...query, clientJobId: crypto.randomUUID() });
  const { jobId } = Object(asked["job"]);
  const { ticket } = await post(`/v1/query-jobs/${jobId}/tickets`, { generation: 1 });
  const events = `${url}/v1/query-jobs/${jobId}/events?generation=1&ticket=${ticket}`;
  // Until the run has failed at the provider, if there is one.
  await (await fetch(events, { headers: { accept: "text/event-stream" } })).text();
  // What is refused is logged, too.
  await post("/v1/emails", {
    logicalKey: CONTENT.key,
    payload: { ...payload, more: CONTENT.text },
  });
  await post("/v1/emails", {}, { authorization: `Bearer ${OTHER_KEY}` });
  await fetch(`${url}/v1/${CONTENT.key}?ticket=${ticket}&key=${KEY}`, { headers });
  await fetch(`${url}/v1/emails`, { method: "POST", headers, body: `{"${CONTENT.text}"` });
  return [job?.["leaseToken"], dispatchToken, ticket].filter((one) => one !== undefined);
}

const base = (): Env => ({
  HOLDFAST_DATA_DIR: join(folder, "data"),
  HOLDFAST_LOG_LEVEL: "debug",
  HOLDFAST_KEYS: JSON.stringify([{ id: "app", scopes: ["*"], sha256: sha256Hex(KEY) }]),
  HOLDFAST_SECRET: TICKET_SECRET,
  HOLDFAST_MAIL_FROM: "jobs@example.com",
});

describe("a service with every secret there is", () => {
  it.each(["http", "smtp"])(
    "logs none of them, whatever its providers say (%s)",
    async (mailer) => {
      const provider = await echoing();
      const env: Env = {
        ...base(),
        ...(mailer === "smtp"
          ? {
              HOLDFAST_MAILER: `smtp://user:${CONFIGURED.password}@127.0.0.1:${new URL(provider.url).port}`,
            }
          : {
              HOLDFAST_MAILER: "http",
              HOLDFAST_MAIL_HTTP_URL: `${provider.url}/mails`,
              HOLDFAST_MAIL_HTTP_HEADERS: JSON.stringify({ authorization: CONFIGURED.header }),
              HOLDFAST_MAIL_HTTP_BODY: JSON.stringify({ to: "{{to}}", text: "{{text}}" }),
            }),
        HOLDFAST_AI_BASE_URL: provider.url,
        HOLDFAST_AI_MODEL: "model-1",
        HOLDFAST_AI_KEY: CONFIGURED.ai,
      };
      const server = await startServer(env);
      const credentials = await traffic(server.url);
      const doctor = await holdfast(
        { ...env, HOLDFAST_URL: server.url, HOLDFAST_KEY: KEY },
        "doctor",
      );
      const { stdout, stderr } = await server.kill("SIGTERM");
      provider.close();
      const told = [stdout, stderr, doctor.stdout, doctor.stderr].join("\n");
      expect(told).toContain('"event":"pass"');
      expect(credentials.length).toBeGreaterThan(1);
      const secrets = [KEY, OTHER_KEY, TICKET_SECRET, ...credentials];
      const all = [...secrets, ...Object.values(CONFIGURED), ...Object.values(CONTENT)];
      expect(all.filter((secret) => told.includes(secret))).toEqual([]);
    },
  );
});

it("what a request says is no line of the log, nor a part of one that ends it", async () => {
  const server = await startServer({ ...base(), HOLDFAST_LOG_LEVEL: "debug" });
  const forged = '\n{"level":"error","event":"forged"}\n';
  const encoded = encodeURIComponent(forged);
  const before = server.lines().length;
  const paths = [
    `/${encoded}`,
    `/v1/emails/${encoded}`,
    `/v1/emails?cursor=${encoded}`,
    `/v1/receipts/${encoded}`,
  ];
  for (const path of paths) {
    const headers = {
      authorization: `Bearer ${KEY}`,
      "user-agent": "a\\n{",
      "x-request-id": '","event":"forged","n":"',
    };
    await fetch(server.url + path, { headers });
  }
  const { stdout } = await server.kill("SIGTERM");
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.slice(before).filter(({ event }) => event === "request")).toHaveLength(paths.length);
  expect(lines.filter(({ event }) => event === "forged")).toEqual([]);
});

describe("a configuration that is wrong", () => {
  it.each([
    ["HOLDFAST_KEYS", `[{"id":"app","scopes":["*"],"sha256":"SECRET-VALUE"}]`],
    ["HOLDFAST_SECRET", "SECRET-VALUE"],
    ["HOLDFAST_MAILER", "smtps://user:SECRET-VALUE@"],
    ["HOLDFAST_MAILER", "smtp://user:SECRET-VALUE@mail.example.com:notaport"],
    ["HOLDFAST_MAIL_HTTP_HEADERS", '{"authorization":["SECRET-VALUE"]}'],
    ["HOLDFAST_MAIL_HTTP_URL", "ftp://user:SECRET-VALUE@example.com"],
    ["HOLDFAST_AI_KEY", "SECRET-VALUE with a blank"],
    ["HOLDFAST_AI_BASE_URL", "https://user:SECRET-VALUE@example.com"],
  ])("is told by the name of %s, without its value", async (name, value) => {
    const env: Env = {
      ...base(),
      HOLDFAST_KEYS: "",
      HOLDFAST_MAILER: name.startsWith("HOLDFAST_MAIL_HTTP") ? "http" : "none",
      ...(name === "HOLDFAST_AI_KEY" ? { HOLDFAST_AI_BASE_URL: "https://ai.example.com" } : {}),
      [name]: value,
      PORT: "0",
    };
    const { status, stdout, stderr } = await holdfast(env, "serve");
    expect(status).toBe(1);
    expect(stdout + stderr).toContain(name);
    expect(stdout + stderr).not.toContain("SECRET-VALUE");
  });
});
