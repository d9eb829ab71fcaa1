/** What a job is to those who read it. */
import type { JsonObject } from "../../core/json.ts";
import type { EmailStateName } from "./fields.ts";

/** When a job last entered the state that each is named after; ISO 8601. */
export interface EmailStamps {
  readonly aiDispatchedAt?: string;
  readonly readyAt?: string;
  readonly sendingAt?: string;
  readonly sentAt?: string;
  readonly cancelledAt?: string;
  readonly failedAt?: string;
}

/** The fields of the original store's record (semantics A1); instants are ISO 8601. */
export interface EmailJob extends EmailStamps {
  readonly logicalKey: string;
  readonly type: string;
  readonly state: EmailStateName;
  readonly recipient: string;
  /** These three only in the kinds of the original store. */
  readonly recordingIds?: readonly string[];
  readonly shareId?: string;
  readonly requestedBy?: string;
  readonly generatedSummary?: string;
  /** Lease acquisitions so far, not sends. */
  readonly attempts: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The address that holds the AI claim, lower-case. */
  readonly aiClaimedBy?: string;
  readonly lastError: string | null;
  /** Both set exactly while `state` is `sending`. */
  readonly leaseUntil: string | null;
  readonly leaseToken: string | null;
}

/** A job with its payload's own fields, which lie flat beside the others. */
export type StoredEmailJob = EmailJob & JsonObject;
