/**
 * The rows of an original's journal (semantics C1, Journal record), and how a job begins in one. A row
 * counts for what the original would have made of it (C4, fold rules); what is told of one names nothing
 * of its content.
 */
import * as z from "zod/mini";
import { reasonOf } from "../../core/issues.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { after, type DurationMs, type EpochMs, epochMs, parseIsoTime } from "../../core/time.ts";
import { isUuid, uuidText } from "./fields.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { parseQueryRequest, type QueryRequest } from "./request.ts";
import { QUERY_STATUSES } from "./statuses.ts";

const ROW_TYPES = [
  ...QUERY_STATUSES,
  "chunk",
  "tool_status",
  "activity_line",
  "acknowledged",
] as const;

const object = z.looseObject({});

const journalRow = z.object({
  schemaVersion: z.literal(1),
  recordId: z.string(),
  partitionDay: z.string(),
  persistedAt: z.pipe(
    z.string(),
    z.transform((text, context) => {
      const at = parseIsoTime(text);
      if (at === null) context.issues.push({ code: "custom", input: text });
      return epochMs(at ?? 0);
    }),
  ),
  bootId: z.string(),
  jobId: uuidText,
  clientJobId: z.string(),
  generation: z.int(),
  turnId: z.string(),
  requestFingerprint: z.string(),
  eventSeq: z.int(),
  type: z.enum(ROW_TYPES),
  status: z.enum(QUERY_STATUSES),
  request: z.optional(z.unknown()),
  /** What it changes in the snapshot. */
  patch: object,
  /** What subscribers were shown. */
  eventData: object,
});

export type JournalRow = z.output<typeof journalRow>;

export type ParsedRow =
  | { readonly ok: true; readonly row: JournalRow }
  | { readonly ok: false; readonly reason: string };

/** Reads one line of a journal. `reason` names fields and no values. */
export function parseJournalRow(line: string): ParsedRow {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, reason: "not JSON, as a row that was cut off" };
  }
  const parsed = safeParse(journalRow, value);
  return parsed.success
    ? { ok: true, row: parsed.data }
    : { ok: false, reason: reasonOf(parsed.error, "row") };
}

/** What the first row of a job says of it. */
export interface JournalStart {
  readonly jobId: string;
  readonly request: QueryRequest;
  readonly fingerprint: string;
  readonly turnId: string;
  readonly acceptedAt: EpochMs;
  readonly retentionUntil: EpochMs;
}

export type BegunJob =
  | { readonly ok: true; readonly start: JournalStart }
  | { readonly ok: false; readonly reason: string };

/** The job that `row` begins, if it can be the first of one and its request is what it says (QUERY-50). */
export function begunJob(row: JournalRow, retentionMs: DurationMs): BegunJob {
  if (row.type !== "accepted" || row.eventSeq !== 1) {
    return { ok: false, reason: `${row.type} of a job whose beginning is not there` };
  }
  const parsed = parseQueryRequest(row.request);
  if (!parsed.ok) return { ok: false, reason: `its request is refused: ${parsed.problem.code}` };
  const { request } = parsed;
  const fingerprint = fingerprintOf(request);
  if (fingerprint !== row.requestFingerprint) {
    return { ok: false, reason: "its fingerprint is of another request" };
  }
  const isOwn = request.clientJobId === row.clientJobId && request.generation === row.generation;
  if (!isOwn) return { ok: false, reason: "its request is of another client job or generation" };
  if (!isUuid(row.turnId)) return { ok: false, reason: "its turnId is no UUID of version 4" };
  const { jobId, turnId, persistedAt: acceptedAt } = row;
  const retentionUntil = after(acceptedAt, retentionMs);
  return { ok: true, start: { jobId, request, fingerprint, turnId, acceptedAt, retentionUntil } };
}
