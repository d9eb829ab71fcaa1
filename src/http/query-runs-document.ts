/** What the document says of the query routes of runners. */
import * as z from "zod";
import { DELTA_CHARS_MAX } from "../machines/queries/limits.ts";
import { GENERATION, OF_A_GENERATION, OF_A_QUERY, TOKEN } from "./document-parts.ts";
import type { ProblemCode } from "./problem.ts";
import * as replies from "./query-run-replies.ts";
import * as schemas from "./query-run-schemas.ts";
import { described, noted, type RouteDocuments } from "./route-document.ts";

/** Refusals of every route for whoever holds a job's run. */
const OF_A_RUN = [
  ...OF_A_QUERY,
  "lease_lost",
  "invalid_event_cursor",
] as const satisfies ProblemCode[];

/** What all routes of whoever holds a run are alike in. */
const OF_RUNS = {
  query: described(schemas.fullQuery, { job: "`full`: the answer has the job, too." }),
  replies: { 200: replies.runAnswer },
  problems: OF_A_RUN,
} as const;

const LEASE_MS =
  "From now, in milliseconds: 1 to 86,400,000; the service's own (60,000) without it.";

const HOLDER_TEXTS = {
  leaseToken: "Of the run, as its start answered it.",
  requestId: "The caller's own, unique for each call: makes a repeat of it write nothing more.",
  position: {
    description: "Of this run's last answer; the same again with a repeat.",
    pattern: "^[0-9]+-[0-9]+$",
  },
};

const ANSWER_TEXT = "The whole answer; what is over 128,000 characters is cut, and flagged.";

const LINKAGE = described(
  schemas.linkage,
  {
    provider: "`claude` or `codex`; any other is left out.",
    resolvedModel: "Cut to 64 characters.",
    cliSessionId: "Cut to 256 characters, as those below.",
    claudeRunId: "As its provider says.",
    codexRunId: "As its provider says.",
    codexThreadId: "As its provider says.",
  },
  {
    description: "Which run of which provider it is: credentials and paths are taken out.",
  },
);

const OUTPUT_IMAGE_STATS = described(schemas.outputImageStats, {
  published: "0 to 1,000.",
  attached: "Of the published ones.",
  rejected: "Of the published ones.",
});

const PICTURE = noted(z.unknown(), {
  description: "A QueryAttachment; what is none is left out.",
});

const LINKAGE_BODY = described(schemas.linkageBody, { ...HOLDER_TEXTS, linkage: LINKAGE });

/** Of the examples. */
const HOLDER = { leaseToken: TOKEN, requestId: "call-7", position: "3-3" };

