/** `holdfast key new`: a key, shown once, and its entry for HOLDFAST_KEYS. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { issuesOf } from "../../../src/core/issues.ts";
import {
  type KeyEntry,
  keyEntries,
  newKey,
  type Scope,
  SECRET_BYTES,
} from "../../../src/http/keys.ts";
import { InvalidInputError } from "../../../src/services/errors.ts";
import type { Output } from "./print.ts";

export interface NewKeyOptions {
  readonly tenant?: string;
  readonly scope: readonly Scope[];
  /** A file of entries to add this one to; made if it is missing. */
  readonly file?: string;
}

/** Throws InvalidInputError; the file is then as it was. */
export function makeKey(id: string, options: NewKeyOptions, out: Output): void {
  const { tenant, scope, file } = options;
  const made = newKey(id, randomBytes(SECRET_BYTES), {
    scopes: scope,
    ...(tenant === undefined ? {} : { tenant }),
  });
  if (file !== undefined) addTo(file, made.entry);
  if (out.isJson) {
    out.json(made);
    return;
  }
  out.lines(`key    ${made.key}`, `entry  ${JSON.stringify(made.entry)}`);
  out.note(
    file === undefined
      ? "The key is shown this once. Put the entry into the array of HOLDFAST_KEYS."
      : `The key is shown this once. Its entry is in ${file}: HOLDFAST_KEYS=@${file}`,
  );
}

function addTo(file: string, entry: KeyEntry): void {
  const entries = [...entriesIn(file), entry];
  const checked = keyEntries.safeParse(entries);
  if (!checked.success) throw new InvalidInputError(issuesOf(checked.error));
  // Whoever reads it meanwhile finds the old file or the new one.
  const temp = `${file}.${process.pid}.tmp`;
  const fd = openSync(temp, "wx", 0o600);
  try {
    writeSync(fd, `${JSON.stringify(entries, null, 2)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temp, file);
}

function entriesIn(file: string): readonly KeyEntry[] {
  if (!existsSync(file)) return [];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new InvalidInputError([{ path: file, message: "must be a JSON array of key entries" }]);
  }
  const checked = keyEntries.safeParse(value);
  if (checked.success) return checked.data;
  throw new InvalidInputError(issuesOf(checked.error));
}
