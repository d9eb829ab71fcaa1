/** Receipts that wait for time: dispatches that lapsed, and what is past its retention. */
import { openCursor, sealCursor } from "../core/cursor.ts";
import { isOf } from "../core/foreign.ts";
import type { EpochMs } from "../core/time.ts";
import { isOver } from "../machines/receipts/retention.ts";
import type { Cursor, DueEntry } from "../ports/backend.ts";
import { ContendedError, RecordCorruptError } from "../ports/faults.ts";
import type { Stored } from "../store/store.ts";
import { RECEIPT_MACHINE, type ReceiptCommands, type ReceiptDeps } from "./receipt-commands.ts";
import { OperationReceiptStoreError } from "./receipt-errors.ts";
import type { ReceiptRetirement } from "./receipt-retire.ts";

/** What was done to one of them; `kept`: nothing is to be done yet, or any more. */
export type Attended = "recovered" | "retired" | "kept";

export interface Recovery {
  /** Dispatches that lapsed and are outcome-unknown now. */
  readonly recovered: number;
  /** Receipts and notes looked at. */
  readonly scanned: number;
  /** Null when nothing more is due. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

export interface DueReceipts {
  /** Does to one record of the `attend` queue what is due. Throws RecordCorruptError. */
  attend(stored: Stored): Promise<Attended>;
  /** What would be done to this record of that queue now. Throws RecordCorruptError. */
  attention(stored: Stored): Attended;
  /** One page, recovering lapsed dispatches and nothing else (RECEIPT-25 to 27, 32). */
  recover(options: { limit: number; cursor: string | null }): Promise<Recovery>;
  /** Walks the queue until `limit` are tombstones, or nothing more is due; how many are. */
  retire(limit: number): Promise<number>;
}

/** Entries of one page of a walk, at least. */
const PAGE = 100;

/**
 * Entries that one walk looks at, those of other machines included. Unreadable receipts and lapsed
 * dispatches stay in the queue.
 */
const SCANNED_MAX = 10_000;

export function dueReceipts(
  deps: ReceiptDeps,
  commands: ReceiptCommands,
  retirement: ReceiptRetirement,
): DueReceipts {
  const { store, clock, observe } = deps;
  const scope = `${deps.tenant ?? ""}/receipts/attend`;

  async function attend(stored: Stored, only: Attended | null = null): Promise<Attended> {
    const state = commands.stateOf(stored);
    if (state.kind === "live" && state.receipt.state === "dispatching") {
      if (only === "retired") return "kept";
      const outcome = await commands.runOn(stored, { kind: "recover" });
      return outcome.kind === "applied" ? "recovered" : "kept";
    }
    if (only === "recovered") return "kept";
    return (await retirement.retire(stored)) ? "retired" : "kept";
  }

  async function isDone(entry: DueEntry, only: Attended): Promise<boolean> {
    try {
      const stored = await store.confirmDue(entry);
      return stored !== null && (await attend(stored, only)) === only;
    } catch (fault) {
      // One that cannot be read, or that others keep changing, stops no other.
      if (isOf(fault, RecordCorruptError)) observe("store.record_corrupt", 1);
      else if (isOf(fault, ContendedError)) observe("receipt.pass.failure", 1);
      else throw fault;
      return false;
    }
  }

  /** Does at most `limit` of them, `size` entries of the queue at a time. */
  async function page(
    { limit, size }: { readonly limit: number; readonly size: number },
    { cursor, until }: { readonly cursor: Cursor | null; readonly until: EpochMs },
    only: Attended,
  ) {
    const found = await store.dueOf(RECEIPT_MACHINE, "attend", {
      until,
      cursor,
      limit: size,
    });
    let done = 0;
    for (const entry of found.entries) {
      if (done >= limit) break;
      if (await isDone(entry, only)) done += 1;
    }
    return { done, found: found.entries.length, scanned: found.scanned, cursor: found.cursor };
  }

  return {
    attend: (stored) => attend(stored),
    attention(stored) {
      const state = commands.stateOf(stored);
      const now = clock.now();
      if (state.kind !== "live" || stored.due?.queue !== "attend" || stored.due.at > now) {
        return "kept";
      }
      if (state.receipt.state === "dispatching") return "recovered";
      return isOver(state, now) ? "retired" : "kept";
    },
    async recover({ limit, cursor }) {
      // From JavaScript it may be anything.
      const place = typeof cursor === "string" ? openCursor(scope, cursor) : null;
      if (cursor !== null && place === null) {
        throw new OperationReceiptStoreError(
          "invalid_cursor",
          "the cursor is not one that a recovery gave",
        );
      }
      const from = { cursor: place as Cursor | null, until: clock.now() };
      const found = await page({ limit, size: limit }, from, "recovered");
      const nextCursor = found.cursor === null ? null : sealCursor(scope, found.cursor);
      return { recovered: found.done, scanned: found.found, nextCursor };
    },
    async retire(limit) {
      const until = clock.now();
      let [done, scanned] = [0, 0];
      let cursor: Cursor | null = null;
      do {
        const size = Math.max(limit - done, PAGE);
        const found: Awaited<ReturnType<typeof page>> = await page(
          { limit: limit - done, size },
          { cursor, until },
          "retired",
        );
        done += found.done;
        scanned += found.scanned;
        cursor = found.cursor;
      } while (cursor !== null && done < limit && scanned < SCANNED_MAX);
      return done;
    },
  };
}
