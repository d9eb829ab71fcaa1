/** The environment: what each variable may say, what is told of a wrong one, and the README's table. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Config,
  checkServable,
  readConfig,
  VARIABLES,
} from "../../adapters/runtime/config.ts";
import { LOG_LEVELS } from "../../adapters/runtime/config-variables.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

const SECRET = "S3cretS3cretS3cretS3cretS3cretS3cretS3cret1";
const KEY = `hf_ann_${SECRET}`;
const ENTRY = { id: "ann", scopes: ["*"], sha256: "a".repeat(64) };
const KEYS = JSON.stringify([ENTRY]);

const FROM = "Example, Inc. <jobs@example.com>";
const SMTP_URL = `smtp://ann:${SECRET}@mx.example.com:2525?tls=optional`;

type Env = Readonly<Record<string, string>>;

const noFile = (): string => {
  throw Object.assign(new Error(`ENOENT: no such file, open '${KEY}'`), { code: "ENOENT" });
};

const read = (env: Env): Config => readConfig(env, noFile);

/** The lines that are told; none when the environment may be so. Anything else that is thrown stays. */
function told(env: Env, readText: (path: string) => string = noFile): string[] {
  try {
    readConfig(env, readText);
    return [];
  } catch (error) {
    if (!(error instanceof MisconfiguredError)) throw error;
    return error.message.split("\n");
  }
}

/** What a variable does not go without. */
function companions(name: string): Env {
  if (name === "HOLDFAST_TABLE" || name === "HOLDFAST_DUE_SHARDS") {
    return { HOLDFAST_STORAGE: "dynamodb", HOLDFAST_TABLE: "jobs" };
  }
  const isOfBuckets =
    name === "HOLDFAST_ENDPOINT" || /^HOLDFAST_(?:BUCKET|PREFIX|PATH_STYLE)$/.test(name);
  return isOfBuckets
    ? { HOLDFAST_STORAGE: "s3", HOLDFAST_BUCKET: "my-jobs" }
    : runnerCompanions(name);
}

function mailerCompanions(name: string): Env {
  if (name.startsWith("HOLDFAST_SES_")) {
    return { HOLDFAST_MAILER: "ses", HOLDFAST_MAIL_FROM: FROM };
  }
  if (!name.startsWith("HOLDFAST_MAIL_HTTP_")) return {};
  return {
    HOLDFAST_MAILER: "http",
    HOLDFAST_MAIL_FROM: FROM,
    HOLDFAST_MAIL_HTTP_URL: "http://127.0.0.1/send",
    HOLDFAST_MAIL_HTTP_BODY: '{"to":"{{to}}"}',
  };
}

function runnerCompanions(name: string): Env {
  if (!name.startsWith("HOLDFAST_AI_")) return mailerCompanions(name);
  return { HOLDFAST_AI_BASE_URL: "http://127.0.0.1/v1", HOLDFAST_AI_MODEL: "m" };
}

const nameIn = (line: string): string => line.split(" ")[0] ?? "";

