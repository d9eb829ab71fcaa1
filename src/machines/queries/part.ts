/** A part of a job's log: one or more events, and whose call wrote them. */
import * as z from "zod/mini";
import { reasonOf } from "../../core/issues.ts";
import type { JsonArray, JsonObject } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { EpochMs } from "../../core/time.ts";
import type { Accepted, QueryEvent } from "./events.ts";
import { instant, uuidText } from "./fields.ts";
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

/** What part 1 says of itself, so that it leads to its root also where its continuations are missing. */
export interface PartAdmission {
  readonly clientJobId: string;
  readonly generation: number;
  /** See `Accepted`. */
  readonly base: string | null;
  readonly at: EpochMs;
}

const storedAdmission: z.core.$ZodType<PartAdmission> = z.strictObject({
  clientJobId: uuidText,
  generation: z.int().check(z.minimum(1)),
  base: z.nullable(z.string()),
  at: instant,
});

const storedAbout = z.strictObject({
  requestId: z.exactOptional(z.string()),
  admission: z.exactOptional(storedAdmission),
});

const storedPart = z.strictObject({
  about: storedAbout,
  items: z.array(storedEvent).check(z.minLength(1)),
});

export type ParsedPart =
  | { readonly ok: true; readonly part: QueryPart }
  | { readonly ok: false; readonly reason: string };

/** Reads the body of a part. `reason` names field paths and no values. */
export function parsePart({ about, items }: PartBody): ParsedPart {
  const parsed = safeParse(storedPart, { about, items });
  if (!parsed.success) return { ok: false, reason: reasonOf(parsed.error, "part") };
  const { requestId = null } = parsed.data.about;
  return { ok: true, part: { events: parsed.data.items, requestId } };
}

/** Of part 1; null for what is none. */
export function admissionOf(about: JsonObject): PartAdmission | null {
  const parsed = safeParse(storedAbout, about);
  return parsed.success ? (parsed.data.admission ?? null) : null;
}

/** The inverse of `parsePart`. Events are JSON as they are. */
export function partBody({ events, requestId }: QueryPart): PartBody {
  const [first] = events;
  return {
    about: {
      ...(requestId === null ? {} : { requestId }),
      ...(first?.type === "accepted" ? { admission: partAdmission(first) } : {}),
    },
    items: events,
  };
}

function partAdmission({ request, base, at }: Accepted): PartAdmission & JsonObject {
  const { clientJobId, generation } = request;
  return { clientJobId, generation, base, at };
}
