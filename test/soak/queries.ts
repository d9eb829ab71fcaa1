/** Whoever asks and reads on through cut connections, and runners that stream answers and may die at it. */
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, type QueryRun, runQueries } from "../../src/client/client.ts";
import { pieceOf, piecesOf } from "./facts.ts";
import { again, type Part, told } from "./role.ts";

const ASK_MS = 1_500;
const LEASE_MS = 4_000;

/** The shortest and the longest time for which a reader stays connected. */
const CONNECTED_MS = [200, 2_500] as const;

/** By then after the last question every job has ended, the runs of the dead included. */
const LAST_MS = 120_000;

/** One job in so many is canceled by whoever asked. */
const CANCEL_ONE_IN = 25;

export async function asker(part: Part): Promise<void> {
  const readers = new Set<Promise<void>>();
  const over = new AbortController();
  await again(part, ASK_MS, async () => {
    const { queries } = part.client;
    // A session of its own: one whose runner died would be held for minutes.
    const sessionId = `soak-${randomUUID()}`;
    const { job } = await queries.submit({
      ...{ clientJobId: randomUUID(), generation: 1 },
      ...{ query: "Are whales fish?", sessionId },
    });
    await part.tell({ kind: "admitted", jobId: job.jobId });
    const reader = read(part, job.jobId, over.signal)
      .catch((error) => told(part, error))
      .finally(() => readers.delete(reader));
    readers.add(reader);
    if (Math.random() * CANCEL_ONE_IN < 1) await queries.cancel(job.jobId, { generation: 1 });
  });
  const late = setTimeout(() => over.abort(new Error("a stream does not end")), LAST_MS);
  await Promise.all(readers);
  clearTimeout(late);
}

/** To the job's last event, each connection for a while. */
async function read(part: Part, jobId: string, over: AbortSignal): Promise<void> {
  const { client, tell } = part;
  let text = "";
  let after = 0;
  let end = "";
  while (end === "") {
    over.throwIfAborted();
    const signal = AbortSignal.timeout(randomInt(...CONNECTED_MS));
    for await (const told of client.queries.follow(jobId, { generation: 1, after, signal })) {
      // Nothing here is ahead of its job, nor slow enough to be sent a snapshot.
      if (told.type === "snapshot") throw new Error(`a snapshot came: ${told.reason}`);
      after = told.eventSeq;
      if (told.type === "chunk") text += String(told.data["text"]);
      if (["completed", "failed", "canceled", "interrupted"].includes(told.type)) end = told.type;
    }
  }
  await tell({ kind: "read", jobId, text, events: after, end });
}

export async function runner(part: Part): Promise<void> {
  const started = runQueries(watched(part), (run, { signal }) => answer(part, run, signal), {
    leaseMs: LEASE_MS,
    concurrency: 4,
    pollMs: 300,
    idleMs: 1_000,
    onError: (error) => void told(part, error),
  });
  part.stopping.addEventListener("abort", () => void started.stop());
  await started.stopped;
}

async function answer(part: Part, run: QueryRun, signal: AbortSignal): Promise<void> {
  const { jobId } = run.job;
  await run.running({ provider: "soak" });
  for (let n = 0; n < piecesOf(jobId) && !signal.aborted; n += 1) {
    await run.delta(pieceOf(jobId, n));
    part.mayDie(600);
    await sleep(20 + Math.random() * 100);
  }
}

/** The client of a runner, whose acknowledged completions are told. */
function watched({ client, tell }: Part) {
  const { list, start } = client.queries;
  const queries: Pick<Client["queries"], "list" | "start"> = {
    list,
    async start(jobId, body, options) {
      const started = await start(jobId, body, options);
      if (!started.applied) return started;
      const { run } = started;
      const complete: QueryRun["complete"] = async (answered) => {
        const answer = await run.complete(answered);
        if (answer.applied) await tell({ kind: "completed", jobId });
        return answer;
      };
      return { ...started, run: { ...run, complete } };
    },
  };
  return { queries };
}
