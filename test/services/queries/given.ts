/** Requests and jobs for the query suite. */
import { assert } from "../../../src/core/assert.ts";
import type { QuerySnapshot } from "../../../src/machines/queries/snapshot.ts";
import type { Queries, Started } from "../../../src/services/queries.ts";

export const CLIENT_JOB_ID = "11111111-1111-4111-8111-111111111111";
export const OTHER_CLIENT_JOB_ID = "55555555-5555-4555-8555-555555555555";
export const UNKNOWN_JOB_ID = "99999999-9999-4999-8999-999999999999";

/** Of the golden vectors. */
export const REQUEST = {
  clientJobId: CLIENT_JOB_ID,
  generation: 1,
  query: "durable prompt",
  sessionId: "session-durable-1",
  activityToolMode: "preview",
};

export const LEASE_MS = 60_000;
export const FENCE_MS = 21 * 60_000;
export const DAY = 86_400_000;

export async function admitted(
  queries: Pick<Queries, "admit">,
  fields: object = {},
): Promise<QuerySnapshot> {
  return (await queries.admit({ ...REQUEST, ...fields })).job;
}

export async function started(
  queries: Queries,
  fields: object = {},
): Promise<Started & { readonly leaseToken: string; readonly position: string }> {
  const { jobId } = await admitted(queries, fields);
  const { leaseToken, position, ...rest } = await queries.markStarting(jobId);
  assert(leaseToken !== null && position !== null, "not started");
  return { ...rest, leaseToken, position };
}

export async function running(queries: Queries, fields: object = {}): Promise<QuerySnapshot> {
  const { jobId } = (await started(queries, fields)).job;
  return (await queries.markRunning(jobId, { provider: "claude" })).job;
}

/** With a provider that may be at work. */
export async function owned(queries: Queries, fields: object = {}): Promise<QuerySnapshot> {
  const { jobId } = await running(queries, fields);
  return (await queries.updateLinkage(jobId, { claudeRunId: "run-1" })).job;
}

export async function answered(queries: Queries, fields: object = {}): Promise<QuerySnapshot> {
  const { jobId } = await running(queries, fields);
  await queries.appendPartial(jobId, "an answer");
  return (await queries.markAnswerReady(jobId, "an answer")).job;
}

export async function completed(queries: Queries, fields: object = {}): Promise<QuerySnapshot> {
  const { jobId } = await running(queries, fields);
  await queries.appendPartial(jobId, "an answer");
  return (await queries.complete(jobId, { text: "an answer" })).job;
}

async function failed(queries: Queries): Promise<QuerySnapshot> {
  const { jobId } = await running(queries);
  return (await queries.fail(jobId, { code: "provider_down", message: "it is down" })).job;
}

async function canceled(queries: Queries): Promise<QuerySnapshot> {
  const { jobId } = await running(queries);
  return (await queries.cancel(jobId, 1)).job;
}

async function interrupted(queries: Queries): Promise<QuerySnapshot> {
  const { jobId } = await running(queries);
  return (await queries.interrupt(jobId)).job;
}

/** By status, what leads to it. */
export const IN_STATUS = {
  accepted: (queries: Queries) => admitted(queries),
  starting: async (queries: Queries) => (await started(queries)).job,
  running: (queries: Queries) => running(queries),
  answer_ready: (queries: Queries) => answered(queries),
  completed: (queries: Queries) => completed(queries),
  failed,
  canceled,
  interrupted,
} as const;

export type Status = keyof typeof IN_STATUS;

export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
  return "nothing was thrown";
}

/** What the only root there is knows of its job's log. */
export function hintOf(contents: ReadonlyMap<string, string>): { seq: number; status: string } {
  const [root = "{}"] = [...contents]
    .filter(([key]) => key.startsWith("queries/roots/"))
    .map(([, body]) => body);
  return JSON.parse(root).hint;
}

/** What all of them throw. */
export async function codesOf(calls: readonly Promise<unknown>[]): Promise<ReadonlySet<unknown>> {
  return new Set(await Promise.all(calls.map(codeOf)));
}

/** The keys of what is stored of queries, gc's place and due markers left out. */
export function queryKeys(contents: ReadonlyMap<string, string>): readonly string[] {
  return [...contents.keys()].filter((key) => /^queries\/(?:roots|fences|log)\//.test(key)).sort();
}
