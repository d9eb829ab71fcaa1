/** The query routes of runners: take a run, tell what comes of it, end it. */
import { durationMs } from "../core/time.ts";
import { DELTA_CHARS_MAX } from "../machines/queries/limits.ts";
import { snapshotOf } from "../machines/queries/snapshot.ts";
import { queryError } from "../services/query-errors.ts";
import { positionText } from "../services/query-positions.ts";
import type { Problem } from "./problem.ts";
import {
  GENERATION_CODES,
  jobIdOf,
  optionsOf,
  QUERY_BYTES_MAX,
  RUN_CODES,
  ran,
  told,
} from "./query-answers.ts";
import { queryProblem } from "./query-problems.ts";
import * as schemas from "./query-run-schemas.ts";
import { reply, route } from "./route.ts";

/** What all of them are alike in. */
const OF_RUNS = {
  method: "POST",
  scope: "queries:run",
  query: schemas.fullQuery,
  codes: RUN_CODES,
} as const;

const DELTA_TOO_LARGE: Problem = {
  code: "delta_too_large",
  detail: `a delta has at most ${DELTA_CHARS_MAX} characters: send it as several chunks, in order`,
  errors: [{ path: "delta", message: `must be at most ${DELTA_CHARS_MAX} characters` }],
};

export const runRoutes = {
  start: route({
    id: "startQuery",
    method: "POST",
    path: "/v1/query-jobs/{jobId}/runs",
    scope: "queries:run",
    body: schemas.runBody,
    codes: GENERATION_CODES,
    async handle(call) {
      const { commands, reading, freshToken, runLeaseMs } = call.tenant.queries;
      const { generation, leaseMs = runLeaseMs, leaseToken: token = freshToken() } = call.body;
      const run = { generation, token, leaseMs: durationMs(leaseMs), owner: null };
      const outcome = await commands.start(jobIdOf(call), run);
      // Somebody ended it between its start and the second look at its fence.
      const isLate = outcome.kind === "rejected" && outcome.rejection.kind === "lease_lost";
      if (outcome.kind === "rejected" && !isLate) {
        return { problem: queryProblem(queryError(outcome.rejection)) };
      }
      const started = outcome.kind === "rejected" || !outcome.isApplied ? null : outcome;
      const job = started?.known.job ?? (await reading.whole(outcome.place)).job;
      return reply(200, {
        applied: started !== null,
        job: snapshotOf(job),
        request: started === null ? null : job.request,
        leaseToken: started === null ? null : token,
        position: started === null ? null : positionText(started.part),
      });
    },
  }),

  heartbeat: route({
    ...OF_RUNS,
    id: "heartbeatQuery",
    path: "/v1/query-jobs/{jobId}/heartbeats",
    body: schemas.heartbeatBody,
    async handle(call) {
      const { commands, runLeaseMs } = call.tenant.queries;
      const { leaseToken: token, leaseMs = runLeaseMs } = call.body;
      const beat = { token, leaseMs: durationMs(leaseMs) };
      return told(call, await commands.heartbeat(jobIdOf(call), beat, optionsOf(call)));
    },
  }),

  running: route({
    ...OF_RUNS,
    id: "markQueryRunning",
    path: "/v1/query-jobs/{jobId}/running",
    body: schemas.linkageBody,
    handle: (call) => ran(call, { kind: "running", linkage: call.body.linkage }),
  }),

  linkage: route({
    ...OF_RUNS,
    id: "linkQuery",
    path: "/v1/query-jobs/{jobId}/linkage",
    body: schemas.linkageBody,
    handle: (call) => ran(call, { kind: "linkage", linkage: call.body.linkage }),
  }),

  chunk: route({
    ...OF_RUNS,
    id: "appendQueryChunk",
    path: "/v1/query-jobs/{jobId}/chunks",
    body: schemas.chunkBody,
    async handle(call) {
      const { delta } = call.body;
      if (delta.length > DELTA_CHARS_MAX) return { problem: DELTA_TOO_LARGE };
      return ran(call, { kind: "chunk", delta, isTruncated: false });
    },
  }),

  activity: route({
    ...OF_RUNS,
    id: "appendQueryActivity",
    path: "/v1/query-jobs/{jobId}/activity",
    body: schemas.activityBody,
    handle: (call) =>
      ran(call, { kind: "activity", activity: call.body.kind, text: call.body.text }),
  }),

  answerReady: route({
    ...OF_RUNS,
    id: "commitQueryAnswer",
    path: "/v1/query-jobs/{jobId}/answer-ready",
    body: schemas.answerReadyBody,
    bodyBytesMax: QUERY_BYTES_MAX,
    handle: (call) => {
      const { text, linkage } = call.body;
      return ran(call, { kind: "answer_ready", text, linkage });
    },
  }),

  complete: route({
    ...OF_RUNS,
    id: "completeQuery",
    path: "/v1/query-jobs/{jobId}/complete",
    body: schemas.completeBody,
    bodyBytesMax: QUERY_BYTES_MAX,
    handle: (call) => {
      const { text, attachments, outputImageStats, linkage } = call.body;
      return ran(call, { kind: "complete", text, attachments, outputImageStats, linkage });
    },
  }),

  fail: route({
    ...OF_RUNS,
    id: "failQuery",
    path: "/v1/query-jobs/{jobId}/fail",
    body: schemas.failBody,
    handle: (call) => ran(call, { kind: "fail", error: call.body.error }),
  }),

  interrupt: route({
    ...OF_RUNS,
    id: "interruptQuery",
    path: "/v1/query-jobs/{jobId}/interrupt",
    body: schemas.interruptBody,
    handle: (call) =>
      ran(call, { kind: "interrupt", reason: call.body.reason ?? null, fencedUntil: null }),
  }),
};
