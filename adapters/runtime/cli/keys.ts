/** `holdfast key new`: a key, shown once, and its entry for HOLDFAST_KEYS. */
import { randomBytes } from "node:crypto";
import { newKey, type Scope, SECRET_BYTES } from "../../../src/http/keys.ts";
import { addEntry } from "./key-file.ts";
import { jsonText, type Output } from "./print.ts";

export interface NewKeyOptions {
  readonly tenant?: string;
  readonly scope: readonly Scope[];
  /** A file of entries to add this one to; made if it is missing. */
  readonly file?: string;
}

/** Throws InvalidInputError, MisconfiguredError or the system's error; the file is then as it was. */
export async function makeKey(id: string, options: NewKeyOptions, out: Output): Promise<void> {
  const { tenant, scope, file } = options;
  const made = newKey(id, randomBytes(SECRET_BYTES), {
    scopes: scope,
    ...(tenant === undefined ? {} : { tenant }),
  });
  const text = out.isJson
    ? jsonText(made, 2)
    : `key    ${made.key}\nentry  ${JSON.stringify(made.entry)}`;
  // A key that nobody has seen must not be let in.
  const show = () => out.sure(`${text}\n`);
  if (file === undefined) await show();
  else await addEntry(file, made.entry, show);
  if (out.isJson) return;
  out.note(
    file === undefined
      ? "The key is shown this once. Put the entry into the array of HOLDFAST_KEYS."
      : `The key is shown this once. Its entry is in ${file}: HOLDFAST_KEYS=@${file}`,
  );
}
