/**
 * The process that is recorded: work of all three machines on a folder, through three openings of it, the
 * last ones minutes and weeks later, when leases lapsed and what is finished is past its retention. What
 * is being written is read all the while. Arguments: folder, sharing, number of the boot.
 */
import { createHoldfast, type Holdfast, type Tenant } from "../../src/holdfast.ts";
import { clockAhead, type Sharing, SOON_MS, seen, storageDuring } from "./boots.ts";
import { RECORDING_VARIABLE } from "./operations.ts";
import { type TellingBackend, tellTo } from "./telling.ts";

const [directory = "", sharing = "processes", boot = "1"] = process.argv.slice(2);
const telling = tellTo(process.env[RECORDING_VARIABLE] ?? "");

const MINUTES = 60_000;
const WEEKS = 7 * 24 * 60 * MINUTES;
const LIMITS = { emailRetentionMs: WEEKS, receiptCapacity: 8 };

async function emailWork({ emails }: Tenant, name: string): Promise<void> {
  const keys = [1, 2, 3, 4].map((n) => `${name}:${n}`);
  await Promise.all(
    keys.map(async (key) => {
      const payload = { type: "first-view", recipient: "a@example.com", recordingIds: [key] };
      const { job } = await emails.enqueue(key, payload);
      await emails.enqueue(key, payload);
      await emails.transition(job, ["pending"], "ready");
    }),
  );
  const leased = await emails.acquireDueLeases({ durationMs: MINUTES, limit: 3 });
  const ends = ["sent", "ready", "failed"] as const;
  await Promise.all(
    leased.map(async (job, n) => {
      await emails.extendSendingLease(job, job.leaseToken, 2 * MINUTES);
      // The last one is left to whoever comes when its lease is over.
      const to = ends[n];
      if (n < 2 && to !== undefined) await emails.transitionSending(job, job.leaseToken, to);
    }),
  );
}

async function receiptWork({ receipts }: Tenant, name: string): Promise<void> {
  const key = (n: number) => ({ workspaceId: name, operationId: `${name}-${n}` });
  const operation = (n: number) => ({ ...key(n), payload: { n } });
  await receipts.once(key(0), { n: 0 }, () => ({ charged: 1 }));
  await Promise.all(
    [1, 2, 3].map(async (n) => {
      const { receipt } = await receipts.prepare(operation(n));
      await receipts.prepare(operation(n));
      const { dispatchToken } = await receipts.dispatch(receipt);
      const options = { dispatchToken: dispatchToken ?? "" };
      if (n === 1) {
        await receipts.renewDispatch(receipt, 2 * MINUTES, options);
        await receipts.markAccepted(receipt, { ok: true }, options);
        await receipts.markTerminal(receipt);
      }
      if (n === 2) {
        await receipts.markOutcomeUnknown(receipt, options);
        await receipts.resolve(receipt, { outcome: "happened", result: 1, resolvedBy: "ann" });
        await receipts.markAccepted(receipt, { late: true }, options).catch(() => {});
      }
    }),
  );
}

/** The answers of five jobs, of which two are left half-way, and one is longer than a record. */
async function queryWork({ queries }: Tenant, name: string): Promise<void> {
  await Promise.all(
    [1, 2, 3, 4, 5].map(async (n) => {
      const clientJobId = `${n}1111111-1111-4111-8111-1111111${name}111`;
      const request = {
        clientJobId,
        generation: 1,
        query: "a prompt",
        sessionId: `s-${name}-${n}`,
      };
      const { job } = await queries.admit({ ...request, activityToolMode: "preview" });
      if (n === 1) return;
      const { leaseToken } = await queries.markStarting(job.jobId);
      const holder = { leaseToken: leaseToken ?? "" };
      await queries.markRunning(job.jobId, { provider: "claude" }, holder);
      const text = n === 5 ? "\u20ac".repeat(100_000) : "A few words. ";
      for (let part = 0; part < (n === 5 ? 1 : 4); part += 1) {
        await queries.appendPartial(job.jobId, text, "", false, holder);
      }
      if (n === 2) return;
      const { partialText } = await queries.getSnapshot(job.jobId);
      if (n === 3) await queries.cancel(job.jobId, 1);
      else {
        await queries.markAnswerReady(job.jobId, partialText, {}, holder);
        if (n === 5) await queries.complete(job.jobId, { text: partialText }, holder);
      }
    }),
  );
}

/** As those do who follow a job: again and again, whatever is in the middle of being written. */
async function watch(backend: TellingBackend, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (const key of backend.underWay) await backend.get(key);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function live(aheadMs: number, work: (holdfast: Holdfast) => Promise<void>): Promise<void> {
  let watching: Promise<void> = Promise.resolve();
  let isOver = false;
  const storage = seen(storageDuring(Number(boot), directory, sharing as Sharing), (backend) => {
    const told = telling(backend);
    watching = watch(told, () => isOver);
    return told;
  });
  const holdfast = await createHoldfast({ storage, clock: clockAhead(aheadMs), limits: LIMITS });
  await work(holdfast);
  isOver = true;
  await watching;
  await holdfast.close();
}

async function workOf(tenant: Tenant, name: string): Promise<void> {
  await Promise.all([emailWork(tenant, name), receiptWork(tenant, name), queryWork(tenant, name)]);
}

await live(SOON_MS, async (holdfast) => {
  await Promise.all([workOf(holdfast, `${boot}a`), emailWork(holdfast.tenant("acme"), `${boot}b`)]);
});
await live(10 * MINUTES, async (holdfast) => {
  await holdfast.reconcile();
  await receiptWork(holdfast, `${boot}c`);
});
await live(8 * WEEKS, async (holdfast) => {
  await holdfast.reconcile();
  await holdfast.queries.gc();
});
