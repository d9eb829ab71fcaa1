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
  const { below, from: reads, ownOf, isThere, isNot } = ORIGINALS[machine];
  if (!isThere(folder)) throw new MisconfiguredError(`${folder} ${isNot}`);
  if (to.kind === "filesystem" && isSameFolder(folder, ownOf(to) ?? join(to.directory, machine))) {
    throw new MisconfiguredError(
      `${folder} is the target's own (${storageText(to)}), which opens it as it is: nothing is to be imported`,
    );
  }
  const from = filesystemReader({ directory: dirname(resolve(folder)), ...reads(folder) });
  const under = prefixOf(tenant) + below;
  const name = `the original in ${resolve(folder)}`;
  const order = { to, below, under, isDryRun, isImport: true };
  return move({ from, name, whenEmpty: null, ...order }, out);
}

/** Where an original's records lie, and what is said of a folder that has none. */
const ORIGINALS = {
  emails: {
    below: "emails/",
    from: (emailsDirectory: string) => ({ emailsDirectory }),
    ownOf: (to: FolderConfig) => to.emailsDirectory,
    isThere: (folder: string) => existsSync(join(folder, "jobs")),
    isNot: "has no folder jobs: name the one that has",
  },
  receipts: {
    below: RECEIPT_RECORDS,
    from: (receiptsDirectory: string) => ({ receiptsDirectory }),
    ownOf: (to: FolderConfig) => to.receiptsDirectory,
    isThere: (folder: string) => existsSync(folder),
    isNot: "is not there: name the folder with the receipts",
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
  /** What is wrong with a source without records; null: nothing is. */
  readonly whenEmpty: string | null;
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
      if (isEmpty && whenEmpty !== null) throw new MisconfiguredError(whenEmpty);
      return isWhole(report);
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

/** A job as `holdfast jobs show` takes it. */
function recordName(key: string): string {
  const [, tenant, id] = /^(?:tenants\/([^/]+)\/)?emails\/jobs\/([0-9a-f]{64})$/.exec(key) ?? [];
  if (id === undefined) return key;
  return tenant === undefined ? `sha256:${id}` : `sha256:${id} (--tenant ${tenant})`;
}

function isWhole({ conflicting, unreadable, failed, stopped }: CopyReport): boolean {
  return conflicting + unreadable + failed === 0 && stopped === null;
}

function countOf({ stopped: _stopped, ...counts }: CopyReport): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
