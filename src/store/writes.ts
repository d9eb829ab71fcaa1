/** One conditional write of a record, carried to its verdict. */
import type { WriteId } from "../core/ids.ts";
import type { Key } from "../core/key.ts";
import type { EpochMs } from "../core/time.ts";
import type { BackendRecord, Version } from "../ports/backend.ts";
import { encodeRecord, type Header, type RecordBody } from "./header.ts";
import { standingOf, type Write } from "./own-writes.ts";
import { type ForeignDue, readRecord, type Stored } from "./record.ts";
import { type SendDeps, sendUntilSettled, unknownOutcome } from "./sending.ts";

export interface WriteDeps extends SendDeps {
  readonly foreignDue: ForeignDue;
}

export interface WriteOrder {
  readonly key: Key;
  readonly body: RecordBody;
  /** The record that is expected, or null: none. */
  readonly base: Stored | null;
  readonly header: Header & { readonly w: WriteId };
  readonly deadlineAt: EpochMs;
}

export type WriteResult =
  | { readonly kind: "stored"; readonly stored: Stored }
  | { readonly kind: "conflict"; readonly current: Stored | null };

/** A version that no backend gives: a put that expects it is refused, and the record read anew. */
const SUPERSEDED = "superseded" as Version;

/** Throws what `sendUntilSettled` throws. */
export function writeRecord(deps: WriteDeps, order: WriteOrder): Promise<WriteResult> {
  const { key, base, header, deadlineAt } = order;
  return sendUntilSettled<WriteResult>(deps, {
    key,
    text: encodeRecord(order.body, header, deps.backend.format),
    condition: {
      expected: base === null ? "absent" : base.version,
      due: header.due,
      dueBefore: base?.due ?? null,
    },
    deadlineAt,
    onStored: (version) => ({ kind: "stored", stored: storedBy(order, version) }),
    judge: (found, isRefused) => judge(deps, order, found, isRefused),
  });
}

function judge(
  deps: WriteDeps,
  order: WriteOrder,
  found: BackendRecord | null,
  isRefused: boolean,
): WriteResult | "not_landed" {
  const current = found === null ? null : readRecord(order.key, found, deps.foreignDue);
  const write: Write = {
    w: order.header.w,
    expected: order.base === null ? "absent" : order.base.version,
    expectedV: order.base?.header.v ?? 0,
  };
  const standing = standingOf(write, current);
  if (standing === "not_landed") return standing;
  if (current === null && order.base !== null) {
    // Records are never removed, so nothing is known, not even by a refusal (protocols 1.1, step 5e).
    throw unknownOutcome(deps, "the record that was to be replaced is not there any more");
  }
  if (standing === "refused" || (standing === "unknowable" && isRefused)) {
    return { kind: "conflict", current };
  }
  if (standing === "unknowable") {
    throw unknownOutcome(deps, "others wrote so often since that the own write cannot be found");
  }
  deps.observe("store.put.own_write_recognised", 1);
  const version = standing === "stored" && current !== null ? current.version : SUPERSEDED;
  return { kind: "stored", stored: storedBy(order, version) };
}

function storedBy({ key, body, header }: WriteOrder, version: Version): Stored {
  return { key, version, header, due: header.due, fields: body.fields, extra: body.extra };
}
