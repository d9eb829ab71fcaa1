/** What each step costs in requests (protocols 8, with markers as in 3.5). Removals are free on S3. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { captureMailer } from "../../../adapters/mail/capture.ts";
import { after, seconds } from "../../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../../src/holdfast.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import type { Emails, Job } from "../../../src/services/emails.ts";
import { openLogs } from "../../../src/store/log.ts";
import { collect, largeItems } from "../../conformance/log-given.ts";
import { type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { REQUEST } from "../../services/queries/given.ts";
import { openOn, storageOn } from "./fixture.ts";

const PAYLOAD = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Good day." };
const KEY = "welcome:ann@example.com";

let fake: FakeS3;
let holdfast: Holdfast;
let emails: Emails;
beforeEach(async () => {
  fake = await fakeS3();
  const mail = { mailer: captureMailer({}), from: "Example <jobs@example.com>" };
  holdfast = await createHoldfast({ storage: storageOn(fake), mail });
  emails = holdfast.emails;
});
afterEach(async () => {
  await holdfast.close();
  await fake.close();
});

/** Requests since the last call: reads, writes, removals. Fails where anything was listed. */
function cost(): readonly [number, number, number] {
  const { get, put, list, delete: removals } = fake.counted();
  expect(list).toBe(0);
  return [get, put, removals];
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error("null");
  return value;
}

/** From enqueued to sent, each step given the job or its key. */
async function lifecycle(refer: (job: Job) => Job | string) {
  const costs: Record<string, readonly number[]> = {};
  const { job } = await emails.enqueue(KEY, PAYLOAD);
  costs["enqueue"] = cost();
  const ready = present(await emails.transition(refer(job), ["pending"], "ready"));
  costs["ready"] = cost();
  const leased = present(await emails.acquireSendingLease(refer(ready), 60_000));
  costs["lease"] = cost();
  const { leaseToken } = leased;
  const extended = present(await emails.extendSendingLease(refer(leased), leaseToken, 120_000));
  costs["extend"] = cost();
  await emails.transitionSending(refer(extended), leaseToken, "sent");
  costs["sent"] = cost();
  return costs;
}

describe("requests", () => {
  it("of an email's life, each step given the job: no read, six writes and one more for an extension", async () => {
    expect(await lifecycle((job) => job)).toEqual({
      enqueue: [0, 2, 0],
      ready: [0, 2, 1],
      lease: [0, 1, 0],
      extend: [0, 1, 0],
      sent: [0, 1, 1],
    });
    expect([...fake.objects.keys()]).toHaveLength(1);
  });

  it("of an email's life, each step given the key: one read more for each but the first", async () => {
    expect(await lifecycle(({ logicalKey }) => logicalKey)).toEqual({
      enqueue: [0, 2, 0],
      ready: [1, 2, 1],
      lease: [1, 1, 0],
      extend: [1, 1, 0],
      sent: [1, 1, 1],
    });
  });

  it("of a second enqueue: its marker and its refused record, a read, and the marker's removal", async () => {
    await emails.enqueue(KEY, PAYLOAD);
    cost();
    await emails.enqueue(KEY, PAYLOAD);
    expect(cost()).toEqual([1, 2, 1]);
  });

  it("of a pass with nothing to do: a page of each queue and a read of its place, and no write", async () => {
    // The first one notes when it was, for ever.
    await holdfast.reconcile();
    const { job } = await emails.enqueue(KEY, PAYLOAD);
    await emails.transition(job, ["pending"], "cancelled");
    fake.counted();
    await holdfast.reconcile();
    expect(fake.counted()).toEqual({ get: 1, put: 0, list: 2, delete: 0 });
  });

  it("of a query's life, driven here and read elsewhere (protocols 4.5, 5.6)", async () => {
    const { queries } = holdfast;
    const costs: Record<string, unknown> = {};
    const { job } = await queries.admit(REQUEST);
    costs["admit"] = fake.counted();
    const { jobId } = job;
    await queries.markStarting(jobId);
    costs["start"] = fake.counted();
    await queries.markRunning(jobId);
    costs["running"] = fake.counted();
    for (let n = 0; n < 20; n += 1) await queries.appendPartial(jobId, "x");
    costs["20 chunks"] = fake.counted();
    await queries.heartbeat(jobId);
    costs["heartbeat"] = fake.counted();
    const other = await createHoldfast({ storage: storageOn(fake) });
    fake.counted();
    await other.queries.getSnapshot(jobId);
    costs["read elsewhere"] = fake.counted();
    await other.queries.getSnapshot(jobId);
    costs["read again"] = fake.counted();
    await queries.markAnswerReady(jobId, "x".repeat(20));
    costs["answer ready"] = fake.counted();
    await queries.complete(jobId, { text: "x".repeat(20) });
    costs["complete"] = fake.counted();
    expect(costs).toEqual({
      // Root and fence; the part, the root and its due marker.
      admit: { get: 2, put: 3, list: 0, delete: 0 },
      // Root, fence, the check of the root, the fence again.
      start: { get: 4, put: 1, list: 0, delete: 0 },
      running: { get: 1, put: 1, list: 0, delete: 0 },
      "20 chunks": { get: 20, put: 20, list: 0, delete: 0 },
      heartbeat: { get: 1, put: 1, list: 0, delete: 0 },
      // Part 1 tells whose it is; 23 parts, the end of the log and the root.
      "read elsewhere": { get: 26, put: 0, list: 1, delete: 0 },
      "read again": { get: 2, put: 0, list: 0, delete: 0 },
      "answer ready": { get: 1, put: 1, list: 0, delete: 0 },
      // The root is told, and due when its retention is over.
      complete: { get: 1, put: 2, list: 0, delete: 0 },
    });
    await other.close();
  });

  it("of a log: a write a part, a list and a read a part to replay it, a read a poll (protocols 5.6)", async () => {
    const context = { clock: systemClock(), random: systemRandom(), observe: () => {} };
    const backend = await openOn(storageOn(fake));
    const log = openLogs({ ...context, backend }, "queries/log").open("0b0e1c1c");
    const soon = after(context.clock.now(), seconds(20));
    fake.counted();
    for (let first = 1; first <= 40; first += 1) {
      await log.draft({ about: {}, items: [first] }).create(first, soon);
    }
    expect(fake.counted()).toEqual({ get: 0, put: 40, list: 0, delete: 0 });
    expect(await collect(log.readFrom(0))).toHaveLength(40);
    expect(fake.counted()).toEqual({ get: 41, put: 0, list: 1, delete: 0 });
    expect(await collect(log.readFrom(38))).toHaveLength(2);
    expect(fake.counted()).toEqual({ get: 3, put: 0, list: 1, delete: 0 });
    expect(await collect(log.readOn(40))).toEqual([]);
    expect(fake.counted()).toEqual({ get: 1, put: 0, list: 0, delete: 0 });
    const late = log.draft({ about: {}, items: largeItems() });
    expect(await late.create(40, soon)).toBe("taken");
    expect(fake.counted()).toEqual({ get: 1, put: 3, list: 0, delete: 0 });
    await late.create(41, soon);
    expect(fake.counted()).toEqual({ get: 0, put: 1, list: 0, delete: 0 });
    await collect(log.readOn(40));
    expect(fake.counted()).toEqual({ get: 4, put: 0, list: 0, delete: 0 });
    while ((await log.removeSome()) === "more");
    expect(fake.counted()).toEqual({ get: 0, put: 0, list: 2, delete: 43 });
    await backend.close();
  });
});
