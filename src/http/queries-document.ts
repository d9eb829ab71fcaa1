/** What the document says of the query routes of whoever asks and reads. */
import type { RequestCode } from "../machines/queries/request-problems.ts";
import { CURSOR, GENERATION, OF_A_GENERATION, OF_A_QUERY } from "./document-parts.ts";
import type { ProblemCode } from "./problem.ts";
import * as replies from "./query-replies.ts";
import * as schemas from "./query-schemas.ts";
import { described, noted, type RouteDocuments } from "./route-document.ts";

/** What can be wrong in a request (semantics C1). */
const OF_A_REQUEST = [
  "invalid_client_job_id",
  "invalid_generation",
  "invalid_query",
  "query_too_large",
  "query_or_attachment_required",
  "invalid_session_id",
  "invalid_model",
  "invalid_effort",
  "invalid_message_era",
  "invalid_handoff_code",
  "invalid_client_queue_item_id",
  "invalid_global_msg_num",
  "invalid_reference",
  "invalid_reference_query",
  "reference_query_too_large",
  "invalid_reference_response",
  "reference_response_too_large",
] as const satisfies RequestCode[] & ProblemCode[];

const JOB_QUERY = described(schemas.jobQuery, {
  generation: { description: GENERATION, example: 1 },
});

const GENERATION_BODY = described(schemas.generationBody, { generation: GENERATION });

export const queriesDocument = {
  submitQuery: {
    summary: "Ask something, once",
    description:
      "Answered as soon as the request is stored: the first call makes the job; the same request again, " +
      "also after its end, is answered with the stored one. One generation of a client job at a time.",
    example: {
      clientJobId: "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
      generation: 1,
      query: "Are whales fish?",
      sessionId: "chat-42",
    },
    body: noted(schemas.submissionBody, { $ref: "#/components/schemas/QuerySubmission" }),
    replies: { 202: replies.submitted },
    problems: [
      ...OF_A_REQUEST,
      "query_job_not_found",
      "job_identity_conflict",
      "job_generation_active",
      "job_generation_out_of_order",
      "provider_orphan_fence",
      "job_history_full",
      "erased",
      "record_corrupt",
    ],
  },

  findQuery: {
    summary: "The job of a client job id and generation",
    description: "For whoever lost the answer to a submission.",
    query: JOB_QUERY,
    replies: { 200: replies.queryAnswer },
    problems: [...OF_A_QUERY, "invalid_generation", "erased"],
  },

  readQuery: {
    summary: "One query job",
    description: "With its answer so far. It never holds what was asked.",
    query: JOB_QUERY,
    replies: { 200: replies.queryAnswer },
    problems: OF_A_GENERATION,
  },

  listQueries: {
    summary: "A page of query jobs: the latest generation of each client job",
    description:
      "Within a page by admission time, then id; the pages follow each other in the storage's order, and " +
      "with `?status=accepted`, which is how a runner finds work, the longest waiting first.",
    query: described(schemas.listQuery, {
      status: "Only jobs in it.",
      limit: "Jobs at most, 1 to 100; default 50.",
      cursor: CURSOR,
    }),
    replies: { 200: replies.queryPage },
    problems: ["invalid_cursor"],
  },

  cancelQuery: {
    summary: "Give a query up",
    description: "Of a job that has ended it changes nothing: `applied: false`.",
    example: { generation: 1 },
    body: GENERATION_BODY,
    replies: { 200: replies.changedQuery },
    problems: [...OF_A_GENERATION, "query_job_answer_committing"],
  },

  acknowledgeQuery: {
    summary: "Tell that its reader has the end",
    description: "Noted once; a repeat changes nothing: `applied: false`.",
    example: { generation: 1 },
    body: GENERATION_BODY,
    replies: { 200: replies.changedQuery },
    problems: [...OF_A_GENERATION, "query_job_not_terminal"],
  },
} as const satisfies RouteDocuments;
