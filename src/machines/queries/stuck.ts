/** Which jobs wait for a person or a pass, why, and what can be done. */
import type { EpochMs } from "../../core/time.ts";
import type { QueryRoot } from "./root.ts";
import { isTerminal } from "./statuses.ts";

/** Texts of our own only: nothing of what was asked or answered. */
export interface StuckQuery {
  readonly since: EpochMs;
  readonly why: string;
  readonly action: string;
}

export const STUCK_QUERY_TEXTS = {
  answered: {
    why: "its answer is ready, and whoever ran it was not heard of any more",
    action: "run a pass, which completes it",
  },
  lapsed: {
    why: "its lease has lapsed: whoever ran it died, hung or was cut off",
    action: "run a pass, which interrupts it; then ask for the next generation",
  },
} as const;

/** Null: nobody need do anything. */
export function stuckQuery(root: QueryRoot, now: EpochMs): StuckQuery | null {
  if (root.kind === "void" || root.retirement !== null || isTerminal(root.hint.status)) return null;
  const { leaseUntil, hint } = root;
  if (leaseUntil === null || leaseUntil > now) return null;
  const isAnswered = hint.status === "answer_ready";
  return { since: leaseUntil, ...STUCK_QUERY_TEXTS[isAnswered ? "answered" : "lapsed"] };
}
