/** `holdfast table create`: the one table of the DynamoDB storage. */
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Config } from "../config.ts";
import { clientOptions, dynamodb } from "../storages.ts";
import type { Output } from "./print.ts";

/** Throws MisconfiguredError, also of a table that is there and does not fit; StoreUnavailableError. */
export async function makeTable(
  { storage }: Config,
  isDryRun: boolean,
  out: Output,
): Promise<void> {
  if (storage.kind !== "dynamodb") {
    throw new MisconfiguredError(
      `HOLDFAST_STORAGE is ${storage.kind}, which has no table: set it, such as ` +
        "HOLDFAST_STORAGE=dynamodb HOLDFAST_TABLE=holdfast",
    );
  }
  const { table } = storage;
  const { createTable, dynamodbClient, tableDefinition } = await dynamodb();
  if (isDryRun) {
    out.json(tableDefinition(table));
    return;
  }
  const client = dynamodbClient(clientOptions(storage));
  try {
    let told = "";
    const made = await createTable(client, table, (reason) => {
      if (reason !== told) out.note(`waiting: table ${table} ${reason}`);
      told = reason;
    });
    if (out.isJson) out.json({ table, created: made === "created" });
    else out.lines(made === "created" ? `made table ${table}` : `table ${table} is there and fits`);
  } finally {
    client.destroy();
  }
}