describe("an environment that says nothing", () => {
  it("means the defaults", () => {
    expect(read({})).toEqual({
      storage: {
        kind: "filesystem",
        directory: "./data",
        sharing: "exclusive",
        emailsDirectory: null,
        receiptsDirectory: null,
      },
      keys: [],
      key: null,
      secondKey: null,
      url: null,
      secret: null,
      corsOrigins: [],
      host: "127.0.0.1",
      port: 8787,
      publicUrl: null,
      logLevel: "info",
      app: null,
      reconcileMs: 60_000,
      reconcileBudgetMs: 25_000,
      mailer: { kind: "none" },
      emailRetentionDays: null,
      receiptCapacity: null,
      receiptRetentionDays: 30,
      dispatchMarginMs: 30_000,
      queryRetentionDays: 7,
      runLeaseMs: 60_000,
      admissionTimeoutMs: "off",
      heldQueries: "refuse",
      runner: { kind: "none" },
      unknown: [],
    });
  });

  it("is the same as one in which everything is empty or undefined", () => {
    const names = [...VARIABLES.map(({ name }) => name), "HOLDFAST_OTHER"];
    expect(read(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(read({}));
    const none = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(readConfig(none, noFile)).toEqual(read({}));
  });
});

describe("a good value", () => {
  const path = "a".repeat(4_096);
  it.each([
    [{ HOLDFAST_STORAGE: "memory" }, { storage: { kind: "memory" } }],
    [{ HOLDFAST_STORAGE: "filesystem" }, {}],
    [{ HOLDFAST_DATA_DIR: "/var/my data" }, { storage: { directory: "/var/my data" } }],
    [{ HOLDFAST_DATA_DIR: path }, { storage: { directory: path } }],
    [{ HOLDFAST_FOLDER_SHARING: "processes" }, { storage: { sharing: "processes" } }],
    [{ HOLDFAST_FOLDER_SHARING: "exclusive" }, { storage: { sharing: "exclusive" } }],
    [{ HOLDFAST_EMAILS_DIR: "/old/emails" }, { storage: { emailsDirectory: "/old/emails" } }],
    [{ HOLDFAST_RECEIPTS_DIR: "../old" }, { storage: { receiptsDirectory: "../old" } }],
    [{ HOLDFAST_RECEIPT_CAPACITY: "off" }, { receiptCapacity: "off" }],
    [{ HOLDFAST_RECEIPT_CAPACITY: "65536" }, { receiptCapacity: 65_536 }],
    [{ HOLDFAST_RECEIPT_RETENTION_DAYS: "0" }, { receiptRetentionDays: 0 }],
    [{ HOLDFAST_DISPATCH_MARGIN_MS: "1" }, { dispatchMarginMs: 1 }],
    [
      { HOLDFAST_STORAGE: "dynamodb", HOLDFAST_TABLE: "jobs" },
      {
        storage: { kind: "dynamodb", table: "jobs", region: null, endpoint: null, dueShards: null },
      },
    ],
    [
      {
        HOLDFAST_STORAGE: "dynamodb",
        HOLDFAST_TABLE: "arn:aws:dynamodb:eu-central-1:123456789012:table/jobs",
        HOLDFAST_ENDPOINT: "http://127.0.0.1:8000",
        HOLDFAST_DUE_SHARDS: "64",
      },
      { storage: { endpoint: "http://127.0.0.1:8000", dueShards: 64 } },
    ],
    [
      { HOLDFAST_STORAGE: "s3", HOLDFAST_BUCKET: "my-jobs" },
      {
        storage: {
          kind: "s3",
          bucket: "my-jobs",
          prefix: "",
          region: null,
          endpoint: null,
          isPathStyle: false,
        },
      },
    ],
    [
      {
        HOLDFAST_STORAGE: "s3",
        HOLDFAST_BUCKET: "my-jobs",
        HOLDFAST_PREFIX: "a/b",
        HOLDFAST_ENDPOINT: "https://minio.example:9000",
        HOLDFAST_PATH_STYLE: "true",
      },
      { storage: { prefix: "a/b/", endpoint: "https://minio.example:9000", isPathStyle: true } },
    ],
    [{ HOLDFAST_KEYS: KEYS }, { keys: [ENTRY] }],
    [{ HOLDFAST_KEY: KEY }, { key: KEY }],
    [{ HOLDFAST_SECOND_KEY: KEY }, { secondKey: KEY }],
    [{ HOLDFAST_URL: "http://127.0.0.1:8787" }, { url: "http://127.0.0.1:8787" }],
    [{ HOLDFAST_URL: "https://a.example/base/" }, { url: "https://a.example/base" }],
    [{ HOLDFAST_SECRET: SECRET }, { secret: SECRET }],
    [{ HOLDFAST_SECRET: "s".repeat(32) }, { secret: "s".repeat(32) }],
    [
      { HOLDFAST_CORS_ORIGINS: "https://a.example, http://[::1]:81,https://a.example" },
      { corsOrigins: ["https://a.example", "http://[::1]:81"] },
    ],
    [
      { HOLDFAST_CORS_ORIGINS: "capacitor://localhost,app://x:3000" },
      { corsOrigins: ["capacitor://localhost", "app://x:3000"] },
    ],
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0" }],
    [{ HOST: "::" }, { host: "::" }],
    [{ HOST: "jobs.internal" }, { host: "jobs.internal" }],
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ HOLDFAST_PUBLIC_URL: "HTTPS://A.example:443//" }, { publicUrl: "https://a.example" }],
    [{ HOLDFAST_PUBLIC_URL: "http://a.example:80/b/../c" }, { publicUrl: "http://a.example/c" }],
    ...LOG_LEVELS.map((logLevel) => [{ HOLDFAST_LOG_LEVEL: logLevel }, { logLevel }] as const),
    [{ HOLDFAST_APP: "./app.js" }, { app: "./app.js" }],
    [{ HOLDFAST_MAILER: "none" }, { mailer: { kind: "none" } }],
    [{ HOLDFAST_MAIL_FROM: FROM }, { mailer: { kind: "none" } }],
    [
      { HOLDFAST_MAILER: "capture", HOLDFAST_MAIL_FROM: FROM, HOLDFAST_DATA_DIR: "/srv/jobs" },
      { mailer: { kind: "capture", from: FROM, directory: "/srv/jobs" } },
    ],
    [
      { HOLDFAST_MAILER: "capture", HOLDFAST_MAIL_FROM: FROM, HOLDFAST_STORAGE: "memory" },
      { mailer: { kind: "capture", from: FROM, directory: null } },
    ],
    [
      {
        HOLDFAST_MAILER: "capture",
        HOLDFAST_MAIL_FROM: FROM,
        HOLDFAST_STORAGE: "dynamodb",
        HOLDFAST_TABLE: "jobs",
      },
      { mailer: { kind: "capture", directory: "./data" } },
    ],
    [
      { HOLDFAST_MAILER: SMTP_URL, HOLDFAST_MAIL_FROM: "a@example.com" },
      { mailer: { kind: "smtp", from: "a@example.com", url: SMTP_URL } },
    ],
    [
      { HOLDFAST_MAILER: "ses", HOLDFAST_MAIL_FROM: FROM },
      { mailer: { kind: "ses", from: FROM, configurationSet: null } },
    ],
    [
      { ...mailerCompanions("HOLDFAST_SES_"), HOLDFAST_SES_CONFIGURATION_SET: "jobs" },
      { mailer: { kind: "ses", from: FROM, configurationSet: "jobs" } },
    ],
    [
      mailerCompanions("HOLDFAST_MAIL_HTTP_"),
      {
        mailer: {
          kind: "http",
          from: FROM,
          url: "http://127.0.0.1/send",
          headers: {},
          body: { to: "{{to}}" },
        },
      },
    ],
    [
      {
        ...mailerCompanions("HOLDFAST_MAIL_HTTP_"),
        HOLDFAST_MAIL_HTTP_HEADERS: `{"authorization":"Bearer ${SECRET}"}`,
      },
      { mailer: { kind: "http", headers: { authorization: `Bearer ${SECRET}` } } },
    ],
    [{ HOLDFAST_RECONCILE_MS: "0" }, { reconcileMs: 0 }],
    [{ HOLDFAST_RECONCILE_MS: "250" }, { reconcileMs: 250 }],
    [{ HOLDFAST_RECONCILE_MS: "86400000" }, { reconcileMs: 86_400_000 }],
    [{ HOLDFAST_EMAIL_RETENTION_DAYS: "1" }, { emailRetentionDays: 1 }],
    [{ HOLDFAST_EMAIL_RETENTION_DAYS: "3650" }, { emailRetentionDays: 3_650 }],
    [{ HOLDFAST_QUERY_RETENTION_DAYS: "30" }, { queryRetentionDays: 30 }],
    [{ HOLDFAST_RUN_LEASE_MS: "1000" }, { runLeaseMs: 1_000 }],
    [{ HOLDFAST_ADMISSION_TIMEOUT_MS: "off" }, { admissionTimeoutMs: "off" }],
    [{ HOLDFAST_ADMISSION_TIMEOUT_MS: "1000" }, { admissionTimeoutMs: 1_000 }],
    [{ HOLDFAST_HELD_QUERIES: "admit" }, { heldQueries: "admit" }],
    [
      { ...companions("HOLDFAST_AI_KEY"), HOLDFAST_AI_KEY: SECRET },
      { runner: { kind: "openai", baseUrl: "http://127.0.0.1/v1", model: "m", key: SECRET } },
    ],
    [
      { HOLDFAST_RUNNER_COMMAND: '["claude", "-p"]' },
      { runner: { kind: "command", command: ["claude", "-p"] } },
    ],
  ] as [Env, object][])("%j", (env, expected) => {
    expect(read(env)).toMatchObject(expected);
  });

  it("is every example that is told", () => {
    for (const { name, example } of VARIABLES) {
      const env = { HOLDFAST_MAIL_FROM: FROM, ...companions(name), [name]: example };
      const readText = (path: string): string => (path === "keys.json" ? KEYS : noFile());
      expect(told(env, readText)).toEqual([]);
    }
  });
});

