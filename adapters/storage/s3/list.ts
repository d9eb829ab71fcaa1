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

export async function listPage(deps: ListDeps, request: ListRequest): Promise<ListPage> {
  const { client, calls, bucket, prefix } = deps;
  const command = new ListObjectsV2Command({
    Bucket: bucket,
    Prefix: prefix + request.prefix,
    MaxKeys: request.limit,
    // What others put there may have names that XML cannot carry.
    EncodingType: "url",
    ...startOf(prefix, request),
  });
  const output = await calls.ask("list", (bound) => client.send(command, bound), NO_ANSWERS);
  const names = (output.Contents ?? []).map(({ Key, LastModified }) => ({
    name: nameOf(output, Key ?? ""),
    at: LastModified?.getTime() ?? null,
  }));
  const entries: ListedRecord[] = [];
  for (const { name, at } of names) {
    // Consoles make folders as empty objects.
    if (name.endsWith("/")) continue;
    const writtenAt = at === null ? null : epochMs(at);
    entries.push({ key: name.slice(prefix.length) as Key, found: null, writtenAt });
  }
  const last = names.at(-1)?.name.slice(prefix.length);
  return { entries, cursor: cursorOf(output, last) };
}

/** A cursor of another listing, which somebody may have made up, begins this one. */
function startOf(
  prefix: string,
  { prefix: below, cursor }: ListRequest,
): { StartAfter?: string; ContinuationToken?: string } {
  if (cursor?.startsWith(TOKEN) === true) return { ContinuationToken: cursor.slice(TOKEN.length) };
  return cursor?.startsWith(below) === true ? { StartAfter: prefix + cursor } : {};
}

function nameOf({ EncodingType }: ListObjectsV2CommandOutput, name: string): string {
  return EncodingType === "url" ? decodeURIComponent(name.replaceAll("+", "%20")) : name;
}

function cursorOf(
  { IsTruncated, NextContinuationToken: token }: ListObjectsV2CommandOutput,
  last: string | undefined,
): Cursor | null {
  if (IsTruncated !== true) return null;
  if (last !== undefined) return last as Cursor;
  if (token !== undefined) return (TOKEN + token) as Cursor;
  throw new StoreUnavailableError("the listing goes on, and does not tell where");
}
