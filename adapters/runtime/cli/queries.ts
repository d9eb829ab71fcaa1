/** `holdfast queries` and `gc`: what an operator sees of queries, and does. */
import { type Client, HoldfastError } from "../../../src/client/client.ts";
import type { QueryJob } from "../../../src/client/types.ts";
import type { QueryStatus } from "../../../src/machines/queries/statuses.ts";
import { type Output, oneLine, progress, prose, table } from "./print.ts";

/** Of one page of a list. */
export const QUERIES_PAGE_MAX = 100;

export interface QueryListing {
  readonly status?: QueryStatus;
  readonly limit: number;
  readonly cursor?: string;
}

/** Which one: its id, or its client job's, and the generation that either has. */
export interface QueryName {
  readonly id: string;
  readonly generation: number;
}

export async function listQueries(
  client: Client,
  { status, limit, cursor }: QueryListing,
  out: Output,
): Promise<void> {
  const only = status === undefined ? {} : { status };
  const from = cursor === undefined ? {} : { cursor };
  const page = await client.queries.list({ limit, ...only, ...from });
  if (out.isJson) {
    out.json(page);
    return;
  }
  const rows = page.jobs.map((job) => [
    job.jobId,
    job.clientJobId,
    String(job.generation),
    endText(job),
    job.acceptedAt,
    job.updatedAt,
    oneLine(job.sessionId),
  ]);
  const head = ["id", "client job", "generation", "status", "accepted", "changed", "session"];
  out.lines(...table(head, rows));
  for (const { id, reason } of page.corrupt) out.note(`${id} cannot be read: ${oneLine(reason)}`);
  if (page.nextCursor !== null) out.note(`more: --cursor ${page.nextCursor}`);
}

/** With the error's code, where it says more than the status. */
function endText({ status, error }: QueryJob): string {
  return error === undefined || error.code === status ? status : `${status}, ${error.code}`;
}

export async function showQuery(client: Client, name: QueryName, out: Output): Promise<void> {
  const job = await found(client, name);
  if (out.isJson) {
    out.json({ job });
    return;
  }
  // The answer so far is what is asked for least, and the rest would be lost behind it.
  const { partialText, response = partialText, ...rest } = job;
  const rows = Object.entries(rest).map(([field, value]) => [
    field,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  out.lines(...table(["field", "value"], rows));
  if (response !== "") out.lines("", prose(response));
}

export async function cancelQuery(client: Client, name: QueryName, out: Output): Promise<void> {
  const { jobId, generation } = await found(client, name);
  const { applied, job } = await client.queries.cancel(jobId, { generation });
  if (out.isJson) out.json({ applied, job });
  else out.lines(`${job.jobId} ${applied ? "is" : "had ended before: it is"} ${job.status}`);
}

/** All generations of its client job. */
export async function eraseQuery(client: Client, name: QueryName, out: Output): Promise<void> {
  const { clientJobId: query } = await found(client, name);
  const erased = await client.erase({ query });
  if (out.isJson) out.json(erased);
  else out.lines(`${erased.id} is erased`);
}

/** To the end of the walk. Whether every log could be read. */
export async function collectLogs(client: Client, out: Output): Promise<boolean> {
  const shown = progress();
  let [examined, removed, corrupt, isComplete] = [0, 0, 0, false];
  while (!isComplete) {
    const page = await client.collect();
    examined += page.examined;
    removed += page.removed;
    corrupt += page.corrupt;
    isComplete = page.isComplete;
    shown.tell(`${examined} logs`);
  }
  shown.end();
  if (out.isJson) out.json({ examined, removed, corrupt });
  else out.lines(`${removed} of ${examined} logs belonged to no query, and are removed`);
  if (corrupt > 0) out.note(`${corrupt} cannot be read, and are left as they are`);
  return corrupt === 0;
}

/** By its own id, or else by its client job's: stuck and lists name the one, a phone the other. */
export async function found({ queries }: Client, { id, generation }: QueryName): Promise<QueryJob> {
  try {
    return (await queries.get(id, { generation })).job;
  } catch (error) {
    const isUnknown = error instanceof HoldfastError && error.code === "query_job_not_found";
    if (!isUnknown) throw error;
    return (await queries.byClient(id, { generation })).job;
  }
}
