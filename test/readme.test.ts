/** What the README says, held against the code. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../adapters/storage/memory.ts";
import { HoldfastError, PermanentError } from "../src/client/client.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { emailKinds } from "../src/machines/emails/kinds.ts";
import * as faults from "../src/ports/faults.ts";
import { RunnerError } from "../src/ports/runner.ts";
import { RUNNER_FAILURES } from "../src/ports/runner-failures.ts";
import { CoordinatorClosedError } from "../src/services/coordinator.ts";
import * as errors from "../src/services/errors.ts";
import * as queryErrors from "../src/services/query-errors.ts";
import * as receiptErrors from "../src/services/receipt-errors.ts";
import { FAILURE_TEXTS } from "../src/services/reconcile/failure-texts.ts";
import { EXAMINED_MAX } from "../src/services/reconcile/lanes.ts";
import type { ReconcileOptions } from "../src/services/reconcile/reconcile.ts";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

describe("the README", () => {
  it("names every method of the emails service", async () => {
    const { emails } = await createHoldfast({ storage: memoryStorage() });
    expect(Object.keys(emails).filter((method) => !README.includes(`\`${method}`))).toEqual([]);
  });

  it("names every method of the receipts service", async () => {
    const { receipts } = await createHoldfast({ storage: memoryStorage() });
    expect(Object.keys(receipts).filter((method) => !README.includes(`\`${method}`))).toEqual([]);
  });

  it("names every method of the queries service", async () => {
    const { queries } = await createHoldfast({ storage: memoryStorage() });
    const methods = Object.keys(queries);
    expect(methods.length).toBeGreaterThan(20);
    expect(methods.filter((method) => !new RegExp(`\\b${method}\\b`).test(README))).toEqual([]);
  });

  it("names everything that a pass counts, and each of its options", async () => {
    const { reconcile } = await createHoldfast({ storage: memoryStorage() });
    const { emails, receipts, queries, ...report } = await reconcile({ dryRun: true });
    const names = [
      ...Object.keys(emails),
      ...Object.keys(receipts),
      ...Object.keys(queries),
      ...Object.keys(report),
    ];
    expect(names.filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
    const options: Record<keyof ReconcileOptions, true> = {
      budgetMs: true,
      signal: true,
      dryRun: true,
      tenants: true,
    };
    expect(Object.keys(options).filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
    expect(README).toContain(`more than ${EXAMINED_MAX.toLocaleString("en")} jobs that stay`);
  });

  it("explains every failure of a pass, in the words of its report", () => {
    const rows = Object.entries(FAILURE_TEXTS).map(
      ([code, { why, action }]) => `| \`${code}\` | ${why} | ${action} |\n`,
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !README.includes(row))).toEqual([]);
  });

  it("names every built-in kind", () => {
    const kinds = [...emailKinds([]).keys()];
    expect(kinds.filter((kind) => !README.includes(`\`${kind}\``))).toEqual([]);
  });

  it("names every error class beside its code, and no other", () => {
    const all = {
      ...faults,
      ...errors,
      ...receiptErrors,
      ...queryErrors,
      CoordinatorClosedError,
      RunnerError,
    };
    const classes = Object.keys(all).filter(
      (name) => name.endsWith("Error") && /^[A-Z]/.test(name),
    );
    expect(classes.filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
    const named = [...README.matchAll(/`([A-Z]\w+Error)`/g)].map(([, name = ""]) => name);
    const clients = [HoldfastError.name, PermanentError.name];
    expect(named.filter((name) => ![...classes, ...clients].includes(name))).toEqual([]);
  });

  it("tells what goes wrong in a run", () => {
    const { run_stopped: _own, ...failures } = RUNNER_FAILURES;
    expect(Object.keys(failures).filter((code) => !README.includes(`\`${code}\``))).toEqual([]);
  });

  it("names only commands that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const named = [...README.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("shows code that compiles against the built package", () => {
    const folder = join(ROOT, "node_modules", ".cache", "readme");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const given = [
      'import type { Storage } from "holdfast";',
      "declare global {",
      "  const send: (job: object) => Promise<void>;",
      "  const storage: Storage;",
      '  const mailer: import("holdfast").Mailer;',
      "  const myStorage: () => Storage;",
      '  const emails: import("holdfast").Holdfast["emails"];',
      "  const payload: object;",
      "  const query: (sql: string, values: readonly unknown[]) => Promise<{ id: string; createdAt: string; email: string }[]>;",
      '  const createHoldfast: typeof import("holdfast").createHoldfast;',
      '  const entry: { id: string; scopes: ["*"]; sha256: string };',
      "  const write: (job: object) => Promise<string>;",
      '  const receipts: import("holdfast").Holdfast["receipts"];',
      "  const pay: (charge: object) => Promise<{ id: string }>;",
      "  const report: (receiptId: string) => Promise<void>;",
      "  const lookUp: (idempotencyKey: string) => Promise<{ id: string } | null>;",
      "  const queue: { push(task: object): Promise<void>; pull(): Promise<{ id: string; dispatchToken: string }> };",
      "  const userOf: (request: object) => string;",
      "  const place: (order: object) => Promise<object>;",
      '  const queries: import("holdfast").Holdfast["queries"];',
      '  const job: import("holdfast").QuerySnapshot;',
      "  const jobId: string;",
      "  const cliSessionId: string;",
      "  const ticket: string;",
      "  const apiKey: string;",
      "  const show: (event: object) => void;",
      "  const append: (text: string) => void;",
      "  const replace: (text: string) => void;",
      "  const ask: (query: string, more: object) => AsyncIterable<string>;",
      "}",
      "",
    ].join("\n");
    const blocks = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
    expect(blocks.length).toBeGreaterThan(2);
    writeFileSync(join(folder, "given.d.mts"), given);
    const files = blocks.map((code, n) => {
      const file = join(folder, `block-${n}.mts`);
      writeFileSync(file, code);
      return file;
    });
    const options = "--noEmit --strict --skipLibCheck --module nodenext --target es2023".split(" ");
    const types = ["--types", "node", "--ignoreConfig"];
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const args = [tsc, ...options, ...types, join(folder, "given.d.mts"), ...files];
    let output = "";
    try {
      execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    } catch (error) {
      output = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    }
    expect(output).toBe("");
  });
});
