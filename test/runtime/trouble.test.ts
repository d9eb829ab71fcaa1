/** What goes wrong in passes, as the real command line and the real service tell it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import type { App } from "../../src/services/app.ts";
import { type Env, holdfast, startServer } from "./process.ts";

let folder: string;
let env: Env;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-trouble-"));
  env = { HOLDFAST_DATA_DIR: join(folder, "data"), HOLDFAST_APP: join(folder, "app.mjs") };
  writeFileSync(join(folder, "app.mjs"), APP);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Its source is down, and its mailer breaks at every mail. */
const APP = `export default {
  sources: [{ name: "orders", scan: async () => { throw new Error("no database"); } }],
  mail: {
    from: "jobs@example.com",
    mailer: { send: async () => { throw new Error("reset"); }, close: async () => {} },
  },
};`;

const MESSAGE = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
const VIEW = { type: "first-view", recipient: "ann@example.com", recordingIds: ["recording-1"] };

/** An hour of passes, an hour ago, until every job has failed in its own way. */
async function failed(): Promise<void> {
  let now = Date.now() - 3_600_000;
  const clock: Clock = { ...systemClock(), now: () => epochMs(now) };
  const answers: Readonly<Record<string, object>> = {
    unknown: { kind: "unknown", error: "reset" },
    refused: { kind: "permanent", error: "ann@example.com: no such mailbox" },
    busy: { kind: "retry", error: "try later" },
  };
  const app: App = { prepare: { "first-view": () => ({ subject: "", text: "Somebody came." }) } };
  const opened = await createHoldfast({
    storage: filesystemStorage({ directory: join(folder, "data") }),
    clock,
    app,
    mail: {
      from: "jobs@example.com",
      mailer: { send: async ({ subject }) => answers[subject] as never, close: async () => {} },
    },
  });
  for (const subject of Object.keys(answers)) {
    await opened.emails.enqueue(subject, { ...MESSAGE, subject });
  }
  await opened.emails.enqueue("no mail", VIEW);
  for (const wait of [60_000, 120_000, 0]) {
    await opened.reconcile();
    now += wait;
  }
  await opened.close();
}

it("`stuck` tells of every job that passes failed why, and what to do", async () => {
  await failed();
  const { stdout, status } = await holdfast(env, "stuck");
  expect(status).toBe(0);
  expect(stdout.match(/^emails sha256:[0-9a-f]{64}$/gm)).toHaveLength(4);
  expect(stdout).toMatch(/may have sent it: no answer told\n {2}ask the mail provider/);
  expect(stdout).toMatch(/1 attempt of 3: it was refused for good\n {2}read its lastError/);
  expect(stdout).toMatch(/3 attempts, all that it has\n {2}read its lastError, mend the cause/);
  expect(stdout).toMatch(/rendered is no mail\n {2}read its lastError, mend the kind's prepare/);
  expect(stdout).not.toContain("ann@");
  const server = await startServer(env);
  try {
    const { items } = JSON.parse(await (await fetch(`${server.url}/v1/stuck`)).text());
    const asJson = await holdfast(env, "--json", "stuck");
    expect(items).toEqual(JSON.parse(asJson.stdout));
  } finally {
    await server.kill("SIGKILL");
  }
});

it("a pass explains every failure, over HTTP, on the command line, and in one log line", async () => {
  const server = await startServer(env);
  try {
    const headers = { "content-type": "application/json" };
    for (const logicalKey of ["a", "b"]) {
      const body = JSON.stringify({ logicalKey, payload: MESSAGE });
      await fetch(`${server.url}/v1/emails`, { method: "POST", headers, body });
    }
    const { stdout } = await holdfast(env, "reconcile");
    const id = "sha256:[0-9a-f]{64}";
    expect(stdout).toMatch(/\nsource_failed: the source threw\n {2}.*\n {2}emails source:orders\n/);
    expect(stdout).toMatch(
      new RegExp(
        `\nmailer_failed: .*may have been sent\n {2}.*\n {2}emails ${id}\n {2}emails ${id}\n`,
      ),
    );
    const answer = await fetch(`${server.url}/v1/reconciliations`, { method: "POST" });
    expect(JSON.parse(await answer.text())).toMatchObject({
      failures: [
        {
          id: "source:orders",
          code: "source_failed",
          count: 1,
          why: "the source threw",
          action: expect.stringContaining("the next pass"),
        },
      ],
    });
  } finally {
    await server.kill("SIGKILL");
  }
  const passing = await startServer({ ...env, HOLDFAST_RECONCILE_MS: "250" });
  try {
    const isTold = () => passing.lines().some(({ event }) => event === "pass");
    while (!isTold()) await new Promise((resolve) => setTimeout(resolve, 20));
    const line = passing.lines().find(({ event }) => event === "pass");
    expect(line).toMatchObject({ level: "warn", failures: 1, codes: "source_failed 1" });
  } finally {
    await passing.kill("SIGKILL");
  }
});
