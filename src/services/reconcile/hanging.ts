/** Sources that do not answer in time: what one pass knows of them, whatever the tenant. */
import type { Source } from "../../ports/source.ts";

export interface HangWatch {
  /** Whether it is not asked any more in this pass: it hung for two tenants, so it is not one's data. */
  isGivenUp(source: Source): boolean;
  /** Whether any source is. */
  isAnyGivenUp(): boolean;
  /** One more tenant was kept waiting in vain. */
  met(source: Source, tenant: string | null): void;
  /**
   * Which part of the time for scans a further tenant has, 0 to 1. It is halved with every wait in vain,
   * so that all of them together take no more than twice that of the first.
   */
  share(): number;
}

const HANGS_MAX = 2;

export function hangWatch(): HangWatch {
  const hangs = new Map<Source, number>();
  const tenants = new Set<string | null>();
  const isOver = (count: number): boolean => count >= HANGS_MAX;
  return {
    isGivenUp: (source) => isOver(hangs.get(source) ?? 0),
    isAnyGivenUp: () => [...hangs.values()].some(isOver),
    met(source, tenant) {
      hangs.set(source, (hangs.get(source) ?? 0) + 1);
      tenants.add(tenant);
    },
    share: () => 1 / 2 ** tenants.size,
  };
}