describe("a bad value", () => {
  it.each([
    ["HOLDFAST_STORAGE", ["folder", "Memory", " memory", "memory "]],
    ["HOLDFAST_DATA_DIR", [" ", "\t\n", "a\0b", "a".repeat(4_097)]],
    ["HOLDFAST_FOLDER_SHARING", ["shared", "Exclusive"]],
    ["HOLDFAST_EMAILS_DIR", [" ", "a\0b"]],
    ["HOLDFAST_RECEIPTS_DIR", [" ", "a\0b"]],
    ["HOLDFAST_TABLE", ["ab", "a b c", "a/b/c", "arn:aws:s3:::jobs", "t".repeat(256)]],
    ["HOLDFAST_DUE_SHARDS", ["0", "65", "four"]],
    ["HOLDFAST_BUCKET", ["ab", "a b c", "s3://jobs", "jobs/", "-jobs", "b".repeat(64)]],
    ["HOLDFAST_PREFIX", ["/", "/a", "a//b", ".a", "a b", "é", "a".repeat(600)]],
    ["HOLDFAST_ENDPOINT", ["localhost:9000", "ftp://a", "https://u:p@a", "https://a?b"]],
    ["HOLDFAST_PATH_STYLE", ["yes", "1", "True", "TRUE "]],
    ["HOLDFAST_KEYS", ["x", "{}", "null", '"x"', "[null]", "[{}]", KEY, `${KEYS},`, "@none", "@"]],
    ["HOLDFAST_KEY", [SECRET, `${KEY}=`, ` ${KEY}`, KEY.slice(0, -1), `Bearer ${KEY}`]],
    ["HOLDFAST_SECOND_KEY", [SECRET, `${KEY}=`, `Bearer ${KEY}`]],
    ["HOLDFAST_URL", ["localhost:8787", "ftp://a", "https://u:p@a", "https://a?b", "https://a#b"]],
    ["HOLDFAST_PUBLIC_URL", ["a", "/a", "https:a", "https://", "https://a?", "https://a b", "x:/"]],
    ["HOLDFAST_PUBLIC_URL", ["https://a\\b", "https://a:70000", `https://${"a".repeat(2_100)}`]],
    [
      "HOLDFAST_SECRET",
      ["short", SECRET.slice(0, 31), `${SECRET} `, `${SECRET}é`, "s".repeat(513)],
    ],
    ["HOLDFAST_CORS_ORIGINS", ["*", "https://*.a", "https://a/", "https://a/b", "a.example", ","]],
    ["HOLDFAST_CORS_ORIGINS", ["https://A", "HTTPS://a", "https://a:443", "https://a,,https://b"]],
    ["HOLDFAST_CORS_ORIGINS", ["null", "https://u@a", "https://é.example", "a://", "a://b/c"]],
    ["HOST", ["127.0.0.1:80", "[::1]", "http://a", "a b", "-a", "256.0.0.1", "1.2.3", ".", "é"]],
    [
      "PORT",
      ["-1", "65536", "1.5", "1e3", "0x10", "080", " 80", "80 ", "+80", "http", "9".repeat(99)],
    ],
    ["HOLDFAST_LOG_LEVEL", ["trace", "INFO", "off"]],
    ["HOLDFAST_APP", [" ", "a\0b"]],
    ["HOLDFAST_MAILER", ["smtp", "SMTP", "Capture", "capture ", "SES", "http://a", "smtp://"]],
    ["HOLDFAST_MAILER", [`${SMTP_URL}&x`, `smtp://${SECRET}@a.example`, `smtp://a:${SECRET}`]],
    [
      "HOLDFAST_MAIL_FROM",
      ["ann", "a@b.example, c@d.example", "A\nB <a@b.example>", " a@b.example"],
    ],
    ["HOLDFAST_SES_CONFIGURATION_SET", ["a b", "s".repeat(65), "é"]],
    [
      "HOLDFAST_MAIL_HTTP_URL",
      [`http://api.example.com/${SECRET}`, `https://u:${SECRET}@a.example`, "https://a#b", SECRET],
    ],
    [
      "HOLDFAST_MAIL_HTTP_HEADERS",
      [SECRET, `["${SECRET}"]`, `{"host":"${SECRET}"}`, `{"a b":"${SECRET}"}`, '{"a":1}', "null"],
    ],
    [
      "HOLDFAST_MAIL_HTTP_BODY",
      [SECRET, "[]", '"{{to}}"', '{"a":"{{who}}"}', `{"a":"{{to}} ${SECRET}"}`, '{"a":"{{html}}"}'],
    ],
    ["HOLDFAST_RECONCILE_MS", ["1", "249", "86400001", "00", "-1", "60s"]],
    ["HOLDFAST_EMAIL_RETENTION_DAYS", ["0", "3651", "1.5", "-1", "forever"]],
    ["HOLDFAST_RECEIPT_CAPACITY", ["0", "65537", "OFF", "1.5", "none"]],
    ["HOLDFAST_RECEIPT_RETENTION_DAYS", ["3651", "1.5", "-1", "off"]],
    ["HOLDFAST_DISPATCH_MARGIN_MS", ["0", "86400001", "30s"]],
    ["HOLDFAST_QUERY_RETENTION_DAYS", ["0", "3651", "7d"]],
    ["HOLDFAST_RUN_LEASE_MS", ["0", "999", "86400001"]],
    ["HOLDFAST_ADMISSION_TIMEOUT_MS", ["0", "999", "86400001", "OFF"]],
    ["HOLDFAST_HELD_QUERIES", ["hold", "Admit"]],
    ["HOLDFAST_AI_BASE_URL", ["api.example.com", `https://u:${SECRET}@a.example`]],
    ["HOLDFAST_AI_MODEL", [" ", "m".repeat(65)]],
    ["HOLDFAST_AI_KEY", [`${SECRET} `, `Bearer ${SECRET}`]],
    ["HOLDFAST_RUNNER_COMMAND", [" ", `["${SECRET}"`, "[]"]],
  ])("of %s is told by that name, with an example", (name, values) => {
    const { example } = VARIABLES.find((one) => one.name === name) ?? {};
    for (const value of values) {
      const lines = told({ ...runnerCompanions(name), [name]: value });
      expect(lines.map(nameIn), value).toEqual([name]);
      expect(lines[0]).toMatch(/ must /);
      expect(lines[0]).not.toContain(SECRET);
      const isOneWord = /^[\w@%+=:,./-]*$/.test(example ?? "");
      const word = isOneWord ? example : `'${example}'`;
      expect(lines[0]?.endsWith(`, such as ${name}=${word}`), lines[0]).toBe(true);
    }
  });

  it("says what it must be", () => {
    expect(told({ PORT: "x" })).toEqual([
      "PORT must be a whole number from 0 to 65535, such as PORT=8787",
    ]);
    expect(told({ HOLDFAST_RECONCILE_MS: "1" })).toEqual([
      "HOLDFAST_RECONCILE_MS must be 0 or a whole number from 250 to 86400000, such as HOLDFAST_RECONCILE_MS=60000",
    ]);
    expect(told({ HOLDFAST_STORAGE: "disk" })[0]).toContain(
      "must be one of filesystem, memory, dynamodb, s3",
    );
    expect(told({ HOLDFAST_STORAGE: "r2" })).toEqual([
      expect.stringMatching(
        /^HOLDFAST_STORAGE must be HOLDFAST_STORAGE=s3, with HOLDFAST_ENDPOINT=https.*alone$/,
      ),
    ]);
  });

  it("of every variable at once is one error, in the order of the table", () => {
    const env = Object.fromEntries(VARIABLES.map(({ name }) => [name, "\0"]));
    expect(told(env).map(nameIn)).toEqual(VARIABLES.map(({ name }) => name));
  });

  it.each([
    ["HOLDFAST_EMAILS_DIR", "/old", "memory", "filesystem"],
    ["HOLDFAST_RECEIPTS_DIR", "/old", "memory", "filesystem"],
    ["HOLDFAST_FOLDER_SHARING", "processes", "memory", "filesystem"],
    ["HOLDFAST_TABLE", "jobs", "filesystem", "dynamodb"],
    ["HOLDFAST_DUE_SHARDS", "8", "memory", "dynamodb"],
    ["HOLDFAST_PATH_STYLE", "true", "filesystem", "s3"],
    ["HOLDFAST_BUCKET", "my-jobs", "filesystem", "s3"],
    ["HOLDFAST_PREFIX", "a/", "memory", "s3"],
    ["HOLDFAST_ENDPOINT", "http://a", "filesystem", "dynamodb or HOLDFAST_STORAGE=s3"],
  ])("is any of %s beside another storage, also when more is wrong", (name, text, kind, its) => {
    const env = { HOLDFAST_STORAGE: kind, [name]: text, PORT: "x" };
    expect(told(env).map(nameIn)).toEqual([name, "PORT"]);
    expect(told(env)[0]).toContain(`must go with HOLDFAST_STORAGE=${its}, such as`);
  });

  it.each([
    ["dynamodb", "HOLDFAST_TABLE"],
    ["s3", "HOLDFAST_BUCKET"],
  ])("is %s without %s, which is named", (kind, name) => {
    expect(told({ HOLDFAST_STORAGE: kind, PORT: "x" }).map(nameIn)).toEqual([name, "PORT"]);
    expect(told({ HOLDFAST_STORAGE: kind })[0]).toMatch(
      new RegExp(`^${name} must be set with HOLDFAST_STORAGE=${kind}, such as ${name}=`),
    );
  });

  it("is a mailer of whom nobody knows whom its mail is from", () => {
    for (const HOLDFAST_MAILER of ["capture", SMTP_URL]) {
      expect(told({ HOLDFAST_MAILER, PORT: "x" })).toEqual([
        expect.stringMatching(/^PORT /),
        "HOLDFAST_MAIL_FROM must be set with HOLDFAST_MAILER, such as HOLDFAST_MAIL_FROM='Example <jobs@example.com>'",
      ]);
    }
  });

  it("is a mailer without what it needs, or with what is another mailer's", () => {
    const http = { HOLDFAST_MAILER: "http", HOLDFAST_MAIL_FROM: FROM };
    expect(told(http).map(nameIn)).toEqual(["HOLDFAST_MAIL_HTTP_URL", "HOLDFAST_MAIL_HTTP_BODY"]);
    for (const name of ["HOLDFAST_SES_CONFIGURATION_SET", "HOLDFAST_MAIL_HTTP_BODY"]) {
      const { example = "" } = VARIABLES.find((one) => one.name === name) ?? {};
      const [line] = told({
        HOLDFAST_MAILER: "capture",
        HOLDFAST_MAIL_FROM: FROM,
        [name]: example,
      });
      expect(line).toMatch(new RegExp(`^${name} must go with HOLDFAST_MAILER=(?:ses|http)`));
    }
  });

  it("is told beside the variables that nobody knows, of which one may be its cause", () => {
    expect(told({ HOLDFAST_MAILER: "capture", HOLDFAST_MAILFROM: "a@b.example" })).toEqual([
      expect.stringMatching(/^HOLDFAST_MAIL_FROM must be set/),
      "unknown and ignored: HOLDFAST_MAILFROM (HOLDFAST_MAIL_FROM?)",
    ]);
  });

  it("is any other thing than text", () => {
    const env: Record<string, unknown> = { HOLDFAST_KEYS: {}, PORT: 80, HOLDFAST_APP: null };
    expect(told(env as Env).map(nameIn)).toEqual(["HOLDFAST_KEYS", "PORT"]);
  });
});