export const queryRunsDocument = {
  startQuery: {
    summary: "Take the run of an accepted job",
    description:
      "One caller gets it, with the request and the `leaseToken` that every further call brings. With a " +
      "`leaseToken` of its own, fresh for this call, a repeat gets the same run. A job that is not " +
      "accepted any more is answered with `applied: false`.",
    example: { generation: 1, leaseMs: 60_000, leaseToken: TOKEN },
    body: described(schemas.runBody, {
      generation: GENERATION,
      leaseMs: LEASE_MS,
      leaseToken: "The caller's own, random and fresh, so that a repeat gets the same run.",
    }),
    replies: { 200: replies.startedRun },
    problems: [...OF_A_GENERATION, "provider_orphan_fence"],
  },

  heartbeatQuery: {
    ...OF_RUNS,
    summary: "Keep the run",
    description:
      "Sets the end of its lease, also if that is earlier; also after it ran out while nobody ended the " +
      "run. Whatever else the run tells keeps it, too.",
    example: { leaseToken: TOKEN, leaseMs: 60_000 },
    body: described(schemas.heartbeatBody, { ...HOLDER_TEXTS, leaseMs: LEASE_MS }),
  },

  markQueryRunning: {
    ...OF_RUNS,
    summary: "Tell that the provider is at work",
    description: "From `starting`; sets `startedAt`.",
    example: { ...HOLDER, linkage: { provider: "claude" } },
    body: LINKAGE_BODY,
  },

  linkQuery: {
    ...OF_RUNS,
    summary: "Confirm that the provider is this run's",
    description:
      "Before the provider gets the prompt: from then on an interrupted run holds its session, since the " +
      "provider may still be at work. `applied: false`: do not send the prompt.",
    example: { ...HOLDER, linkage: { provider: "claude", claudeRunId: "run-1" } },
    body: LINKAGE_BODY,
  },

  appendQueryChunk: {
    ...OF_RUNS,
    summary: "More of the answer",
    description:
      "The deltas add up to the answer, in the order in which they are written. What is over 128,000 " +
      "characters together is cut, and flagged.",
    example: { ...HOLDER, delta: "Whales are " },
    body: described(schemas.chunkBody, {
      ...HOLDER_TEXTS,
      delta: {
        description:
          "More of the answer. Half a surrogate pair at its end is joined with the next.",
        maxLength: DELTA_CHARS_MAX,
      },
    }),
    problems: [...OF_A_RUN, "delta_too_large"],
  },

  appendQueryActivity: {
    ...OF_RUNS,
    summary: "What the run is doing",
    description: "The same again counts up what stands there.",
    example: { ...HOLDER, kind: "status", text: "Reading three sources" },
    body: described(schemas.activityBody, {
      ...HOLDER_TEXTS,
      kind: "`status` of the run; `input`, `output` and `gap` of its tools.",
      text: "Shown without credentials and paths, cut to 2,000 characters.",
    }),
  },

  commitQueryAnswer: {
    ...OF_RUNS,
    summary: "Commit the answer",
    description: "From then on the job can only complete, whoever dies.",
    example: { ...HOLDER, text: "Whales are mammals." },
    body: described(schemas.answerReadyBody, {
      ...HOLDER_TEXTS,
      text: ANSWER_TEXT,
      linkage: z.exactOptional(LINKAGE),
    }),
  },

  completeQuery: {
    ...OF_RUNS,
    summary: "End the run with its answer",
    description: "Commits the answer, where that was not done before.",
    example: { ...HOLDER, text: "Whales are mammals." },
    body: described(schemas.completeBody, {
      ...HOLDER_TEXTS,
      text: ANSWER_TEXT,
      attachments: noted(z.exactOptional(z.array(PICTURE)), {
        description: "Pictures of the answer, behind those of the request; five together.",
      }),
      outputImageStats: noted(z.exactOptional(OUTPUT_IMAGE_STATS), {
        description: "Left out where the numbers do not fit each other.",
      }),
      linkage: z.exactOptional(LINKAGE),
    }),
  },

  failQuery: {
    ...OF_RUNS,
    summary: "End the run without an answer",
    description: "Of a job whose answer is committed it completes that.",
    example: { ...HOLDER, error: { code: "provider_timeout", message: "no answer in time" } },
    body: described(schemas.failBody, {
      ...HOLDER_TEXTS,
      error: described(
        schemas.failure,
        {
          code: "1 to 80 letters, digits and _.-; otherwise `provider_failed`.",
          message: "Shown without credentials and paths.",
          retryable: "Whether another generation may do better.",
          retryAfterMs: "After how long.",
        },
        { description: "What went wrong." },
      ),
    }),
  },

  interruptQuery: {
    ...OF_RUNS,
    summary: "Give the run up, for another generation to do better",
    description:
      "Holds the session for 21 minutes where the provider was confirmed to be this run's. Of a job whose " +
      "answer is committed it completes that.",
    example: { ...HOLDER, reason: "the machine is shut down" },
    body: described(schemas.interruptBody, {
      ...HOLDER_TEXTS,
      reason: "Why, for whoever reads the job: without credentials and paths.",
    }),
  },
} as const satisfies RouteDocuments;
