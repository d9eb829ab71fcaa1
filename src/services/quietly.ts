/** What is done beside a call, and must not end that call. */
import { errorText } from "../core/error-text.ts";
import type { Log } from "../ports/log.ts";
import { isPassing } from "./passing.ts";

export interface QuietDeps {
  readonly log: Log;
  /** Whose work it is; null: the default tenant's. */
  readonly tenant: string | null;
}

const WHY_CHARS_MAX = 500;

/**
 * Whether `work` was done. Never rejects: it is for what is settled by others later, or by the next who comes
 * by. What does not pass by itself an operator is told, as `event`.
 */
export async function quietly(
  deps: QuietDeps,
  event: string,
  work: Promise<unknown>,
): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (fault) {
    if (!isPassing(fault)) tellFault(deps, event, fault);
    return false;
  }
}

/** Tells an operator of a fault that nobody is answered with. */
export function tellFault({ log, tenant }: QuietDeps, event: string, fault: unknown): void {
  log("warn", event, { tenant, detail: errorText(fault, WHY_CHARS_MAX) });
}
