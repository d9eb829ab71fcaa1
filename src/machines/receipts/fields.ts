/** Names, bounds and schemas of single fields, shared by stored receipts and by what comes in. */
import * as z from "zod/mini";
import { jsonProblem } from "../../core/json.ts";
import { EPOCH_MS_MAX } from "../../core/time.ts";

export const RECEIPT_STATES = [
  "prepared",
  "dispatching",
  "accepted",
  "terminal",
  "outcome-unknown",
] as const;

export type ReceiptStateName = (typeof RECEIPT_STATES)[number];

/** What a person can say of an outcome that nobody else will tell any more. */
export const RESOLUTIONS = ["happened", "did_not_happen", "abandoned"] as const;

export type ResolutionOutcome = (typeof RESOLUTIONS)[number];

/** Characters of principalId and workspaceId (semantics B6). */
export const NAME_CHARS_MAX = 256;

/** Characters of the other ids. */
export const ID_CHARS_MAX = 128;

/** Bytes of a result as JSON without spaces, unless its operation says otherwise. */
export const RESULT_BYTES_MAX = 65_536;

/** Characters of what a person remarks on a resolution, and of who that person is. */
export const NOTE_CHARS_MAX = 1_000;
export const AUTHOR_CHARS_MAX = 256;

const SHA_256 = /^[0-9a-f]{64}$/;

/** A receipt's id, and a payload's hash: 64 lower-case hex digits. */
export const hexDigest = z.string().check(z.regex(SHA_256, "must be 64 lower-case hex digits"));

/** First alphanumeric, then alphanumeric or one of `._:-`. */
export const operationName = z
  .string()
  .check(
    z.maxLength(ID_CHARS_MAX),
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, "must begin with a letter or digit; then also ._:-"),
  );

/** Names a person or a place as another system writes it. */
export const foreignName = z.string().check(z.minLength(1), z.maxLength(NAME_CHARS_MAX));

/** The same where it comes in: what cannot be stored on every storage is refused. */
export const givenName = foreignName.check(
  z.refine(
    (text) => jsonProblem(text) === null,
    "must not contain a NUL character or half a surrogate pair",
  ),
);

export const memberGeneration = z.int().check(z.minimum(1));

/** Milliseconds since 1970. */
export const instant = z.int().check(z.minimum(0), z.maximum(EPOCH_MS_MAX));

export function isReceiptId(text: unknown): text is string {
  return typeof text === "string" && SHA_256.test(text);
}
