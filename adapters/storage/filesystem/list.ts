/** Walks over keys in their order (EMAIL-17): names only, one directory open at a time. */

import { assert } from "../../../src/core/assert.ts";
import type { Key } from "../../../src/core/key.ts";
import { key, keyProblem } from "../../../src/core/key.ts";
import type { Cursor, ListedRecord, ListPage } from "../../../src/ports/backend.ts";
import {
  configKey,
  holdsRecords,
  type LayoutOptions,
  type Level,
  levelOf,
  tokensOf,
} from "./layout.ts";
import { firstAtOrAfter, type Names, namesOf, namesOneByOne } from "./names.ts";

/** How a walk gets the names of a directory; `isContinued` as in Names. */
export type ReadLevel = (level: Level, isContinued: boolean) => Promise<readonly string[]>;

/** Called with what lies beside the records of a level, for the sweep of left-overs. */
export type SeeNames = (level: Level, names: readonly string[]) => void;

/** Reads levels through `names`, so that pages of one walk share what was read. */
export function keptLevels(options: LayoutOptions, names: Names, see: SeeNames): ReadLevel {
  return (level, isContinued) =>
    names.read(level.path, isContinued, (found) => {
      see(level, found);
      return tokensOf(options, level, found);
    });
}

/** Reads levels anew: for a walk that is not paged. */
export function freshLevels(options: LayoutOptions, see: SeeNames): ReadLevel {
  return async (level) => {
    const found = await namesOf(level.path);
    see(level, found);
    return tokensOf(options, level, found);
  };
}

/** A cursor of another walk, which somebody may have made up, begins this one. */
export async function listPage(
  options: LayoutOptions,
  read: ReadLevel,
  walk: { readonly prefix: string; readonly cursor: Cursor | null; readonly limit: number },
): Promise<ListPage> {
  const { prefix, cursor, limit } = walk;
  assert(Number.isSafeInteger(limit) && limit > 0, `not a page size: ${limit}`);
  const entries: ListedRecord[] = [];
  for await (const name of keysUnder({ options, read }, prefix, cursor)) {
    entries.push({ key: name, found: null, writtenAt: null });
    if (entries.length >= limit) return { entries, cursor: cursorAt(name) };
  }
  return { entries, cursor: null };
}

/** Whether there is any record below `prefix`. Does not read a large directory to its end. */
export async function hasRecords(options: LayoutOptions, prefix: string): Promise<boolean> {
  const level = levelOf(options, prefix);
  const below: string[] = [];
  for await (const name of namesOneByOne(level.path)) {
    for (const token of tokensOf(options, level, [name])) {
      const isDirectory =
        token.endsWith("/") && !holdsRecords(levelOf(options, `${prefix}${token}`));
      if (!isDirectory) return true;
      below.push(token);
    }
  }
  for (const token of below) if (await hasRecords(options, `${prefix}${token}`)) return true;
  return false;
}

interface Walk {
  readonly options: LayoutOptions;
  readonly read: ReadLevel;
}

/** Keys that begin with `prefix` and come after `after`, in order. */
export async function* keysUnder(
  walk: Walk,
  prefix: string,
  after: string | null,
): AsyncGenerator<Key, void, void> {
  const level = levelOf(walk.options, prefix);
  const config = configKey(level);
  if (config !== null) {
    if ((after === null || after < config) && (await hasConfig(walk, level))) yield config;
    return;
  }
  const isContinued = after?.startsWith(prefix) === true;
  const tokens = await walk.read(level, isContinued);
  const rest = isContinued ? after.slice(prefix.length) : "";
  for (let index = startOf(tokens, rest); index < tokens.length; index += 1) {
    const token = tokens[index] ?? "";
    if (token.endsWith("/")) yield* keysUnder(walk, `${prefix}${token}`, after);
    else if (token !== rest && keyProblem(`${prefix}${token}`) === null) {
      yield key(`${prefix}${token}`);
    }
  }
}

/** A directory that holds `rest` sorts before it, so its token is looked at too. */
function startOf(tokens: readonly string[], rest: string): number {
  const index = firstAtOrAfter(tokens, rest);
  const before = tokens[index - 1];
  return before?.endsWith("/") === true && rest.startsWith(before) ? index - 1 : index;
}

async function hasConfig(walk: Walk, level: Level): Promise<boolean> {
  const root = levelOf(walk.options, `${level.root}/`);
  return (await namesOf(root.path)).includes("config.json");
}

function cursorAt(name: Key): Cursor {
  return name as string as Cursor;
}
