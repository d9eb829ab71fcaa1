/** Queries of the drill: what a worker does with them, and what has to be true of them. */
import { randomUUID } from "node:crypto";
import type { QuerySnapshot } from "../../src/machines/queries/snapshot.ts";
import type { Queries } from "../../src/services/queries.ts";
import { QueryJobStoreError } from "../../src/services/query-errors.ts";
import { type MachineDrill, of, pick, type Tell, type Told } from "./told.ts";

const DELTAS = 5;

const textOf = (deltas: number): string =>
  Array.from({ length: deltas }, (_, n) => `part ${n} `).join("");

export async function workOnQueries(queries: Queries, tell: Tell): Promise<void> {
  const key = randomUUID();
  const request = { clientJobId: key, generation: 1, query: "a prompt", sessionId: key };
  const { job, created } = await queries.admit({ ...request, activityToolMode: "preview" });
  tell({ told: "admitted", key, created });
  const { leaseToken } = await queries.markStarting(job.jobId);
  const holder = { leaseToken: leaseToken ?? "" };
  await queries.markRunning(job.jobId, { provider: "claude" }, holder);
  for (let n = 0; n < DELTAS; n += 1) {
    await queries.appendPartial(job.jobId, `part ${n} `, "", false, holder);
    tell({ told: "appended", key, count: n + 1 });
  }
  const { events } = await queries.replay(job.jobId, 1);
  tell({ told: "shown", key, count: events.at(-1)?.eventSeq ?? 0 });
  if (pick(4) === 0) return;
  await queries.complete(job.jobId, { text: textOf(DELTAS) }, holder);
  tell({ told: "completed", key });
  if (pick(4) > 0) return;
  tell({ told: "erasing", key });
  await queries.erase(key);
  tell({ told: "erased", key });
}

export const queryDrill: MachineDrill = {
  async broken({ queries }, told) {
    const broken: string[] = [];
    for (const [key, own] of byKey(of(told, "queries"))) {
      const said = new Set(own.map((one) => one.told));
      const job = await find(queries, key);
      if (said.has("erased") && job !== "erased") broken.push(`${key}: is there, although erased`);
      // Between the two it may be there or not, or be on its way.
      if (said.has("erasing")) continue;
      if (job === "erased" || job === undefined) broken.push(`${key}: was admitted, and is gone`);
      else broken.push(...(await brokenJob(queries, job, own)));
    }
    return broken;
  },

  async finish({ queries }) {
    const broken: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Queries["list"]>> = await queries.list({ limit: 100, cursor });
      broken.push(...page.corrupt.map(({ id, reason }) => `${id}: ${reason}`));
      for (const { clientJobId, status } of page.jobs) {
        const isLeft = status === "starting" || status === "running" || status === "answer_ready";
        if (isLeft) broken.push(`${clientJobId}: is ${status} although its runner died long ago`);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    return broken;
  },
};

async function find(
  queries: Queries,
  clientJobId: string,
): Promise<QuerySnapshot | "erased" | undefined> {
  try {
    return await queries.findByClientGeneration(clientJobId, 1);
  } catch (error) {
    if (error instanceof QueryJobStoreError && error.code === "erased") return "erased";
    throw error;
  }
}

async function brokenJob(
  queries: Queries,
  job: QuerySnapshot,
  told: readonly Told[],
): Promise<readonly string[]> {
  const { clientJobId, jobId, eventSeq, status } = job;
  const least = (what: string): number =>
    Math.max(0, ...told.filter((one) => one.told === what).map(({ count = 0 }) => count));
  const text = status === "completed" ? (job.response ?? "") : job.partialText;
  const { events } = await queries.replay(jobId, 1);
  const isDense =
    events.length === eventSeq && events.every((event, index) => event.eventSeq === index + 1);
  const isCompleted = told.some((one) => one.told === "completed");
  return [
    ...(isDense ? [] : [`${clientJobId}: its events are not 1 to ${eventSeq}`]),
    ...(eventSeq >= least("shown") ? [] : [`${clientJobId}: events that were shown are gone`]),
    ...(text.startsWith(textOf(least("appended"))) ? [] : [`${clientJobId}: lost a part`]),
    ...(!isCompleted || status === "completed" ? [] : [`${clientJobId}: completed, is ${status}`]),
  ];
}

function byKey(told: readonly Told[]): ReadonlyMap<string, readonly Told[]> {
  const groups = new Map<string, Told[]>();
  for (const one of told) groups.set(one.key, [...(groups.get(one.key) ?? []), one]);
  return groups;
}
