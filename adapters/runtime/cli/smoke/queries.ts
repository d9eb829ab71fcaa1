/** Smoke: one query answered and read as it is, one given up, and a ticket to one. */
import { randomUUID } from "node:crypto";
import {
  type Client,
  HoldfastError,
  type QueryJob,
  type QueryRun,
} from "../../../../src/client/client.ts";
import { isTerminal } from "../../../../src/client/statuses.ts";
import { must, refused, type Smoke } from "./looking.ts";
import { NOTHING, openStream } from "./stream.ts";

const generation = 1;

/** Pieces of an answer: a letter of two halves is no longer one where bytes are cut. */
const PIECES = ["Ice floats: ", "it is about 9 % wider ", "than wåter. 🧊"] as const;

export async function seeQueries(smoke: Smoke): Promise<void> {
  const { client, step, skip } = smoke;
  const job = await seeAdmitted(smoke);
  const { jobId } = job;
  const { run } = await step("a runner takes it", () =>
    client.queries.start(jobId, { generation }),
  );
  if (run === null) {
    skip("its answer is read live", "a runner of the service was faster; this follows it instead");
    await step("its runner answers it", async () => {
      const { status, error } = await endOf(smoke, jobId);
      must(status === "completed", `it ends as ${status}, ${error?.code}`);
    });
  } else {
    try {
      await seeAnswer(smoke, run);
    } finally {
      // Else it would be renewed for ever; of a run that is over nothing is left to drop.
      run.drop();
    }
  }
  await step("all of it can be read again", () => replayed(client, jobId));
  await seeTicket(smoke, jobId);
  await seeCanceled(smoke);
}

function request({ prefix }: Smoke, name: string) {
  return {
    ...{ clientJobId: randomUUID(), generation },
    sessionId: `${prefix}/${name}`,
    query: "Why does ice float? Answer in one sentence.",
  };
}

async function seeAdmitted(smoke: Smoke): Promise<QueryJob> {
  const { queries } = smoke.client;
  return smoke.step("a query is admitted once, and bound to what it asks", async () => {
    const asked = request(smoke, "answered");
    const first = await queries.submit(asked);
    const again = await queries.submit(asked);
    must(!again.created && again.job.jobId === first.job.jobId, "it was made twice");
    await refused("job_identity_conflict", queries.submit({ ...asked, query: "Why is it cold?" }));
    return first.job;
  });
}

async function seeAnswer(smoke: Smoke, run: QueryRun): Promise<void> {
  const { client, step } = smoke;
  const { jobId } = run.job;
  const at = { jobId, generation, over: run.signal };
  const [first, second, third] = PIECES;
  await step("no other runner has it", async () => {
    const other = await client.queries.start(jobId, { generation });
    other.run?.drop();
    must(!other.applied, "another has it, too");
  });
  const cut = await step("a reader sees pieces of its answer while it is written", async () => {
    const stream = openStream(smoke, { ...at, from: NOTHING });
    await run.running({ provider: "smoke" });
    await run.delta(first);
    await stream.heard(({ text }) => text === first);
    await run.delta(second);
    await stream.heard(({ text }) => text === first + second);
    return stream.close();
  });
  await step("a reader that comes back goes on where it was, to the end", async () => {
    const stream = openStream(smoke, { ...at, from: cut });
    await run.delta(third);
    await stream.heard(({ text }) => text === PIECES.join(""));
    await run.complete();
    const end = await stream.heard(({ type }) => isTerminal(type));
    await stream.close();
    must(end.type === "completed", `it ends as ${end.type}`);
    const { job } = await client.queries.get(jobId, { generation });
    must(job.response === PIECES.join(""), "the answer is not the pieces that were told");
  });
}

async function endOf(smoke: Smoke, jobId: string): Promise<QueryJob> {
  const stream = openStream(smoke, { jobId, generation, from: NOTHING, over: null });
  await stream.heard(({ type }) => isTerminal(type));
  await stream.close();
  return (await smoke.client.queries.get(jobId, { generation })).job;
}

/** Every event from the first, without a hole, page by page. */
async function replayed({ queries }: Client, jobId: string): Promise<void> {
  let after = 0;
  for (;;) {
    const { events, latestEventSeq, hasMore } = await queries.events(jobId, { generation, after });
    for (const { eventSeq } of events) {
      must(eventSeq === after + 1, `event ${eventSeq} follows event ${after}`);
      after = eventSeq;
    }
    if (hasMore && events.length > 0) continue;
    must(after === latestEventSeq, `the events end at ${after} of ${latestEventSeq}`);
    return;
  }
}

async function seeTicket({ client, as, step, skip }: Smoke, jobId: string): Promise<void> {
  const name = "a ticket lets a reader at this query, and at nothing else";
  const ticket = await client.queries
    .ticket(jobId, { generation, ttlMs: 60_000 })
    .catch((error: unknown) => {
      if (error instanceof HoldfastError && error.code === "misconfigured") return null;
      throw error;
    });
  if (ticket === null) {
    skip(name, "HOLDFAST_SECRET is not set there");
    return;
  }
  await step(name, async () => {
    const reader = as(ticket.ticket);
    await reader.queries.get(jobId, { generation });
    await refused("forbidden", reader.queries.get(jobId, { generation: generation + 1 }));
    await refused("forbidden", reader.queries.list());
  });
}

async function seeCanceled(smoke: Smoke): Promise<void> {
  const { client, step } = smoke;
  const { queries } = client;
  await step("a query is given up, and stays so", async () => {
    const { job } = await queries.submit(request(smoke, "canceled"));
    const { jobId } = job;
    const canceled = await queries.cancel(jobId, { generation });
    must(isTerminal(canceled.job.status), `it is ${canceled.job.status}`);
    const started = await queries.start(jobId, { generation });
    must(!started.applied, "a runner took it after that");
    await endOf(smoke, jobId);
    await queries.ack(jobId, { generation });
  });
}
