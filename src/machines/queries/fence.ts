/**
 * Holds a session while the provider of an interrupted run may still be at work in it (QUERY-7, QUERY-31).
 * A record of its own, written before the interrupted event and read after the status (protocols 4.3).
 */
import * as z from "zod/mini";
import { sha256Hex } from "../../core/hash.ts";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { after, type DurationMs, durationMs, type EpochMs, epochMs } from "../../core/time.ts";
import { instant, uuidText } from "./fields.ts";
import { ORPHAN_FENCE_MS } from "./limits.ts";

export interface SessionFence {
  /**
   * By the job that was interrupted, until when. Few: a held session starts nothing, and an entry leaves
   * with the first write after its time.
   */
  readonly holds: Readonly<Record<string, EpochMs>>;
}

/** What whoever is refused for it is told. */
export interface HeldSession {
  readonly heldUntil: EpochMs;
  readonly retryAfterMs: DurationMs;
}

/** `until` is not past. */
export function heldSession(until: EpochMs, now: EpochMs): HeldSession {
  return { heldUntil: until, retryAfterMs: durationMs(until - now) };
}

export const NO_FENCE: SessionFence = { holds: {} };

/** The last segment of the fence's key: a session's id is a caller's text. */
export function fenceIdOf(sessionId: string): string {
  return sha256Hex(sessionId);
}

/** Until when the session is held; null: it is not. At that very instant it no longer is. */
export function heldUntil({ holds }: SessionFence, now: EpochMs): EpochMs | null {
  const latest = Math.max(0, ...Object.values(holds));
  return latest > now ? epochMs(latest) : null;
}

/** When a hold that is set now ends. */
export function fenceUntil(now: EpochMs): EpochMs {
  return after(now, ORPHAN_FENCE_MS);
}

/** The session held for `jobId`, never for less time than before. */
export function held(
  fence: SessionFence,
  jobId: string,
  until: EpochMs,
  now: EpochMs,
): SessionFence {
  const holds = current(fence, now);
  return { holds: { ...holds, [jobId]: epochMs(Math.max(until, holds[jobId] ?? 0)) } };
}

/** The hold of a job taken back, which turned out to have ended otherwise, or whose provider has let go. */
export function released(fence: SessionFence, jobId: string, now: EpochMs): SessionFence {
  const { [jobId]: _released, ...holds } = current(fence, now);
  return { holds };
}

function current({ holds }: SessionFence, now: EpochMs): Record<string, EpochMs> {
  return Object.fromEntries(Object.entries(holds).filter(([, until]) => until > now));
}

const storedFence = z.strictObject({ holds: z.record(uuidText, instant) });

export type ParsedFence =
  | { readonly ok: true; readonly fence: SessionFence }
  | { readonly ok: false; readonly reason: string };

export function parseFence(fields: JsonObject): ParsedFence {
  const parsed = safeParse(storedFence, fields);
  return parsed.success
    ? { ok: true, fence: parsed.data }
    : { ok: false, reason: reasonOf(parsed.error) };
}

export function fenceRecord({ holds }: SessionFence): JsonObject {
  return { holds: { ...holds } };
}
