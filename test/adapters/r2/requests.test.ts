/** What things cost: protocols 8, with the markers of protocols 3.5. Puts and lists are what R2 bills most. */
import { afterAll, describe, expect, it } from "vitest";
import { r2Storage } from "../../../adapters/storage/r2.ts";
import { openBench } from "../../services/emails/bench.ts";
import { FIRST_VIEW, KEY, lease, leased, present } from "../../services/emails/given.ts";
import { mailing } from "../../services/reconcile/given.ts";
import { counting, openR2, type Requests } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

async function opened() {
  const { bucket, ...place } = r2.place();
  const counted = counting(bucket);
  const storage = r2Storage({ bucket: counted.bucket, prefix: place.prefix });
  const { emails, holdfast } = await mailing(await openBench({ ...place, storage }));
  /** The requests of `work`, and what it answers. */
  async function cost<T>(work: () => Promise<T>): Promise<{ requests: Requests; answer: T }> {
    const before = { ...counted.requests };
    const answer = await work();
    const { get, put, list, delete: removed } = counted.requests;
    const requests = {
      get: get - before.get,
      put: put - before.put,
      list: list - before.list,
      delete: removed - before.delete,
    };
    return { requests, answer };
  }
  return { emails, reconcile: holdfast.reconcile, cost };
}

const requests = (get: number, put: number, list: number, removed: number): Requests => ({
  get,
  put,
  list,
  delete: removed,
});

describe("requests of a lifecycle", () => {
  it("are two puts where the due time comes first or to another queue, one where it stays or ends", async () => {
    const { emails, cost } = await opened();
    const enqueued = await cost(() => emails.enqueue(KEY, FIRST_VIEW));
    expect(enqueued.requests).toEqual(requests(0, 2, 0, 0));
    const ready = await cost(() => emails.transition(enqueued.answer.job, ["pending"], "ready"));
    expect(ready.requests).toEqual(requests(0, 2, 0, 1));
    const acquired = await cost(() => emails.acquireDueLeases({ durationMs: 60_000, limit: 1 }));
    expect(acquired.requests).toEqual(requests(1, 1, 1, 0));
    const [job] = acquired.answer;
    const { leaseToken } = present(job);
    const extended = await cost(() => emails.extendSendingLease(KEY, leaseToken, 120_000));
    expect(extended.requests).toEqual(requests(1, 1, 0, 0));
    const sent = await cost(() =>
      emails.transitionSending(present(extended.answer), leaseToken, "sent"),
    );
    expect(sent.requests).toEqual(requests(0, 1, 0, 1));
    expect(sent.answer?.state).toBe("sent");
  });

  it("are one put for a job that is to be sent again later, and two for one that waits for a person", async () => {
    const { emails, cost } = await opened();
    const first = await leased(emails);
    const retried = await cost(() => emails.transitionSending(KEY, first.leaseToken, "ready"));
    expect(retried.requests).toEqual(requests(1, 1, 0, 0));
    const second = await lease(emails);
    const failed = await cost(() => emails.transitionSending(KEY, second.leaseToken, "failed"));
    expect(failed.requests).toEqual(requests(1, 2, 0, 1));
  });

  it("of a duplicate are one refused put with its marker, taken back, and a read", async () => {
    const { emails, cost } = await opened();
    await emails.enqueue(KEY, FIRST_VIEW);
    const again = await cost(() => emails.enqueue(KEY, FIRST_VIEW));
    expect(again.answer.created).toBe(false);
    expect(again.requests).toEqual(requests(1, 2, 0, 1));
  });
});

describe("requests of a pass with nothing due", () => {
  it("are two lists and at most two gets, and no write", async () => {
    const { emails, reconcile, cost } = await opened();
    await emails.enqueue(KEY, FIRST_VIEW);
    await emails.transition(KEY, ["pending"], "cancelled");
    await reconcile();
    const { requests: idle } = await cost(() => reconcile());
    expect(idle).toEqual(requests(1, 0, 2, 0));
  });
});
