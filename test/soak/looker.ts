/** An operator: looks at lists, health and what is stuck, and asks for passes. */
import { setTimeout as sleep } from "node:timers/promises";
import { again, type Part } from "./role.ts";

const LOOK_MS = 2_000;

/** Of each list; the whole walk would grow with the soak. */
const PAGES = 3;

export async function looker(part: Part): Promise<void> {
  const { client, stopping } = part;
  const { emails, receipts, queries } = client;

  async function walk(page: (cursor: string | null) => Promise<Page>): Promise<void> {
    let cursor: string | null = null;
    for (let n = 0; n < PAGES; n += 1) {
      const { nextCursor, corrupt } = await page(cursor);
      if (corrupt.length > 0) throw new Error("a list has records that cannot be read");
      cursor = nextCursor;
      if (cursor === null) return;
    }
  }

  const from = (cursor: string | null) => (cursor === null ? {} : { cursor });
  await again(part, LOOK_MS, async () => {
    await walk((cursor) => emails.list({ limit: 50, ...from(cursor) }));
    await walk((cursor) => receipts.list({ limit: 50, ...from(cursor) }));
    await walk((cursor) => queries.list({ limit: 50, ...from(cursor) }));
    await client.health();
    await sleep(LOOK_MS / 2, undefined, { signal: stopping }).catch(() => {});
    await client.reconcile({ budgetMs: 2_000 });
  });
}

interface Page {
  readonly nextCursor: string | null;
  readonly corrupt: readonly unknown[];
}
