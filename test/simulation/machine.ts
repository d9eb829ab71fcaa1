/** What a simulated machine is made of, and what its actors are given. */
import type { Holdfast, Tenant } from "../../src/holdfast.ts";
import {
  ContendedError,
  OutcomeUnknownError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import type { HoldfastOptions } from "../../src/services/options.ts";
import { QueryJobStoreError } from "../../src/services/query-errors.ts";
import { OperationReceiptStoreError } from "../../src/services/receipt-errors.ts";
import type { Truth } from "./truth.ts";
import type { Process, World } from "./world.ts";

/** What all processes of a run have in common. */
export interface Setting {
  readonly seed: number;
  readonly world: World;
  readonly truth: Truth;
  /** Whether the bad time is over: nothing new is begun, and all that is begun comes to its end. */
  readonly isHealing: () => boolean;
}

/** One tenant of one process. */
export interface Stage extends Setting {
  readonly process: Process;
  readonly holdfast: Tenant;
  readonly tenant: string | null;
  /** Where this tenant's keys begin in the storage. */
  readonly prefix: string;
  /** Stands in what this tenant stores, so that it is known again. */
  readonly tag: string;
}

export type Opening = Omit<HoldfastOptions, "storage" | "clock" | "random">;

export interface Play {
  /** What a process opens Holdfast with. */
  opening(process: Process): Opening;
  /** Begins everything that a process does for a tenant. */
  live(stage: Stage): void;
  /** Whether everything came to its end. */
  isQuiet(): boolean;
  /** By a process that is alone, over a storage without faults. */
  checkEnd(judge: Stage): Promise<void>;
}

export interface Machine {
  readonly name: string;
  begin(setting: Setting): Play;
}

export const TENANTS = [null, "acme"] as const;

export const prefixOf = (tenant: string | null): string =>
  tenant === null ? "" : `tenants/${tenant}/`;

export function stageOf(
  setting: Setting,
  { process, holdfast, tenant }: { process: Process; holdfast: Holdfast; tenant: string | null },
): Stage {
  const prefix = prefixOf(tenant);
  const services = tenant === null ? holdfast : holdfast.tenant(tenant);
  return { ...setting, process, tenant, holdfast: services, prefix, tag: prefix || "own" };
}

/** A refusal of the product, by which a caller knows where it is. */
export type Refusal = OperationReceiptStoreError | QueryJobStoreError;

export type Verdict<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "refused"; readonly error: Refusal }
  | { readonly kind: "unknown" }
  | { readonly kind: "not_applied" };

/** A fault of the storage and a refusal are part of life; anything else fails the run. */
export async function attempt<T>(call: () => Promise<T>): Promise<Verdict<T>> {
  try {
    return { kind: "answer", value: await call() };
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return { kind: "unknown" };
    if (error instanceof ContendedError || error instanceof StoreThrottledError) {
      return { kind: "not_applied" };
    }
    if (error instanceof StoreUnavailableError) return { kind: "unknown" };
    if (error instanceof OperationReceiptStoreError || error instanceof QueryJobStoreError) {
      return { kind: "refused", error };
    }
    throw error;
  }
}

/** The same until it has an answer or a refusal, or failed so often, with a wait between. */
export async function persistently<T>(
  { world, process }: Pick<Stage, "world" | "process">,
  tries: number,
  call: () => Promise<T>,
): Promise<Verdict<T>> {
  let wasUnknown = false;
  for (let n = 1; ; n += 1) {
    const verdict = await attempt(call);
    if (verdict.kind === "answer" || verdict.kind === "refused") return verdict;
    if (verdict.kind === "unknown") wasUnknown = true;
    if (n >= tries) return wasUnknown ? { kind: "unknown" } : verdict;
    await process.pause(world.chance.between(100, 3_000));
  }
}