describe("arbitrary text", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme-ascii", size: "large" }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.json(),
    fc.integer().map(String),
    fc.oneof(fc.ipV4Extended(), fc.ipV6(), fc.domain()),
    fc.string().map((tail) => `@${tail}`),
  );

  it.each(VARIABLES.map(({ name }) => name))(
    "in %s means something, or is told by exactly that name",
    (name) => {
      fc.assert(
        fc.property(texts, (text) => {
          const env = { ...runnerCompanions(name), [name]: text };
          const lines = told(env);
          expect([[], [name]]).toContainEqual(lines.map(nameIn));
          if (lines.length > 0) return;
          try {
            checkServable(read(env));
          } catch (error) {
            expect(error).toBeInstanceOf(MisconfiguredError);
            expect(name).toBe("HOST");
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  it("in a file of keys as well", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const lines = told({ HOLDFAST_KEYS: "@keys.json" }, () => text);
        expect([[], ["HOLDFAST_KEYS"]]).toContainEqual(lines.map(nameIn));
      }),
    );
  });

  it("in names of its own is never refused", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().map((tail) => `HOLDFAST_${tail}`),
          texts,
        ),
        (env) => {
          expect(told(env)).toEqual([]);
        },
      ),
    );
  });

  it("that is a URL is the same when what it was read as is read again", () => {
    fc.assert(
      fc.property(fc.webUrl(), (text) => {
        const { publicUrl } = read({ HOLDFAST_PUBLIC_URL: text });
        expect(publicUrl?.endsWith("/")).toBe(false);
        expect(read({ HOLDFAST_PUBLIC_URL: publicUrl ?? "" }).publicUrl).toBe(publicUrl);
      }),
    );
  });
});

