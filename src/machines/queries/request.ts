/** What a phone asks for (semantics C1, Request). */
import type { AttachmentRef } from "./attachments.ts";

/** As it was parsed: immutable, and what its fingerprint is of. */
export interface QueryRequest {
  readonly clientJobId: string;
  readonly generation: number;
  readonly query: string;
  readonly sessionId: string;
  readonly model?: string;
  readonly effort?: string;
  readonly messageEra?: string;
  readonly handoffCode?: string;
  readonly clientQueueItemId?: string;
  readonly globalMsgNum?: number;
  readonly reference?: { readonly query: string; readonly response: string };
  readonly handoffLatest?: true;
  readonly attachmentIds: readonly string[];
  readonly attachmentRefs: readonly AttachmentRef[];
  readonly activityToolMode: "off" | "preview" | "status";
}
