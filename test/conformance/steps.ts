/** Small steps that the conformance cases share. */
import type { Key } from "../../src/core/key.ts";
import { after, seconds } from "../../src/core/time.ts";
import type { RecordBody } from "../../src/store/header.ts";
import type { PutOptions, Store, Stored } from "../../src/store/store.ts";
import type { Bench } from "./fixture.ts";

export function body(count: number): RecordBody {
  return { fields: { count }, extra: {} };
}

/** Put options without a due time, and a deadline that no healthy storage reaches. */
export function deadline(bench: Bench, expected: "absent" | Stored): PutOptions {
  return { expected, due: null, deadlineAt: after(bench.clock.now(), seconds(20)) };
}

/** One read-modify-write, repeated until it is stored. */
export async function increment(bench: Bench, store: Store, key: Key): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const stored = await store.get(key);
    const next = Number(stored?.fields["count"] ?? 0) + 1;
    const result = await store.put(key, body(next), deadline(bench, stored ?? "absent"));
    if (result.kind === "stored") return;
  }
  throw new Error("the increment never got through");
}

export async function countOf(store: Store, key: Key): Promise<number> {
  return Number((await store.get(key))?.fields["count"] ?? 0);
}
