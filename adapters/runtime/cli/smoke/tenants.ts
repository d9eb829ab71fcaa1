/** Smoke: that two tenants are apart. */
import { AbsentError, giveUp, must, neverDue, refused, type Smoke } from "./looking.ts";

const NAME = "two tenants have a record each under the same name, and see no other";

export async function seeTenants({ client, second, prefix, optional }: Smoke): Promise<void> {
  await optional(NAME, async () => {
    if (second === null) throw new AbsentError("HOLDFAST_SECOND_KEY is not set");
    const logicalKey = `${prefix}:tenants`;
    const [mine, theirs] = ["the first tenant's", "the second tenant's"] as const;
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
