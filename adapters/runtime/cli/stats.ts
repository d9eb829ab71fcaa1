/** `holdfast stats`: everything there is, counted. The one command that reads it all. */
import type { Client } from "../../../src/client/client.ts";
import { LIMIT_MAX } from "../../../src/machines/emails/inputs.ts";
import { RECEIPTS_PAGE_MAX } from "../../../src/machines/receipts/inputs.ts";
import { type Output, type Progress, progress, table } from "./print.ts";
import { QUERIES_PAGE_MAX } from "./queries.ts";

type Counts = Record<string, number>;

interface Unreadable {
  unreadable: number;
  /** How many for each reason. */
  readonly reasons: Counts;
}

interface EmailStats extends Unreadable {
  jobs: number;
  readonly states: Counts;
  readonly kinds: Counts;
}

interface ReceiptStats extends Unreadable {
  receipts: number;
  readonly states: Counts;
  /** Of those that are outcome-unknown. */
  resolved: number;
}

interface QueryStats extends Unreadable {
  /** Of each client job the latest generation. */
  queries: number;
  readonly statuses: Counts;
}

export async function showStats(client: Client, out: Output): Promise<void> {
  const shown = progress();
  const emails = await emailStats(client, shown);
  const receipts = await receiptStats(client, shown);
  const queries = await queryStats(client, shown);
  shown.end();
  if (out.isJson) {
    out.json({ emails, receipts, queries });
    return;
  }
  out.lines(`${emails.jobs} jobs, ${emails.unreadable} unreadable records`);
  tell(out, ["state", "jobs"], emails.states);
  tell(out, ["kind", "jobs"], emails.kinds);
  tell(out, ["unreadable because", "records"], emails.reasons);
  out.lines("", `${receipts.receipts} receipts, ${receipts.unreadable} unreadable records`);
  tell(out, ["state", "receipts"], receipts.states);
  if (receipts.resolved > 0) out.lines("", `${receipts.resolved} of the unknown are resolved`);
  tell(out, ["unreadable because", "records"], receipts.reasons);
  out.lines("", `${queries.queries} queries, ${queries.unreadable} unreadable records`);
  tell(out, ["status", "queries"], queries.statuses);
  tell(out, ["unreadable because", "records"], queries.reasons);
}

async function emailStats({ emails }: Client, shown: Progress): Promise<EmailStats> {
  const stats: EmailStats = { jobs: 0, states: {}, kinds: {}, unreadable: 0, reasons: {} };
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof emails.list>> = await emails.list({
      limit: LIMIT_MAX,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { state, type } of page.jobs) {
      count(stats.states, state);
      count(stats.kinds, type);
    }
    stats.jobs += page.jobs.length;
    countUnreadable(stats, page.corrupt);
    cursor = page.nextCursor;
    shown.tell(`${stats.jobs} jobs`);
  } while (cursor !== null);
  return stats;
}

async function receiptStats({ receipts }: Client, shown: Progress): Promise<ReceiptStats> {
  const stats: ReceiptStats = { receipts: 0, states: {}, resolved: 0, unreadable: 0, reasons: {} };
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof receipts.list>> = await receipts.list({
      limit: RECEIPTS_PAGE_MAX,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { state, resolution } of page.receipts) {
      count(stats.states, state);
      if (resolution !== undefined) stats.resolved += 1;
    }
    stats.receipts += page.receipts.length;
    countUnreadable(stats, page.corrupt);
    cursor = page.nextCursor;
    shown.tell(`${stats.receipts} receipts`);
  } while (cursor !== null);
  return stats;
}

async function queryStats({ queries }: Client, shown: Progress): Promise<QueryStats> {
  const stats: QueryStats = { queries: 0, statuses: {}, unreadable: 0, reasons: {} };
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof queries.list>> = await queries.list({
      limit: QUERIES_PAGE_MAX,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { status } of page.jobs) count(stats.statuses, status);
    stats.queries += page.jobs.length;
    countUnreadable(stats, page.corrupt);
    cursor = page.nextCursor;
    shown.tell(`${stats.queries} queries`);
  } while (cursor !== null);
  return stats;
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function countUnreadable(stats: Unreadable, corrupt: readonly { readonly reason: string }[]): void {
  stats.unreadable += corrupt.length;
  for (const { reason } of corrupt) count(stats.reasons, reason);
}

function tell(out: Output, head: readonly [string, string], counts: Counts): void {
  const rows = Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, found]) => [name, String(found)]);
  if (rows.length > 0) out.lines("", ...table(head, rows));
}
