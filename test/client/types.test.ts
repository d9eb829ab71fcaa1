/** What does not compile: the client's types are the routes' own. Most of this file is judged by the build. */
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type { Client, Job, QueryRun, RouteAnswer, RouteBody } from "../../src/client/client.ts";
import type * as replies from "../../src/http/email-replies.ts";
import type { emailRoutes } from "../../src/http/emails.ts";
import { service } from "./service.ts";

type Routes = typeof emailRoutes;

declare const wrongRun: QueryRun;

/** Never called. */
function wrong({ emails, receipts, queries, stuck, erase }: Client): void {
  const job = { generation: 1 };
  const payload = { type: "message", recipient: "ann@example.com" };
  // @ts-expect-error -- the key is missing
  void emails.enqueue({ payload });
  // @ts-expect-error -- a payload has a recipient
  void emails.enqueue({ logicalKey: "a", payload: { type: "message" } });
  // @ts-expect-error -- there is no such property
  void emails.enqueue({ logicalKey: "a", payload, priority: 1 });
  // @ts-expect-error -- a batch is made of what one enqueue takes
  void emails.enqueueBatch({ jobs: [{ logicalKey: "a" }] });
  // @ts-expect-error -- there is no such state
  void emails.transition("a", { from: ["pending"], to: "done" });
  // @ts-expect-error -- a lease is not settled to pending
  void emails.settle("a", { leaseToken: "t", to: "pending" });
  // @ts-expect-error -- a duration is a number
  void emails.lease("a", { durationMs: "60000" });
  // @ts-expect-error -- a limit is a number
  void emails.list({ limit: "10" });
  // @ts-expect-error -- a walk over all pages starts at the first
  void emails.listAll({ cursor: "c" });
  // @ts-expect-error -- a payload or its hash
  void receipts.prepare({ operationId: "o" });
  // @ts-expect-error -- not both
  void receipts.prepare({ operationId: "o", payload: 1, payloadHash: "a" });
  // @ts-expect-error -- what happened has a result
  void receipts.resolve("id", { outcome: "happened" });
  // @ts-expect-error -- nothing else has
  void receipts.resolve("id", { outcome: "abandoned", result: 1 });
  // @ts-expect-error -- a query has a session
  void queries.submit({ clientJobId: "id", generation: 1, query: "q" });
  // @ts-expect-error -- a job is read in a generation
  void queries.get("id", {});
  // @ts-expect-error -- there is no such status
  void queries.list({ status: "done" });
  // @ts-expect-error -- a ticket is for a generation
  void queries.ticket("id", {});
  // @ts-expect-error -- a cursor is a number
  void queries.follow("id", { generation: 1, after: "3" });
  // @ts-expect-error -- a snapshot frame has no number
  const numbered: AsyncIterable<{ readonly eventSeq: number }> = queries.follow("id", job);
  void numbered;
  // @ts-expect-error -- no run where another was first
  void queries.start("id", { generation: 1 }).then(({ run }) => run.leaseToken);
  // @ts-expect-error -- a run knows its token itself
  void wrongRun.complete({ text: "t", leaseToken: "t" });
  // @ts-expect-error -- there is no such kind
  void wrongRun.activity("thought", "t");
  // @ts-expect-error -- a job never holds what was asked
  void queries.get("id", { generation: 1 }).then(({ job }) => job.query);
  // @ts-expect-error -- one of the two
  void erase({ email: "a", receipt: "id" });
  // @ts-expect-error -- a call has its options last
  void stuck({ limit: 10 }, { requestID: "r" });
  // @ts-expect-error -- a token may be null for those who only read
  void emails.read("a").then(({ job }) => job.leaseToken.length);
  // @ts-expect-error -- null when nothing waits
  void emails.claimNext({ claimant: "a@example.com" }).then(({ job }) => job);
}

describe("the client's types", () => {
  it("are those of the routes", async () => {
    const { emails } = (await service()).client();
    expectTypeOf<RouteAnswer<Routes["read"]>>().toEqualTypeOf<z.output<typeof replies.foundJob>>();
    expectTypeOf<RouteBody<Routes["claim"]>>().toEqualTypeOf<{ readonly claimant: string }>();
    expectTypeOf(emails.claimNext).returns.resolves.toEqualTypeOf<z.output<
      typeof replies.claimAnswer
    > | null>();
    expectTypeOf<Job["attempts"]>().toEqualTypeOf<number>();
    expectTypeOf<QueryRun["request"]["query"]>().toEqualTypeOf<string>();
    expect(wrong).toBeTypeOf("function");
  });

  it("take what is frozen or constant", async () => {
    const { emails } = (await service()).client();
    const change = Object.freeze({ from: ["pending"], to: "ready" } as const);
    await expect(emails.transition("a", change)).rejects.toMatchObject({ code: "job_not_found" });
  });
});
