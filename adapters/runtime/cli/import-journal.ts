/** `holdfast import query-journal`: the jobs of an original's journal, on their way to another storage. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { RETENTION_MS } from "../../../src/machines/queries/limits.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import {
  importJournal,
  type JournalReport,
  type JournalTrouble,
} from "../../../src/services/query-import.ts";
import { queryJournal } from "../../storage/filesystem/query-journal.ts";
import { commandContext } from "./context.ts";
import { type MoveOptions, targetOf } from "./copy.ts";
import { type Output, oneLine, printable, progress, table } from "./print.ts";
import { storageText } from "./storage-name.ts";

/** Rows and jobs of one run that are told in JSON; on a terminal all are. */
const TROUBLES_MAX = 1_000;

/** Whether every job that can be brought along is at the target. */
export async function importQueries(
  folder: string,
  { to, tenant, isDryRun }: MoveOptions,
  out: Output,
): Promise<boolean> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new MisconfiguredError(`${folder} is no folder: name the one with the journals`);
  }
  const from = queryJournal({ directory: folder });
  await from.check();
  const context = commandContext();
  const target = await targetOf(to, isDryRun);
  const opened = await target.open(context);
  try {
    const names = { from: `the original in ${resolve(folder)}`, to: storageText(to) };
    const report = await told(out, { ...names, isDryRun }, (watch) =>
      importJournal(
        { ...context, from, to: opened },
        { tenant, isDryRun, retentionMs: RETENTION_MS, ...watch },
      ),
    );
    const { conflicting, unreadable, failed, stopped } = report;
    return conflicting + unreadable + failed === 0 && stopped === null;
  } finally {
    await opened.close();
  }
}

interface Watch {
  readonly onProgress: (report: JournalReport) => void;
  readonly onTrouble: (trouble: JournalTrouble) => void;
}

interface Heading {
  readonly from: string;
  readonly to: string;
  readonly isDryRun: boolean;
}

async function told(
  out: Output,
  { from, to, isDryRun }: Heading,
  work: (watch: Watch) => Promise<JournalReport>,
): Promise<JournalReport> {
  if (!out.isJson) out.lines(`from ${printable(from)} to ${printable(to)}`);
  const shown = progress();
  const troubles: JournalTrouble[] = [];
  let troublesLeftOut = 0;
  const report = await work({
    onProgress(at) {
      shown.tell(`${at.rows} rows, ${jobsIn(at)} jobs`);
    },
    onTrouble(trouble) {
      if (!out.isJson) out.note(line(trouble));
      else if (troubles.length < TROUBLES_MAX) troubles.push(trouble);
      else troublesLeftOut += 1;
    },
  });
  shown.end();
  if (out.isJson) {
    out.json({ from, to, ...report, troubles, troublesLeftOut });
  } else {
    const { stopped, rows, skippedRows, ...jobs } = report;
    const cells = Object.entries(jobs).map(([name, count]) => [name, String(count)]);
    out.lines(...table([isDryRun ? "would be" : "done", "jobs"], cells));
    out.lines(`of ${rows} rows ${skippedRows} were skipped`);
    if (stopped !== null) out.note(`stopped: ${stopped}; run it again to go on`);
  }
  return report;
}

function jobsIn({ stopped: _stopped, rows: _rows, skippedRows: _skipped, ...jobs }: JournalReport) {
  return Object.values(jobs).reduce((sum, count) => sum + count, 0);
}

function line({ kind, at, jobId, reason }: JournalTrouble): string {
  const where = [at, jobId === null ? null : `job ${jobId}`].filter((name) => name !== null);
  return `${kind}: ${where.join(", ")}: ${oneLine(reason)}`;
}
