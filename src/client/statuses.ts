/** The statuses of a query job after which nothing more happens to it. */
import type { QueryJob } from "./types.ts";

const TERMINAL = { completed: 0, failed: 0, canceled: 0, interrupted: 0 } satisfies Partial<
  Record<QueryJob["status"], 0>
>;

/** Whether it is one of them; also of an event's type, which is the status that it led to. */
export function isTerminal(status: string): boolean {
  return Object.hasOwn(TERMINAL, status);
}
