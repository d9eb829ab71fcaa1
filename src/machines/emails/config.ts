/** The email configuration record: since when emails are made, and where each discovery scan goes on. */
import * as z from "zod/mini";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { apply, type Decision, reject, unchanged } from "../../core/machine.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { type EpochMs, isoTime } from "../../core/time.ts";
import { timestamp } from "./fields.ts";
import { EMAIL_CURSOR_NAMES, type EmailCursorName } from "./inputs.ts";

/** The literal whose id (`jobIdOf`) names the lock of the configuration (semantics A1). */
export const EMAIL_CONFIG_LOCK_KEY = "transactional-email-config";

/** The last row that a scan has seen: scans go by creation time, then id. */
export type EmailCursor = {
  readonly createdAt: string;
  readonly id: string;
};

export interface EmailConfig {
  /** Nothing that happened before is mailed about; ISO 8601, set once (EMAIL-56). */
  readonly enabledAt: string;
  /** Of an older version: kept as it is, never set (EMAIL-58). */
  readonly reconciliationCursor?: EmailCursor | null;
  readonly shareDiscoveryCursor?: EmailCursor | null;
  readonly reminderCursor?: EmailCursor | null;
  readonly firstViewCursor?: EmailCursor | null;
  readonly firstImportCursor?: EmailCursor | null;
}

export type EmailConfigCommand =
  /** Creates the record with `enabledAt` now, or answers the stored one. */
  | { readonly kind: "ensureEnabledAt" }
  /** Null is stored as null: start again from `enabledAt`. */
  | { readonly kind: "setCursor"; readonly name: string; readonly cursor: EmailCursor | null };

/** `cursor_not_found`: an unknown name, or the legacy cursor's. */
export type EmailConfigRejection =
  | { readonly kind: "config_not_found" }
  | { readonly kind: "cursor_not_found" };

export type ParsedEmailConfig =
  | { readonly ok: true; readonly config: EmailConfig }
  | { readonly ok: false; readonly reason: string };

export const storedCursor = z.strictObject({
  createdAt: timestamp,
  id: z.string().check(z.minLength(1)),
});

const optionalCursor = z.exactOptional(z.nullable(storedCursor));

const storedConfig = z.strictObject({
  enabledAt: timestamp,
  reconciliationCursor: optionalCursor,
  shareDiscoveryCursor: optionalCursor,
  reminderCursor: optionalCursor,
  firstViewCursor: optionalCursor,
  firstImportCursor: optionalCursor,
});

/** Strict, as the original (EMAIL-57); `reason` names field paths and no values. */
export function parseEmailConfig(fields: JsonObject): ParsedEmailConfig {
  const parsed = safeParse(storedConfig, fields);
  return parsed.success
    ? { ok: true, config: parsed.data }
    : { ok: false, reason: reasonOf(parsed.error) };
}

/** The inverse of `parseEmailConfig`, with the fields in the order of the type. */
export function emailConfigRecord(config: EmailConfig): JsonObject {
  const entries: [string, JsonValue][] = [["enabledAt", config.enabledAt]];
  for (const name of ["reconciliationCursor", ...EMAIL_CURSOR_NAMES] as const) {
    const cursor = config[name];
    if (cursor !== undefined) entries.push([name, cursor]);
  }
  return Object.fromEntries(entries);
}

/** Judges `command` on the configuration as stored (null: there is none). EMAIL-56 to 60. */
export function decideConfig(
  config: EmailConfig | null,
  command: EmailConfigCommand,
  now: EpochMs,
): Decision<EmailConfig, EmailConfigRejection> {
  if (command.kind === "ensureEnabledAt") {
    return config === null ? apply({ enabledAt: isoTime(now) }) : unchanged(config);
  }
  const { name, cursor } = command;
  if (!isCursorName(name)) return reject<EmailConfigRejection>({ kind: "cursor_not_found" });
  if (config === null) return reject<EmailConfigRejection>({ kind: "config_not_found" });
  return sameCursor(config[name], cursor)
    ? unchanged(config)
    : apply({ ...config, [name]: cursor });
}

function isCursorName(name: string): name is EmailCursorName {
  return EMAIL_CURSOR_NAMES.some((known) => known === name);
}

export function sameCursor(
  one: EmailCursor | null | undefined,
  other: EmailCursor | null,
): boolean {
  if (one === null || one === undefined || other === null) return one === other;
  return one.createdAt === other.createdAt && one.id === other.id;
}
