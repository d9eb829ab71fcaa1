/** `holdfast reconcile`, as a schedule calls it, and what `holdfast doctor` says of passes and mail. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { startApi } from "../adapters/mail/api.ts";
import { type Sink, startSink } from "../adapters/mail/sink.ts";
import { fakeOpenAi } from "../fakes/openai.ts";
import { type Ended, type Env, holdfast } from "./process.ts";

let folder: string;
let sink: Sink | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-reconcile-"));
  sink = null;
});

afterEach(async () => {
  await sink?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A module with one source, whose `scan` has this body. */
function appWith(body: string): string {
  const path = join(folder, "app.mjs");
  const source = `{ name: "orders", async scan({ limit }) { ${body} } }`;
  writeFileSync(path, `export default { sources: [${source}] };\n`);
  return path;
}

function run(env: Env, ...args: readonly string[]): Promise<Ended> {
  return holdfast({ HOLDFAST_DATA_DIR: join(folder, "data"), ...env }, ...args);
}

describe("holdfast reconcile", () => {
  it("makes the folder that is not there, unless it only looks", async () => {
    expect((await run({}, "reconcile", "--dry-run")).status).toBe(1);
    expect(existsSync(join(folder, "data"))).toBe(false);
    expect(await run({}, "reconcile")).toMatchObject({ status: 0, stderr: "" });
    expect(existsSync(join(folder, "data"))).toBe(true);
  });

  it("tells what it did of each machine", async () => {
    const { stdout } = await run({}, "reconcile");
    for (const what of ["jobs", "receipts", "queries"]) {
      expect(stdout).toMatch(new RegExp(`^done +${what}\\n`, "m"));
    }
    expect(stdout).toMatch(/^interrupted +0$/m);
    expect(JSON.parse((await run({}, "--json", "reconcile")).stdout)).toMatchObject({
      queries: { completed: 0, interrupted: 0, retired: 0 },
    });
  });

  it("ends with 1 where something went wrong, and says what, as JSON in its report", async () => {
    const app = appWith("throw new Error('orders are away, says ann@example.com')");
    const env = { HOLDFAST_APP: app };
    const people = await run(env, "reconcile");
    expect(people.status).toBe(1);
    expect(people.stdout).toContain("source_failed: the source threw");
    const why = "emails source:orders: source_failed: orders are away, says (address)\n";
    expect(people.stderr).toBe(why);
    const programs = await run(env, "--json", "reconcile");
    expect([programs.status, programs.stderr]).toEqual([1, why]);
    expect(JSON.parse(programs.stdout)).toMatchObject({ failures: [{ code: "source_failed" }] });
    expect(programs.stdout).not.toContain("away");
  });

  it("takes the time that is configured, and the time that it is told", async () => {
    // A quarter of the budget is the sources'.
    const env = {
      HOLDFAST_APP: appWith(
        "await new Promise((resolve) => setTimeout(resolve, 5_000)); return { jobs: [], next: null };",
      ),
      HOLDFAST_RECONCILE_BUDGET_MS: "8000",
    };
    const configured = await run(env, "--json", "reconcile");
    expect(JSON.parse(configured.stdout)).toMatchObject({ failures: [{ code: "source_timeout" }] });
    const told = await run(env, "--json", "reconcile", "--budget", "60000");
    expect(JSON.parse(told.stdout).failures).toEqual([]);
    for (const budget of ["99", "3600001", "a"]) {
      expect((await run(env, "reconcile", "--budget", budget)).status).toBe(2);
    }
  });

  it("that only looks does not say that it should be run again", async () => {
    await run({}, "reconcile");
    const env = {
      HOLDFAST_APP: appWith(
        `return { jobs: [], next: { createdAt: "2026-01-01T00:00:00.000Z", id: "1" }};`,
      ),
    };
    const look = await run(env, "reconcile", "--dry-run");
    expect(look.stderr).toBe("that is one page: there is more\n");
    expect((await run(env, "reconcile")).stderr).toBe("there is more to do: run it again\n");
  });

  it("waits for another one that has the folder, and works when that lets go", async () => {
    const directory = join(folder, "data");
    const storage = filesystemStorage({ directory, sharing: "exclusive" });
    const opened = await createHoldfast({ storage });
    const waiting = run({}, "reconcile");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await opened.close();
    expect(await waiting).toMatchObject({
      status: 0,
      stderr: `waiting for the folder, which process ${process.pid} has\n`,
    });
  });
});

