/**
 * A part of a log that is made of what another system kept. Its write id is made of its content, so that
 * whoever makes the same part again finds it there.
 */
import type { Key } from "../core/key.ts";
import type { EpochMs } from "../core/time.ts";
import { type CopyDeps, type CopyVerdict, copyPart, writeIdOf } from "./copying.ts";
import { continuationKey, partKey } from "./log-keys.ts";
import { encodePart, type PartBody } from "./log-parts.ts";

export interface MadePart {
  /** What the keys of its log begin with, without the last `/`. */
  readonly log: string;
  /** The number of its first item. */
  readonly first: number;
  readonly body: PartBody;
}

/**
 * Creates the part, with its continuations, where nothing stands. Of a log that nothing names yet: part 1
 * goes first (protocols 5.8). Throws RecordTooLargeError and what `copyPart` throws.
 */
export async function copyMadePart(
  deps: CopyDeps,
  { log, first, body }: MadePart,
  deadlineAt: EpochMs,
): Promise<CopyVerdict> {
  const key = partKey(log, first);
  const w = writeIdOf(`${key}\n${JSON.stringify(body)}`);
  const { text, continuations } = encodePart(w, body);
  const rest = continuations.map((piece, n) => ({ key: continuationKey(log, w, n), text: piece }));
  const records: readonly { readonly key: Key; readonly text: string }[] =
    first === 1 ? [{ key, text }, ...rest] : [...rest, { key, text }];
  let isCopied = false;
  for (const record of records) {
    const verdict = await copyPart(deps, record, deadlineAt);
    if (verdict.kind === "conflict") return verdict;
    if (verdict.kind === "copied") isCopied = true;
  }
  return { kind: isCopied ? "copied" : "present" };
}
