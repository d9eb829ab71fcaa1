/** What stands in the storage, read back through a service: all jobs, all receipts, all queries and their logs. */
import type { Client, Job, QueryEvent, QueryJob, Receipt } from "../../src/client/client.ts";
import { isTerminal } from "../../src/client/statuses.ts";

export interface StoredQuery {
  readonly job: QueryJob;
  readonly events: readonly QueryEvent[];
}

export interface StuckItem {
  readonly machine: string;
  readonly id: string;
  readonly why: string;
}

export interface Stored {
  readonly emails: readonly Job[];
  /** Keys of emails that are ready and not yet due: after many attempts the next one is minutes away. */
  readonly waiting: ReadonlySet<string>;
  readonly receipts: readonly Receipt[];
  readonly queries: readonly StoredQuery[];
  readonly stuck: readonly StuckItem[];
  /** Records that cannot be read. */
  readonly corrupt: number;
}

interface Walked<T> {
  readonly all: readonly T[];
  readonly corrupt: number;
}

interface Page<T> {
  readonly all: readonly T[];
  readonly corrupt: number;
  readonly nextCursor: string | null;
}

async function walked<T>(page: (from: From) => Promise<Page<T>>): Promise<Walked<T>> {
  const all: T[] = [];
  let corrupt = 0;
  let cursor: string | null = null;
  do {
    const one: Page<T> = await page(cursor === null ? {} : { cursor });
    all.push(...one.all);
    corrupt += one.corrupt;
    cursor = one.nextCursor;
  } while (cursor !== null);
  return { all, corrupt };
}

type From = { readonly cursor?: string };

const emailsOf = ({ emails }: Client) =>
  walked<Job>(async (from) => {
    const page = await emails.list({ limit: 100, ...from });
    return { all: page.jobs, corrupt: page.corrupt.length, nextCursor: page.nextCursor };
  });

const receiptsOf = ({ receipts }: Client) =>
  walked<Receipt>(async (from) => {
    const page = await receipts.list({ limit: 100, ...from });
    return { all: page.receipts, corrupt: page.corrupt.length, nextCursor: page.nextCursor };
  });

const queriesOf = ({ queries }: Client) =>
  walked<QueryJob>(async (from) => {
    const page = await queries.list({ limit: 100, ...from });
    return { all: page.jobs, corrupt: page.corrupt.length, nextCursor: page.nextCursor };
  });

const stuckOf = (client: Client) =>
  walked<StuckItem>(async (from) => {
    const page = await client.stuck({ limit: 100, ...from });
    return { all: page.items, corrupt: 0, nextCursor: page.nextCursor };
  });

const ENDED: ReadonlySet<string> = new Set(["sent", "cancelled", "failed"]);

/** Of each machine how many records have not come to their end. */
export async function unfinished(client: Client): Promise<Readonly<Record<string, number>>> {
  const [emails, receipts, queries] = await Promise.all([
    emailsOf(client),
    receiptsOf(client),
    queriesOf(client),
  ]);
  return {
    emails: emails.all.filter(({ state }) => !ENDED.has(state)).length,
    receipts: receipts.all.filter((one) => !isEnded(one)).length,
    queries: queries.all.filter(({ status }) => !isTerminal(status)).length,
  };
}

/** A receipt that was prepared and left by a caller that died is at rest: nothing was begun. */
export function isEnded({ state, resolution }: Receipt): boolean {
  return state === "outcome-unknown" ? resolution !== undefined : state !== "dispatching";
}

export async function readBack(client: Client): Promise<Stored> {
  const emails = await emailsOf(client);
  const receipts = await receiptsOf(client);
  const jobs = await queriesOf(client);
  const stuck = await stuckOf(client);
  const queries: StoredQuery[] = [];
  for (const job of jobs.all) queries.push({ job, events: await logOf(client, job) });
  return {
    emails: emails.all,
    waiting: await waitingOf(client, emails.all),
    receipts: receipts.all,
    queries,
    stuck: stuck.all,
    corrupt: emails.corrupt + receipts.corrupt + jobs.corrupt,
  };
}

async function waitingOf({ emails }: Client, jobs: readonly Job[]): Promise<ReadonlySet<string>> {
  const waiting = new Set<string>();
  for (const { logicalKey, state } of jobs) {
    if (state !== "ready") continue;
    const { job, dueAt } = await emails.read(logicalKey);
    const isDueLater = dueAt !== null && Date.parse(dueAt) > Date.now();
    if (job.state === "ready" && isDueLater) waiting.add(logicalKey);
  }
  return waiting;
}

async function logOf({ queries }: Client, { jobId, generation }: QueryJob) {
  const events: QueryEvent[] = [];
  for (;;) {
    const page = await queries.events(jobId, { generation, after: events.length, limit: 256 });
    events.push(...page.events);
    if (!page.hasMore) return events;
  }
}
