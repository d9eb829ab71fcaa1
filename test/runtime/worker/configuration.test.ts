/** What a Worker says of a configuration that is wrong: to whoever asks, in its log, and by its cron events. */
import { afterEach, describe, expect, it } from "vitest";
import { textsOf } from "../../../adapters/runtime/worker/environment.ts";
import { worker } from "../../../adapters/runtime/worker/r2.ts";
import type { JsonValue } from "../../../src/core/json.ts";
import { eventually } from "../../http/streams.ts";
import { built } from "./built.ts";
import { KEYS, openWorkers, type Workers } from "./workers.ts";

const script = await built();

let open: Workers | null = null;

afterEach(async () => {
  await open?.close();
  open = null;
});

const SMTP = "smtps://ann:S3cret@mail.example.com";

const WRONG: readonly (readonly [string, Readonly<Record<string, JsonValue>>, RegExp])[] = [
  ["no keys", { HOLDFAST_KEYS: "" }, /^HOLDFAST_KEYS must be set \(`holdfast key new`/],
  ["keys that are no JSON", { HOLDFAST_KEYS: "S3cret" }, /^HOLDFAST_KEYS must be JSON.*'\[\{"id"/],
  ["a file of keys", { HOLDFAST_KEYS: "@keys.json" }, /^HOLDFAST_KEYS must be the JSON itself/],
  ["a folder", { HOLDFAST_STORAGE: "filesystem" }, /^HOLDFAST_STORAGE must be r2 or left out/],
  ["memory", { HOLDFAST_STORAGE: "memory" }, /^HOLDFAST_STORAGE must be r2 or left out/],
  ["another storage's variable", { HOLDFAST_TABLE: "jobs" }, /^HOLDFAST_TABLE must go with/],
  ["a module", { HOLDFAST_APP: "./app.js" }, /^HOLDFAST_APP must not be set.*worker\({ app }\)/],
  ...[SMTP, "ses", "capture"].map(
    (mailer) =>
      [
        `the mailer ${mailer.slice(0, 7)}`,
        { HOLDFAST_MAILER: mailer, HOLDFAST_MAIL_FROM: "shop@example.com" },
        /^HOLDFAST_MAILER must be one of none, http on Cloudflare Workers$/,
      ] as const,
  ),
];

describe("a Worker whose configuration is wrong", () => {
  it.each(WRONG)(
    "answers 503, logs what to do and fails its cron events: %s",
    async (_what, env, message) => {
      open = await openWorkers(script, { env });
      const [running] = open.workers;
      const { lines } = open;
      const answer = await fetch(`${running?.url}/v1/health`);
      const problem = await answer.text();
      expect(answer.status).toBe(503);
      const [name] = Object.keys(env);
      expect(JSON.parse(problem)).toMatchObject({
        code: "misconfigured",
        detail: `${name}: the log says what is wrong`,
      });
      expect((await fetch(`${running?.url}/healthz`)).status).toBe(200);
      expect(await running?.cron()).toBe("exception");
      await eventually(() =>
        expect(lines()).toMatchObject([
          { level: "error", event: "fault", message: expect.stringMatching(message) },
          { level: "error", event: "pass not run", message: expect.stringMatching(message) },
        ]),
      );
      expect(JSON.stringify(lines()) + problem).not.toContain("S3cret");
    },
  );

  it("says what to write where the bucket is not bound", async () => {
    open = await openWorkers(script, { isBound: false });
    const [running] = open.workers;
    const { lines } = open;
    const answer = await fetch(`${running?.url}/readyz`);
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { code: "misconfigured", detail: "HOLDFAST_BUCKET: the log says what is wrong" },
    ]);
    expect(await running?.cron()).toBe("exception");
    const message = expect.stringMatching(
      /^HOLDFAST_BUCKET must be the binding of an R2 bucket.*\n\[\[r2_buckets\]\]\nbinding = "HOLDFAST_BUCKET"/,
    );
    await eventually(() => expect(lines()).toMatchObject([{ message }, { message }]));
  });
});

describe("the environment of a Worker", () => {
  const bucket = { get() {}, put() {}, list() {}, delete() {} };

  it.each([["the name of one", "jobs"] as const, ["a KV namespace", bucket] as const])(
    "has no R2 bucket by %s",
    async (_what, bound) => {
      const env = { HOLDFAST_KEYS: KEYS, HOLDFAST_BUCKET: bound, HOLDFAST_LOG_LEVEL: "silent" };
      const answer = await worker().fetch(new Request("https://jobs.example.com/readyz"), env);
      expect(await answer.json()).toMatchObject({
        detail: "HOLDFAST_BUCKET: the log says what is wrong",
      });
    },
  );

  it("may have numbers, lists and tables of wrangler.toml, and leaves bindings alone", () => {
    const keys = [{ id: "app", scopes: ["*"] }];
    class Binding {}
    const env = { KEYS: keys, DAYS: 90, YES: true, TABLE: { a: 1 }, TEXT: "t", BUCKET: bucket };
    expect(textsOf({ ...env, OTHER: new Binding(), NONE: null }, "BUCKET")).toEqual({
      KEYS: '[{"id":"app","scopes":["*"]}]',
      DAYS: "90",
      YES: "true",
      TABLE: '{"a":1}',
      TEXT: "t",
    });
  });

  it("is read, and told of, once for all requests", async () => {
    open = await openWorkers(script, { env: { HOLDFAST_LOGLEVEL: "debug" } });
    const [running] = open.workers;
    const { lines } = open;
    for (let n = 0; n < 3; n += 1) await fetch(`${running?.url}/nowhere`);
    await eventually(() =>
      expect(lines().filter(({ event }) => event === "request")).toHaveLength(3),
    );
    expect(lines().filter(({ event }) => event === "unknown variable")).toMatchObject([
      { variable: "HOLDFAST_LOGLEVEL (HOLDFAST_LOG_LEVEL?)" },
    ]);
  });
});
