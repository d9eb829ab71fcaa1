/** The only source of randomness. */

export interface Random {
  /** `count` bytes fit for secrets (tokens) and for names that must never meet again (write ids). */
  bytes(count: number): Uint8Array;
  /** Uniform in [0, 1): jitter only, never a secret. */
  fraction(): number;
}

/** Bytes drawn from the system at once: a call for each write id costs more than the id's whole record. */
const POOL_BYTES = 4_096;

export function systemRandom(): Random {
  let pool = new Uint8Array(0);
  let used = 0;
  return {
    bytes(count) {
      if (count > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(count));
      if (used + count > pool.length) {
        pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
        used = 0;
      }
      used += count;
      return pool.slice(used - count, used);
    },
    fraction: () => Math.random(),
  };
}
