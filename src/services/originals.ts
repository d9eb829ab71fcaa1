/** Records that one of the original stores wrote: by which machine they are read, and when they are due. */
import type { JsonObject } from "../core/json.ts";
import type { Key } from "../core/key.ts";
import type { Due } from "../core/machine.ts";
import { type EmailKinds, emailKinds } from "../machines/emails/kinds.ts";
import type { ReceiptRules } from "../machines/receipts/commands.ts";
import { DISPATCH_MARGIN_MS, RETENTION_MS } from "../machines/receipts/inputs.ts";
import { type Operations, operations } from "../machines/receipts/operations.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Stored } from "../store/store.ts";
import { EMAIL_JOBS, emailCodec, foreignEmailDue } from "./email-commands.ts";
import { CONFIG_KEY, emailConfigCodec } from "./email-config.ts";
import { foreignReceiptDue, RECEIPT_RECORDS, receiptCodec } from "./receipt-commands.ts";

export interface Originals {
  readonly kinds: EmailKinds;
  readonly operations: Operations;
  readonly rules: ReceiptRules;
}

/** With what the originals have: whatever is of another kind was written by us, and says when it is due. */
export function plainOriginals(): Originals {
  const rules = { retentionMs: RETENTION_MS, marginMs: DISPATCH_MARGIN_MS };
  return { kinds: emailKinds([]), operations: operations([]), rules };
}

/** Throws RecordCorruptError. */
export function originalDue(by: Originals): (key: Key, fields: JsonObject) => Due | null {
  const emailDue = foreignEmailDue(by.kinds);
  const receiptDue = foreignReceiptDue(by.rules);
  return (key, fields) => emailDue(key, fields) ?? receiptDue(key, fields);
}

/** Throws RecordCorruptError for what is none of an original's, of the default tenant. */
export function checkOriginal(by: Originals, stored: Stored): void {
  const { key } = stored;
  if (key.startsWith(EMAIL_JOBS)) emailCodec(by.kinds).load(stored);
  else if (key === CONFIG_KEY) emailConfigCodec.load(stored);
  else if (key.startsWith(RECEIPT_RECORDS)) receiptCodec(by.operations, by.rules).load(stored);
  else throw new RecordCorruptError(key, "this version does not know records like this one");
}
