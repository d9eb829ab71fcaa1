/** What a run tells while it is under way. */
import type { EpochMs } from "../../core/time.ts";
import { append, type KnownQuery, stampOf, unchanged } from "./changes.ts";
import type {
  AppendActivity,
  AppendChunk,
  MarkRunning,
  QueryDecision,
  UpdateLinkage,
} from "./commands.ts";
import type { ActivityKind, ActivityLine, ToolStatus } from "./events.ts";
import type { QueryHead } from "./head.ts";
import { ANSWER_CHARS_MAX } from "./limits.ts";
import { type Linkage, linkageOf } from "./linkage.ts";
import { noticeOf } from "./outcome.ts";
import { isUnderWay } from "./statuses.ts";
import { cutText, joinHalf } from "./text.ts";

/** Of an activity that has no text, or none that may be shown. */
const NO_TEXT = "(no text)";

export function markRunning(
  { head }: KnownQuery,
  { linkage }: MarkRunning,
  now: EpochMs,
): QueryDecision {
  if (head.status !== "starting") return unchanged(false);
  return append({ type: "running", at: stampOf(head, now), ...linkageField(linkage) });
}

/** Whatever the linkage says: that it is told confirms that the provider is ours (QUERY-19). */
export function updateLinkage(
  { head }: KnownQuery,
  { linkage }: UpdateLinkage,
  now: EpochMs,
): QueryDecision {
  if (!isUnderWay(head.status)) return unchanged(false);
  return append({ type: "linkage", ...underWay(head, now), linkage: linkageOf(linkage) });
}

/** Only what is new and fits is written; a chunk that adds nothing is carried out by writing nothing. */
export function appendChunk(
  { head }: KnownQuery,
  command: AppendChunk,
  now: EpochMs,
): QueryDecision {
  if (!isUnderWay(head.status)) return unchanged(false);
  if (head.text.isTruncated) return unchanged(true);
  const joined = joinHalf(head.text.half, command.delta);
  const { text: delta, isCut } = cutText(joined.text, ANSWER_CHARS_MAX - head.text.length);
  const isTruncated = isCut || command.isTruncated;
  const half = isTruncated ? null : joined.half;
  if (delta === "" && half === head.text.half && !isTruncated) return unchanged(true);
  return append({
    type: "chunk",
    ...underWay(head, now),
    delta,
    ...(half === null ? {} : { half }),
    ...(isTruncated ? { truncated: true as const } : {}),
  });
}

export function appendActivity(
  { head }: KnownQuery,
  { activity, text }: AppendActivity,
  now: EpochMs,
): QueryDecision {
  if (!isUnderWay(head.status)) return unchanged(false);
  return append(activityEvent(activity, text, underWay(head, now)));
}

/** `when`: see `underWay`. */
export function activityEvent(
  activity: ActivityKind,
  text: string,
  when: Pick<ToolStatus, "at" | "early">,
): ToolStatus | ActivityLine {
  const shown = noticeOf(text, NO_TEXT);
  const notice = {
    ...when,
    text: shown.text,
    ...(shown.isCut ? { truncated: true as const } : {}),
  };
  return activity === "status"
    ? { type: "tool_status", ...notice }
    : { type: "activity_line", kind: activity, ...notice };
}

/** Left out when nothing of it is known. */
export function linkageField(linkage: unknown): { readonly linkage?: Linkage } {
  const known = linkageOf(linkage);
  return Object.keys(known).length === 0 ? {} : { linkage: known };
}

function underWay(head: QueryHead, now: EpochMs): { readonly at: EpochMs; readonly early?: true } {
  const at = stampOf(head, now);
  return head.status === "starting" ? { at, early: true } : { at };
}
