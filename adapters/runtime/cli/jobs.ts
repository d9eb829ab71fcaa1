/** `holdfast jobs`, `stuck` and `reconcile`: what an operator sees and does. */
import { type Client, HoldfastError, type Job } from "../../../src/client/client.ts";
import type { EmailStateName } from "../../../src/machines/emails/fields.ts";
import { jsonText, type Output, oneLine, progress, table } from "./print.ts";

export interface ListOptions {
  readonly state?: EmailStateName;
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor?: string;
  /** To the end, instead of one page. */
  readonly all: boolean;
}

export async function listJobs(client: Client, options: ListOptions, out: Output): Promise<void> {
  const { limit, state, all, cursor } = options;
  const only = state === undefined ? {} : { state };
  if (!all) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await client.emails.list({ limit, ...only, ...from });
    if (out.isJson) {
      out.json(page);
      return;
    }
    if (page.jobs.length === 0 && page.nextCursor === null) out.note("no jobs");
    else out.lines(...jobTable(page.jobs));
    for (const { id, reason } of page.corrupt) out.note(`unreadable: ${id}: ${reason}`);
    if (page.nextCursor !== null) out.note(`more: --cursor ${page.nextCursor}, or --all`);
    return;
  }
  const shown = progress();
  let count = 0;
  for await (const job of client.emails.listAll(only)) {
    count += 1;
    if (out.isJson) out.lines(jsonText(job));
    else out.lines(...jobTable([job]).slice(count === 1 ? 0 : 1));
    shown.tell(`${count} jobs`);
  }
  shown.end();
}

function jobTable(jobs: readonly Job[]): string[] {
  const rows = jobs.map((job) => [
    job.state.padEnd("ai_dispatched".length),
    String(job.attempts).padStart("attempts".length),
    job.createdAt,
    job.type.padEnd("unviewed-reminder".length),
    job.logicalKey,
  ]);
  return table(["state", "attempts", "created", "kind", "key"], rows);
}

export async function showJob(client: Client, key: string, out: Output): Promise<void> {
  const { job, dueAt } = await client.emails.read(key);
  if (out.isJson) {
    // No payload has a field of this name, as one may of the other.
    out.json({ ...job, holdfast: { dueAt } });
    return;
  }
  const rows = Object.entries(job).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  out.lines(...table(["field", "value"], [...rows, ["(due)", dueAt ?? "never by itself"]]));
}

/** A new life for every job that is failed now. */
export async function requeueFailed(client: Client, out: Output): Promise<void> {
  const shown = progress();
  let [requeued, left] = [0, 0];
  for await (const job of client.emails.listAll({ state: "failed" })) {
    try {
      await client.emails.requeue(job.logicalKey);
      requeued += 1;
    } catch (error) {
      // Somebody else was first.
      if (!(error instanceof HoldfastError) || error.problem?.state === undefined) throw error;
      left += 1;
    }
    shown.tell(`${requeued} requeued`);
  }
  shown.end();
  if (out.isJson) {
    out.json({ requeued, left });
    return;
  }
  out.lines(`${requeued} requeued${left === 0 ? "" : `, ${left} left that are failed no more`}`);
}

export async function requeueJob(client: Client, key: string, out: Output): Promise<void> {
  tellJob((await client.emails.requeue(key)).job, out);
}

/** Of whatever state but `sending`, which only its holder ends, and the final ones. */
export async function cancelJob(client: Client, key: string, out: Output): Promise<void> {
  const from = ["pending", "awaiting_ai", "ai_dispatched", "ready"] as const;
  tellJob((await client.emails.transition(key, { from: [...from], to: "cancelled" })).job, out);
}

export async function eraseJob(client: Client, key: string, out: Output): Promise<void> {
  const erased = await client.erase({ email: key });
  if (out.isJson) {
    out.json(erased);
    return;
  }
  out.lines(`${oneLine(erased.id)} is erased`);
}

function tellJob(job: Job, out: Output): void {
  if (out.isJson) {
    out.json(job);
    return;
  }
  out.lines(`${oneLine(job.logicalKey)} is ${job.state}`);
}

export async function showStuck(client: Client, out: Output): Promise<void> {
  const items = [];
  const shown = progress();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Client["stuck"]>> = await client.stuck(
      cursor === null ? { limit: 100 } : { limit: 100, cursor },
    );
    items.push(...page.items);
    cursor = page.nextCursor;
    shown.tell(`${items.length} stuck`);
  } while (cursor !== null);
  shown.end();
  if (out.isJson) {
    out.json(items);
    return;
  }
  if (items.length === 0) {
    out.lines("nothing is stuck");
    return;
  }
  for (const { machine, id, state, since, why, action } of items) {
    out.lines(
      `${machine} ${oneLine(id)}`,
      `  ${state} since ${since}: ${oneLine(why)}`,
      `  ${oneLine(action)}`,
    );
  }
}

/** One pass over the tenant; whether nothing went wrong in it. */
export async function reconcile(
  client: Client,
  body: { readonly dryRun: boolean; readonly budgetMs?: number },
  out: Output,
): Promise<boolean> {
  const report = await client.reconcile(body);
  const { emails, receipts, queries, failures, failuresLeftOut, hasMore } = report;
  const isClean = failures.length === 0;
  if (out.isJson) {
    out.json({ emails, receipts, queries, failures, failuresLeftOut, hasMore });
    return isClean;
  }
  const { dryRun } = body;
  const counted = (what: string, counts: Readonly<Record<string, number>>): string[] => {
    const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
    return table([dryRun ? "would be" : "done", what], rows);
  };
  out.lines(...counted("jobs", emails));
  out.lines("", ...counted("receipts", receipts));
  out.lines("", ...counted("queries", queries));
  out.lines(...failureLines(failures));
  if (failuresLeftOut > 0) out.lines("", `and ${failuresLeftOut} more failures`);
  if (hasMore) {
    out.note(dryRun ? "that is one page: there is more" : "there is more to do: run it again");
  }
  return isClean;
}

type Failures = Awaited<ReturnType<Client["reconcile"]>>["failures"];

/** By code, each explained once. */
function failureLines(failures: Failures): string[] {
  const lines: string[] = [];
  for (const code of new Set(failures.map((failure) => failure.code))) {
    const same = failures.filter((failure) => failure.code === code);
    const { why, action } = same[0] ?? { why: "", action: "" };
    lines.push("", `${code}: ${oneLine(why)}`, `  ${oneLine(action)}`);
    for (const { machine, id, count } of same) {
      lines.push(`  ${machine} ${oneLine(id)}${count === 1 ? "" : `, ${count} times`}`);
    }
  }
  return lines;
}
