/** Receipts that wait for time: dispatches that lapsed, and what is past its retention. */
import { openCursor, sealCursor } from "../core/cursor.ts";
import { isOver } from "../machines/receipts/retention.ts";
import type { Cursor } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Stored } from "../store/store.ts";
import { RECEIPT_MACHINE, type ReceiptCommands, type ReceiptDeps } from "./receipt-commands.ts";
import { OperationReceiptStoreError } from "./receipt-errors.ts";
import type { ReceiptRetirement } from "./receipt-retire.ts";

/** What was done to one of them; `kept`: nothing is to be done yet, or any more. */
export type Attended = "recovered" | "retired" | "kept";

export interface Recovery {
  /** Dispatches that lapsed and are outcome-unknown now. */
  readonly recovered: number;
  /** Entries looked at. */
  readonly scanned: number;
  /** Null when nothing more is due. */
  readonly nextCursor: string | null;
}

export interface DueReceipts {
  /** Does to one record of the `attend` queue what is due. Throws RecordCorruptError. */
  attend(stored: Stored): Promise<Attended>;
  /** What would be done to this record of that queue now. Throws RecordCorruptError. */
  attention(stored: Stored): Attended;
  /** One page, recovering lapsed dispatches and nothing else (RECEIPT-25 to 27, 32). */
  recover(options: { limit: number; cursor: string | null }): Promise<Recovery>;
  /** One page, retiring; how many are tombstones now. */
  retire(limit: number): Promise<number>;
}

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

  async function page(limit: number, cursor: Cursor | null, only: Attended) {
    const until = clock.now();
    const found = await store.due(RECEIPT_MACHINE, "attend", { until, cursor, limit });
    let done = 0;
    for (const entry of found.entries) {
      try {
        const stored = await store.confirmDue(entry);
        if (stored !== null && (await attend(stored, only)) === only) done += 1;
      } catch (fault) {
        // One that cannot be read stops no other.
        if (!(fault instanceof RecordCorruptError)) throw fault;
        observe("store.record_corrupt", 1);
      }
    }
    return { done, scanned: found.entries.length, cursor: found.cursor };
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
      const place = cursor === null ? null : openCursor(scope, cursor);
      if (cursor !== null && place === null) {
        throw new OperationReceiptStoreError(
          "invalid_cursor",
          "the cursor is not one that a recovery gave",
        );
      }
      const found = await page(limit, place as Cursor | null, "recovered");
      const nextCursor = found.cursor === null ? null : sealCursor(scope, found.cursor);
      return { recovered: found.done, scanned: found.scanned, nextCursor };
    },
    retire: async (limit) => (await page(limit, null, "retired")).done,
  };
}
