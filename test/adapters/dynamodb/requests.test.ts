/** What is asked of DynamoDB: each request is paid for, and takes its milliseconds. */
import { afterEach, describe, expect, it } from "vitest";
import { after, epochMs, seconds } from "../../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";
import type { MailOptions } from "../../../src/services/app.ts";
import { openLogs } from "../../../src/store/log.ts";
import { collect, largeItems } from "../../conformance/log-given.ts";
import { MESSAGE, present } from "../../services/emails/given.ts";
import { OTHER_CLIENT_JOB_ID, REQUEST } from "../../services/queries/given.ts";
import { FROM, outbox } from "../../services/reconcile/given.ts";
import { contextOf, openedBackend, sharedFront, storageOn } from "./given.ts";

const front = sharedFront();

describe("requests to DynamoDB", () => {
  const opened: Holdfast[] = [];
  afterEach(async () => {
    for (const holdfast of opened.splice(0)) await holdfast.close();
  });

  async function open(table: string, mail?: MailOptions): Promise<Holdfast> {
    const holdfast = await createHoldfast({
      storage: storageOn(front().endpoint, table),
      ...(mail === undefined ? {} : { mail }),
    });
    opened.push(holdfast);
    return holdfast;
  }

  it("an email's life is four writes and no read where each answer is passed on", async () => {
    const { emails } = await open(await front().createTable());
    await emails.enqueue("first", MESSAGE);
    front().takeCounts();
    const { job } = await emails.enqueue("a", MESSAGE);
    const ready = present(await emails.transition(job, ["pending"], "ready"));
    const leased = present(await emails.acquireSendingLease(ready, 60_000));
    await emails.transitionSending(leased, present(leased.leaseToken), "sent");
    expect(front().takeCounts()).toEqual({ PutItem: 4 });
  });

  it("a query's chunk is one write and one read, and a poll one read (protocols 5.6)", async () => {
    const table = await front().createTable();
    const { queries } = await open(table);
    await queries.admit({ ...REQUEST, clientJobId: OTHER_CLIENT_JOB_ID });
    front().takeCounts();
    const { job } = await queries.admit(REQUEST);
    expect(front().takeCounts()).toEqual({ GetItem: 2, PutItem: 2 });
    const { jobId } = job;
    await queries.markStarting(jobId);
    expect(front().takeCounts()).toEqual({ GetItem: 4, PutItem: 1 });
    await queries.appendPartial(jobId, "x");
    expect(front().takeCounts()).toEqual({ GetItem: 1, PutItem: 1 });
    await queries.heartbeat(jobId);
    expect(front().takeCounts()).toEqual({ GetItem: 1, PutItem: 1 });
    const other = await open(table);
    front().takeCounts();
    // Part 1 tells whose it is; one query brings all parts, then the end of the log and the root.
    await other.queries.getSnapshot(jobId);
    expect(front().takeCounts()).toEqual({ GetItem: 3, Query: 1 });
    await other.queries.getSnapshot(jobId);
    expect(front().takeCounts()).toEqual({ GetItem: 2 });
  });

  it("a step that is given the key alone is at most one read and one write", async () => {
    const table = await front().createTable();
    const { emails } = await open(table);
    await emails.enqueue("a", MESSAGE);
    const other = await open(table);
    front().takeCounts();
    await other.emails.transition("a", ["pending"], "ready");
    expect(front().takeCounts()).toEqual({ GetItem: 1, PutItem: 1 });
    const { leaseToken } = present(await other.emails.acquireSendingLease("a", 60_000));
    expect(front().takeCounts()).toEqual({ GetItem: 1, PutItem: 1 });
    await other.emails.transitionSending("a", present(leaseToken), "sent");
    expect(front().takeCounts()).toEqual({ GetItem: 1, PutItem: 1 });
  });

  it("a known key is one refused write, since the refusal shows the job", async () => {
    const table = await front().createTable();
    const first = await open(table);
    await first.emails.enqueue("a", MESSAGE);
    const second = await open(table);
    front().takeCounts();
    const { created } = await second.emails.enqueue("a", MESSAGE);
    expect(created).toBe(false);
    expect(front().takeCounts()).toEqual({ PutItem: 1 });
  });

  it("the loser of a race is told the winner's job by its refusal, without a read", async () => {
    const table = await front().createTable();
    const [one, other] = [await open(table), await open(table)];
    const { job } = await one.emails.enqueue("a", MESSAGE);
    const stale = present(await other.emails.readJob("a"));
    await one.emails.transition(job, ["pending"], "ready");
    front().takeCounts();
    expect(await other.emails.transition(stale, ["pending"], "cancelled")).toBeNull();
    expect(front().takeCounts()["PutItem"]).toBe(1);
  });

  it("a pass with nothing to do is a read, two queries for each shard, and no write", async () => {
    const mail = { mailer: outbox(), from: FROM };
    const holdfast = await open(await front().createTable(), mail);
    await holdfast.reconcile();
    front().takeCounts();
    await holdfast.reconcile();
    expect(front().takeCounts()).toEqual({ GetItem: 1, QueryIndex: 8 });
  });

  it("protocols 8 a side effect costs two writes, and its replay one request", async () => {
    const { receipts } = await open(await front().createTable());
    // With its first entry a table notes over how many shards its due index is spread.
    await receipts.once({ operationId: "charge-0" }, 1, () => ({ charge: 0 }));
    const key = { operationId: "charge-1" };
    front().takeCounts();
    await receipts.once(key, 1, () => ({ charge: 1 }));
    expect(front().takeCounts()).toEqual({ PutItem: 2 });
    expect((await receipts.once(key, 1, () => ({ charge: 2 }))).replayed).toBe(true);
    expect(front().takeCounts()).toEqual({ PutItem: 1 });
  });

  it("protocols 5.6 a log is one write a part, one query a replay, and one read a poll", async () => {
    const { backend } = await openedBackend(front());
    const log = openLogs({ ...contextOf(), backend }, "queries/log").open("0b0e1c1c");
    const soon = after(epochMs(Date.now()), seconds(20));
    for (let first = 1; first <= 40; first += 1) {
      await log.draft({ about: {}, items: [first] }).create(first, soon);
    }
    expect(front().takeCounts()).toEqual({ PutItem: 40 });
    expect(await collect(log.readFrom(0))).toHaveLength(40);
    expect(front().takeCounts()).toEqual({ Query: 1, GetItem: 1 });
    expect(await collect(log.readFrom(38))).toHaveLength(2);
    expect(front().takeCounts()).toEqual({ Query: 1, GetItem: 1 });
    expect(await collect(log.readOn(40))).toEqual([]);
    expect(front().takeCounts()).toEqual({ GetItem: 1 });
    const late = log.draft({ about: {}, items: largeItems() });
    expect(await late.create(40, soon)).toBe("taken");
    expect(front().takeCounts()).toEqual({ PutItem: 3 });
    await late.create(41, soon);
    expect(front().takeCounts()).toEqual({ PutItem: 1 });
    await collect(log.readOn(40));
    expect(front().takeCounts()).toEqual({ GetItem: 4 });
    while ((await log.removeSome()) === "more");
    expect(front().takeCounts()).toEqual({ Query: 2, DeleteItem: 43 });
    await backend.close();
  });

  it("opening is one read; a new table costs one more, and two with its first entry", async () => {
    const table = await front().createTable();
    front().takeCounts();
    const { emails } = await open(table);
    expect(front().takeCounts()).toEqual({ GetItem: 1, ScanIndex: 1 });
    await emails.enqueue("a", MESSAGE);
    expect(front().takeCounts()).toEqual({ GetItem: 1, PutItem: 2 });
    await open(table);
    expect(front().takeCounts()).toEqual({ GetItem: 1 });
  });
});
