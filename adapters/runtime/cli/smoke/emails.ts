/** Smoke: the life of one email that is never due, so that nobody sends it. */
import { giveUp, isListed, must, neverDue, patiently, refused, type Smoke } from "./looking.ts";

/** The service's own; nothing in a smoke test takes long. */
const LEASE_MS = 60_000;

export async function seeEmails(smoke: Smoke): Promise<void> {
  const { client, prefix, step } = smoke;
  const { emails } = client;
  // What a proxy may decode once too often, or not at all.
  const key = `${prefix}: 100 % für ann@example.com`;
  let leaseToken = "";
  try {
    await seeEnqueued(smoke, key);
    // Not by a pass, which would send what others have due.
    await step("it is made ready", async () => {
      const { job } = await emails.transition(key, { from: ["pending", "ready"], to: "ready" });
      must(job.state === "ready", `it is ${job.state}`);
    });
    leaseToken = await step("it is leased", async () => {
      const { job } = await emails.lease(key, { durationMs: LEASE_MS });
      must(typeof job.leaseToken === "string", "the lease has no token: may the key write emails?");
      return job.leaseToken;
    });
    await seeLease(smoke, { key, leaseToken });
    await step("it is listed", () => listed(smoke, key));
  } catch (error) {
    // A lease that has run out would let it be sent, whatever was asked for before.
    await emails.settle(key, { leaseToken, to: "cancelled" }).catch(() => {});
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

interface Leased {
  readonly key: string;
  readonly leaseToken: string;
}

async function seeLease({ client, step }: Smoke, { key, leaseToken }: Leased): Promise<void> {
  const { emails } = client;
  await step("no other holder leases it, or renews its lease", async () => {
    await emails.extend(key, { leaseToken, durationMs: 2 * LEASE_MS });
    await refused("not_leasable", emails.lease(key, { durationMs: LEASE_MS }));
    const wrong = emails.extend(key, { leaseToken: "of-another", durationMs: LEASE_MS });
    await refused("lease_lost", wrong);
  });
  await step("it is settled, and settled again as before", async () => {
    const { job } = await emails.settle(key, { leaseToken, to: "cancelled" });
    must(job.state === "cancelled", `it is ${job.state}`);
    await emails.settle(key, { leaseToken, to: "cancelled" });
    await refused("lease_lost", emails.settle(key, { leaseToken, to: "ready" }));
  });
}

async function listed({ client, patience }: Smoke, key: string): Promise<void> {
  await patiently(
    patience,
    async () => {
      const isThere = await isListed(
        async (from) => {
          const { jobs, nextCursor } = await client.emails.list({ state: "cancelled", ...from });
          return { items: jobs, nextCursor };
        },
        ({ logicalKey }) => logicalKey === key,
      );
      return isThere || null;
    },
    "it is in no list",
  );
}
