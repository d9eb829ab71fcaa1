/**
 * The run tokens that one service was given, so that its callers need not carry them. In memory only, and
 * used for no start: a second one in the same process holds no run.
 */

/** Runs that one process has open. Past this the oldest is forgotten, whose holder says nothing. */
const TOKENS_MAX = 10_000;

export interface RunTokens {
  keep(jobId: string, token: string): void;
  of(jobId: string): string | null;
  forget(jobId: string): void;
}

export function runTokens(): RunTokens {
  const tokens = new Map<string, string>();
  return {
    keep(jobId, token) {
      tokens.set(jobId, token);
      const [oldest] = tokens.keys();
      if (tokens.size > TOKENS_MAX && oldest !== undefined) tokens.delete(oldest);
    },
    of: (jobId) => tokens.get(jobId) ?? null,
    forget: (jobId) => void tokens.delete(jobId),
  };
}
