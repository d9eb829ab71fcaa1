/**
 * Storage in a bucket of S3, or of a store that speaks it: one object a record, its ETag the version,
 * If-None-Match and If-Match the conditions. The write id in every body makes ETags, which are hashes
 * of content, unique. Due markers are kept by the store.
 */
import { DeleteObjectCommand, GetObjectCommand } from "@aws-sdk/client-s3";
import type { Key } from "../../../src/core/key.ts";
import type { Backend, BackendRecord, Storage, Version } from "../../../src/ports/backend.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { createCalls } from "./calls.ts";
import { listPage } from "./list.ts";
import { clientOf, placeOf, type S3StorageOptions } from "./options.ts";
import { putObject } from "./put.ts";

export type { S3StorageOptions } from "./options.ts";
export { s3Time } from "./server-time.ts";

/** What a read and a removal of a key that is not there are answered by. */
const ABSENT: ReadonlyMap<number, null> = new Map([[404, null]]);

/** Sends nothing until it is used. Throws MisconfiguredError for options that cannot be used. */
export function s3Storage(options: S3StorageOptions): Storage {
  const place = placeOf(options);
  return { open: async () => openBackend(options, place) };
}

function openBackend(
  options: S3StorageOptions,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): Backend {
  const client = options.client ?? clientOf(options);
  const calls = createCalls(bucket);

  async function get(key: Key): Promise<BackendRecord | null> {
    const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + key });
    return calls.ask<BackendRecord | null>(
      "get",
      async (bound) => {
        const { ETag, Body } = await client.send(command, bound);
        if (ETag === undefined) {
          throw new MisconfiguredError(`bucket ${bucket}: its store tells no ETag of an object`);
        }
        return { body: (await Body?.transformToString()) ?? "", version: ETag as Version };
      },
      ABSENT,
    );
  }

  return {
    format: "compact",
    owner: null,
    get,
    putIf: (key, body, { expected }) => {
      const order = { bucket, name: prefix + key, body, expected };
      return putObject({ client, calls, read: () => get(key) }, order);
    },
    list: (below, cursor, limit) =>
      listPage({ client, calls, bucket, prefix }, { prefix: below, cursor, limit }),
    async remove(key) {
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key });
      await calls.ask<unknown>("remove", (bound) => client.send(command, bound), ABSENT);
    },
    due: null,
    async close() {
      await calls.close();
      if (options.client === undefined) client.destroy();
    },
  };
}
