/** What every machine has in common: the shape of a decision, and when a record needs attention. */
import type { EpochMs } from "./time.ts";

/**
 * Where a waiting record is found, one index per tenant and queue. `deliver`: emails ready or sending;
 * `attend`: everything else that waits for time; `stuck`: waits for a person.
 */
export type Queue = "deliver" | "attend" | "stuck";

export const QUEUES: readonly Queue[] = ["deliver", "attend", "stuck"];

/** When a record next needs attention, and in which queue. */
export interface Due {
  readonly queue: Queue;
  readonly at: EpochMs;
}

export function sameDue(one: Due | null, other: Due | null): boolean {
  return one?.queue === other?.queue && one?.at === other?.at;
}

/**
 * The answer of a machine to a command. `apply`: store `next`, answer it. `unchanged`: the command was
 * carried out before, or asks for what is so already; write nothing, answer the stored state. `reject`:
 * write nothing, tell why.
 */
export type Decision<State, Rejection> =
  | { readonly kind: "apply"; readonly next: State }
  | { readonly kind: "unchanged"; readonly state: State }
  | { readonly kind: "reject"; readonly rejection: Rejection };

export function apply<State>(next: State): { readonly kind: "apply"; readonly next: State } {
  return { kind: "apply", next };
}

export function unchanged<State>(state: State): {
  readonly kind: "unchanged";
  readonly state: State;
} {
  return { kind: "unchanged", state };
}

export function reject<Rejection>(rejection: Rejection): {
  readonly kind: "reject";
  readonly rejection: Rejection;
} {
  return { kind: "reject", rejection };
}
