/** What a Lambda and a Worker have in common: their configuration, and what they say of a wrong one. */
import { describe, expect, it, vi } from "vitest";
import { type FunctionParts, functionService } from "../../adapters/runtime/function.ts";
import { type FunctionPlace, readFunctionConfig } from "../../adapters/runtime/function-config.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { MisconfiguredError, StoreUnavailableError } from "../../src/ports/faults.ts";
import { createService, type Service } from "../../src/service.ts";

const KEY = `hf_app_${"A".repeat(43)}`;
const KEYS = JSON.stringify([{ id: "app", scopes: ["*"], sha256: sha256Hex(KEY) }]);

type Env = Readonly<Record<string, string>>;

const parts: FunctionParts<Service> = {
  create: createService,
  storageTime: async () => null,
  platform: "AWS Lambda",
  storage: "dynamodb",
  mailers: ["smtp", "ses", "http"],
  app: "give it to lambda({ app })",
  readText: () => {
    throw new Error("no file");
  },
  openStorage: () => memoryStorage(),
  openMailer: async () => null,
  application: {},
  rotationMs: 55_000,
};

const SILENT: Env = { HOLDFAST_LOG_LEVEL: "silent" };

const table: Env = { HOLDFAST_TABLE: "jobs" };

function problemsOf(env: Env, place: Partial<FunctionPlace> = {}): readonly string[] {
  try {
    readFunctionConfig({ ...parts, ...place }, env);
  } catch (error) {
    if (error instanceof MisconfiguredError) return error.message.split("\n");
    throw error;
  }
  return [];
}

function get(path: string, key: string | null = KEY): Request {
  const headers = new Headers();
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  return new Request(`https://jobs.example.com${path}`, { headers });
}

describe("the configuration of a function", () => {
  it("has the storage that is bundled, named or not", () => {
    const bare = readFunctionConfig(parts, table).storage;
    expect(bare).toMatchObject({ kind: "dynamodb", table: "jobs" });
    expect(readFunctionConfig(parts, { ...table, HOLDFAST_STORAGE: "dynamodb" }).storage).toEqual(
      bare,
    );
    const r2 = readFunctionConfig({ ...parts, storage: "r2" }, { HOLDFAST_PREFIX: "jobs" });
    expect(r2.storage).toEqual({ kind: "r2", prefix: "jobs/" });
  });

  it.each(["filesystem", "memory", "s3"])("refuses %s by name where another is bundled", (kind) => {
    expect(problemsOf({ ...table, HOLDFAST_STORAGE: kind })).toEqual([
      "HOLDFAST_STORAGE must be dynamodb or left out: this function on AWS Lambda has no other, and keeps no files",
    ]);
  });

  it.each([
    ["HOLDFAST_DATA_DIR", "./data", "the files of a function end with it"],
    ["HOLDFAST_RECONCILE_MS", "60000", "the deployment's schedule begins the passes"],
    ["HOLDFAST_APP", "./app.js", "give it to lambda({ app })"],
    ["HOLDFAST_AI_BASE_URL", "https://ai.example/v1", "a function answers no queries"],
    ["HOLDFAST_AI_KEY", "sk-S3cret", "a function answers no queries"],
    ["HOLDFAST_RUNNER_COMMAND", "answer S3cret", "a function answers no queries"],
  ])("refuses %s, which would do nothing there", (name, value, why) => {
    const [line = "", ...others] = problemsOf({ ...table, [name]: value });
    expect(line).toContain(`${name} must not be set on AWS Lambda: ${why}`);
    expect(line).not.toContain("such as");
    expect(line).not.toContain("S3cret");
    expect(others).toEqual([]);
  });

  it("refuses a mailer that is not there, without its password", () => {
    const from = { HOLDFAST_MAIL_FROM: "jobs@example.com" };
    const smtp = { HOLDFAST_MAILER: "smtps://ann:S3cret@mail.example.com", ...from };
    const place = { platform: "Cloudflare Workers", storage: "r2", mailers: ["http"] } as const;
    expect(problemsOf(smtp, place)).toEqual([
      "HOLDFAST_MAILER must be one of none, http on Cloudflare Workers",
    ]);
    expect(problemsOf({ HOLDFAST_MAILER: "capture", ...from }, place)).toEqual([
      "HOLDFAST_MAILER must be one of none, http on Cloudflare Workers",
    ]);
    expect(readFunctionConfig(parts, { ...table, ...smtp }).mailer.kind).toBe("smtp");
  });

  it("tells what is missing, and what belongs to another storage", () => {
    expect(problemsOf({})).toEqual([
      "HOLDFAST_TABLE must be set with HOLDFAST_STORAGE=dynamodb, such as HOLDFAST_TABLE=holdfast",
    ]);
    expect(problemsOf({ HOLDFAST_TABLE: "jobs" }, { storage: "r2" })).toEqual([
      "HOLDFAST_TABLE must go with HOLDFAST_STORAGE=dynamodb, such as HOLDFAST_TABLE=holdfast",
    ]);
  });
});

