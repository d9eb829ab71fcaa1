/** The bodies of the routes of runs: what whoever answers a query is told, and tells. */
import * as z from "zod";
import { queryInputs } from "../machines/queries/inputs.ts";
import { DELTA_CHARS_MAX } from "../machines/queries/limits.ts";
import { ACTIVITY_TOOL_MODES } from "../machines/queries/request.ts";
import { QUERY_STATUSES } from "../machines/queries/statuses.ts";
import { applied, attachment, generation, queryJob } from "./query-schemas.ts";

const position = z
  .string()
  .describe("For the next call of this run that has a `requestId`; opaque.");

/** What was asked, as it was read: the runner's alone. */
const request = z
  .object({
    clientJobId: z.string(),
    generation: z.int(),
    query: z.string(),
    sessionId: z.string(),
    model: z.string().exactOptional(),
    effort: z.string().exactOptional(),
    messageEra: z.string().exactOptional(),
    globalMsgNum: z.int().exactOptional(),
    handoffCode: z.string().exactOptional(),
    handoffLatest: z.literal(true).exactOptional(),
    clientQueueItemId: z.string().exactOptional(),
    reference: z.object({ query: z.string(), response: z.string() }).exactOptional(),
    attachmentIds: z.array(z.string()).readonly(),
    attachmentRefs: z.array(attachment).readonly(),
    activityToolMode: z.enum(ACTIVITY_TOOL_MODES),
  })
  .meta({ id: "QueryRequest", description: "What was asked. Not to be shown." });

export const startedRun = z
  .object({
    applied: z
      .boolean()
      .describe("Whether the run is this caller's: this call's, or its repeat's."),
    job: queryJob,
    request: request.nullable().describe("What to answer; null for who does not hold the run."),
    leaseToken: z.string().nullable().describe("The run's credential; null for others."),
    position: position.nullable(),
  })
  .meta({ id: "StartedRun" });

export const runAnswer = z
  .object({
    applied,
    eventSeq: z
      .int()
      .describe("Of the event that this call, or its earlier try, wrote; else the last."),
    status: z.enum(QUERY_STATUSES).describe("After it."),
    position,
    job: queryJob.exactOptional().describe("With `?job=full`."),
  })
  .meta({ id: "RunAnswer" });

const leaseMs = queryInputs.leaseMs
  .exactOptional()
  .describe("From now, in milliseconds: 1 to 86,400,000; the service's own (60,000) without it.");

export const runBody = z.strictObject({
  generation,
  leaseMs,
  leaseToken: queryInputs.token
    .exactOptional()
    .describe("The caller's own, random and fresh, so that a repeat gets the same run."),
});

/** What every call of a run brings. */
const holder = {
  leaseToken: queryInputs.token.describe("Of the run, as its start answered it."),
  requestId: queryInputs.requestId
    .exactOptional()
    .describe("The caller's own, unique for each call: makes a repeat of it write nothing more."),
  position: z.string().exactOptional().meta({
    description: "Of this run's last answer; the same again with a repeat.",
    pattern: "^[0-9]+-[0-9]+$",
  }),
};

/** Unknown values in it are left out of the job (QUERY-20), unknown names refused. */
const linkage = z
  .strictObject({
    provider: z.string().exactOptional().describe("`claude` or `codex`; any other is left out."),
    resolvedModel: z.string().exactOptional().describe("Cut to 64 characters."),
    cliSessionId: z.string().exactOptional().describe("Cut to 256 characters, as those below."),
    claudeRunId: z.string().exactOptional().describe("As its provider says."),
    codexRunId: z.string().exactOptional().describe("As its provider says."),
    codexThreadId: z.string().exactOptional().describe("As its provider says."),
  })
  .describe("Which run of which provider it is: credentials and paths are taken out.");

const answerText = queryInputs.text.describe(
  "The whole answer; what is over 128,000 characters is cut, and flagged.",
);

export const heartbeatBody = z.strictObject({ ...holder, leaseMs });

export const linkageBody = z.strictObject({ ...holder, linkage });

export const chunkBody = z.strictObject({
  ...holder,
  delta: z.string().meta({
    description: "More of the answer. Half a surrogate pair at its end is joined with the next.",
    maxLength: DELTA_CHARS_MAX,
  }),
});

export const activityBody = z.strictObject({
  ...holder,
  kind: queryInputs.activityKind.describe(
    "`status` of the run; `input`, `output` and `gap` of its tools.",
  ),
  text: queryInputs.text.describe("Shown without credentials and paths, cut to 2,000 characters."),
});

export const answerReadyBody = z.strictObject({
  ...holder,
  text: answerText,
  linkage: linkage.exactOptional(),
});

export const completeBody = z.strictObject({
  ...holder,
  text: answerText,
  attachments: z
    .array(z.unknown().describe("A QueryAttachment; what is none is left out."))
    .exactOptional()
    .describe("Pictures of the answer, behind those of the request; five together."),
  outputImageStats: z
    .strictObject({
      published: z.number().describe("0 to 1,000."),
      attached: z.number().describe("Of the published ones."),
      rejected: z.number().describe("Of the published ones."),
    })
    .exactOptional()
    .describe("Left out where the numbers do not fit each other."),
  linkage: linkage.exactOptional(),
});

export const failBody = z.strictObject({
  ...holder,
  error: z
    .strictObject({
      code: z
        .string()
        .exactOptional()
        .describe("1 to 80 letters, digits and _.-; otherwise `provider_failed`."),
      message: z.string().exactOptional().describe("Shown without credentials and paths."),
      retryable: z.boolean().exactOptional().describe("Whether another generation may do better."),
      retryAfterMs: z.number().exactOptional().describe("After how long."),
    })
    .describe("What went wrong."),
});

export const interruptBody = z.strictObject({
  ...holder,
  reason: queryInputs.text
    .exactOptional()
    .describe("Why, for whoever reads the job: without credentials and paths."),
});

export const fullQuery = z.strictObject({
  job: z.enum(["full"]).exactOptional().describe("`full`: the answer has the job, too."),
});
