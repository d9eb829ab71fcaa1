/** What the routes of runs take from whoever answers a query. */
import * as z from "zod/mini";
import { queryInputs } from "../machines/queries/inputs.ts";

const { generation, text } = queryInputs;

const leaseMs = z.exactOptional(queryInputs.leaseMs);

export const runBody = z.strictObject({
  generation,
  leaseMs,
  leaseToken: z.exactOptional(queryInputs.token),
});

/** What every call of a run brings. */
const holder = {
  leaseToken: queryInputs.token,
  requestId: z.exactOptional(queryInputs.requestId),
  position: z.exactOptional(z.string()),
};

/** Unknown values in it are left out of the job (QUERY-20), unknown names refused. */
export const linkage = z.strictObject({
  provider: z.exactOptional(z.string()),
  resolvedModel: z.exactOptional(z.string()),
  cliSessionId: z.exactOptional(z.string()),
  claudeRunId: z.exactOptional(z.string()),
  codexRunId: z.exactOptional(z.string()),
  codexThreadId: z.exactOptional(z.string()),
});

export const heartbeatBody = z.strictObject({ ...holder, leaseMs });

export const linkageBody = z.strictObject({ ...holder, linkage });

export const chunkBody = z.strictObject({ ...holder, delta: z.string() });

export const activityBody = z.strictObject({ ...holder, kind: queryInputs.activityKind, text });

export const answerReadyBody = z.strictObject({
  ...holder,
  text,
  linkage: z.exactOptional(linkage),
});

export const outputImageStats = z.strictObject({
  published: z.number(),
  attached: z.number(),
  rejected: z.number(),
});

export const completeBody = z.strictObject({
  ...holder,
  text,
  attachments: z.exactOptional(z.array(z.unknown())),
  outputImageStats: z.exactOptional(outputImageStats),
  linkage: z.exactOptional(linkage),
});

export const failure = z.strictObject({
  code: z.exactOptional(z.string()),
  message: z.exactOptional(z.string()),
  retryable: z.exactOptional(z.boolean()),
  retryAfterMs: z.exactOptional(z.number()),
});

export const failBody = z.strictObject({ ...holder, error: failure });

export const interruptBody = z.strictObject({ ...holder, reason: z.exactOptional(text) });

export const fullQuery = z.strictObject({ job: z.exactOptional(z.enum(["full"])) });
