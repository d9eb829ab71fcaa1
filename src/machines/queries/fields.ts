/** Schemas of single fields, shared by what is stored and by what comes in. */
import * as z from "zod/mini";
import { EPOCH_MS_MAX, type EpochMs } from "../../core/time.ts";

/** 64 lower-case hex digits. */
export const hexDigest = z
  .string()
  .check(z.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits"));

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID_V4.test(text);
}

/** A UUID of version 4 in lower case: client job ids, job ids, turn ids. */
export const uuidText = z.string().check(z.regex(UUID_V4, "must be a UUID of version 4"));

/** Milliseconds since 1970, as they are stored. */
export const instant = z.custom<EpochMs>(
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= EPOCH_MS_MAX,
);
