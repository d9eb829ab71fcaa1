/** What answers look like, by the name of their schema: for the documents only. */
import type { JsonObject } from "../core/json.ts";
import { FAILURE_TEXTS } from "../services/reconcile/failure-texts.ts";
import { QUERY_EXAMPLES, QUERY_EXAMPLES_OF } from "./query-examples.ts";

const pending = {
  logicalKey: "welcome:ann@example.com",
  type: "message",
  state: "pending",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Good to have you here.",
  attempts: 0,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
  lastError: null,
  leaseUntil: null,
  leaseToken: null,
};

const leased = {
  ...pending,
  state: "sending",
  attempts: 1,
  updatedAt: "2026-01-31T09:00:02.000Z",
  readyAt: "2026-01-31T09:00:01.000Z",
  sendingAt: "2026-01-31T09:00:02.000Z",
  leaseUntil: "2026-01-31T09:02:02.000Z",
  leaseToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
};

const prepared = {
  version: 1,
  id: "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
  principalId: "default",
  workspaceId: "shop",
  sessionId: "default",
  memberId: "default",
  memberGeneration: 1,
  tool: "custom",
  action: "call",
  operationId: "charge-1001",
  payloadHash: "29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a",
  state: "prepared",
  createdAt: 1_769_850_000_000,
  updatedAt: 1_769_850_000_000,
  preparedAt: 1_769_850_000_000,
};

const dispatching = {
  ...prepared,
  state: "dispatching",
  updatedAt: 1_769_850_001_000,
  dispatchingAt: 1_769_850_001_000,
};

const accepted = {
  ...dispatching,
  state: "accepted",
  updatedAt: 1_769_850_002_000,
  acceptedAt: 1_769_850_002_000,
  result: { chargeId: "ch_1" },
};

const resolved = {
  ...dispatching,
  state: "outcome-unknown",
  updatedAt: 1_769_850_060_000,
  outcomeUnknownAt: 1_769_850_030_000,
  resolution: {
    outcome: "did_not_happen",
    resolvedAt: 1_769_850_060_000,
    resolvedBy: "operator",
    note: "the provider has no such charge",
  },
};

const claimed = {
  logicalKey: "two-clips:ann@example.com",
  type: "two-clips",
  state: "ai_dispatched",
  recipient: "ann@example.com",
  recordingIds: ["rec-1", "rec-2"],
  attempts: 0,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:02.000Z",
  aiDispatchedAt: "2026-01-31T09:00:02.000Z",
  aiClaimedBy: "writer@example.com",
  lastError: null,
  leaseUntil: null,
  leaseToken: null,
};

const sent = {
  ...pending,
  state: "sent",
  attempts: 1,
  updatedAt: "2026-01-31T09:00:03.000Z",
  readyAt: "2026-01-31T09:00:01.000Z",
  sendingAt: "2026-01-31T09:00:02.000Z",
  sentAt: "2026-01-31T09:00:03.000Z",
};

const ready = {
  ...pending,
  state: "ready",
  updatedAt: "2026-01-31T09:00:01.000Z",
  readyAt: "2026-01-31T09:00:01.000Z",
};

const requeued = {
  ...pending,
  updatedAt: "2026-01-31T10:00:00.000Z",
  lastError: "550 no such mailbox",
};

const firstImport = {
  logicalKey: "first-import:ann@example.com",
  type: "first-import",
  state: "pending",
  recipient: "ann@example.com",
  recordingIds: ["rec-1"],
  requestedBy: "bob@example.com",
  attempts: 0,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
  lastError: null,
  leaseUntil: null,
  leaseToken: null,
};

const queue = { due: 3, more: false, oldestDueAt: "2026-01-31T08:59:00.000Z" };
const nothing = { due: 0, more: false, oldestDueAt: null };

/** Of one operation and status, where the component's own would be something that it never answers. */
export const EXAMPLES_OF: JsonObject = {
  ...QUERY_EXAMPLES_OF,
  "enqueueEmail 200": { created: false, job: pending },
  "enqueueFirstImport 201": { created: true, job: firstImport },
  "enqueueFirstImport 200": { created: false, job: firstImport },
  "readEmail 200": { job: pending, dueAt: "2026-01-31T09:00:00.000Z" },
  "transitionEmail 200": { job: ready },
  "requeueEmail 200": { job: requeued },
  "settleEmail 200": { job: sent },
  "completeEmailClaim 200": {
    job: {
      ...claimed,
      state: "ready",
      generatedSummary: "Two clips about whales.",
      updatedAt: "2026-01-31T09:00:04.000Z",
      readyAt: "2026-01-31T09:00:04.000Z",
    },
  },
  "releaseEmailClaim 200": {
    job: {
      logicalKey: claimed.logicalKey,
      type: claimed.type,
      state: "awaiting_ai",
      recipient: claimed.recipient,
      recordingIds: claimed.recordingIds,
      attempts: 0,
      createdAt: claimed.createdAt,
      updatedAt: "2026-01-31T09:00:04.000Z",
      lastError: null,
      leaseUntil: null,
      leaseToken: null,
    },
  },
};

