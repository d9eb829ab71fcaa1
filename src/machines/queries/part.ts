/** A part of a job's log: one or more events, and whose call wrote them. */
import * as z from "zod";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject } from "../../core/json.ts";
import type { QueryEvent } from "./events.ts";
import { storedEvent } from "./stored.ts";

export interface QueryPart {
  readonly events: readonly QueryEvent[];
  /** The caller's mark of the call, which recognises its repeat; null: it had none. */
  readonly requestId: string | null;
}

const storedPart = z.strictObject({
  events: z.array(storedEvent).min(1),
  requestId: z.string().exactOptional(),
});

export type ParsedPart =
  | { readonly ok: true; readonly part: QueryPart }
  | { readonly ok: false; readonly reason: string };

/** Reads the body of a part. `reason` names field paths and no values. */
export function parsePart(body: JsonObject): ParsedPart {
  const parsed = storedPart.safeParse(body);
  if (!parsed.success) return { ok: false, reason: reasonOf(parsed.error, "part") };
  const { events, requestId = null } = parsed.data;
  return { ok: true, part: { events, requestId } };
}

/** The inverse. Events are JSON as they are. */
export function partBody({ events, requestId }: QueryPart): JsonObject {
  return { events, ...(requestId === null ? {} : { requestId }) };
}
