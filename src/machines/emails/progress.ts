/** How far the passes of a tenant have come: kept beside the fields of the configuration record. */
import * as z from "zod/mini";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject } from "../../core/json.ts";
import { apply, type Decision, reject, unchanged } from "../../core/machine.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { EpochMs } from "../../core/time.ts";
import {
  decideConfig,
  type EmailConfig,
  type EmailConfigCommand,
  type EmailConfigRejection,
  type EmailCursor,
  sameCursor,
  storedCursor,
} from "./config.ts";

/** The queues that a pass walks. */
export type SweptQueue = "attend" | "deliver";

/**
 * Where the walk of a queue goes on that is too long for one pass. Both are cursors of the storage's
 * due index, opaque.
 */
export type QueuePlace = {
  /** How far the present round has come; null: it begins. */
  readonly sweep: string | null;
  /** What was entered lately lies behind it; null: not known yet. */
  readonly tail: string | null;
};

export interface EmailProgress {
  /** Cursors of an application's own sources, by name; without one a scan begins. */
  readonly sources: Readonly<Record<string, EmailCursor>>;
  /** Only of queues that are too long for one pass. */
  readonly places: Readonly<Partial<Record<SweptQueue, QueuePlace>>>;
}

/** The configuration record as a whole. */
export interface EmailConfigState {
  readonly config: EmailConfig;
  readonly progress: EmailProgress;
}

export type EmailProgressCommand =
  /**
   * Null: the source begins again. Of the others only the cursors of `known` sources are kept: what an
   * application does not have any more would stay for ever.
   */
  | {
      readonly kind: "setSourceCursor";
      readonly name: string;
      readonly cursor: EmailCursor | null;
      readonly known: readonly string[];
    }
  /** Null: the queue is walked from its beginning, within one pass. */
  | { readonly kind: "setPlace"; readonly queue: SweptQueue; readonly place: QueuePlace | null };

export const NO_PROGRESS: EmailProgress = { sources: {}, places: {} };

/** Characters of a cursor that is kept. A longer one is forgotten, and its walk begins again. */
export const PLACE_CHARS_MAX = 4_096;

const place = z.strictObject({
  sweep: z.nullable(z.string().check(z.minLength(1), z.maxLength(PLACE_CHARS_MAX))),
  tail: z.nullable(z.string().check(z.minLength(1), z.maxLength(PLACE_CHARS_MAX))),
});

const storedProgress = z.strictObject({
  sources: z.exactOptional(z.record(z.string(), storedCursor)),
  places: z.exactOptional(
    z.strictObject({ attend: z.exactOptional(place), deliver: z.exactOptional(place) }),
  ),
});

/** Every name that this release keeps beside the configuration's fields. */
export const EMAIL_CONFIG_EXTRAS: ReadonlySet<string> = new Set(Object.keys(storedProgress.shape));

export type ParsedProgress =
  | { readonly ok: true; readonly progress: EmailProgress }
  | { readonly ok: false; readonly reason: string };

export function parseProgress(extra: JsonObject): ParsedProgress {
  const parsed = safeParse(storedProgress, extra);
  return parsed.success
    ? { ok: true, progress: { ...NO_PROGRESS, ...parsed.data } }
    : { ok: false, reason: `holdfast: ${reasonOf(parsed.error)}` };
}

/** The inverse of `parseProgress`; nothing is written of a tenant whose passes reach their end. */
export function progressRecord({ sources, places }: EmailProgress): JsonObject {
  return {
    ...(Object.keys(sources).length === 0 ? {} : { sources }),
    ...(Object.keys(places).length === 0 ? {} : { places: { ...places } }),
  };
}

/** Where the scan of a source goes on; null: it begins. */
export function sourceCursor({ sources }: EmailProgress, name: string): EmailCursor | null {
  // A source may be called `constructor`, which every object has.
  return (Object.hasOwn(sources, name) ? sources[name] : null) ?? null;
}

/** Judges `command` on the record as stored (null: there is none). */
export function decideConfigState(
  state: EmailConfigState | null,
  command: EmailConfigCommand | EmailProgressCommand,
  now: EpochMs,
): Decision<EmailConfigState, EmailConfigRejection> {
  if (command.kind === "ensureEnabledAt" || command.kind === "setCursor") {
    const decision = decideConfig(state?.config ?? null, command, now);
    const progress = state?.progress ?? NO_PROGRESS;
    if (decision.kind === "reject") return decision;
    if (decision.kind === "apply") return apply({ config: decision.next, progress });
    return unchanged({ config: decision.state, progress });
  }
  if (state === null) return reject<EmailConfigRejection>({ kind: "config_not_found" });
  const progress = progressAfter(state.progress, command);
  return progress === null ? unchanged(state) : apply({ ...state, progress });
}

/** Null: it is so already. */
function progressAfter(
  progress: EmailProgress,
  command: EmailProgressCommand,
): EmailProgress | null {
  if (command.kind === "setPlace") {
    const { [command.queue]: before = null, ...others } = progress.places;
    if (samePlace(before, command.place)) return null;
    const own = command.place === null ? {} : { [command.queue]: command.place };
    return { ...progress, places: { ...others, ...own } };
  }
  const { name, cursor, known } = command;
  if (sameCursor(sourceCursor(progress, name), cursor)) return null;
  const kept = Object.entries(progress.sources).filter(
    ([other]) => other !== name && known.includes(other),
  );
  const own = cursor === null ? {} : { [name]: cursor };
  return { ...progress, sources: { ...Object.fromEntries(kept), ...own } };
}

function samePlace(one: QueuePlace | null, other: QueuePlace | null): boolean {
  return one?.sweep === other?.sweep && one?.tail === other?.tail;
}
