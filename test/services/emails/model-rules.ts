/** What the reference model keeps of a job, and the tables that it goes by. */
export type Fields = Record<string, unknown>;

export interface Entry {
  readonly job: Fields;
  leaseUntil: number;
  readyAt: number;
  dispatchedAt: number;
  requestId: string | null;
  claimToken: string | null;
  settlement: { token: unknown; to: string } | null;
  /** When a sent or cancelled job is over. */
  overAt: number;
  isRetired: boolean;
  isErased: boolean;
}

export const STAMPS: Readonly<Record<string, string>> = {
  ai_dispatched: "aiDispatchedAt",
  ready: "readyAt",
  sending: "sendingAt",
  sent: "sentAt",
  cancelled: "cancelledAt",
  failed: "failedAt",
};

export const MOVES: ReadonlySet<string> = new Set([
  ...["pending>awaiting_ai", "pending>ready", "pending>cancelled", "pending>failed"],
  ...["awaiting_ai>ai_dispatched", "awaiting_ai>cancelled", "awaiting_ai>failed"],
  ...["ai_dispatched>ready", "ai_dispatched>cancelled", "ai_dispatched>failed"],
  ...["ready>cancelled", "ready>failed"],
]);

export const PAYLOAD = ["type", "recipient", "recordingIds", "shareId", "requestedBy"];

/** What an erasure leaves. */
export const KEPT = ["type", "state", "createdAt", "updatedAt", ...Object.values(STAMPS)];
