/** What time it is for the service: nothing that it stores or lists would tell. */
import { type DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import { whereIs } from "./connection.ts";
import { storeFault } from "./faults.ts";
import { ask } from "./request.ts";

/** No key leads there. */
const NOTHING = { pk: { S: "#" }, sk: { S: "#" } };

/** By the date of an answer, in whole seconds; null where it has none. Throws faults. */
export async function serverTime(client: DynamoDBClient, table: string): Promise<EpochMs | null> {
  const where = await whereIs(client, table);
  const command = new GetItemCommand({ TableName: table, Key: NOTHING });
  let date: string | null = null;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      date = dateOf(result.response);
      return result;
    },
    { step: "deserialize", name: "dateOfAnswer" },
  );
  try {
    await ask(client, command);
  } catch (error) {
    throw storeFault(where, error);
  }
  return date === null || Number.isNaN(Date.parse(date)) ? null : epochMs(Date.parse(date));
}

function dateOf(response: unknown): string | null {
  const headers: unknown = Object(Object(response).headers);
  const date: unknown = Object(headers).date;
  return typeof date === "string" ? date : null;
}
