/** The text of a job in an original's journal, where every row repeats it, as our log keeps it: once. */
import { sha256Hex } from "../../core/hash.ts";
import type { AnswerReady, Chunk, Completed, QueryEvent } from "./events.ts";
import { ANSWER_CHARS_MAX } from "./limits.ts";
import { cutText, joinHalf } from "./text.ts";

/** An event whose text is settled when all of it is known. */
export type Drafted =
  | { readonly kind: "event"; readonly event: QueryEvent }
  | { readonly kind: "chunk"; readonly event: Chunk; delta: string }
  | DraftedAnswer;

interface DraftedAnswer {
  readonly kind: "answer";
  readonly event: AnswerReady | Completed;
  /** Null: the text so far. */
  readonly text: string | null;
  readonly isTruncated: boolean;
}

/** Characters that both begin with. */
export function sharedLength(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let length = 0;
  while (length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Takes the last `count` characters out of the deltas: the original went on without them. */
export function takeBack(drafts: readonly Drafted[], count: number): void {
  let surplus = count;
  for (let at = drafts.length - 1; surplus > 0 && at >= 0; at -= 1) {
    const draft = drafts[at];
    if (draft?.kind !== "chunk") continue;
    const length = Math.max(0, draft.delta.length - surplus);
    surplus -= draft.delta.length - length;
    draft.delta = draft.delta.slice(0, length);
  }
}

/** The text up to an event. */
interface TextState {
  readonly text: string;
  readonly half: number | null;
  readonly isTruncated: boolean;
  readonly isCommitted: boolean;
}

/** With the texts as a log holds them: whole surrogate pairs only, and nothing twice. */
export function settled(drafts: readonly Drafted[]): readonly QueryEvent[] {
  let state: TextState = { text: "", half: null, isTruncated: false, isCommitted: false };
  return drafts.map((draft) => {
    if (draft.kind === "event") return draft.event;
    const next = draft.kind === "chunk" ? settledChunk(state, draft) : settledAnswer(state, draft);
    state = next.state;
    return next.event;
  });
}

interface Settled {
  readonly state: TextState;
  readonly event: QueryEvent;
}

function settledChunk(
  before: TextState,
  { event, delta: given }: Extract<Drafted, { kind: "chunk" }>,
): Settled {
  const joined = joinHalf(before.half, given);
  const room = before.isTruncated ? 0 : ANSWER_CHARS_MAX - before.text.length;
  const { text: delta, isCut } = cutText(joined.text, room);
  const isTruncated = before.isTruncated || isCut || event.truncated === true;
  const half = isTruncated ? null : joined.half;
  return {
    state: { ...before, text: before.text + delta, half, isTruncated },
    event: {
      ...event,
      delta,
      ...(half === null ? {} : { half }),
      ...(isTruncated ? { truncated: true as const } : {}),
    },
  };
}

function settledAnswer(before: TextState, draft: DraftedAnswer): Settled {
  const { text: soFar } = before;
  const { text, isCut } = cutText((draft.text ?? soFar).toWellFormed(), ANSWER_CHARS_MAX);
  const isTruncated = isCut || draft.isTruncated;
  const state = { text, half: null, isTruncated, isCommitted: true };
  const { answer: _drafted, ...event } = draft.event;
  const isSame = text === soFar;
  if (event.type === "completed" && before.isCommitted && isSame) {
    // The commit told it already.
    if (isTruncated === before.isTruncated) return { state, event };
  }
  const truncated = isTruncated ? { truncated: true as const } : {};
  const answer = isSame
    ? { textLength: text.length, sha256: sha256Hex(text), ...truncated }
    : { text, ...truncated };
  return { state, event: { ...event, answer } };
}
