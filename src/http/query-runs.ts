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
  OF_A_GENERATION,
  OF_A_RUN,
  optionsOf,
  QUERY_BYTES_MAX,
  RUN_CODES,
  ran,
  told,
} from "./query-answers.ts";
import { queryProblem } from "./query-problems.ts";
import * as schemas from "./query-run-schemas.ts";
import { reply, route } from "./route.ts";

const TOKEN = "0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55";
const HOLDER = { leaseToken: TOKEN, requestId: "call-7", position: "3-3" };

/** What all of them are alike in. */
const OF_RUNS = {
  method: "POST",
  scope: "queries:run",
  query: schemas.fullQuery,
  codes: RUN_CODES,
  replies: { 200: schemas.runAnswer },
  problems: OF_A_RUN,
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
    summary: "Take the run of an accepted job",
    description:
      "One caller gets it, with the request and the `leaseToken` that every further call brings. With a " +
      "`leaseToken` of its own, fresh for this call, a repeat gets the same run. A job that is not " +
      "accepted any more is answered with `applied: false`.",
    example: { generation: 1, leaseMs: 60_000, leaseToken: TOKEN },
    body: schemas.runBody,
    codes: GENERATION_CODES,
    replies: { 200: schemas.startedRun },
    problems: [...OF_A_GENERATION, "provider_orphan_fence"],
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
    summary: "Keep the run",
    description:
      "Sets the end of its lease, also if that is earlier; also after it ran out while nobody ended the " +
      "run. Whatever else the run tells keeps it, too.",
    example: { leaseToken: TOKEN, leaseMs: 60_000 },
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
    summary: "Tell that the provider is at work",
    description: "From `starting`; sets `startedAt`.",
    example: { ...HOLDER, linkage: { provider: "claude" } },
    body: schemas.linkageBody,
    handle: (call) => ran(call, { kind: "running", linkage: call.body.linkage }),
  }),

  linkage: route({
    ...OF_RUNS,
    id: "linkQuery",
    path: "/v1/query-jobs/{jobId}/linkage",
    summary: "Confirm that the provider is this run's",
    description:
      "Before the provider gets the prompt: from then on an interrupted run holds its session, since the " +
      "provider may still be at work. `applied: false`: do not send the prompt.",
    example: { ...HOLDER, linkage: { provider: "claude", claudeRunId: "run-1" } },
    body: schemas.linkageBody,
    handle: (call) => ran(call, { kind: "linkage", linkage: call.body.linkage }),
  }),

  chunk: route({
    ...OF_RUNS,
    id: "appendQueryChunk",
    path: "/v1/query-jobs/{jobId}/chunks",
    summary: "More of the answer",
    description:
      "The deltas add up to the answer, in the order in which they are written. What is over 128,000 " +
      "characters together is cut, and flagged.",
    example: { ...HOLDER, delta: "Whales are " },
    body: schemas.chunkBody,
    problems: [...OF_A_RUN, "delta_too_large"],
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
    summary: "What the run is doing",
    description: "The same again counts up what stands there.",
    example: { ...HOLDER, kind: "status", text: "Reading three sources" },
    body: schemas.activityBody,
    handle: (call) =>
      ran(call, { kind: "activity", activity: call.body.kind, text: call.body.text }),
  }),

  answerReady: route({
    ...OF_RUNS,
    id: "commitQueryAnswer",
    path: "/v1/query-jobs/{jobId}/answer-ready",
    summary: "Commit the answer",
    description: "From then on the job can only complete, whoever dies.",
    example: { ...HOLDER, text: "Whales are mammals." },
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
    summary: "End the run with its answer",
    description: "Commits the answer, where that was not done before.",
    example: { ...HOLDER, text: "Whales are mammals." },
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
    summary: "End the run without an answer",
    description: "Of a job whose answer is committed it completes that.",
    example: { ...HOLDER, error: { code: "provider_timeout", message: "no answer in time" } },
    body: schemas.failBody,
    handle: (call) => ran(call, { kind: "fail", error: call.body.error }),
  }),

  interrupt: route({
    ...OF_RUNS,
    id: "interruptQuery",
    path: "/v1/query-jobs/{jobId}/interrupt",
    summary: "Give the run up, for another generation to do better",
    description:
      "Holds the session for 21 minutes where the provider was confirmed to be this run's. Of a job whose " +
      "answer is committed it completes that.",
    example: { ...HOLDER, reason: "the machine is shut down" },
    body: schemas.interruptBody,
    handle: (call) =>
      ran(call, { kind: "interrupt", reason: call.body.reason ?? null, fencedUntil: null }),
  }),
};