export const ANSWER_EXAMPLES: JsonObject = {
  ...QUERY_EXAMPLES,
  CreatedJob: { created: true, job: pending },
  JobAnswer: { job: leased },
  FoundJob: { job: leased, dueAt: "2026-01-31T09:02:02.000Z" },
  ClaimAnswer: { job: claimed, claimToken: "6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55" },
  LeasedJobs: { jobs: [leased] },
  JobPage: {
    jobs: [pending],
    nextCursor: "M2YyYTljMWI3ZDVlZW1haWxzL2pvYnMvOWY4NmQwODE4ODRjN2Q2NQ",
    corrupt: [],
  },
  BatchAnswer: {
    results: [
      { created: true, job: pending },
      {
        problem: {
          type: "/docs#invalid_request",
          title: "The request is not valid",
          status: 422,
          detail: "something in the request is not valid",
          instance: "/v1/email-batches",
          code: "invalid_request",
          errors: [{ path: "payload.subject", message: "must be one line" }],
        },
      },
    ],
  },
  ConfigAnswer: {
    config: {
      enabledAt: "2026-01-31T09:00:00.000Z",
      reminderCursor: { createdAt: "2026-01-31T09:00:00.000Z", id: "share-1" },
    },
  },
  Health: {
    emails: {
      deliver: queue,
      attend: nothing,
      stuck: nothing,
      counters: {
        corruptRecords: 0,
        contended: 0,
        unknownOutcomes: 0,
        leasesLost: 1,
        mailerUnavailable: 0,
      },
    },
    receipts: {
      attend: nothing,
      stuck: nothing,
      counters: {
        replays: 4,
        conflicts: 0,
        outcomesUnknown: 0,
        contradictions: 0,
        dispatchesLost: 0,
      },
    },
    queries: {
      attend: nothing,
      stuck: nothing,
      counters: {
        admitted: 3,
        duplicates: 1,
        refused: 0,
        completed: 2,
        failed: 0,
        interrupted: 0,
        leasesLost: 0,
      },
    },
  },
  PreparedReceipt: { created: true, receipt: prepared },
  ReceiptAnswer: { receipt: accepted },
  NotedReceipt: {
    receipt: resolved,
    notes: [{ at: 1_769_850_120_000, kind: "contradiction", result: { chargeId: "ch_1" } }],
  },
  ReceiptPage: { receipts: [prepared], nextCursor: null, corrupt: [] },
  DispatchAnswer: {
    receipt: dispatching,
    owned: true,
    dispatchToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
  },
  RecoveryAnswer: { recovered: 1, scanned: 2, nextCursor: null },
  PassReport: {
    receipts: { recovered: 1, retired: 0 },
    queries: { completed: 0, interrupted: 1, retired: 0 },
    emails: {
      discovered: 2,
      enqueued: 1,
      promoted: 1,
      sent: 3,
      retried: 1,
      failed: 0,
      cancelled: 0,
      retired: 0,
      stale: 0,
      skipped: 0,
    },
    failures: [
      {
        machine: "emails",
        tenant: null,
        id: "source:reminder",
        code: "source_failed",
        count: 1,
        ...FAILURE_TEXTS.source_failed,
      },
    ],
    failuresLeftOut: 0,
    hasMore: false,
  },
  Collected: { examined: 100, removed: 2, corrupt: 0, isComplete: false },
  Erased: {
    machine: "emails",
    id: "sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c",
    state: "sent",
    updatedAt: "2026-01-31T09:10:00.000Z",
  },
  StuckPage: {
    items: [
      {
        machine: "emails",
        id: "sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c",
        state: "failed",
        since: "2026-01-31T09:05:00.000Z",
        why: "failed after 3 attempts, all that it has",
        action: "read its lastError, mend the cause, then requeue it; or erase it",
      },
    ],
    nextCursor: null,
  },
};
