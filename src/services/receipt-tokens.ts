/**
 * The dispatch tokens that one service was given, so that its callers need not carry them (protocols
 * 6.2, rule 8). In memory only, and used for no dispatch: a second one in the same process is no owner.
 */

/** Dispatches that one process has open. Past this the oldest is forgotten, whose owner says nothing. */
const TOKENS_MAX = 10_000;

export interface DispatchTokens {
  keep(id: string, token: string): void;
  of(id: string): string | null;
  forget(id: string): void;
}

export function dispatchTokens(): DispatchTokens {
  const tokens = new Map<string, string>();
  return {
    keep(id, token) {
      tokens.set(id, token);
      const [oldest] = tokens.keys();
      if (tokens.size > TOKENS_MAX && oldest !== undefined) tokens.delete(oldest);
    },
    of: (id) => tokens.get(id) ?? null,
    forget: (id) => void tokens.delete(id),
  };
}
