/** Smoke: one query answered and read as it is, one given up, and a ticket to one. */
import { randomUUID } from "node:crypto";
import {
  type Client,
  HoldfastError,
  type QueryJob,
  type QueryRun,
} from "../../../../src/client/client.ts";
import { isTerminal } from "../../../../src/client/statuses.ts";
import { AbsentError, must, patiently, refused, type Smoke } from "./looking.ts";
import { NOTHING, openStream } from "./stream.ts";

const generation = 1;

/** Pieces of an answer: a letter of two halves is no longer one where bytes are cut. */
const PIECES = ["Ice floats: ", "it is about 9 % wider ", "than wåter. 🧊"] as const;

export async function seeQueries(smoke: Smoke): Promise<void> {
  const { client, step } = smoke;
  const { jobId } = await seeAdmitted(smoke);
  const { run } = await step("it is taken by a runner", () =>
    client.queries.start(jobId, { generation }),
  );
  if (run === null) {
    await seeOthersAnswer(smoke, jobId);
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
  const { client, step, optional } = smoke;
  const { jobId } = run.job;
  const at = { jobId, generation, over: run.signal };
  const [first, second, third] = PIECES;
  await step("no other runner has it", async () => {
    const other = await client.queries.start(jobId, { generation });
    other.run?.drop();
    must(!other.applied, "another has it, too");
  });
  const cut = await optional("a reader sees pieces of its answer while it is written", async () => {
    const stream = openStream(smoke, { ...at, from: NOTHING });
    await run.running({ provider: "smoke" });
    await run.delta(first);
    await stream.heard(({ text }) => text === first);
    await run.delta(second);
    await stream.heard(({ text }) => text === first + second);
    return stream.close();
  });
  if (cut === null) {
    await step("its answer is written", async () => {
      await run.delta(second + third);
      await run.complete();
      await mustBeWhole(client, jobId);
    });
    return;
  }
  await step("a reader that comes back goes on where it was, to the end", async () => {
    const stream = openStream(smoke, { ...at, from: cut });
    await run.delta(third);
    await stream.heard(({ text }) => text === PIECES.join(""));
    await run.complete();
    const end = await stream.heard(({ type }) => isTerminal(type));
    await stream.close();
    must(end.type === "completed", `it ends as ${end.type}`);
    await mustBeWhole(client, jobId);
  });
}

async function mustBeWhole({ queries }: Client, jobId: string): Promise<void> {
  const { job } = await queries.get(jobId, { generation });
  must(job.response === PIECES.join(""), "the answer is not the pieces that were told");
}

/** Of a runner that the service has, and that was faster. */
async function seeOthersAnswer(smoke: Smoke, jobId: string): Promise<void> {
  const { client, step, optional, patience } = smoke;
  await optional("a reader follows the answer of the service's own runner", async () => {
    const stream = openStream(smoke, { jobId, generation, from: NOTHING, over: null });
    await stream.heard(({ type }) => isTerminal(type));
    await stream.close();
  });
  await step("the service's own runner answers it", async () => {
    const { status, error } = await patiently(
      { lookMs: patience.streamMs },
      async () => {
        const { job } = await client.queries.get(jobId, { generation });
        return isTerminal(job.status) ? job : null;
      },
      "it has no end",
    );
    must(status === "completed", `it ends as ${status}, ${error?.code}`);
  });
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

async function seeTicket({ client, as, optional }: Smoke, jobId: string): Promise<void> {
  await optional("a ticket lets a reader at this query, and at nothing else", async () => {
    const given = await client.queries
      .ticket(jobId, { generation, ttlMs: 60_000 })
      .catch((error: unknown) => {
        const isOff = error instanceof HoldfastError && error.code === "misconfigured";
        throw isOff ? new AbsentError("HOLDFAST_SECRET is not set there") : error;
      });
    const reader = as(given.ticket);
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
    await replayed(client, jobId);
    await queries.ack(jobId, { generation });
  });
}
