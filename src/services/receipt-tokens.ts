/**
 * The dispatch tokens that one service was given, so that its callers need not carry them (protocols
 * 6.2, rule 8). In memory only, and used for no dispatch: a second one in the same process is no owner.
 * Unless nobody ever learnt of the first that it was one: then nothing was run under its token, and the
 * next that asks may be its owner.
 */
import { isOf } from "../core/foreign.ts";
import { OperationReceiptStoreError, type ReceiptErrorCode } from "./receipt-errors.ts";

/** Dispatches that one process has open. Past this the oldest is forgotten, whose owner says nothing. */
const TOKENS_MAX = 10_000;

export interface DispatchTokens {
  keep(id: string, token: string): void;
  of(id: string): string | null;
  forget(id: string): void;
  /** Keeps the token of a dispatch under which nothing was begun, and nothing will be by its caller. */
  keepUnused(id: string, token: string): void;
  hasUnused(id: string): boolean;
  /** That token, to one caller; null: there is none. */
  takeUnused(id: string): string | null;
}

export function dispatchTokens(): DispatchTokens {
  const given = new Map<string, string>();
  const unused = new Map<string, string>();

  function keep(tokens: Map<string, string>, id: string, token: string): void {
    tokens.set(id, token);
    const [oldest] = tokens.keys();
    if (tokens.size > TOKENS_MAX && oldest !== undefined) tokens.delete(oldest);
  }

  return {
    keep: (id, token) => keep(given, id, token),
    of: (id) => given.get(id) ?? null,
    forget: (id) => void given.delete(id),
    keepUnused: (id, token) => keep(unused, id, token),
    hasUnused: (id) => unused.has(id),
    takeUnused(id) {
      const token = unused.get(id) ?? null;
      unused.delete(id);
      return token;
    },
  };
}

/** Refusals that tell nothing of whether an earlier try with the token made it the owner, or will yet. */
const TELLING_NOTHING: readonly ReceiptErrorCode[] = [
  "operation_receipt_conflict",
  "operation_receipt_capacity",
  "receipt_not_found",
];

/**
 * Dispatches with a fresh token, or with one that nothing was begun under (`isOld`: its lease may be long
 * over). Where `work` throws nothing was begun under it either, so it is kept for the next caller, unless the
 * receipt was found in a state that it never leaves for a dispatch of this token.
 */
export async function dispatchedWith<T>(
  tokens: DispatchTokens,
  { id, freshToken }: { readonly id: string; readonly freshToken: () => string },
  work: (token: string, isOld: boolean) => Promise<T>,
): Promise<T> {
  const old = tokens.takeUnused(id);
  const token = old ?? freshToken();
  try {
    return await work(token, old !== null);
  } catch (fault) {
    const isRefused = isOf(fault, OperationReceiptStoreError);
    // A refusal goes before any write, but for that of an earlier call with the token.
    const isOpen = !isRefused || (old !== null && TELLING_NOTHING.includes(fault.code));
    // Of two callers that failed at once the older token is likelier to be the owner's.
    if (isOpen && (old !== null || !tokens.hasUnused(id))) tokens.keepUnused(id, token);
    throw fault;
  }
}
