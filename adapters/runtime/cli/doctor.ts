/** `holdfast doctor`: what is as it must be, what is not, and what to do about it. */
import { statSync } from "node:fs";
import { access, constants, statfs } from "node:fs/promises";
import { unreachable } from "../../../src/core/assert.ts";
import { epochMs } from "../../../src/core/time.ts";
import { probe } from "../../../src/store/probe.ts";
import { type FolderOwner, folderOwner } from "../../storage/filesystem/index.ts";
import { type Config, unknownText } from "../config.ts";
import type { FolderConfig, StorageConfig } from "../storage-config.ts";
import { storageName, storageOf, tableClock } from "../storages.ts";
import { connect } from "./connection.ts";
import { commandContext } from "./context.ts";
import { messageOf, workFindings } from "./doctor-work.ts";
import { type Output, table } from "./print.ts";

export interface Finding {
  readonly check: string;
  /** `warn`: it works, and somebody should look. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly detail: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export type Verdict = Omit<Finding, "check">;

const NODE_MAJOR_MIN = 20;
const FREE_BYTES_MIN = 256 * 1_024 * 1_024;

/** Whether nothing failed. `readConfigured` is called as the first check. */
export async function doctor(
  readConfigured: () => Config,
  tenant: string | null,
  env: Env,
  out: Output,
): Promise<boolean> {
  const findings: Finding[] = [{ check: "node", ...nodeVersion() }];
  let config: Config | null = null;
  try {
    config = readConfigured();
    findings.push({ check: "configuration", ...unknownVariables(config) });
  } catch (error) {
    findings.push({ check: "configuration", verdict: "fail", detail: messageOf(error) });
  }
  if (config !== null) {
    findings.push(...(await opened(config, tenant, env)));
  }
  if (out.isJson) out.json(findings);
  else {
    const rows = findings.map(({ verdict, check, detail }) => [verdict, check, detail]);
    out.lines(...table(["", "check", "found"], rows).slice(1));
  }
  return findings.every(({ verdict }) => verdict !== "fail");
}

function nodeVersion(): Verdict {
  const { node } = process.versions;
  return Number(node.split(".")[0]) >= NODE_MAJOR_MIN
    ? { verdict: "ok", detail: node }
    : { verdict: "fail", detail: `${node}: ${NODE_MAJOR_MIN}.19 or newer is needed` };
}

function unknownVariables({ unknown }: Config): Verdict {
  if (unknown.length === 0) return { verdict: "ok", detail: "every variable is known and valid" };
  return { verdict: "warn", detail: `unknown and ignored: ${unknown.map(unknownText).join(", ")}` };
}

function keysOf(config: Config, variable: string, owner: FolderOwner | null): Verdict {
  const { keys, url } = config;
  if (url !== null) return { verdict: "ok", detail: `those of ${url} count` };
  if (owner?.address !== undefined && owner.address !== null) {
    return { verdict: "ok", detail: `those of ${owner.address} count, whatever is set here` };
  }
  if (keys.length === 0) {
    return {
      verdict: "warn",
      detail: "none: only this host is served. holdfast key new makes one",
    };
  }
  const tenants = new Set(keys.map(({ tenant }) => tenant ?? "(default)"));
  const found = `${keys.length} for ${tenants.size} ${tenants.size === 1 ? "tenant" : "tenants"}`;
  const isExposed = variable.startsWith("@") && (statSync(variable.slice(1)).mode & 0o077) !== 0;
  return isExposed
    ? { verdict: "warn", detail: `${found}; others of this host can read the file: chmod 600` }
    : { verdict: "ok", detail: found };
}

/** Of a service that is configured elsewhere nothing is known. */
function ticketFindings({ secret, corsOrigins, url }: Config): readonly Finding[] {
  if (url !== null) return [];
  if (secret === null) {
    const detail = "none: HOLDFAST_SECRET is not set. openssl rand -hex 32 prints one";
    return [{ check: "tickets", verdict: "ok", detail }];
  }
  const origins =
    corsOrigins.length === 0
      ? "pages of other origins need HOLDFAST_CORS_ORIGINS"
      : `from pages of ${corsOrigins.join(", ")}`;
  return [{ check: "tickets", verdict: "ok", detail: `on; ${origins}` }];
}

async function opened(config: Config, tenant: string | null, env: Env): Promise<Finding[]> {
  const { storage, url } = config;
  let owner: FolderOwner | null = null;
  try {
    if (storage.kind === "filesystem" && url === null) {
      owner = folderOwner(storage.directory, epochMs(Date.now()));
    }
  } catch (error) {
    return [{ check: "storage", verdict: "fail", detail: messageOf(error) }];
  }
  const found: Finding[] = [
    { check: "keys", ...keysOf(config, env["HOLDFAST_KEYS"] ?? "", owner) },
    ...ticketFindings(config),
    ...(await storageFindings(config, owner)),
  ];
  const work = await workFindings(config, env);
  // Nobody but this process would answer, and it would meet the same once more.
  const isLost = owner === null && url === null && found.some(({ verdict }) => verdict === "fail");
  return [...found, ...work, ...(isLost ? [] : await serviceOf(config, tenant))];
}

async function storageFindings(
  { storage, url }: Config,
  owner: FolderOwner | null,
): Promise<readonly Finding[]> {
  const found = (verdict: Verdict): readonly Finding[] => [{ check: "storage", ...verdict }];
  if (url !== null) return found({ verdict: "ok", detail: "the service's own" });
  switch (storage.kind) {
    case "memory":
      return found({ verdict: "warn", detail: "memory: nothing survives" });
    case "filesystem":
      return found(await folderVerdict(storage, owner));
    case "dynamodb":
    case "s3":
      return probeFindings(storage);
    default:
      return unreachable(storage);
  }
}

async function folderVerdict(
  { directory, sharing }: FolderConfig,
  owner: FolderOwner | null,
): Promise<Verdict> {
  const has = owner === null ? "nobody has it" : `process ${owner.pid ?? "unknown"} has it`;
  const where = owner?.address === null || owner === null ? "" : ` and serves ${owner.address}`;
  try {
    const { bavail, bsize } = await statfs(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    const free = bavail * bsize;
    const detail = `${directory}, ${sharing}; ${has}${where}; ${Math.floor(free / 1_048_576)} MiB free`;
    return { verdict: free < FREE_BYTES_MIN ? "warn" : "ok", detail };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing
      ? { verdict: "warn", detail: `${directory} is not there yet; the service makes it` }
      : { verdict: "fail", detail: `${directory}: ${messageOf(error)}` };
  }
}

/** What serving would try, check by check. */
async function probeFindings(config: StorageConfig): Promise<readonly Finding[]> {
  const name = storageName(config);
  const context = commandContext();
  try {
    const backend = await (await storageOf(config, null)).open(context);
    try {
      const findings = await probe(backend, context);
      return [
        { check: "storage", verdict: "ok", detail: name },
        ...findings.map(inStorage),
        ...(config.kind === "dynamodb" ? await tableClock(config) : []).map(inStorage),
      ];
    } finally {
      await backend.close();
    }
  } catch (error) {
    return [{ check: "storage", verdict: "fail", detail: named(name, messageOf(error)) }];
  }
}

/** Once: what is wrong with a storage mostly says with which. */
function named(storage: string, message: string): string {
  return message.startsWith(storage) ? message : `${storage}: ${message}`;
}

function inStorage(finding: Finding): Finding {
  return { ...finding, check: `storage: ${finding.check}` };
}

async function serviceOf(config: Config, tenant: string | null): Promise<Finding[]> {
  try {
    const connection = await connect(config, { tenant, mayMake: false, log: () => {} });
    try {
      const begun = performance.now();
      const { emails, receipts, queries } = await connection.client.health();
      const ms = Math.round(performance.now() - begun);
      const answers =
        connection.where === null
          ? `the command line itself answers in ${ms} ms; no server was asked`
          : `${connection.where} answers in ${ms} ms`;
      const { deliver, attend, stuck, counters } = emails;
      const waiting = `${count(deliver)} to deliver, ${count(attend)} to attend`;
      const isCalm = stuck.due === 0 && counters.corruptRecords === 0;
      const trouble = `${count(stuck)} stuck, ${counters.corruptRecords} unreadable met`;
      return [
        { check: "service", verdict: "ok", detail: answers },
        { check: "emails", verdict: isCalm ? "ok" : "warn", detail: `${waiting}, ${trouble}` },
        { check: "receipts", ...queuesVerdict(receipts) },
        { check: "queries", ...queuesVerdict(queries) },
      ];
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [{ check: "service", verdict: "fail", detail: messageOf(error) }];
  }
}

interface Counted {
  readonly due: number;
  readonly more: boolean;
}

/** Of a machine that delivers nothing. */
function queuesVerdict({ attend, stuck }: Record<"attend" | "stuck", Counted>): Verdict {
  const detail = `${count(attend)} to attend, ${count(stuck)} stuck`;
  return { verdict: stuck.due === 0 ? "ok" : "warn", detail };
}

function count({ due, more }: Counted): string {
  return more ? `more than ${due}` : String(due);
}
