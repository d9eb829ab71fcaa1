/** What time it is for the service, by the date of an answer. */
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import { createCalls } from "./calls.ts";
import { clientOf, placeOf, type S3StorageOptions } from "./options.ts";

/** Below the prefix; nothing is ever there. */
const NOTHING = "probe/clock";

const ABSENT: ReadonlyMap<number, null> = new Map([[404, null]]);

/** In whole seconds; null where the answer has none. One request. Throws faults, as a read does. */
export async function s3Time(options: S3StorageOptions): Promise<EpochMs | null> {
  const { bucket, prefix } = placeOf(options);
  const client = options.client ?? clientOf(options);
  const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + NOTHING });
  let date = Number.NaN;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      date = Date.parse(dateOf(result.response));
      return result;
    },
    // Before the SDK makes an error of an answer.
    { step: "deserialize", name: "dateOfAnswer", priority: "low" },
  );
  try {
    const calls = createCalls(bucket);
    await calls.ask<unknown>("get", (bound) => client.send(command, bound), ABSENT);
    return Number.isNaN(date) ? null : epochMs(date);
  } finally {
    if (options.client === undefined) client.destroy();
  }
}

function dateOf(response: unknown): string {
  const headers: unknown = Object(Object(response).headers);
  return String(Object(headers).date);
}