describe("a function", () => {
  it("serves who has a key, and reconciles", async () => {
    const service = functionService(parts, { ...table, HOLDFAST_KEYS: KEYS, ...SILENT });
    expect((await service.fetch(get("/v1/health"))).status).toBe(200);
    expect((await service.fetch(get("/v1/health", null))).status).toBe(401);
    expect(await service.reconcile({ budgetMs: 1_000 })).toMatchObject({ failures: [] });
  });

  it("without keys answers 503 naming HOLDFAST_KEYS to everything but /healthz", async () => {
    const service = functionService(parts, { ...table, ...SILENT });
    for (const path of ["/v1/health", "/readyz", "/docs", "/openapi.json", "/nowhere"]) {
      const answer = await service.fetch(get(path));
      expect(answer.status).toBe(503);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(await answer.json()).toMatchObject({
        code: "misconfigured",
        detail: "HOLDFAST_KEYS: the log says what is wrong",
      });
    }
    const alive = await service.fetch(get("/healthz"));
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
    // Nobody needs a key for what the schedule begins.
    expect(await service.reconcile({ budgetMs: 1_000 })).toMatchObject({ failures: [] });
  });

  it("names the variables that are wrong, and nothing of what they say", async () => {
    const lines = vi.spyOn(console, "log").mockReturnValue();
    const env = { HOLDFAST_TABLE: "S3cret!", HOLDFAST_KEYS: "S3cret" };
    const service = functionService(parts, env);
    const answer = await service.fetch(get("/v1/health"));
    const text = await answer.text();
    expect(answer.status).toBe(503);
    expect(JSON.parse(text).detail).toBe(
      "HOLDFAST_TABLE, HOLDFAST_KEYS: the log says what is wrong",
    );
    const [line] = lines.mock.calls.flat();
    lines.mockRestore();
    expect(line).toMatch(/HOLDFAST_TABLE must be .*HOLDFAST_KEYS must be JSON/);
    expect(text + String(line)).not.toContain("S3cret");
    await expect(service.reconcile({ budgetMs: 1_000 })).rejects.toThrow(MisconfiguredError);
  });

  it("names the mailer's variable where its package is missing", async () => {
    const openMailer = async () => {
      throw new MisconfiguredError("HOLDFAST_MAILER: ses needs the package");
    };
    const env = { ...table, HOLDFAST_KEYS: KEYS, ...SILENT };
    const answer = await functionService({ ...parts, openMailer }, env).fetch(get("/v1/health"));
    expect(await answer.json()).toMatchObject({
      detail: "HOLDFAST_MAILER: the log says what is wrong",
    });
  });

  it("gives a pass what opening and the clock have left of its time", async () => {
    const budgets: (number | undefined)[] = [];
    const service = functionService(
      {
        ...parts,
        async create(options) {
          const created = await createService(options);
          return {
            ...created,
            reconcile(given) {
              budgets.push(given?.budgetMs);
              return created.reconcile(given);
            },
          };
        },
        async storageTime() {
          await new Promise((resolve) => setTimeout(resolve, 60));
          return null;
        },
      },
      { ...table, ...SILENT },
    );
    await service.reconcile({ budgetMs: 20_000.5 });
    await service.reconcile({ budgetMs: 110 });
    await service.reconcile({ budgetMs: 3_600_000 });
    const [first = 0, second, third] = budgets;
    expect(Number.isInteger(first) && first <= 19_950).toBe(true);
    expect([second, third]).toEqual([expect.any(Number), 25_000]);
  });

  it("opens anew after a storage that could not be opened", async () => {
    let isDown = true;
    const service = functionService(
      {
        ...parts,
        openStorage: () => ({
          async open(context) {
            if (isDown) throw new StoreUnavailableError("no answer", { isNotWritten: true });
            return memoryStorage().open(context);
          },
        }),
      },
      { ...table, HOLDFAST_KEYS: KEYS, ...SILENT },
    );
    const down = await service.fetch(get("/v1/health"));
    expect(down.status).toBe(503);
    expect(await down.json()).toMatchObject({ code: "unavailable" });
    isDown = false;
    expect((await service.fetch(get("/v1/health"))).status).toBe(200);
  });
});
