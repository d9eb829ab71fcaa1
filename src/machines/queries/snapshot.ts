/** What is shown of a job: everything but what was asked, which never leaves (QUERY-13). */
import { isoTime } from "../../core/time.ts";
import type { Activity } from "./activities.ts";
import type { AttachmentRef } from "./attachments.ts";
import type { QueryJob } from "./fold.ts";
import type { Linkage } from "./linkage.ts";
import type { ImageStats, QueryError } from "./outcome.ts";
import type { QueryStatus } from "./statuses.ts";

/** Times are ISO 8601. */
export interface ShownActivity extends Omit<Activity, "at"> {
  readonly at: string;
}

/** Semantics C1, Snapshot, in its names and order. */
export interface QuerySnapshot extends Linkage {
  readonly schemaVersion: 1;
  readonly jobId: string;
  readonly clientJobId: string;
  readonly generation: number;
  readonly turnId: string;
  readonly requestFingerprint: string;
  readonly status: QueryStatus;
  readonly eventSeq: number;
  readonly oldestEventSeq: number;
  readonly sessionId: string;
  readonly requestedModel?: string;
  readonly effort?: string;
  readonly messageEra?: string;
  readonly globalMsgNum?: number;
  readonly handoffCode?: string;
  readonly attachments: readonly AttachmentRef[];
  readonly partialText: string;
  readonly partialTruncated: boolean;
  readonly response?: string;
  readonly responseTruncated?: boolean;
  readonly outputImageStats?: ImageStats;
  readonly error?: QueryError;
  readonly activity: readonly ShownActivity[];
  readonly acceptedAt: string;
  readonly startedAt?: string;
  readonly answerReadyAt?: string;
  readonly providerOwnershipConfirmedAt?: string;
  readonly updatedAt: string;
  readonly completedAt?: string;
  readonly acknowledgedAt?: string;
  /** Until when its session is held at most: it is free once its runner is known to have let go. */
  readonly orphanFenceUntil?: string;
  readonly retentionUntil: string;
}

/** A copy: changing it changes nothing of the job (QUERY-65). */
export function snapshotOf(job: QueryJob): QuerySnapshot {
  const { head, request } = job;
  const { model, effort, messageEra, globalMsgNum, handoffCode } = request;
  return {
    schemaVersion: 1,
    jobId: job.jobId,
    clientJobId: request.clientJobId,
    generation: job.generation,
    turnId: job.turnId,
    requestFingerprint: job.fingerprint,
    status: head.status,
    eventSeq: head.seq,
    // The whole log is kept as long as the job is.
    oldestEventSeq: 1,
    sessionId: request.sessionId,
    ...(model === undefined ? {} : { requestedModel: model }),
    ...(effort === undefined ? {} : { effort }),
    ...(messageEra === undefined ? {} : { messageEra }),
    ...(globalMsgNum === undefined ? {} : { globalMsgNum }),
    ...(handoffCode === undefined ? {} : { handoffCode }),
    attachments: job.attachments.map((ref) => ({ ...ref })),
    partialText: job.text,
    partialTruncated: head.text.isTruncated,
    ...(head.status === "completed"
      ? { response: job.text, responseTruncated: head.text.isTruncated }
      : {}),
    ...(job.outputImageStats === null ? {} : { outputImageStats: { ...job.outputImageStats } }),
    ...(job.error === null ? {} : { error: { ...job.error } }),
    activity: job.activity.map((one) => ({ ...one, at: isoTime(one.at) })),
    ...timesOf(job),
    ...job.linkage,
  };
}

function timesOf(job: QueryJob) {
  const { startedAt, answerReadyAt, ownershipConfirmedAt, completedAt } = job;
  const { acknowledgedAt, orphanFenceUntil } = job;
  return {
    acceptedAt: isoTime(job.acceptedAt),
    ...(startedAt === null ? {} : { startedAt: isoTime(startedAt) }),
    ...(answerReadyAt === null ? {} : { answerReadyAt: isoTime(answerReadyAt) }),
    ...(ownershipConfirmedAt === null
      ? {}
      : { providerOwnershipConfirmedAt: isoTime(ownershipConfirmedAt) }),
    updatedAt: isoTime(job.head.updatedAt),
    ...(completedAt === null ? {} : { completedAt: isoTime(completedAt) }),
    ...(acknowledgedAt === null ? {} : { acknowledgedAt: isoTime(acknowledgedAt) }),
    ...(orphanFenceUntil === null ? {} : { orphanFenceUntil: isoTime(orphanFenceUntil) }),
    retentionUntil: isoTime(job.retentionUntil),
  };
}
