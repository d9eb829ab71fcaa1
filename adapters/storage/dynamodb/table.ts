/** The one table: its definition as data, how it is made, and whether an existing one is it. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { whereIs } from "./connection.ts";
import { ANOTHER_TABLE, isNamed, storeFault } from "./faults.ts";

/** The due index: sparse, since only an item with both attributes is in it. */
export const DUE_INDEX = "due";

const PRIMARY_KEY: readonly KeySchemaElement[] = [
  { AttributeName: "pk", KeyType: "HASH" },
  { AttributeName: "sk", KeyType: "RANGE" },
];

const DUE_KEY: readonly KeySchemaElement[] = [
  { AttributeName: "duePk", KeyType: "HASH" },
  { AttributeName: "dueSk", KeyType: "RANGE" },
];

/**
 * Paid by request, without time to live: records never expire by themselves. Point-in-time recovery is
 * no part of a creation; turn it on for what must survive a mistake.
 */
export function tableDefinition(name: string): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [...PRIMARY_KEY, ...DUE_KEY].map(({ AttributeName }) => ({
      AttributeName,
      AttributeType: "S",
    })),
    KeySchema: [...PRIMARY_KEY],
    GlobalSecondaryIndexes: [
      {
        IndexName: DUE_INDEX,
        KeySchema: [...DUE_KEY],
        // Names alone: whoever looks at an entry reads the record anyway.
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  };
}

/** Seconds: a table takes some ten, and more than this is an outage. */
const ACTIVE_WITHIN = { maxWaitTime: 180, minDelay: 1, maxDelay: 5 };

/**
 * Makes the table and waits until it can be used. One that is there already is left as it is, and
 * checked. Throws MisconfiguredError, StoreUnavailableError.
 */
export async function createTable(
  client: DynamoDBClient,
  name: string,
): Promise<"created" | "present"> {
  const where = await whereIs(client, name);
  let isThere = false;
  try {
    await client.send(new CreateTableCommand(tableDefinition(name)));
  } catch (error) {
    isThere = isNamed(error, "ResourceInUseException");
    if (!isThere) throw storeFault(where, error);
  }
  try {
    await waitUntilTableExists({ client, ...ACTIVE_WITHIN }, { TableName: name });
  } catch (error) {
    throw storeFault(where, error);
  }
  await checkTable(client, name);
  return isThere ? "present" : "created";
}

/** Of a table or an index that is being made. */
const IS_COMING = /not active/;

/** Throws MisconfiguredError when the table is missing or has other keys; StoreUnavailableError. */
export async function checkTable(client: DynamoDBClient, name: string): Promise<void> {
  const where = await whereIs(client, name);
  let described: TableDescription | undefined;
  try {
    described = (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    throw storeFault(where, error);
  }
  const problem = tableProblem(described ?? {});
  if (problem !== null) {
    const advice = IS_COMING.test(problem) ? "wait until it is" : ANOTHER_TABLE;
    throw new MisconfiguredError(`DynamoDB table ${name} (HOLDFAST_TABLE) ${problem}; ${advice}`);
  }
}

/** What keeps the described table from being used, or null. */
export function tableProblem(table: TableDescription): string | null {
  if (table.TableStatus !== "ACTIVE") return `is not active: ${table.TableStatus ?? "no status"}`;
  if (!hasKey(table, table.KeySchema, PRIMARY_KEY)) return "has another primary key than pk and sk";
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === DUE_INDEX);
  if (index === undefined) return `has no index "${DUE_INDEX}"`;
  if (!hasKey(table, index.KeySchema, DUE_KEY)) {
    return `has an index "${DUE_INDEX}" with another key than duePk and dueSk`;
  }
  if (index.IndexStatus !== "ACTIVE") return `has an index "${DUE_INDEX}" that is not active yet`;
  return null;
}

function hasKey(
  { AttributeDefinitions = [] }: TableDescription,
  schema: readonly KeySchemaElement[] | undefined,
  wanted: readonly KeySchemaElement[],
): boolean {
  const nameOf = (type: string) =>
    schema?.find(({ KeyType }) => KeyType === type)?.AttributeName ?? null;
  return wanted.every(
    ({ AttributeName, KeyType }) =>
      nameOf(String(KeyType)) === AttributeName &&
      AttributeDefinitions.some(
        (one) => one.AttributeName === AttributeName && one.AttributeType === "S",
      ),
  );
}
