/** What the routes of runs take from whoever answers a query. */
import * as z from "zod";
import { queryInputs } from "../machines/queries/inputs.ts";

const { generation, text } = queryInputs;

const leaseMs = queryInputs.leaseMs.exactOptional();

export const runBody = z.strictObject({
  generation,
  leaseMs,
  leaseToken: queryInputs.token.exactOptional(),
});

/** What every call of a run brings. */
const holder = {
  leaseToken: queryInputs.token,
  requestId: queryInputs.requestId.exactOptional(),
  position: z.string().exactOptional(),
};

/** Unknown values in it are left out of the job (QUERY-20), unknown names refused. */
export const linkage = z.strictObject({
  provider: z.string().exactOptional(),
  resolvedModel: z.string().exactOptional(),
  cliSessionId: z.string().exactOptional(),
  claudeRunId: z.string().exactOptional(),
  codexRunId: z.string().exactOptional(),
  codexThreadId: z.string().exactOptional(),
});

export const heartbeatBody = z.strictObject({ ...holder, leaseMs });

export const linkageBody = z.strictObject({ ...holder, linkage });

export const chunkBody = z.strictObject({ ...holder, delta: z.string() });

export const activityBody = z.strictObject({ ...holder, kind: queryInputs.activityKind, text });

export const answerReadyBody = z.strictObject({
  ...holder,
  text,
  linkage: linkage.exactOptional(),
});

export const outputImageStats = z.strictObject({
  published: z.number(),
  attached: z.number(),
  rejected: z.number(),
});

export const completeBody = z.strictObject({
  ...holder,
  text,
  attachments: z.array(z.unknown()).exactOptional(),
  outputImageStats: outputImageStats.exactOptional(),
  linkage: linkage.exactOptional(),
});

export const failure = z.strictObject({
  code: z.string().exactOptional(),
  message: z.string().exactOptional(),
  retryable: z.boolean().exactOptional(),
  retryAfterMs: z.number().exactOptional(),
});

export const failBody = z.strictObject({ ...holder, error: failure });

export const interruptBody = z.strictObject({ ...holder, reason: text.exactOptional() });

export const fullQuery = z.strictObject({ job: z.enum(["full"]).exactOptional() });
