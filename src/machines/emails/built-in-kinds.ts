/** The kinds that need no code: the four of the original store, and a plain message. */
import * as z from "zod";
import {
  HEADERS_MAX,
  headerNameProblem,
  isHeaderValue,
  LINE_CHARS_MAX,
} from "../../core/mail-header.ts";
import { ADDRESS_CHARS_MAX } from "../../core/mailbox.ts";
import { MAX_ATTEMPTS_DEFAULT } from "./fields.ts";

/** Characters of each body of a message. */
export const BODY_CHARS_MAX = 100_000;

/** Built anew on every call: a schema is a mutable object and no state of this module. */
export function builtInKinds() {
  const maxAttempts = MAX_ATTEMPTS_DEFAULT;
  return [
    { name: "first-view", payload: recordings(1), waitsForAi: false, maxAttempts },
    { name: "unviewed-reminder", payload: recordings(1), waitsForAi: false, maxAttempts },
    { name: "first-import", payload: recordings(1), waitsForAi: false, maxAttempts },
    { name: "two-clips", payload: recordings(2), waitsForAi: true, maxAttempts },
    { name: "message", payload: message(), waitsForAi: false, maxAttempts },
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

function message(): z.ZodObject {
  const body = z.string().min(1).max(BODY_CHARS_MAX);
  return z.strictObject({
    subject: z
      .string()
      .min(1)
      .max(LINE_CHARS_MAX)
      .regex(/^[^\r\n]*$/, "must be one line"),
    text: body,
    html: body.optional(),
    replyTo: z.email().max(ADDRESS_CHARS_MAX).optional(),
    headers: headers().optional(),
  });
}

function headers(): z.ZodType<Record<string, string>> {
  const value = z
    .string()
    .max(LINE_CHARS_MAX)
    .refine(isHeaderValue, "must have no control characters");
  return z.record(z.string(), value).superRefine((record, context) => {
    const names = Object.keys(record);
    if (names.length > HEADERS_MAX) {
      context.addIssue({ code: "custom", message: `more than ${HEADERS_MAX} headers` });
      return;
    }
    for (const name of names) {
      const problem = headerNameProblem(name);
      if (problem !== null) context.addIssue({ code: "custom", path: [name], message: problem });
    }
  });
}
