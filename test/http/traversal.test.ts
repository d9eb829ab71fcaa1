/** Names in requests are never paths: outside of the folder nothing is read, and nothing is written. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";

const OUTSIDE = "content-of-a-file-outside";

let parent: string;
let holdfast: Holdfast;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), "holdfast-outside-"));
  // As a record, and as whatever else a path could lead to.
  for (const name of ["secret.json", "secret"]) {
    writeFileSync(join(parent, name), JSON.stringify({ logicalKey: OUTSIDE, OUTSIDE }));
  }
  mkdirSync(join(parent, "data"));
  holdfast = await createHoldfast({
    storage: filesystemStorage({ directory: join(parent, "data"), sharing: "exclusive" }),
  });
});
afterEach(async () => {
  await holdfast.close();
  rmSync(parent, { recursive: true, force: true });
});

const NAMES = [
  "../secret",
  "../../secret.json",
  "..%2fsecret",
  "..\\secret",
  "....//secret",
  "/etc/passwd",
  "C:\\secret",
  "secret\u0000.json",
  "%2e%2e%2fsecret",
  "~/secret",
  "file:///etc/passwd",
  "aux/../../../secret",
  ".",
  "..",
  "holdfast.json",
  "folder.lock",
];

it.each(NAMES)("%j is no way out of the folder", async (name) => {
  const app = holdfast.http({ open: true, secret: "s".repeat(32) });
  const ask = async (method: string, path: string, body?: object): Promise<Response> =>
    app.request(`http://localhost${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const encoded = encodeURIComponent(name);
  const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
  const answers = [
    await ask("POST", "/v1/emails", { logicalKey: name, payload }),
    await ask("GET", `/v1/emails/${encoded}`),
    await ask("GET", `/v1/emails/sha256:${encoded}`),
    await ask("GET", `/v1/emails?cursor=${encoded}`),
    await ask("GET", `/v1/receipts/${encoded}`),
    await ask("POST", "/v1/receipts", { operationId: name, workspaceId: name, payload: 1 }),
    await ask("POST", "/v1/receipts", { operationId: "a", workspaceId: name, payload: 1 }),
    await ask("GET", `/v1/query-jobs/${encoded}`),
    await ask("GET", `/v1/query-jobs/${encoded}/events?generation=1`),
    await ask("GET", `/v1/query-jobs/by-client/${encoded}?generation=1`),
    await ask("POST", "/v1/query-jobs", {
      clientJobId: name,
      generation: 1,
      sessionId: name,
      query: "Why?",
    }),
    await ask("POST", "/v1/erasures", { email: name }),
    await ask("GET", `/v1/${encoded}`),
    await ask("GET", `/docs/${encoded}`),
  ];
  for (const answer of answers) {
    expect(answer.status).toBeLessThan(500);
    expect(await answer.text()).not.toContain(OUTSIDE);
  }
  expect(() => holdfast.tenant(name)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  expect(readdirSync(parent).sort()).toEqual(["data", "secret", "secret.json"]);
  const made = readdirSync(join(parent, "data"), { recursive: true, encoding: "utf8" });
  expect(made.filter((path) => /secret|passwd|aux/.test(path))).toEqual([]);
});
