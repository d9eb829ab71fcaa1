/** Pages of a listing, in the order of the keys' characters. */
import {
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { Key } from "../../../src/core/key.ts";
import { epochMs } from "../../../src/core/time.ts";
import type { Cursor, ListedRecord, ListPage } from "../../../src/ports/backend.ts";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import type { Calls } from "./calls.ts";
import type { Place } from "./options.ts";

export interface ListDeps extends Place {
  readonly client: S3Client;
  readonly calls: Calls;
}

export interface ListRequest {
  readonly prefix: string;
  readonly cursor: Cursor | null;
  readonly limit: number;
}

/**
 * A cursor is the last key shown: it outlives the store's own tokens, which are taken only where a page
 * that goes on shows nothing. The space tells them apart, since no key has one.
 */
const TOKEN = "token ";

/** No status but success is an answer to a listing. */
const NO_ANSWERS: ReadonlyMap<number, never> = new Map<number, never>();

/** Throws StoreUnavailableError, too, for an answer that is no listing, or not what was asked for. */
export async function listPage(deps: ListDeps, request: ListRequest): Promise<ListPage> {
  const { client, calls, bucket, prefix } = deps;
  const start = startOf(prefix, request);
  const command = new ListObjectsV2Command({
    Bucket: bucket,
    Prefix: prefix + request.prefix,
    MaxKeys: request.limit,
    // What others put there may have names that XML cannot carry.
    EncodingType: "url",
    ...start,
  });
  const output = await calls.ask("list", (bound) => client.send(command, bound), NO_ANSWERS);
  const names: string[] = [];
  const entries: ListedRecord[] = [];
  for (const { Key: told = "", LastModified } of output.Contents ?? []) {
    const name = nameOf(output, told);
    if (name === null) continue;
    names.push(name);
    // Consoles make folders as empty objects.
    if (name.endsWith("/")) continue;
    const key = name.slice(prefix.length) as Key;
    const writtenAt = LastModified === undefined ? null : epochMs(LastModified.getTime());
    entries.push({ key, found: null, writtenAt });
  }
  const page: ListPage = { entries, cursor: cursorOf(output, names.at(-1)?.slice(prefix.length)) };
  if (names.some((name) => !name.startsWith(prefix + request.prefix))) {
    throw new StoreUnavailableError("the listing shows what it was not asked for");
  }
  if (isRepeated(page, { names, start, prefix })) {
    throw new StoreUnavailableError("the listing does not go on where it ended");
  }
  return page;
}

interface Start {
  readonly StartAfter?: string;
  readonly ContinuationToken?: string;
}

/** A cursor of another listing, which somebody may have made up, begins this one. */
function startOf(prefix: string, { prefix: below, cursor }: ListRequest): Start {
  if (cursor?.startsWith(TOKEN) === true) return { ContinuationToken: cursor.slice(TOKEN.length) };
  return cursor?.startsWith(below) === true ? { StartAfter: prefix + cursor } : {};
}

/** Null for a name that is not in UTF-8: only others make those. */
function nameOf({ EncodingType }: ListObjectsV2CommandOutput, name: string): string | null {
  if (EncodingType !== "url") return name;
  try {
    return decodeURIComponent(name.replaceAll("+", "%20"));
  } catch {
    return null;
  }
}

function cursorOf(
  { IsTruncated, NextContinuationToken: token }: ListObjectsV2CommandOutput,
  last: string | undefined,
): Cursor | null {
  // Every listing tells it; the page of a proxy does not, and would pass for an empty one.
  if (IsTruncated === undefined) throw new StoreUnavailableError("the answer is no listing");
  if (!IsTruncated) return null;
  if (last !== undefined) return last as Cursor;
  if (token !== undefined) return (TOKEN + token) as Cursor;
  throw new StoreUnavailableError("the listing goes on, and does not tell where");
}

/** A store that does not know where to start lists the same things for ever. */
function isRepeated(
  { entries, cursor }: ListPage,
  asked: { readonly names: readonly string[]; readonly start: Start; readonly prefix: string },
): boolean {
  const { StartAfter, ContinuationToken } = asked.start;
  if (ContinuationToken !== undefined) return cursor === TOKEN + ContinuationToken;
  if (StartAfter === undefined) return false;
  // Keys alone have the same order here as in the store; of other names only the same one tells.
  const isBefore = entries.some(({ key }) => asked.prefix + key < StartAfter);
  return isBefore || asked.names.includes(StartAfter);
}