describe("keys", () => {
  it("may stand in a file, which alone is read", () => {
    const paths: string[] = [];
    const config = readConfig({ HOLDFAST_KEYS: "@/etc/my keys.json" }, (path) => {
      paths.push(path);
      return `${JSON.stringify([{ ...ENTRY, tenant: "acme" }], null, 2)}\n`;
    });
    expect(config.keys).toEqual([{ ...ENTRY, tenant: "acme" }]);
    expect(paths).toEqual(["/etc/my keys.json"]);
    readConfig({ HOLDFAST_KEYS: KEYS, HOLDFAST_APP: "@app" }, noFile);
  });

  it("in an empty file are a mistake, not nobody", () => {
    expect(told({ HOLDFAST_KEYS: "@keys.json" }, () => "").map(nameIn)).toEqual(["HOLDFAST_KEYS"]);
  });

  it("in a file that cannot be read: the system's code is told, not its message", () => {
    expect(told({ HOLDFAST_KEYS: "@none" })[0]).toContain("(ENOENT)");
  });

  it("that are wrong are told by their place in the array", () => {
    const wrong = [ENTRY, { ...ENTRY, id: "bob", scopes: ["email"], tenant: "A" }];
    const [line] = told({ HOLDFAST_KEYS: JSON.stringify(wrong) });
    expect(line).toMatch(/\[1\]\.tenant must .*\[1\]\.scopes\[0\] must be one of emails:read/);
  });

  it("and the key are in no message, wherever they stand", () => {
    const places = [
      KEY,
      `@${KEY}`,
      `[${KEY}]`,
      JSON.stringify(KEY),
      JSON.stringify({ [KEY]: KEY }),
      JSON.stringify([{ ...ENTRY, [KEY]: KEY }]),
      ...["id", "tenant", "sha256"].map((name) => JSON.stringify([{ ...ENTRY, [name]: KEY }])),
      JSON.stringify([{ ...ENTRY, scopes: [KEY] }]),
      JSON.stringify([{ ...ENTRY, scopes: { [KEY]: KEY } }]),
    ];
    for (const text of places) {
      for (const env of [{ HOLDFAST_KEYS: text }, { HOLDFAST_KEYS: "@f" }]) {
        const readText = env.HOLDFAST_KEYS === "@f" ? () => text : noFile;
        const lines = told({ ...env, HOLDFAST_KEY: `${KEY}x` }, readText);
        expect(lines.map(nameIn)).toEqual(["HOLDFAST_KEYS", "HOLDFAST_KEY"]);
        expect(lines.join("\n")).not.toContain(SECRET);
      }
    }
  });
});

