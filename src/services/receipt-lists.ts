/** Listing receipts: by pages, in the storage's order. */
import { openCursor, sealCursor } from "../core/cursor.ts";
import { safeParse } from "../core/safe-parse.ts";
import type { ReceiptStateName } from "../machines/receipts/fields.ts";
import {
  RECEIPTS_PAGE_DEFAULT,
  RECEIPTS_PAGE_MAX,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import type { Cursor } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { CorruptRecord } from "../store/store.ts";
import { pageWalk } from "./page-walk.ts";
import { RECEIPT_RECORDS, type ReceiptCommands, type ReceiptDeps } from "./receipt-commands.ts";
import { OperationReceiptStoreError } from "./receipt-errors.ts";

export interface ReceiptPage {
  /** By id, as the storage has them. */
  readonly receipts: readonly Receipt[];
  readonly corrupt: readonly CorruptRecord[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

/** A page as the original gives it. */
export interface ReceiptList extends ReceiptPage {
  /** The same receipts. */
  readonly items: readonly Receipt[];
  readonly hasMore: boolean;
}

export interface ReceiptPageOptions {
  /** 1 to 128. */
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor: string | null;
  /** Only receipts in this state; others are passed over, at most 1,000 for each page. */
  readonly state: ReceiptStateName | null;
}

export interface ReceiptLists {
  /** RECEIPT-30; 0 or nothing begins. Throws OperationReceiptStoreError for bad arguments. */
  list(cursor?: string | 0 | null, limit?: number): Promise<ReceiptList>;
  page(options: ReceiptPageOptions): Promise<ReceiptPage>;
}

export function receiptLists(deps: ReceiptDeps, commands: ReceiptCommands): ReceiptLists {
  const scope = `${deps.tenant ?? ""}/${RECEIPT_RECORDS}`;

  function placeOf(cursor: unknown): Cursor | null {
    if (cursor === null || cursor === undefined) return null;
    const place = typeof cursor === "string" ? openCursor(scope, cursor) : null;
    if (place !== null) return place as Cursor;
    throw new OperationReceiptStoreError(
      "invalid_cursor",
      "the cursor is not one that this listing gave",
    );
  }

  async function page({ limit, cursor: from, state }: ReceiptPageOptions): Promise<ReceiptPage> {
    const receipts: Receipt[] = [];
    const corrupt: CorruptRecord[] = [];
    let cursor = placeOf(from);
    const walk = pageWalk(limit);
    do {
      const wanted = walk.wanted(receipts.length);
      const found = await deps.store.list(RECEIPT_RECORDS, cursor, wanted);
      const readable = found.records.flatMap((stored) => {
        try {
          const receipt = commands.receiptOf(stored);
          return receipt === null ? [] : [receipt];
        } catch (fault) {
          if (!(fault instanceof RecordCorruptError)) throw fault;
          deps.observe("store.record_corrupt", 1);
          corrupt.push({ id: stored.key.slice(RECEIPT_RECORDS.length), reason: fault.reason });
          return [];
        }
      });
      receipts.push(...readable.filter((receipt) => state === null || receipt.state === state));
      corrupt.push(...found.corrupt);
      walk.read(wanted, readable);
      cursor = found.cursor;
    } while (cursor !== null && walk.hasRoom(receipts.length));
    return { receipts, corrupt, nextCursor: cursor === null ? null : sealCursor(scope, cursor) };
  }

  return {
    page,
    async list(cursor = null, limit = RECEIPTS_PAGE_DEFAULT) {
      if (!safeParse(receiptInputs.limit, limit).success) {
        throw new OperationReceiptStoreError(
          "invalid_request",
          `limit must be a whole number from 1 to ${RECEIPTS_PAGE_MAX}`,
        );
      }
      const found = await page({ limit, cursor: cursor === 0 ? null : cursor, state: null });
      return { ...found, items: found.receipts, hasMore: found.nextCursor !== null };
    },
  };
}
