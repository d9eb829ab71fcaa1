/** What answers of the query routes look like: for the documents only. */
import type { JsonObject } from "../core/json.ts";

const request = {
  clientJobId: "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
  generation: 1,
  query: "Are whales fish?",
  sessionId: "chat-42",
  attachmentIds: [],
  attachmentRefs: [],
  activityToolMode: "status",
};

const accepted = {
  schemaVersion: 1,
  jobId: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  clientJobId: "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
  generation: 1,
  turnId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  requestFingerprint: "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
  status: "accepted",
  eventSeq: 1,
  oldestEventSeq: 1,
  sessionId: "chat-42",
  attachments: [],
  partialText: "",
  partialTruncated: false,
  activity: [],
  acceptedAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
  retentionUntil: "2026-02-07T09:00:00.000Z",
};

const starting = {
  ...accepted,
  status: "starting",
  eventSeq: 2,
  updatedAt: "2026-01-31T09:00:01.000Z",
};

const completed = {
  ...accepted,
  status: "completed",
  eventSeq: 5,
  partialText: "Whales are mammals.",
  response: "Whales are mammals.",
  responseTruncated: false,
  startedAt: "2026-01-31T09:00:02.000Z",
  updatedAt: "2026-01-31T09:00:05.000Z",
  completedAt: "2026-01-31T09:00:05.000Z",
  provider: "claude",
};

const canceled = {
  ...accepted,
  status: "canceled",
  eventSeq: 2,
  error: { code: "canceled", message: "The query was canceled." },
  updatedAt: "2026-01-31T09:00:01.000Z",
  completedAt: "2026-01-31T09:00:01.000Z",
};

const acknowledged = {
  ...completed,
  eventSeq: 6,
  updatedAt: "2026-01-31T09:00:06.000Z",
  acknowledgedAt: "2026-01-31T09:00:06.000Z",
};

const told = { applied: true, eventSeq: 4, status: "running", position: "4-4" };

const ended = (status: string): JsonObject => ({ ...told, eventSeq: 5, status, position: "5-5" });

const event = {
  jobId: accepted.jobId,
  clientJobId: accepted.clientJobId,
  generation: 1,
  status: "running",
};

const events: JsonObject = {
  events: [
    {
      ...event,
      type: "chunk",
      eventSeq: 4,
      at: "2026-01-31T09:00:04.000Z",
      data: { text: "Whales are mammals." },
    },
    {
      ...event,
      type: "completed",
      eventSeq: 5,
      status: "completed",
      at: "2026-01-31T09:00:05.000Z",
      data: { response: "Whales are mammals." },
    },
  ],
  gap: null,
  oldestEventSeq: 1,
  latestEventSeq: 5,
  job: completed,
  hasMore: false,
};

export const QUERY_EXAMPLES_OF: JsonObject = {
  "cancelQuery 200": { applied: true, job: canceled },
  "heartbeatQuery 200": { ...told, eventSeq: 3, position: "3-3" },
  "commitQueryAnswer 200": { ...told, status: "answer_ready" },
  "completeQuery 200": ended("completed"),
  "failQuery 200": ended("failed"),
  "interruptQuery 200": ended("interrupted"),
};

export const QUERY_EXAMPLES: JsonObject = {
  SubmittedQuery: { created: true, job: accepted },
  QueryAnswer: { job: completed },
  QueryPage: { jobs: [accepted], nextCursor: null, corrupt: [] },
  ChangedQuery: { applied: true, job: acknowledged },
  StartedRun: {
    applied: true,
    job: starting,
    request,
    leaseToken: "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55",
    position: "2-2",
  },
  RunAnswer: told,
  QueryEvents: events,
  Ticket: {
    ticket: `hft1..${accepted.jobId}.1.1769853600000.9rT2-kYw3l0vZp6XbQ8nLc5sJdG7hF1aMeU4oI_tRzE`,
    expiresAt: "2026-01-31T10:00:00.000Z",
  },
};
