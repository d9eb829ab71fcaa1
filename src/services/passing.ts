/** Faults that pass by themselves. */
import { isOf } from "../core/foreign.ts";
import {
  ContendedError,
  OutcomeUnknownError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../ports/faults.ts";

/** Whether the same call may fare better later, so that nothing must be concluded from its failure. */
export function isPassing(error: unknown): boolean {
  return (
    isOf(error, StoreUnavailableError) ||
    isOf(error, StoreThrottledError) ||
    isOf(error, OutcomeUnknownError) ||
    isOf(error, ContendedError)
  );
}
