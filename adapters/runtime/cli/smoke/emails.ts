/** Smoke: the life of one email that is never due, so that nobody sends it. */
import { HoldfastError } from "../../../../src/client/client.ts";
import { giveUp, isListed, must, neverDue, patiently, refused, type Smoke } from "./looking.ts";

/** The service's own; nothing in a smoke test takes long. */
const LEASE_MS = 60_000;

const PASS_MS = 5_000;

export async function seeEmails(smoke: Smoke): Promise<void> {
  const { client, prefix, step, patience } = smoke;
  const { emails } = client;
  // What a proxy may decode once too often, or not at all.
  const key = `${prefix}: 100 % für ann@example.com`;
  try {
    await seeEnqueued(smoke, key);
    await step("a pass makes it ready", () => passed(smoke, key));
    const leaseToken = await seeLease(smoke, key);
    await step("it is settled, and settled again as before", async () => {
      const { job } = await emails.settle(key, { leaseToken, to: "cancelled" });
      must(job.state === "cancelled", `it is ${job.state}`);
      await emails.settle(key, { leaseToken, to: "cancelled" });
      await refused("lease_lost", emails.settle(key, { leaseToken, to: "ready" }));
    });
    await step("it is listed", () =>
      patiently(
        patience,
        async () => {
          const isThere = await isListed(
            async (from) => {
              const { jobs, nextCursor } = await emails.list({ state: "cancelled", ...from });
              return { items: jobs, nextCursor };
            },
            ({ logicalKey }) => logicalKey === key,
          );
          return isThere || null;
        },
        "it is in no list",
      ),
    );
  } catch (error) {
    await giveUp(client, key);
    throw error;
  }
}

async function seeEnqueued({ client, step }: Smoke, key: string): Promise<void> {
  const { emails } = client;
  const enqueue = (text: string) =>
    emails.enqueue({ ...neverDue(text), logicalKey: key, onPayloadMismatch: "conflict" });
  const text = "Nobody is sent this.";
  await step("an email is enqueued once, however often it is tried", async () => {
    const first = await enqueue(text);
    const again = await enqueue(text);
    must(first.job.logicalKey === key, "the key of the job is not the one that was sent");
    must(!again.created && again.job.createdAt === first.job.createdAt, "it was made twice");
    const { job } = await emails.read(key);
    must(job.logicalKey === key, "another job is read under its key");
  });
  await step("another email under its key is refused", () =>
    refused("job_payload_conflict", enqueue("Somebody is sent this.")),
  );
}

/** Another pass may be faster, or be under way, or have much to do. */
async function passed({ client, patience }: Smoke, key: string): Promise<void> {
  await patiently(
    patience,
    async () => {
      try {
        await client.reconcile({ budgetMs: PASS_MS });
      } catch (error) {
        if (!(error instanceof HoldfastError) || error.status !== 429) throw error;
      }
      const { job } = await client.emails.read(key);
      return job.state === "ready" ? job : null;
    },
    "no pass has made it ready",
  );
}

/** The token of a lease that stands. */
async function seeLease({ client, step }: Smoke, key: string): Promise<string> {
  const { emails } = client;
  const leaseToken = await step("one holder leases it, and no other", async () => {
    const { job } = await emails.lease(key, { durationMs: LEASE_MS });
    await refused("not_leasable", emails.lease(key, { durationMs: LEASE_MS }));
    must(typeof job.leaseToken === "string", "the lease shows no token: may the key write emails?");
    return job.leaseToken;
  });
  await step("the holder renews its lease, and nobody else can", async () => {
    await emails.extend(key, { leaseToken, durationMs: 2 * LEASE_MS });
    const wrong = emails.extend(key, { leaseToken: "of-another", durationMs: LEASE_MS });
    await refused("lease_lost", wrong);
  });
  return leaseToken;
}
