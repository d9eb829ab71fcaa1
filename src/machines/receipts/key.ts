/** The canonical key of an operation: who asks for what, and under which id of the caller's own. */
import * as z from "zod/mini";
import { assert } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { canonicalText } from "./canonical.ts";
import { givenName, memberGeneration, operationName } from "./fields.ts";

export interface OperationKey {
  readonly principalId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly memberId: string;
  readonly memberGeneration: number;
  readonly tool: string;
  readonly action: string;
  readonly operationId: string;
}

/** A key as a caller gives it: what is left out is `default`, generation 1, and `custom` / `call`. */
export type GivenKey = Partial<OperationKey> & Pick<OperationKey, "operationId">;

/** By field; a route composes its own from them. */
export const keyFields = {
  principalId: z._default(givenName, "default"),
  workspaceId: z._default(givenName, "default"),
  sessionId: z._default(operationName, "default"),
  memberId: z._default(operationName, "default"),
  memberGeneration: z._default(memberGeneration, 1),
  tool: z._default(operationName, "custom"),
  action: z._default(operationName, "call"),
  operationId: operationName,
};

/** Strict: a misspelt field must not quietly mean its default. */
export const givenKey = z.strictObject(keyFields);

/** The 8 fields of whatever has them, and no others. */
export function keyOf(from: OperationKey): OperationKey {
  const { principalId, workspaceId, sessionId, memberId, memberGeneration } = from;
  const { tool, action, operationId } = from;
  return {
    principalId,
    workspaceId,
    sessionId,
    memberId,
    memberGeneration,
    tool,
    action,
    operationId,
  };
}

/** The id of an operation's receipt: hex SHA-256 of the canonical text of its key (RECEIPT-8). */
export function receiptIdOf(key: OperationKey): string {
  return sha256Hex(textOf(keyOf(key)));
}

/** Names the scope whose receipts are counted together: a workspace of a tenant. */
export function scopeIdOf(workspaceId: string): string {
  return sha256Hex(textOf({ workspaceId }));
}

function textOf(value: object): string {
  const canonical = canonicalText(value);
  assert(canonical.ok, "a key is always JSON");
  return canonical.text;
}
