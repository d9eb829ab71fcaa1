/** `holdfast copy` and `holdfast import`: records on their way to another storage. */
import { existsSync, readdirSync, statSync } from "node:fs";
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
import { probed } from "../../../src/store/probed.ts";
import { filesystemReader } from "../../storage/filesystem/index.ts";
import type { FolderConfig, StorageConfig } from "../storage-config.ts";
import { readerOf, sourceOf, storageOf } from "../storages.ts";
import { commandContext } from "./context.ts";
import { checkApart, emptySource, isSameFolder } from "./copy-places.ts";
import { type Output, oneLine, printable, progress, table } from "./print.ts";
import { storageText } from "./storage-name.ts";

export interface MoveOptions {
  readonly to: StorageConfig;
  /** Null: of a copy all tenants, of an import the default one. */
  readonly tenant: string | null;
  readonly isDryRun: boolean;
  /** Where the region is looked up that a table's name leaves out. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What an original keeps. */
export const IMPORTS = ["emails", "receipts"] as const;

/** Records of one run that are told by name in JSON; on a terminal all are. */
const TROUBLES_MAX = 1_000;

/** Whether all that was found is at the target. */
export async function copyStorage(
  from: StorageConfig,
  { to, tenant, isDryRun, env }: MoveOptions,
  out: Output,
): Promise<boolean> {
  checkApart(from, to, env);
  const prefix = prefixOf(tenant);
  const source = { from: await sourceOf(from), name: storageText(from) };
  const whenEmpty = emptySource(from, tenant);
  const order = { to, below: prefix, under: prefix, isDryRun, isImport: false };
  return move({ ...source, whenEmpty, ...order }, out);
}

/** The same for the folder of an original: of emails the one above `jobs`, of receipts theirs. */
export async function importFolder(
  machine: (typeof IMPORTS)[number],
  folder: string,
  { to, tenant, isDryRun }: MoveOptions,
  out: Output,
): Promise<boolean> {
  const { below, from: reads, ownOf, problemOf, none } = ORIGINALS[machine];
  const problem = problemOf(folder);
  if (problem !== null) throw new MisconfiguredError(`${folder} ${problem}`);
  if (to.kind === "filesystem" && isSameFolder(folder, ownOf(to) ?? join(to.directory, machine))) {
    throw new MisconfiguredError(
      `${folder} is the target's own (${storageText(to)}), which opens it as it is: nothing is to be imported`,
    );
  }
  const from = filesystemReader({ directory: dirname(resolve(folder)), ...reads(folder) });
  const under = prefixOf(tenant) + below;
  const name = `the original in ${resolve(folder)}`;
  const order = { to, below, under, isDryRun, isImport: true };
  return move({ from, name, whenEmpty: `${folder} ${none}`, ...order }, out);
}

const NO_RECEIPTS = "has no receipts, which are files named <64 hex digits>.json";

/** Where an original's records lie, and what is wrong with a folder that has none. */
const ORIGINALS = {
  emails: {
    below: "emails/",
    from: (emailsDirectory: string) => ({ emailsDirectory }),
    ownOf: (to: FolderConfig) => to.emailsDirectory,
    problemOf: (folder: string) =>
      existsSync(join(folder, "jobs")) ? null : "has no folder jobs: name the one that has",
    none: "has no job in its folder jobs",
  },
  receipts: {
    below: RECEIPT_RECORDS,
    from: (receiptsDirectory: string) => ({ receiptsDirectory }),
    ownOf: (to: FolderConfig) => to.receiptsDirectory,
    problemOf(folder: string) {
      if (!existsSync(folder)) return "is not there: name the folder with the receipts";
      if (!statSync(folder).isDirectory()) return "is a file: name the folder with the receipts";
      const isOne = (name: string): boolean => /^[0-9a-f]{64}\.json$/.test(name);
      return readdirSync(folder).some(isOne) ? null : `${NO_RECEIPTS}: name the folder that has`;
    },
    none: NO_RECEIPTS,
  },
} as const;

function prefixOf(tenant: string | null): string {
  if (tenant === null) return "";
  checkTenantId(tenant);
  return `tenants/${tenant}/`;
}

interface Move extends Pick<CopyOptions, "below" | "under" | "isDryRun" | "isImport"> {
  readonly from: Storage;
  /** Of the source, for people. */
  readonly name: string;
  readonly to: StorageConfig;
  /** What is wrong with a source without records. */
  readonly whenEmpty: string;
}

async function move(order: Move, out: Output): Promise<boolean> {
  const { from, name, to, whenEmpty, ...options } = order;
  const context = commandContext();
  const target = await targetOf(to, options.isDryRun);
  const source = await from.open(context);
  try {
    const opened = await target.open(context);
    try {
      const records = { ...context, from: source, to: opened };
      const report = await told(out, { from: name, to: storageText(to), ...options }, (watch) =>
        copyRecords(records, { ...options, ...watch }),
      );
      const isEmpty = report.stopped === null && countOf(report) === 0;
      if (isEmpty) throw new MisconfiguredError(whenEmpty);
      return isWhole(report);
    } finally {
      await opened.close();
    }
  } finally {
    await source.close();
  }
}

/** Where an import or a copy goes. Of a dry run nothing is written in it. */
export async function targetOf(to: StorageConfig, isDryRun: boolean): Promise<Storage> {
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

interface Heading {
  readonly from: string;
  readonly to: string;
  readonly isDryRun: boolean;
}

async function told(
  out: Output,
  { from, to, isDryRun }: Heading,
  copy: (watch: Watch) => Promise<CopyReport>,
): Promise<CopyReport> {
  if (!out.isJson) out.lines(`from ${printable(from)} to ${printable(to)}`);
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
      if (!out.isJson) {
        out.note(`${trouble.kind}: ${recordName(trouble.key)}: ${oneLine(trouble.reason)}`);
      } else if (troubles.length < TROUBLES_MAX) troubles.push(trouble);
    },
  });
  shown.end();
  if (out.isJson) {
    const left = report.conflicting + report.unreadable + report.failed;
    out.json({ from, to, ...report, troubles, troublesLeftOut: left - troubles.length });
  } else {
    const { stopped, ...counts } = report;
    const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
    out.lines(...table([isDryRun ? "would be" : "done", "records"], rows));
    if (stopped !== null) out.note(`stopped: ${stopped}; run it again to go on`);
  }
  return report;
}

/** As `holdfast jobs show` takes a job, and `holdfast receipts show` a receipt. */
function recordName(key: string): string {
  const [, tenant, collection, id] =
    /^(?:tenants\/([^/]+)\/)?(emails\/jobs|receipts\/records)\/([0-9a-f]{64})$/.exec(key) ?? [];
  if (id === undefined) return key;
  const name = collection === "emails/jobs" ? `sha256:${id}` : id;
  return tenant === undefined ? name : `${name} (--tenant ${tenant})`;
}

function isWhole({ conflicting, unreadable, failed, stopped }: CopyReport): boolean {
  return conflicting + unreadable + failed === 0 && stopped === null;
}

function countOf({ stopped: _stopped, ...counts }: CopyReport): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
