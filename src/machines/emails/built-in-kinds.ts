/** The kinds that need no code: the four of the original store, and a plain message. */
import * as z from "zod/mini";
import { messageParts } from "./content.ts";
import { MAX_ATTEMPTS_DEFAULT } from "./fields.ts";
import type { EmailKind } from "./kinds.ts";

/** Characters of each body of a stored message. */
export const BODY_CHARS_MAX = 100_000;

const USUAL = {
  waitsForAi: false,
  maxAttempts: MAX_ATTEMPTS_DEFAULT,
  prepare: null,
  unknown: "retry",
} as const;

/** The four original ones have no `prepare`: what makes them valid stands in the application's data. */
export const BUILT_IN_KINDS: readonly EmailKind[] = [
  { ...USUAL, name: "first-view", payload: recordings(1) },
  { ...USUAL, name: "unviewed-reminder", payload: recordings(1) },
  { ...USUAL, name: "first-import", payload: recordings(1) },
  { ...USUAL, name: "two-clips", payload: recordings(2), waitsForAi: true },
  { ...USUAL, name: "message", ...message() },
];

// The two recordings of `two-clips` may be equal: whoever enqueues sees to it that they are not.
function recordings(count: number): z.core.$ZodObject {
  const text = z.string().check(z.trim(), z.minLength(1));
  return z.strictObject({
    recordingIds: z.array(text).check(z.length(count)),
    shareId: z.optional(text),
    requestedBy: z.optional(text),
  });
}

/** Always valid, and sent as it was enqueued. */
function message(): Pick<EmailKind, "payload" | "prepare"> {
  const { subject, body, replyTo, headers } = messageParts(BODY_CHARS_MAX);
  const fields = {
    subject,
    text: body,
    html: z.optional(body),
    replyTo: z.optional(replyTo),
    headers: z.optional(headers),
  };
  const content = z.object(fields);
  return {
    payload: z.strictObject(fields),
    prepare(job) {
      const { html = null, replyTo = null, headers = {}, ...rest } = z.parse(content, job);
      return { ...rest, html, replyTo, headers };
    },
  };
}
