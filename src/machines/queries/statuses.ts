/** The statuses of a query job, and which may follow which (semantics C2). */

export const QUERY_STATUSES = [
  "accepted",
  "starting",
  "running",
  "answer_ready",
  "completed",
  "failed",
  "canceled",
  "interrupted",
] as const;

export type QueryStatus = (typeof QUERY_STATUSES)[number];

export const TERMINAL_STATUSES = ["completed", "failed", "canceled", "interrupted"] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

const ENDS = ["failed", "canceled", "interrupted"] as const;

const FOLLOWERS: Readonly<Record<QueryStatus, readonly QueryStatus[]>> = {
  accepted: ["starting", ...ENDS],
  starting: ["running", "answer_ready", "completed", ...ENDS],
  running: ["answer_ready", "completed", ...ENDS],
  answer_ready: ["completed"],
  completed: [],
  failed: [],
  canceled: [],
  interrupted: [],
};

/** Whether a job of status `from` may get the status `to`. */
export function mayFollow(from: QueryStatus, to: QueryStatus): boolean {
  return FOLLOWERS[from].includes(to);
}

/** Whether nothing may follow but an acknowledgement. */
export function isTerminal(status: QueryStatus): status is TerminalStatus {
  return FOLLOWERS[status].length === 0;
}

/** Whether a provider may be writing the answer. */
export function isUnderWay(status: QueryStatus): status is "starting" | "running" {
  return status === "starting" || status === "running";
}
