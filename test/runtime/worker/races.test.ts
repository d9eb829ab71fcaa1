/** Isolates that know nothing of each other, over one bucket: whatever they race for has one winner (G2). */
import { afterAll, expect, it } from "vitest";
import { type Client, HoldfastError } from "../../../src/client/client.ts";
import { MESSAGE } from "../../http/fixture.ts";
import { built } from "./built.ts";
import { startProvider } from "./provider.ts";
import { openWorkers } from "./workers.ts";

const ISOLATES = 3;

const provider = await startProvider();
const open = await openWorkers(await built(), { count: ISOLATES, env: provider.env });
afterAll(async () => {
  await open.close();
  provider.close();
});

const clients = open.workers.map(({ client }) => client());

/** What each isolate is answered, or refused by, when all ask at the same time. */
async function raced<T>(ask: (client: Client, n: number) => Promise<T>): Promise<(T | string)[]> {
  const asked = clients.map(async (client, n) => {
    try {
      return await ask(client, n);
    } catch (error) {
      if (error instanceof HoldfastError) return error.code;
      throw error;
    }
  });
  return Promise.all(asked);
}

function only<T>(answers: readonly (T | string)[], isWon: (answer: T) => boolean): T {
  const won = answers.filter((answer): answer is T => typeof answer !== "string" && isWon(answer));
  expect(won).toHaveLength(1);
  return won[0] as T;
}

const [first] = clients as [Client];

it("an email is enqueued once, leased by one, and settled by that one alone", async () => {
  const enqueued = await raced(({ emails }) =>
    emails.enqueue({ logicalKey: "one", payload: MESSAGE }),
  );
  only(enqueued, ({ created }) => created);
  await first.emails.transition("one", { from: ["pending"], to: "ready" });
  const leases = await raced(({ emails }) => emails.lease("one", { durationMs: 60_000 }));
  const { job } = only(leases, () => true);
  expect(leases.filter((answer) => answer === "not_leasable")).toHaveLength(ISOLATES - 1);
  const settled = await raced(({ emails }, n) =>
    emails.settle("one", { leaseToken: String(job.leaseToken), to: n === 0 ? "sent" : "failed" }),
  );
  const ends = settled.map((answer) => (typeof answer === "string" ? answer : answer.job.state));
  const { job: last } = await first.emails.read("one");
  expect(["sent", "failed"]).toContain(last.state);
  // Those who asked for what it came to are answered so, whoever was first; all others have lost it.
  const lost = last.state === "sent" ? "failed" : "sent";
  expect(ends).toContain(last.state);
  expect(ends).not.toContain(lost);
});

it("what is due is leased by one of those who look for it", async () => {
  for (const logicalKey of ["due-1", "due-2", "due-3"]) {
    await first.emails.enqueue({ logicalKey, payload: MESSAGE });
    await first.emails.transition(logicalKey, { from: ["pending"], to: "ready" });
  }
  const found = await raced(({ emails }) => emails.leaseDue({ durationMs: 60_000, limit: 10 }));
  const keys = found.flatMap((answer) =>
    typeof answer === "string" ? [answer] : answer.jobs.map(({ logicalKey }) => logicalKey),
  );
  expect(keys.sort()).toEqual(["due-1", "due-2", "due-3"]);
});

it("a text is claimed by one", async () => {
  const payload = { type: "two-clips", recipient: "ann@example.com", recordingIds: ["a", "b"] };
  await first.emails.enqueue({ logicalKey: "clips", payload, initialState: "awaiting_ai" });
  const claims = await raced(({ emails }, n) =>
    emails.claim("clips", { claimant: `writer-${n}@example.com` }),
  );
  only(claims, () => true);
});

it("a receipt is dispatched by one, and its outcome stands", async () => {
  const payload = { amount: 5 };
  const prepared = await raced(({ receipts }) =>
    receipts.prepare({ operationId: "charge", payload }),
  );
  const { receipt } = only(prepared, ({ created }) => created);
  const dispatched = await raced(({ receipts }) => receipts.dispatch(receipt.id));
  only(dispatched, ({ owned }) => owned);
});

it("a query is admitted once, run by one, and ends once", async () => {
  const ids = [1, 2, 3, 4].map((n) => `33333333-3333-4333-8333-33333333333${n}`);
  const jobs = await Promise.all(
    ids.map(async (clientJobId) => {
      const question = { clientJobId, generation: 1, query: "Why?", sessionId: clientJobId };
      const admitted = await raced(({ queries }) => queries.submit(question));
      return only(admitted, ({ created }) => created).job.jobId;
    }),
  );
  await Promise.all(
    jobs.map(async (jobId) => {
      const started = await raced(({ queries }) => queries.start(jobId, { generation: 1 }));
      const { run } = only(started, (answer) => answer.run !== null);
      const completed = run?.complete({ text: "No." });
      await Promise.all([
        // Where the others were first.
        completed?.catch((error: unknown) => expect(error).toMatchObject({ code: "lease_lost" })),
        raced(({ queries }) => queries.cancel(jobId, { generation: 1 })),
      ]);
      const { events } = await first.queries.events(jobId, { generation: 1 });
      expect(events.map(({ eventSeq }) => eventSeq)).toEqual(events.map((_, n) => n + 1));
      const ends = events.filter(({ type }) => type === "completed" || type === "canceled");
      expect(ends).toHaveLength(1);
    }),
  );
});

it("passes that meet send nothing twice", async () => {
  const keys = ["mail-1", "mail-2", "mail-3", "mail-4", "mail-5", "mail-6"];
  for (const logicalKey of keys) {
    await first.emails.enqueue({ logicalKey, payload: { ...MESSAGE, subject: logicalKey } });
    await first.emails.transition(logicalKey, { from: ["pending"], to: "ready" });
  }
  const outcomes = await Promise.all(open.workers.map(({ cron }) => cron()));
  expect(outcomes).toEqual(Array.from({ length: ISOLATES }, () => "ok"));
  expect(provider.posts.map(({ body }) => body["subject"]).sort()).toEqual(keys);
});
