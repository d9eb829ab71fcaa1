/** Whether every record that waits is found by whoever looks for what is due. */
import { EPOCH_MS_MAX, epochMs } from "../../src/core/time.ts";
import type { Cursor, Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { createStore } from "../../src/store/store.ts";
import { prefixOf, TENANTS } from "./machine.ts";
import { splitKey, type Truth } from "./truth.ts";

/** Holds at every moment at which the index does not lag (protocols 3.3). */
export async function checkAllWaiting(truth: Truth, storage: Storage): Promise<void> {
  for (const tenant of TENANTS) await checkWaiting(truth, storage, tenant);
}

async function checkWaiting(truth: Truth, storage: Storage, tenant: string | null): Promise<void> {
  const found = await waitingKeys(storage, tenant);
  for (const key of truth.keys()) {
    if (splitKey(key)[0] !== prefixOf(tenant)) continue;
    const last = truth.last(key);
    if (last === null || last.ours["void"] === true) continue;
    if ((last.ours["due"] ?? null) !== null && !found.has(key)) truth.blame(`${key} waits unseen`);
  }
}

async function waitingKeys(storage: Storage, tenant: string | null): Promise<Set<string>> {
  const deps = {
    clock: systemClock(),
    random: systemRandom(),
    observe: () => {},
    foreignDue: () => null,
  };
  const backend = await storage.open({ ...deps, dueOf: () => null });
  const store = createStore({ ...deps, backend, tenant });
  const keys = new Set<string>();
  for (const queue of ["deliver", "attend", "stuck"] as const) {
    let cursor: Cursor | null = null;
    do {
      const page = await store.due(queue, {
        until: epochMs(EPOCH_MS_MAX),
        cursor,
        limit: 100,
      });
      for (const entry of page.entries) keys.add(entry.key);
      cursor = page.cursor;
    } while (cursor !== null);
  }
  return keys;
}
