/** One request to the service: bounded in time, whatever is waited for, and answered by DynamoDB itself. */
import type {
  $Command,
  DynamoDBClient,
  DynamoDBClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-dynamodb";
import { NotDynamodbError, TimeUpError } from "./faults.ts";

export type Command<I extends ServiceInputTypes, O extends ServiceOutputTypes> = $Command<
  I,
  O,
  DynamoDBClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

/** With all its attempts, and with credentials that have to be fetched first. */
const REQUEST_MS_MAX = 6_000;

/**
 * Sends `command`, which must not be sent a second time. Throws what the SDK throws; TimeUpError, after
 * which nothing is sent any more; NotDynamodbError.
 */
export async function ask<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
  client: DynamoDBClient,
  command: Command<I, O>,
): Promise<O> {
  const end = new AbortController();
  let isSent = false;
  command.middlewareStack.add(
    (next) => async (request) => {
      // A client that the application brought may heed no signal.
      end.signal.throwIfAborted();
      isSent = true;
      const result = await next(request);
      const { response } = result;
      if (isSuccess(response) && !isOfDynamodb(response)) throw new NotDynamodbError();
      return result;
    },
    { step: "deserialize", name: "holdfastAnswer" },
  );
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TimeUpError(REQUEST_MS_MAX, isSent));
      end.abort();
    }, REQUEST_MS_MAX);
  });
  try {
    // The signal ends no wait for credentials: hence the race.
    return await Promise.race([client.send(command, { abortSignal: end.signal }), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

function isSuccess(response: unknown): boolean {
  return Number(Object(response).statusCode) < 400;
}

/**
 * What a proxy answers in its place, such as nothing with status 200, would pass for "stored" and "absent".
 * Servers of others have one of these marks at least.
 */
function isOfDynamodb(response: unknown): boolean {
  const { headers } = Object(response);
  return (
    typeof Object(headers)["x-amzn-requestid"] === "string" ||
    typeof Object(headers)["x-amz-crc32"] === "string" ||
    String(Object(headers)["content-type"]).startsWith("application/x-amz-json")
  );
}
