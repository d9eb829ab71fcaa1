/**
 * One job of an original's journal, row by row, as the events that our log keeps of it: the text that every
 * row repeats becomes deltas, and what our machine would not have written is left out and told.
 */
import { assert, unreachable } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { parseIsoTime } from "../../core/time.ts";
import { attachmentRefsOf } from "./attachments.ts";
import type { ActivityKind, QueryEvent } from "./events.ts";
import { advanceHead, type QueryHead } from "./head.ts";
import type { JournalRow, JournalStart } from "./journal.ts";
import { type Drafted, settled, sharedLength, takeBack } from "./journal-text.ts";
import { RUN_LEASE_MS } from "./limits.ts";
import { linkageOf } from "./linkage.ts";
import { imageStatsOf, queryErrorOf } from "./outcome.ts";
import { activityEvent, linkageField } from "./progress.ts";
import { isTerminal, mayFollow } from "./statuses.ts";

/**
 * `taken`: it is in the log; `missing`: rows before it are not in the journal (QUERY-51). `repeated`: the
 * original has passed it already (QUERY-49). `skipped`: nobody, or only the original, would take it.
 */
export type RowVerdict =
  | { readonly kind: "taken"; readonly missing: number }
  | { readonly kind: "repeated" }
  | { readonly kind: "skipped"; readonly reason: string };

export interface JournalJob {
  add(row: JournalRow): RowVerdict;
  /** All so far, as a log holds them. `base`: see `Accepted`. */
  events(base: string | null): readonly QueryEvent[];
}

export function journalJob(start: JournalStart): JournalJob {
  const drafts: Drafted[] = [];
  let head = headAfter(null, acceptedOf(start, null));
  /** Of the last row that the original took. */
  let seq = 1;
  /** The answer so far, as the original had it. */
  let text = "";

  function take(draft: Drafted): string | null {
    const next = advanceHead(head, draft.event);
    if (!next.ok) return next.reason;
    head = next.state;
    drafts.push(draft);
    return null;
  }

  /** The part of `full`, which replaces the text, that is new. */
  function replaceText(full: string): string {
    const kept = sharedLength(text, full);
    takeBack(drafts, text.length - kept);
    text = full;
    return full.slice(kept);
  }

  function takeChunk(row: JournalRow): string | null {
    const { partialText, partialTruncated } = row.patch;
    const isTruncated = partialTruncated === true || head.text.isTruncated;
    const truncated = isTruncated ? { truncated: true as const } : {};
    const event = { type: "chunk", ...whenOf(head, row), delta: "", ...truncated } as const;
    const draft: Drafted = { kind: "chunk", event, delta: "" };
    const problem = take(draft);
    if (problem === null && typeof partialText === "string") draft.delta = replaceText(partialText);
    return problem;
  }

  function takeRunning(row: JournalRow): string | null {
    const { patch, persistedAt: at } = row;
    const isConfirmed = typeof patch["providerOwnershipConfirmedAt"] === "string";
    if (head.status === "starting" && row.status === "running") {
      const event = { type: "running", at, ...linkageField(patch) } as const;
      const problem = take({ kind: "event", event });
      if (problem !== null || !isConfirmed) return problem;
    }
    const linkage = linkageOf(patch);
    return take({ kind: "event", event: { type: "linkage", ...whenOf(head, row), linkage } });
  }

  function takeRow(row: JournalRow): string | null {
    const { patch, eventData, persistedAt: at } = row;
    switch (row.type) {
      case "accepted":
        return "accepted a second time";
      case "starting": {
        // Whoever ran it is gone, and nobody was ever given a token for it.
        const run = sha256Hex(`${start.jobId}/${row.recordId}`);
        return take({ kind: "event", event: { type: "starting", at, run, leaseMs: RUN_LEASE_MS } });
      }
      case "running":
        return takeRunning(row);
      case "chunk":
        return takeChunk(row);
      case "tool_status":
      case "activity_line": {
        const said = eventData["text"];
        const event = activityEvent(
          activityKindOf(eventData["kind"]),
          typeof said === "string" ? said : "",
          whenOf(head, row),
        );
        const truncated = eventData["truncated"] === true ? { truncated: true as const } : {};
        return take({ kind: "event", event: { ...event, ...truncated } });
      }
      case "answer_ready":
        return take({
          kind: "answer",
          event: { type: "answer_ready", at, answer: { text: "" }, ...linkageField(patch) },
          text: textOf(patch["partialText"]),
          isTruncated: patch["partialTruncated"] === true,
        });
      case "completed":
        return take({
          kind: "answer",
          event: { type: "completed", at, answer: { text: "" }, ...completionOf(patch) },
          text: textOf(patch["response"]) ?? textOf(patch["partialText"]),
          isTruncated: patch["responseTruncated"] === true,
        });
      case "failed":
        return take({
          kind: "event",
          event: { type: "failed", at, error: queryErrorOf(patch["error"]) },
        });
      case "canceled": {
        const { message } = queryErrorOf(patch["error"]);
        return take({ kind: "event", event: { type: "canceled", at, message } });
      }
      case "interrupted": {
        const { message: reason } = queryErrorOf(patch["error"]);
        const fence = { ...fenceOf(patch["orphanFenceUntil"]) };
        return take({ kind: "event", event: { type: "interrupted", at, reason, ...fence } });
      }
      case "acknowledged": {
        const { status } = head;
        if (!isTerminal(status)) return `${row.type} in status ${status}`;
        return take({ kind: "event", event: { type: "acknowledged", at, status } });
      }
      default:
        return unreachable(row.type);
    }
  }

  return {
    add(row) {
      if (row.eventSeq <= seq) return { kind: "repeated" };
      if (row.type !== "acknowledged" && isTerminal(head.status)) {
        return { kind: "skipped", reason: `${row.type} in status ${head.status}` };
      }
      if (row.status !== head.status && !mayFollow(head.status, row.status)) {
        return { kind: "skipped", reason: `${row.type} in status ${head.status}` };
      }
      const missing = row.eventSeq - seq - 1;
      // The original counts it, also where our log does not hold it.
      seq = row.eventSeq;
      const problem = takeRow(row);
      return problem === null
        ? { kind: "taken", missing }
        : { kind: "skipped", reason: `${row.type} in status ${head.status}` };
    },
    events: (base) => [acceptedOf(start, base), ...settled(drafts)],
  };
}

function acceptedOf(start: JournalStart, base: string | null): QueryEvent {
  const { request, fingerprint, turnId, acceptedAt: at, retentionUntil } = start;
  return { type: "accepted", at, request, fingerprint, turnId, retentionUntil, base };
}

function headAfter(head: QueryHead | null, event: QueryEvent): QueryHead {
  const next = advanceHead(head, event);
  assert(next.ok, "the first event begins a log");
  return next.state;
}

function whenOf({ status }: QueryHead, { persistedAt: at }: JournalRow) {
  return status === "starting" ? { at, early: true as const } : { at };
}

function activityKindOf(kind: unknown): ActivityKind {
  return kind === "input" || kind === "output" || kind === "gap" ? kind : "status";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function completionOf(patch: JournalRow["patch"]) {
  const attachments = attachmentRefsOf(patch["attachments"]);
  const outputImageStats = imageStatsOf(patch["outputImageStats"]);
  return {
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(outputImageStats === null ? {} : { outputImageStats }),
    ...linkageField(patch),
  };
}

function fenceOf(value: unknown) {
  const orphanFenceUntil = typeof value === "string" ? parseIsoTime(value) : null;
  return orphanFenceUntil === null ? {} : { orphanFenceUntil };
}
