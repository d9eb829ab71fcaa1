/** What may be left of what was not synced: the plain cases, and any that a seed chooses. */
import type { Survival } from "./disk-model.ts";

/** Only what was synced is there: a disk that had written nothing by itself. */
const NOTHING: Survival = {
  name: "nothing",
  keepsName: () => false,
  bytesOf: (_inode, durable) => durable,
};

/** All of it is there: also what a process leaves that is killed while the power stays. */
export const EVERYTHING: Survival = {
  name: "everything",
  keepsName: () => true,
  bytesOf: (_inode, _durable, now) => now,
};

/** Names without the bytes behind them, as file systems leave them that write bytes late. */
const NAMES_ALONE: Survival = {
  name: "names alone",
  keepsName: () => true,
  bytesOf: (_inode, durable) => durable,
};

/** The plain cases, and `seeds` more, which differ from cut to cut. */
export function survivals(at: number, seeds: number): readonly Survival[] {
  const drawn = Array.from({ length: seeds }, (_, seed) => lots(at * 1_009 + seed));
  return [NOTHING, EVERYTHING, NAMES_ALONE, ...drawn];
}

/** Of every name and every file its own lot, drawn by `seed`. */
function lots(seed: number): Survival {
  return {
    name: `lots ${seed}`,
    keepsName: (change) => drawn(seed, change) < 0.5,
    bytesOf(inode, durable, now) {
      if (now === durable) return now;
      const kind = drawn(seed, -inode);
      const more = drawn(seed, inode + 0.5) * (now.length - durable.length);
      const at = durable.length + Math.floor(more);
      if (now.length <= durable.length) return kind < 0.5 ? durable : now;
      if (kind < 0.25) return durable;
      if (kind < 0.5) return now;
      if (kind < 0.75) return now.subarray(0, at);
      // Its length is known, and the rest of its bytes were never written.
      return new Uint8Array(now).fill(0, at);
    },
  };
}

/** In [0, 1), the same for the same two numbers. */
function drawn(seed: number, n: number): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(Math.round(n * 2) + 7, 0x85ebca6b);
  for (const factor of [0x7feb352d, 0x846ca68b]) {
    mixed = Math.imul(mixed ^ (mixed >>> 15), factor);
  }
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
