/** Pictures that a request or an answer refers to: what does not fit is left out, never refused. */
import * as z from "zod/mini";
import { fieldOf } from "../../core/foreign.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { isoTime, parseIsoTime } from "../../core/time.ts";
import { ATTACHMENTS_MAX } from "./limits.ts";
import { cutText } from "./text.ts";

const KINDS = ["user_photo", "traffic_frame", "generated_visual"] as const;
const MIMES = ["image/jpeg", "image/png"] as const;
const LABEL_CHARS_MAX = 120;
const EDGE_PIXELS_MAX = 65_535;

const ATTACHMENT_ID = /^m_[0-9a-f]{24}$/;
const UTC_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,3})?Z$/;

const attachmentId = z.string().check(z.regex(ATTACHMENT_ID));
const edge = z.int().check(z.minimum(1), z.maximum(EDGE_PIXELS_MAX));

/** Some runtimes take the 30th of February for the 2nd of March. */
const utcTime = z.string().check(
  z.refine((text) => {
    const at = parseIsoTime(text);
    return at !== null && UTC_TIME.exec(text)?.[1] === isoTime(at).slice(0, 19);
  }),
);

export type AttachmentRef = {
  readonly id: string;
  readonly kind: (typeof KINDS)[number];
  readonly mime: (typeof MIMES)[number];
  readonly width: number;
  readonly height: number;
  readonly createdAt: string;
  readonly label?: string;
  readonly capturedAt?: string;
  readonly expiresAt?: string;
};

/** As it is stored and read back. */
export const storedAttachmentRef: z.core.$ZodType<AttachmentRef> = z.strictObject({
  id: attachmentId,
  kind: z.enum(KINDS),
  mime: z.enum(MIMES),
  width: edge,
  height: edge,
  createdAt: utcTime,
  label: z.exactOptional(z.string()),
  capturedAt: z.exactOptional(utcTime),
  expiresAt: z.exactOptional(utcTime),
});

/** The first ATTACHMENTS_MAX of `value` that are refs; none when it is no array (QUERY-12). */
export function attachmentRefsOf(value: unknown): readonly AttachmentRef[] {
  return firstFew(value, attachmentRef);
}

/** The first ATTACHMENTS_MAX different ids in `value`. */
export function attachmentIdsOf(value: unknown): readonly string[] {
  const seen = new Set<string>();
  return firstFew(value, (item) => {
    if (typeof item !== "string" || !ATTACHMENT_ID.test(item) || seen.has(item)) return null;
    seen.add(item);
    return item;
  });
}

/** Those of the request first, each id once, ATTACHMENTS_MAX together (QUERY-26). */
export function mergedAttachments(
  ...lists: readonly (readonly AttachmentRef[])[]
): readonly AttachmentRef[] {
  const byId = new Map<string, AttachmentRef>();
  for (const ref of lists.flat()) if (!byId.has(ref.id)) byId.set(ref.id, ref);
  return [...byId.values()].slice(0, ATTACHMENTS_MAX);
}

function firstFew<T>(value: unknown, parse: (item: unknown) => T | null): readonly T[] {
  const found: T[] = [];
  if (!Array.isArray(value)) return found;
  for (const item of value) {
    const parsed = parse(item);
    if (parsed !== null) found.push(parsed);
    if (found.length === ATTACHMENTS_MAX) break;
  }
  return found;
}

function attachmentRef(value: unknown): AttachmentRef | null {
  const field = (name: string): unknown => fieldOf(value, name);
  const optional = (name: string, given: unknown): object =>
    given === undefined || given === null ? {} : { [name]: given };
  const parsed = safeParse(storedAttachmentRef, {
    ...{ id: field("id"), kind: field("kind"), mime: field("mime") },
    ...{ width: field("width"), height: field("height"), createdAt: field("createdAt") },
    ...optional("label", shortLabel(field("label"))),
    ...optional("capturedAt", field("capturedAt")),
    ...optional("expiresAt", field("expiresAt")),
  });
  return parsed.success ? parsed.data : null;
}

// A label is no reason to lose the picture, so half a pair in it is mended.
function shortLabel(label: unknown): unknown {
  if (typeof label !== "string") return label;
  return cutText(label.toWellFormed(), LABEL_CHARS_MAX).text;
}
