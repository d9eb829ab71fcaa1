/** Checking keys, payloads and results as callers pass them. Throws OperationReceiptContractError. */
import type * as z from "zod/mini";
import { type Issue, issuesOf } from "../core/issues.ts";
import type { JsonValue } from "../core/json.ts";
import { safeParse } from "../core/safe-parse.ts";
import { payloadHashes } from "../machines/receipts/canonical.ts";
import { receiptInputs } from "../machines/receipts/inputs.ts";
import { type GivenKey, givenKey, type OperationKey } from "../machines/receipts/key.ts";
import { type Operation, type Operations, parseResult } from "../machines/receipts/operations.ts";
import { issueBelow } from "./input.ts";
import { OperationReceiptContractError } from "./receipt-errors.ts";

/** A key, and the payload or its hash: one of the two. */
export type PrepareRequest = GivenKey & {
  readonly payload?: unknown;
  /** Lower-case hex SHA-256 of the canonical text. */
  readonly payloadHash?: string;
};

export interface CheckedRequest {
  readonly key: OperationKey;
  readonly payloadHashes: readonly [string, ...string[]];
}

export function checkedRequest(request: PrepareRequest, operations: Operations): CheckedRequest {
  if (typeof request !== "object" || request === null) refuse("", "must be an object");
  const { payload, payloadHash, ...key } = request;
  if ((payload === undefined) === (payloadHash === undefined)) {
    refuse("payload", "either payload or payloadHash, and not both");
  }
  const checked = checkedKey(key, operations);
  if (payloadHash === undefined) return { key: checked, payloadHashes: hashesOf(payload) };
  return {
    key: checked,
    payloadHashes: [contract(receiptInputs.payloadHash, payloadHash, "payloadHash")],
  };
}

/** Also refuses a tool and action that nobody registered. */
export function checkedKey(key: unknown, operations: Operations): OperationKey {
  const checked = contract(givenKey, key, "");
  operationOf(checked, operations);
  return checked;
}

export function hashesOf(payload: unknown): readonly [string, ...string[]] {
  const hashed = payloadHashes(payload);
  if (hashed.ok) return hashed.hashes;
  return fail([issueBelow("payload", hashed.problem)]);
}

/** A receipt of an operation that is not registered any more can be read, and nothing more. */
export function operationOf(
  key: { readonly tool: string; readonly action: string },
  operations: Operations,
): Operation {
  const operation = operations.get(key);
  if (operation !== undefined) return operation;
  return refuse("action", "no such operation is registered: this tool has no such action");
}

export function checkedResult(result: unknown, operation: Operation, path = "result"): JsonValue {
  const parsed = parseResult(result, operation);
  return parsed.ok ? parsed.result : fail(parsed.issues.map((issue) => issueBelow(path, issue)));
}

/** What no operation can result in is refused before it is known which it is (RECEIPT-20). */
export function checkedForAny(result: unknown, operations: Operations): void {
  if (operations.all.some((operation) => parseResult(result, operation).ok)) return;
  checkedResult(result, operationOf(ANYTHING, operations));
}

/** The operation whose results are any JSON: why not even it can result in something is what is told. */
const ANYTHING = { tool: "custom", action: "call" };

export function contract<T>(schema: z.core.$ZodType<T>, value: unknown, path: string): T {
  const parsed = safeParse(schema, value);
  if (parsed.success) return parsed.data;
  return fail(issuesOf(parsed.error).map((issue) => issueBelow(path, issue)));
}

function refuse(path: string, message: string): never {
  return fail([{ path, message }]);
}

function fail(issues: readonly Issue[]): never {
  throw new OperationReceiptContractError(issues);
}
