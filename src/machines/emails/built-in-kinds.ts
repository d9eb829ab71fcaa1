/** The kinds that need no code: the four of the original store, and a plain message. */
import * as z from "zod";
import { messageParts } from "./content.ts";
import { MAX_ATTEMPTS_DEFAULT } from "./fields.ts";
import type { EmailKind } from "./kinds.ts";

/** Characters of each body of a stored message. */
export const BODY_CHARS_MAX = 100_000;

/**
 * The four original ones have no `prepare`: what makes them valid stands in the application's data.
 * Built anew on every call: a schema is a mutable object and no state of this module.
 */
export function builtInKinds(): readonly EmailKind[] {
  const usual = {
    waitsForAi: false,
    maxAttempts: MAX_ATTEMPTS_DEFAULT,
    prepare: null,
    unknown: "retry",
  } as const;
  return [
    { ...usual, name: "first-view", payload: recordings(1) },
    { ...usual, name: "unviewed-reminder", payload: recordings(1) },
    { ...usual, name: "first-import", payload: recordings(1) },
    { ...usual, name: "two-clips", payload: recordings(2), waitsForAi: true },
    { ...usual, name: "message", ...message() },
  ];
}

// The two recordings of `two-clips` may be equal: whoever enqueues sees to it that they are not.
function recordings(count: number): z.ZodObject {
  const text = z.string().trim().min(1);
  return z.strictObject({
    recordingIds: z.array(text).length(count),
    shareId: text.optional(),
    requestedBy: text.optional(),
  });
}

/** Always valid, and sent as it was enqueued. */
function message(): Pick<EmailKind, "payload" | "prepare"> {
  const { subject, body, replyTo, headers } = messageParts(BODY_CHARS_MAX);
  const fields = {
    subject,
    text: body,
    html: body.optional(),
    replyTo: replyTo.optional(),
    headers: headers.optional(),
  };
  const content = z.object(fields);
  return {
    payload: z.strictObject(fields),
    prepare(job) {
      const { html = null, replyTo = null, headers = {}, ...rest } = content.parse(job);
      return { ...rest, html, replyTo, headers };
    },
  };
}
