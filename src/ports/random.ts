/** The only source of randomness. */

export interface Random {
  /** `count` bytes fit for secrets (tokens) and for names that must never meet again (write ids). */
  bytes(count: number): Uint8Array;
  /** Uniform in [0, 1): jitter only, never a secret. */
  fraction(): number;
}

export function systemRandom(): Random {
  return {
    bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    fraction: () => Math.random(),
  };
}
