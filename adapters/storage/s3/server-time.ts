/** What time it is for the store, without anything being written. */
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import { createCalls } from "./calls.ts";
import { clientOf, placeOf, type S3StorageOptions } from "./options.ts";

/** Whatever the answer is, its headers are looked at where it is one to this. */
const NO_ANSWERS: ReadonlyMap<number, never> = new Map<number, never>();

/** By the date of an answer, in whole seconds; null where it has none. Throws faults. */
export async function serverTime(options: S3StorageOptions): Promise<EpochMs | null> {
  const { bucket, prefix } = placeOf(options);
  const client = options.client ?? clientOf(options);
  const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 });
  let date = Number.NaN;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      date = dateOf(result.response);
      return result;
    },
    { step: "deserialize", name: "dateOfAnswer" },
  );
  try {
    await createCalls(bucket).ask("list", (bound) => client.send(command, bound), NO_ANSWERS);
  } finally {
    if (options.client === undefined) client.destroy();
  }
  return Number.isNaN(date) ? null : epochMs(date);
}

function dateOf(response: unknown): number {
  const headers: unknown = Object(Object(response).headers);
  const date: unknown = Object(headers).date;
  return typeof date === "string" ? Date.parse(date) : Number.NaN;
}
