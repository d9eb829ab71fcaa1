/** What the original query store writes: a line of JSON for each event, into one file for a day. */
import { answerText, deltasOf, requestOf } from "./query-jobs.ts";

/** What was written of one job. */
export interface Written {
  writes: number;
  bytes: number;
}

const ID = "22222222-2222-4222-8222-222222222222";

const AT = "2026-01-01T00:00:00.000Z";

/**
 * The journal of one answer of `bytes` in deltas of `size`. Each chunk's line has the whole text so far in
 * its patch and in its event, that of the committed answer twice, and that of the end three times.
 */
export function journalOf(bytes: number, size: number): Written {
  const written: Written = { writes: 0, bytes: 0 };
  const { clientJobId, generation, ...asked } = requestOf(1);
  function append(type: string, status: string, fields: object): void {
    const line = JSON.stringify({
      ...{ schemaVersion: 1, recordId: ID, partitionDay: "2026-01-01", persistedAt: AT },
      ...{ bootId: ID, jobId: ID, clientJobId, generation, turnId: ID },
      ...{ requestFingerprint: "0".repeat(64), eventSeq: written.writes + 1, type, status },
      ...fields,
    });
    written.writes += 1;
    written.bytes += Buffer.byteLength(line) + 1;
  }
  const request = { clientJobId, generation, ...asked };
  append("accepted", "accepted", { request, patch: {}, eventData: {} });
  append("starting", "starting", { patch: {}, eventData: {} });
  append("running", "running", { patch: { startedAt: AT }, eventData: {} });
  append("running", "running", { patch: { providerOwnershipConfirmedAt: AT }, eventData: {} });
  let text = "";
  for (const delta of deltasOf(answerText(bytes), size)) {
    text += delta;
    const patch = { partialText: text, partialTruncated: false };
    append("chunk", "running", { patch, eventData: { delta, text, truncated: false } });
  }
  const partial = { partialText: text, partialTruncated: false };
  const ready = { answerReadyAt: AT, ...partial };
  append("answer_ready", "answer_ready", { patch: ready, eventData: { text } });
  const ended = { completedAt: AT, response: text, responseTruncated: false, ...partial };
  append("completed", "completed", { patch: ended, eventData: { response: text } });
  return written;
}