describe("holdfast doctor", () => {
  async function doctor(env: Env): Promise<Record<string, { verdict: string; detail: string }>> {
    await run({}, "reconcile");
    const { stdout } = await run(env, "--json", "doctor");
    const findings: { check: string; verdict: string; detail: string }[] = JSON.parse(stdout);
    return Object.fromEntries(findings.map(({ check, ...found }) => [check, found]));
  }

  const FROM = { HOLDFAST_MAIL_FROM: "jobs@example.com" };

  it("says that nothing is sent without a mailer, and when passes come", async () => {
    const found = await doctor({ HOLDFAST_RECONCILE_MS: "0" });
    expect(found["mail"]).toEqual({
      verdict: "warn",
      detail: "HOLDFAST_MAILER is none: nothing is sent",
    });
    expect(found["schedule"]?.verdict).toBe("warn");
    expect(found["app"]?.detail).toBe("none: the built-in kinds, and no sources");
    const passes = await doctor({ HOLDFAST_RECONCILE_BUDGET_MS: "5000" });
    expect(passes["schedule"]).toEqual({
      verdict: "ok",
      detail: "a pass of at most 5000 ms, 60000 ms after the one before",
    });
  });

  it("says whether tickets are given out, and to which pages, but not with what", async () => {
    const none = await doctor({});
    expect(none["tickets"]?.detail).toContain("HOLDFAST_SECRET is not set");
    const HOLDFAST_SECRET = "s".repeat(32);
    const found = await doctor({ HOLDFAST_SECRET, HOLDFAST_CORS_ORIGINS: "https://a.example" });
    expect(found["tickets"]).toEqual({
      verdict: "ok",
      detail: "on; from pages of https://a.example",
    });
    expect((await doctor({ HOLDFAST_SECRET }))["tickets"]).toEqual({
      ...{ verdict: "ok", detail: "on; pages of other origins need HOLDFAST_CORS_ORIGINS" },
    });
  });

  it("names the application's sources, or why it cannot be loaded", async () => {
    const named = await doctor({ HOLDFAST_APP: appWith("") });
    expect(named["app"]?.detail).toMatch(/app\.mjs; kinds: none; sources: orders$/);
    writeFileSync(join(folder, "bad.mjs"), "export default { source: [] };\n");
    const bad = await doctor({ HOLDFAST_APP: join(folder, "bad.mjs") });
    expect(bad["app"]?.verdict).toBe("fail");
    expect(bad["app"]?.detail).toContain('no part of an application is called "source"');
  });

  it("says who answers queries, or what keeps them from it, and asks nobody a question", async () => {
    expect((await doctor({}))["runner"]).toEqual({
      ...{ verdict: "ok", detail: "none here; queries wait for whoever runs them over HTTP" },
    });
    const command = await doctor({ HOLDFAST_RUNNER_COMMAND: '["sh", "S3cret"]' });
    expect(command["runner"]).toEqual({ verdict: "ok", detail: "sh" });
    const missing = await doctor({ HOLDFAST_RUNNER_COMMAND: '["/missing/claude"]' });
    expect(missing["runner"]?.verdict).toBe("fail");
    expect(missing["runner"]?.detail).toContain("/missing/claude cannot be started");
    const fake = await fakeOpenAi();
    const env = {
      HOLDFAST_AI_BASE_URL: fake.baseUrl,
      HOLDFAST_AI_MODEL: "m-1",
      HOLDFAST_AI_KEY: "S3cret",
    };
    const provider = await doctor(env);
    expect(provider["runner"]).toEqual({ verdict: "ok", detail: `m-1 at ${fake.baseUrl}` });
    fake.answerOf = () => ({ status: 401, steps: ["no S3cret"] });
    const refused = await doctor(env);
    expect(refused["runner"]?.verdict).toBe("fail");
    expect(refused["runner"]?.detail).toContain("does not take the key (401)");
    expect(fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...["GET /v1/models", "GET /v1/models"],
    ]);
    await fake.close();
    const away = await doctor(env);
    expect(away["runner"]?.detail).toContain("does not answer");
    expect(JSON.stringify([command, provider, refused, away])).not.toContain("S3cret");
  });

  it("warns of a model that the provider's list of models lacks", async () => {
    const fake = await fakeOpenAi();
    const list = (...ids: readonly string[]) => {
      const data = ids.map((id) => ({ id, object: "model" }));
      return () => ({ status: 200, steps: [JSON.stringify({ object: "list", data })] });
    };
    const runner = async () => {
      const env = { HOLDFAST_AI_BASE_URL: fake.baseUrl, HOLDFAST_AI_MODEL: "m-1" };
      return (await doctor(env))["runner"];
    };
    fake.answerOf = list("m-10", "m-2");
    expect(await runner()).toEqual({
      verdict: "warn",
      detail: `m-1 is not in the list of models of ${fake.baseUrl}: look at HOLDFAST_AI_MODEL`,
    });
    for (const id of ["m-1", "m-1:latest", "models/m-1"]) {
      fake.answerOf = list("m-2", id);
      expect((await runner())?.verdict).toBe("ok");
    }
    fake.answerOf = list();
    expect((await runner())?.verdict).toBe("ok");
    await fake.close();
  });

  it("says what of queries waits, as of receipts", async () => {
    expect((await doctor({}))["queries"]).toEqual({
      ...{ verdict: "ok", detail: "0 to attend, 0 stuck" },
    });
  });

  it("asks the mail server whether it takes us, and sends nothing", async () => {
    sink = await startSink({ auth: true });
    const url = `smtp://ann:S3cret@127.0.0.1:${sink.port}`;
    const good = await doctor({ ...FROM, HOLDFAST_MAILER: url });
    expect(good["mail"]).toEqual({
      verdict: "ok",
      detail: "the server takes mail from jobs@example.com",
    });
    sink.fault("auth", { kind: "reply", text: "535 5.7.8 wrong credentials S3cret" });
    const refused = await doctor({ ...FROM, HOLDFAST_MAILER: url });
    expect(refused["mail"]?.verdict).toBe("fail");
    expect(refused["mail"]?.detail).toContain("535 5.7.8 wrong credentials ***");
    sink.fault("greeting", { kind: "hang" });
    const hanging = await doctor({ ...FROM, HOLDFAST_MAILER: url });
    expect(hanging["mail"]?.verdict).toBe("fail");
    expect(sink.commands.filter((line) => line.startsWith("MAIL"))).toEqual([]);
  });

  it("asks whether anybody answers where mails are posted to, without a mail and without the key", async () => {
    const api = await startApi({ status: 405 });
    const env = {
      ...FROM,
      HOLDFAST_MAILER: "http",
      HOLDFAST_MAIL_HTTP_URL: `${api.url}/send?key=S3cret`,
      HOLDFAST_MAIL_HTTP_HEADERS: '{"authorization":"Bearer S3cret"}',
      HOLDFAST_MAIL_HTTP_BODY: '{"to":"{{to}}"}',
    };
    const { host } = new URL(api.url);
    expect((await doctor(env))["mail"]).toEqual({
      verdict: "ok",
      detail: `${host} answers; whether it takes mail from jobs@example.com shows the first one`,
    });
    expect(api.requests).toMatchObject([{ method: "HEAD", body: "" }]);
    expect(api.requests[0]?.headers).not.toHaveProperty("authorization");
    await api.close();
    expect((await doctor(env))["mail"]).toEqual({
      verdict: "fail",
      detail: `${host} does not answer: it is not reached: ECONNREFUSED`,
    });
  });

  it("asks SES whether the account may send", async () => {
    const api = await startApi({
      status: 200,
      body: '{"SendingEnabled":true,"ProductionAccessEnabled":false}',
    });
    const env = {
      ...FROM,
      HOLDFAST_MAILER: "ses",
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "S3cret",
      AWS_ENDPOINT_URL_SESV2: api.url,
    };
    expect((await doctor(env))["mail"]).toMatchObject({
      verdict: "warn",
      detail: expect.stringContaining("the sandbox"),
    });
    expect(api.requests).toMatchObject([{ method: "GET", path: "/v2/email/account" }]);
    await api.close();
  });
});
