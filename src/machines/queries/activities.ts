/** What a run tells of its work: the latest few, repeats counted (QUERY-23). */
import type { EpochMs } from "../../core/time.ts";
import type { ActivityKind } from "./events.ts";
import { ACTIVITIES_MAX } from "./limits.ts";

export interface Activity {
  readonly eventSeq: number;
  readonly at: EpochMs;
  readonly kind: ActivityKind;
  readonly text: string;
  /** How often it was told in a row; left out: once. */
  readonly repeatCount?: number;
}

/** `list` with `next`, which replaces the last one if it says the same. */
export function withActivity(list: readonly Activity[], next: Activity): readonly Activity[] {
  const last = list.at(-1);
  if (last === undefined || last.kind !== next.kind || last.text !== next.text) {
    return [...list, next].slice(-ACTIVITIES_MAX);
  }
  return [...list.slice(0, -1), { ...next, repeatCount: (last.repeatCount ?? 1) + 1 }];
}
