/**
 * The dispatch tokens that one service was given, so that its callers need not carry them (protocols
 * 6.2, rule 8). In memory only, and used for no dispatch: a second one in the same process is no owner.
 * Unless nobody ever learnt of the first that it was one: then nothing was run under its token, and the
 * next that asks may be its owner.
 */
import { isOf } from "../core/foreign.ts";
import { OutcomeUnknownError } from "../ports/faults.ts";
import { OperationReceiptStoreError } from "./receipt-errors.ts";

/** Dispatches that one process has open. Past this the oldest is forgotten, whose owner says nothing. */
const TOKENS_MAX = 10_000;

export interface DispatchTokens {
  keep(id: string, token: string): void;
  of(id: string): string | null;
  forget(id: string): void;
  /** Keeps the token of a dispatch under which nothing was begun, and nothing will be by its caller. */
  keepUnused(id: string, token: string): void;
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
    takeUnused(id) {
      const token = unused.get(id) ?? null;
      unused.delete(id);
      return token;
    },
  };
}

/**
 * Dispatches with a fresh token, or with one that nothing was begun under (`isOld`: its lease may be long
 * over). It is kept for the next caller when nobody knows what came of `work`.
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
    const isRefused = fault instanceof OperationReceiptStoreError;
    const isUnknown = old !== null || isOf(fault, OutcomeUnknownError);
    if (isUnknown && !isRefused) tokens.keepUnused(id, token);
    throw fault;
  }
}
