/** Smoke: that two tenants are apart. */
import { giveUp, must, neverDue, refused, type Smoke } from "./looking.ts";

const WHOSE = ["the first tenant's", "the second tenant's"] as const;

export async function seeTenants({ client, second, prefix, step, skip }: Smoke): Promise<void> {
  const name = "two tenants have a record each under the same name, and see no other";
  if (second === null) {
    skip(name, "HOLDFAST_SECOND_KEY is not set to a key of another tenant");
    return;
  }
  await step(name, async () => {
    const logicalKey = `${prefix}:tenants`;
    const [mine, theirs] = WHOSE;
    try {
      await client.emails.enqueue({ ...neverDue(mine), logicalKey });
      await refused("job_not_found", second.emails.read(logicalKey));
      const { created } = await second.emails.enqueue({ ...neverDue(theirs), logicalKey });
      must(created, "the second tenant meets the record of the first");
      for (const [who, text] of [[client, mine] as const, [second, theirs] as const]) {
        const { job } = await who.emails.read(logicalKey);
        must(job["text"] === text, "a tenant reads what another wrote");
      }
    } finally {
      await giveUp(client, logicalKey);
      await giveUp(second, logicalKey);
    }
  });
}
