/** Operations, results and receipts for the receipt suite. */
import { assert } from "../../../src/core/assert.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Receipt } from "../../../src/machines/receipts/receipt.ts";
import type { PrepareRequest } from "../../../src/services/receipt-input.ts";
import type { Dispatched, Receipts } from "../../../src/services/receipts.ts";

/** The key of section E, with its payload. */
export const START: PrepareRequest = {
  principalId: "stdio:owner",
  workspaceId: "workspace",
  sessionId: "session",
  memberId: "owner",
  memberGeneration: 1,
  tool: "session",
  action: "start-pi",
  operationId: "operation-1",
  payload: { prompt: "TOP SECRET", agent: "general", requestId: "transport-7" },
};

export const ID = "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f";
export const HASH = "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a";
export const RECORD = `receipts/records/${ID}`;

export const RESULT = { ok: true, status: "succeeded", data: { taskId: "task-1" } };
export const OTHER_RESULT = { ok: false, status: "failed", error: { code: "e", retryable: true } };

/** Lease and margin of a dispatch. */
export const LAPSE_MS = 90_000;

export const DAY = 86_400_000;

/** Another operation of the same caller. */
export function operation(operationId: string, workspaceId = "workspace"): PrepareRequest {
  return { ...START, operationId, workspaceId };
}

export async function prepared(receipts: Receipts, request = START): Promise<Receipt> {
  return (await receipts.prepare(request)).receipt;
}

export async function dispatched(
  receipts: Receipts,
  request = START,
): Promise<Dispatched & { readonly dispatchToken: string }> {
  const { dispatchToken, ...rest } = await receipts.dispatch(await prepared(receipts, request));
  assert(dispatchToken !== null, "not dispatched");
  return { ...rest, dispatchToken };
}

export async function accepted(receipts: Receipts, request = START): Promise<Receipt> {
  const { receipt, dispatchToken } = await dispatched(receipts, request);
  return receipts.markAccepted(receipt, RESULT, { dispatchToken });
}

export async function terminal(receipts: Receipts, request = START): Promise<Receipt> {
  return receipts.markTerminal(await accepted(receipts, request));
}

export async function unknown(receipts: Receipts, request = START): Promise<Receipt> {
  const { receipt, dispatchToken } = await dispatched(receipts, request);
  return receipts.markOutcomeUnknown(receipt, { dispatchToken });
}

/** By state, what leads to it. */
export const IN_STATE = {
  prepared,
  dispatching: async (receipts: Receipts) => (await dispatched(receipts)).receipt,
  accepted,
  terminal,
  "outcome-unknown": unknown,
} as const;

/** A file of the original. */
export function originals(fields: JsonObject): string {
  const { payload, ...key } = START;
  const at = 1_700_000_000_000;
  const record = {
    ...{ version: 1, id: ID, ...key, payloadHash: HASH, state: "prepared" },
    ...{ createdAt: at, updatedAt: at, preparedAt: at, ...fields },
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** What the work was rejected with. */
export async function thrown(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return { code: "nothing was thrown" };
}

export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return ((await thrown(work)) as { readonly code?: unknown }).code;
}

/** A call of `once`. */
export const KEY = { workspaceId: "w", operationId: "charge-1" };
export const PAYLOAD = { amount: 5 };

/** A side effect that is counted. */
export function charging(): { readonly effect: () => { charge: number }; count: number } {
  const charges = {
    count: 0,
    effect: () => {
      charges.count += 1;
      return { charge: charges.count };
    },
  };
  return charges;
}
