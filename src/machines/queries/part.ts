/** A part of a job's log: one or more events, and whose call wrote them. */
import * as z from "zod";
import { reasonOf } from "../../core/issues.ts";
import type { JsonArray, JsonObject } from "../../core/json.ts";
import type { QueryEvent } from "./events.ts";
import { storedEvent } from "./stored.ts";

export interface QueryPart {
  readonly events: readonly QueryEvent[];
  /** The caller's mark of the call, which recognises its repeat; null: it had none. */
  readonly requestId: string | null;
}

/** A part as a log keeps it: one item for each event, and what it says of itself. */
export interface PartBody {
  readonly about: JsonObject;
  readonly items: JsonArray;
}

const storedPart = z.strictObject({
  about: z.strictObject({ requestId: z.string().exactOptional() }),
  items: z.array(storedEvent).min(1),
});

export type ParsedPart =
  | { readonly ok: true; readonly part: QueryPart }
  | { readonly ok: false; readonly reason: string };

/** Reads the body of a part. `reason` names field paths and no values. */
export function parsePart({ about, items }: PartBody): ParsedPart {
  const parsed = storedPart.safeParse({ about, items });
  if (!parsed.success) return { ok: false, reason: reasonOf(parsed.error, "part") };
  const { requestId = null } = parsed.data.about;
  return { ok: true, part: { events: parsed.data.items, requestId } };
}

/** The inverse. Events are JSON as they are. */
export function partBody({ events, requestId }: QueryPart): PartBody {
  return { about: requestId === null ? {} : { requestId }, items: events };
}
