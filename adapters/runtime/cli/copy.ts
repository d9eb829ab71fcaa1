/** `holdfast copy` and `holdfast import`: records on their way to another storage. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { unreachable } from "../../../src/core/assert.ts";
import type { Storage } from "../../../src/ports/backend.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import {
  type CopyOptions,
  type CopyReport,
  type CopyTrouble,
  copyRecords,
} from "../../../src/services/copy.ts";
import { RECEIPT_RECORDS } from "../../../src/services/receipt-commands.ts";
import { checkTenantId } from "../../../src/services/services.ts";
import { probed } from "../../../src/store/probe.ts";
import { filesystemReader } from "../../storage/filesystem/index.ts";
import type { StorageConfig } from "../storage-config.ts";
import { readerOf, sourceOf, storageOf } from "../storages.ts";
import { commandContext } from "./context.ts";
import { type Output, oneLine, progress, table } from "./print.ts";

export interface MoveOptions {
  readonly to: StorageConfig;
  /** Null: of a copy all tenants, of an import the default one. */
  readonly tenant: string | null;
  readonly isDryRun: boolean;
}

/** What an original keeps. */
export const IMPORTS = ["emails", "receipts"] as const;

/** Records of one run that are told by name in JSON; on a terminal all are. */
const TROUBLES_MAX = 1_000;

/** Whether all that was found is at the target. */
export async function copyStorage(
  from: StorageConfig,
  { to, tenant, isDryRun }: MoveOptions,
  out: Output,
): Promise<boolean> {
  const prefix = prefixOf(tenant);
  const source = await sourceOf(from);
  return move({ from: source, to, below: prefix, under: prefix, isDryRun, isImport: false }, out);
}

/** The same for the folder of an original: of emails the one above `jobs`, of receipts theirs. */
export async function importFolder(
  machine: (typeof IMPORTS)[number],
  folder: string,
  { to, tenant, isDryRun }: MoveOptions,
  out: Output,
): Promise<boolean> {
  checkFolder(machine, folder);
  const directory = dirname(resolve(folder));
  const from = filesystemReader(
    machine === "emails"
      ? { directory, emailsDirectory: folder }
      : { directory, receiptsDirectory: folder },
  );
  const below = machine === "emails" ? "emails/" : RECEIPT_RECORDS;
  const under = prefixOf(tenant) + below;
  return move({ from, to, below, under, isDryRun, isImport: true }, out);
}

function checkFolder(machine: (typeof IMPORTS)[number], folder: string): void {
  if (machine === "emails" && !existsSync(join(folder, "jobs"))) {
    throw new MisconfiguredError(`${folder} has no folder jobs: name the one that has`);
  }
  if (machine === "receipts" && !existsSync(folder)) {
    throw new MisconfiguredError(`${folder} is not there: name the folder with the receipts`);
  }
}

function prefixOf(tenant: string | null): string {
  if (tenant === null) return "";
  checkTenantId(tenant);
  return `tenants/${tenant}/`;
}

interface Move extends Pick<CopyOptions, "below" | "under" | "isDryRun" | "isImport"> {
  readonly from: Storage;
  readonly to: StorageConfig;
}

async function move({ from, to, ...options }: Move, out: Output): Promise<boolean> {
  const context = commandContext();
  const target = await targetOf(to, options.isDryRun);
  const source = await from.open(context);
  try {
    const opened = await target.open(context);
    try {
      const records = { ...context, from: source, to: opened };
      return await told(out, options.isDryRun, (watch) =>
        copyRecords(records, { ...options, ...watch }),
      );
    } finally {
      await opened.close();
    }
  } finally {
    await source.close();
  }
}

async function targetOf(to: StorageConfig, isDryRun: boolean): Promise<Storage> {
  switch (to.kind) {
    case "memory":
      throw new MisconfiguredError("a memory is its own process's alone: name another storage");
    case "filesystem":
      return isDryRun ? readerOf(to) : storageOf(to, null);
    case "dynamodb":
    case "s3":
      return isDryRun ? storageOf(to, null) : probed(await storageOf(to, null));
    default:
      return unreachable(to);
  }
}

type Watch = Pick<CopyOptions, "onProgress" | "onTrouble">;

async function told(
  out: Output,
  isDryRun: boolean,
  copy: (watch: Watch) => Promise<CopyReport>,
): Promise<boolean> {
  const shown = progress();
  const begun = performance.now();
  const troubles: CopyTrouble[] = [];
  const report = await copy({
    onProgress(report) {
      const count = countOf(report);
      const rate = Math.round((count * 1_000) / Math.max(1, performance.now() - begun));
      shown.tell(`${count} records, ${rate}/s`);
    },
    onTrouble(trouble) {
      if (!out.isJson) out.note(`${trouble.kind}: ${trouble.key}: ${oneLine(trouble.reason)}`);
      else if (troubles.length < TROUBLES_MAX) troubles.push(trouble);
    },
  });
  shown.end();
  const { conflicting, unreadable, failed, stopped } = report;
  const left = conflicting + unreadable + failed;
  if (out.isJson) {
    out.json({ ...report, troubles, troublesLeftOut: left - troubles.length });
  } else {
    const { stopped: _stopped, ...counts } = report;
    const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
    out.lines(...table([isDryRun ? "would be" : "done", "records"], rows));
    if (stopped !== null) out.note(`stopped: ${stopped}; run it again to go on`);
  }
  return left === 0 && stopped === null;
}

function countOf({ stopped: _stopped, ...counts }: CopyReport): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