describe("a variable that is not known", () => {
  it("is named, with the one that it may be a slip of, and not refused", () => {
    const given = {
      HOLDFAST_QUEUE: "jobs",
      HOLDFAST_PORT: "80",
      HOLDFAST_DATADIR: "x",
      HOLDFAST_CORS_ORIGIN: "x",
      HOLDFAST_PROT: "80",
      HOLDFAST_log_level: "x",
      HOLDFAST_: "x",
      OTHER: "x",
      PATH: "/bin",
    };
    expect(read(given).unknown).toEqual([
      { name: "HOLDFAST_", nearest: null },
      { name: "HOLDFAST_CORS_ORIGIN", nearest: "HOLDFAST_CORS_ORIGINS" },
      { name: "HOLDFAST_DATADIR", nearest: "HOLDFAST_DATA_DIR" },
      { name: "HOLDFAST_PORT", nearest: "PORT" },
      { name: "HOLDFAST_PROT", nearest: "PORT" },
      { name: "HOLDFAST_QUEUE", nearest: null },
      { name: "HOLDFAST_log_level", nearest: "HOLDFAST_LOG_LEVEL" },
    ]);
  });
});

describe("without keys", () => {
  it.each(["127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost"])(
    "%s is served",
    (HOST) => expect(() => checkServable(read({ HOST }))).not.toThrow(),
  );

  it.each([
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "128.0.0.1",
    "::ffff:10.0.0.1",
    "127.0.0.1.example.com",
    "localhost.example.com",
    "jobs.internal",
    "fe80::1",
  ])("%s is not served, and both ways out are named", (HOST) => {
    for (const keys of [{}, { HOLDFAST_KEYS: "" }]) {
      const check = (): void => checkServable(read({ HOST, ...keys }));
      expect(check).toThrow(MisconfiguredError);
      expect(check).toThrow(/HOST is .*HOLDFAST_KEYS=@keys.json.*HOST=127\.0\.0\.1/);
    }
  });

  it("is the only case in which the address matters", () => {
    const config = read({ HOST: "0.0.0.0", HOLDFAST_KEYS: KEYS });
    expect(() => checkServable(config)).not.toThrow();
  });
});

describe("the README's table", () => {
  it("is the list of variables: names, defaults, meanings, in this order", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const [, rest = ""] = readme.split("\n### Configuration\n");
    const [section = ""] = rest.split(/^#/m);
    const rows = section
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2)
      .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));
    expect(rows.map(([, name, byDefault, meaning]) => [name, byDefault, meaning])).toEqual(
      VARIABLES.map((one) => [one.name, one.default ?? "", one.description]),
    );
    expect(rows.every((cells) => cells.length === 5)).toBe(true);
  });

  it("has defaults that the schema has: setting them changes nothing", () => {
    const defaults = VARIABLES.flatMap(({ name, default: text }) => (text ? [[name, text]] : []));
    expect(read(Object.fromEntries(defaults))).toEqual(read({}));
  });
});
