/**
 * Counting the receipts that an original wrote, once in the life of a storage: they have no place of
 * their own, and their workspaces no count. Until that is done no receipt is prepared (protocols 6.1).
 */
import { sha256Hex } from "../core/hash.ts";
import { after } from "../core/time.ts";
import { scopeIdOf } from "../machines/receipts/key.ts";
import { EMPTY_SCOPE, scopeRecord } from "../machines/receipts/scope.ts";
import type { Cursor } from "../ports/backend.ts";
import { RecordCorruptError, StoreUnavailableError } from "../ports/faults.ts";
import { COMMAND_DEADLINE_MS, PAGE_MAX } from "../store/limits.ts";
import type { Stored } from "../store/store.ts";
import { scopeKey } from "./receipt-books.ts";
import { RECEIPT_RECORDS, type ReceiptCommands, type ReceiptDeps } from "./receipt-commands.ts";

/** Says that the count is done. No workspace's id is the hash of this text. */
export const COUNTED_KEY = scopeKey(sha256Hex("counted"));

/**
 * Resolves when the count is done. Throws StoreUnavailableError when it takes longer than a command may;
 * it goes on meanwhile, so a later call fares better.
 */
export function originalsCounted(
  deps: ReceiptDeps,
  commands: ReceiptCommands,
): () => Promise<void> {
  const { clock } = deps;
  let isDone = false;
  let running: Promise<void> | null = null;

  async function counting(): Promise<void> {
    try {
      await countOriginals(deps, commands);
      isDone = true;
    } finally {
      running = null;
    }
  }

  return async () => {
    if (isDone) return;
    running ??= counting();
    const late = new AbortController();
    const ends = running;
    // Nobody may be waiting any more when it fails; the next call begins another one.
    ends.catch(() => {});
    try {
      await Promise.race([ends, clock.sleep(deps.deadlineMs, late.signal)]);
    } finally {
      late.abort();
    }
    if (!isDone) {
      throw new StoreUnavailableError("the receipts that are there are still being counted", {
        isNotWritten: true,
      });
    }
  };
}

async function countOriginals(deps: ReceiptDeps, commands: ReceiptCommands): Promise<void> {
  if ((await deps.store.get(COUNTED_KEY)) !== null) return;
  const counts = await countByScope(deps, commands);
  // Only from a whole count, and only where there is none: whoever counted first may have gone on.
  for (const [scope, used] of counts) {
    await create(deps, scopeKey(scope), scopeRecord({ ...EMPTY_SCOPE, used }));
  }
  await counted(deps);
}

/** Says that a whole count is done. */
export async function counted(deps: Pick<ReceiptDeps, "store" | "clock">): Promise<void> {
  await create(deps, COUNTED_KEY, { countedAt: deps.clock.now() });
}

async function create(
  { store, clock }: Pick<ReceiptDeps, "store" | "clock">,
  key: Stored["key"],
  fields: Stored["fields"],
): Promise<void> {
  const deadlineAt = after(clock.now(), COMMAND_DEADLINE_MS);
  await store.put(key, { fields, extra: {} }, { expected: "absent", due: null, deadlineAt });
}

async function countByScope(
  { store, observe }: ReceiptDeps,
  commands: ReceiptCommands,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let cursor: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof store.list>> = await store.list(
      RECEIPT_RECORDS,
      cursor,
      PAGE_MAX,
    );
    for (const stored of page.records) {
      const scope = scopeOfUncounted(commands, stored);
      if (scope === "unreadable") observe("store.record_corrupt", 1);
      else if (scope !== null) counts.set(scope, (counts.get(scope) ?? 0) + 1);
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return counts;
}

/**
 * The scope of a receipt that has no place yet, as only an original's has none, or of the tombstone of one:
 * it keeps the place that it will be counted for until the count is done.
 */
function scopeOfUncounted(commands: ReceiptCommands, stored: Stored): string | "unreadable" | null {
  try {
    const state = commands.stateOf(stored);
    if (state.kind === "retired") return state.freed ? null : state.scope;
    if (state.kind !== "live" || state.extra.slot !== undefined) return null;
    return scopeIdOf(state.receipt.workspaceId);
  } catch (fault) {
    // Whose it is cannot be told, so it takes nobody's place.
    if (fault instanceof RecordCorruptError) return "unreadable";
    throw fault;
  }
}
