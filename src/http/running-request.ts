/**
 * How a request that is handed on inside the process, as `app.mount` does, is known to be the one whose
 * route runs: it is another object then, with a context of its own, and the same headers.
 */
import type { Context } from "hono";
import { sha256Hex } from "../core/hash.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";

/** Carries a mark that nobody can guess, and that means something only while the route runs. */
const MARK_HEADER = "x-holdfast-running";

const running = new Map<string, Receipt>();

/** The receipt under which the request's route runs already; null: it does not. */
export function runningReceipt(c: Context, key: string | undefined): Receipt | null {
  const own: Receipt | undefined = c.get("operationReceipt");
  if (own !== undefined) return own;
  const marked = running.get(c.req.header(MARK_HEADER) ?? "");
  // One that a route made of its own, with a key of its own beside headers that it copied, is another.
  const isSame = key !== undefined && marked?.operationId === operationIdOf(key);
  return isSame ? marked : null;
}

/** What a receipt has in the place of the key, which is not stored. */
export function operationIdOf(key: string): string {
  return sha256Hex(key);
}

/** Runs `route`; whoever is handed the request meanwhile finds the receipt. */
export async function runUnder(
  c: Context,
  receipt: Receipt,
  route: () => Promise<void>,
): Promise<void> {
  const mark = crypto.randomUUID();
  running.set(mark, receipt);
  try {
    c.set("operationReceipt", receipt);
    put(c, mark);
    await route();
  } finally {
    running.delete(mark);
  }
}

function put(c: Context, mark: string): void {
  const { raw } = c.req;
  try {
    raw.headers.set(MARK_HEADER, mark);
  } catch {
    // Some runtimes let nobody change what came in. Once its body is used, nobody can hand it on, either.
    if (raw.bodyUsed) return;
    const headers = new Headers(raw.headers);
    headers.set(MARK_HEADER, mark);
    c.req.raw = new Request(raw, { headers });
  }
}
