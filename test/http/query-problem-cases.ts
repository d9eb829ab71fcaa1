/** How each problem code of queries is met. */
import type { QUERY_PROBLEMS } from "../../src/http/query-problems.ts";
import { expectProblem, type Served, type Told, textIn } from "./fixture.ts";
import {
  accepted,
  CLIENT_JOB_ID,
  done,
  ended,
  owned,
  REQUEST,
  read,
  running,
  submit,
  UNKNOWN_ID,
} from "./query-given.ts";

type QueryCode = keyof typeof QUERY_PROBLEMS;

interface QueryCase {
  readonly meet: (served: Served) => Promise<Told>;
}

const asking = (fields: object): QueryCase => ({ meet: (served) => submit(served, fields) });

const REFERENCE = { query: "an earlier query", response: "an earlier response" };

/** All of what a request can be refused for before anything is read. */
const OF_REQUESTS = {
  invalid_client_job_id: asking({ clientJobId: "none" }),
  invalid_generation: asking({ generation: 0 }),
  invalid_query: asking({ query: 1 }),
  query_too_large: asking({ query: "x".repeat(48_001) }),
  query_or_attachment_required: asking({ query: " " }),
  invalid_session_id: asking({ sessionId: undefined }),
  invalid_model: asking({ model: " " }),
  invalid_effort: asking({ effort: "x".repeat(33) }),
  invalid_message_era: asking({ messageEra: 1 }),
  invalid_handoff_code: asking({ handoffCode: {} }),
  invalid_client_queue_item_id: asking({ clientQueueItemId: "x".repeat(121) }),
  invalid_global_msg_num: asking({ globalMsgNum: "x" }),
  invalid_reference: asking({ reference: [] }),
  invalid_reference_query: asking({ reference: { ...REFERENCE, query: " " } }),
  reference_query_too_large: asking({ reference: { ...REFERENCE, query: "x".repeat(48_001) } }),
  invalid_reference_response: asking({ reference: { ...REFERENCE, response: null } }),
  reference_response_too_large: asking({
    reference: { ...REFERENCE, response: "x".repeat(128_001) },
  }),
} satisfies Partial<Record<QueryCode, QueryCase>>;

export const REQUEST_CODES = Object.keys(OF_REQUESTS);

export const QUERY_CASES: Readonly<Record<QueryCode, QueryCase>> = {
  ...OF_REQUESTS,
  query_job_not_found: { meet: (served) => read(served, UNKNOWN_ID) },
  query_job_generation_mismatch: {
    async meet(served) {
      return read(served, textIn(await accepted(served), "jobId"), 2);
    },
  },
  query_job_answer_committing: {
    async meet(served) {
      const { jobId, post } = await running(served);
      done(await post("answer-ready", { text: "an answer" }));
      const body = { generation: 1 };
      return served.ask("POST", `/v1/query-jobs/${jobId}/cancel`, { body });
    },
  },
  query_job_not_terminal: {
    async meet(served) {
      const { jobId } = await running(served);
      const body = { generation: 1 };
      return served.ask("POST", `/v1/query-jobs/${jobId}/ack`, { body });
    },
  },
  provider_orphan_fence: {
    async meet(served) {
      done(await (await owned(served)).post("interrupt"));
      return submit(served, { clientJobId: UNKNOWN_ID });
    },
  },
  job_identity_conflict: {
    async meet(served) {
      await accepted(served);
      return submit(served, { query: "another prompt" });
    },
  },
  job_generation_active: {
    async meet(served) {
      await running(served);
      return submit(served, { generation: 2 });
    },
  },
  job_generation_out_of_order: {
    async meet(served) {
      await ended(served, "fail", { generation: 2 });
      return submit(served, { generation: 1 });
    },
  },
  job_history_full: {
    async meet(served) {
      const { queries } = served.holdfast;
      for (let generation = 1; generation <= 65; generation += 1) {
        const { job } = await queries.admit({ ...REQUEST, generation });
        await queries.cancel(job.jobId, generation);
      }
      return submit(served, { generation: 66 });
    },
  },
  invalid_event_cursor: {
    async meet(served) {
      const { post } = await running(served);
      return post("chunks", { delta: "more", requestId: "r-1", position: "7-9" });
    },
  },
  delta_too_large: {
    async meet(served) {
      return (await running(served)).post("chunks", { delta: "x".repeat(16_001) });
    },
  },
};

/** Codes that queries share with others, as their routes refuse with them. */
export const SHARED_CASES: Readonly<Record<string, QueryCase>> = {
  lease_lost: {
    async meet(served) {
      return (await running(served)).post("chunks", { delta: "more", leaseToken: "another" });
    },
  },
  in_use: {
    async meet(served) {
      await running(served);
      return served.ask("POST", "/v1/erasures", { body: { query: CLIENT_JOB_ID } });
    },
  },
  erased: {
    async meet(served) {
      await ended(served);
      const told = await served.ask("POST", "/v1/erasures", { body: { query: CLIENT_JOB_ID } });
      if (told.status !== 200) expectProblem(told, 200, "none");
      return submit(served);
    },
  },
};
