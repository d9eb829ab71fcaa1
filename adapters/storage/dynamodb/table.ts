/** The one table: its definition as data, how it is made, and whether an existing one is it. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { MisconfiguredError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { whereIs } from "./connection.ts";
import { ANOTHER_TABLE, isNamed, storeFault } from "./faults.ts";
import { DUE_INDEX } from "./items.ts";
import { ask } from "./request.ts";

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

/** A table takes some ten seconds, and more than this is an outage; an index of a full table takes hours. */
const ACTIVE_WITHIN_MS = 180_000;

const LOOK_EVERY_MS = 1_000;

/**
 * Makes the table and waits until it can be used; `onWaiting` is told for what, at every look. One that is
 * there already is left as it is, and checked. Throws MisconfiguredError, StoreUnavailableError.
 */
export async function createTable(
  client: DynamoDBClient,
  name: string,
  onWaiting: (reason: string) => void = () => {},
): Promise<"created" | "present"> {
  const where = await whereIs(client, name);
  let isThere = false;
  try {
    await ask(client, new CreateTableCommand(tableDefinition(name)));
  } catch (error) {
    isThere = isNamed(error, "ResourceInUseException");
    if (!isThere) throw storeFault(where, error);
  }
  const until = performance.now() + ACTIVE_WITHIN_MS;
  for (;;) {
    const pending = await pendingOf(client, name, !isThere);
    if (pending === null) break;
    if (performance.now() > until) throw new StoreUnavailableError(`${whole(name)} ${pending}`);
    onWaiting(pending);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  await checkTable(client, name);
  return isThere ? "present" : "created";
}

/** What must be waited for, or null. Throws faults, also those that a new look would not change. */
async function pendingOf(
  client: DynamoDBClient,
  name: string,
  isNew: boolean,
): Promise<string | null> {
  try {
    return pendingIn(await described(client, name));
  } catch (fault) {
    // A description may lag behind the creation.
    const isUnseen = fault instanceof Error && isNamed(fault.cause, "ResourceNotFoundException");
    if (isNew && isUnseen) return "cannot be seen yet";
    if (fault instanceof MisconfiguredError) throw fault;
    return "cannot be looked at just now";
  }
}

/** Throws MisconfiguredError when the table is missing or has other keys; StoreUnavailableError. */
export async function checkTable(client: DynamoDBClient, name: string): Promise<void> {
  const table = await described(client, name);
  const problem = tableProblem(table);
  if (problem !== null) throw new MisconfiguredError(`${whole(name)} ${problem}; ${ANOTHER_TABLE}`);
  const pending = pendingIn(table);
  if (pending !== null) throw new StoreUnavailableError(`${whole(name)} ${pending}: wait for it`);
}

function whole(name: string): string {
  return `DynamoDB table ${name} (HOLDFAST_TABLE)`;
}

async function described(client: DynamoDBClient, name: string): Promise<TableDescription> {
  const where = await whereIs(client, name);
  try {
    return (await ask(client, new DescribeTableCommand({ TableName: name }))).Table ?? {};
  } catch (error) {
    throw storeFault(where, error);
  }
}

/** Why a table that fits cannot be used yet, or null. */
export function pendingIn(table: TableDescription): string | null {
  if (table.TableStatus !== "ACTIVE") return `is not active: ${table.TableStatus ?? "no status"}`;
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === DUE_INDEX);
  if (index === undefined || index.IndexStatus === "ACTIVE") return null;
  return `has an index "${DUE_INDEX}" that is not active yet: ${index.IndexStatus ?? "no status"}`;
}

/** What keeps the described table from ever being used, or null. */
export function tableProblem(table: TableDescription): string | null {
  if (!hasKey(table, table.KeySchema, PRIMARY_KEY)) return "has another primary key than pk and sk";
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === DUE_INDEX);
  if (index === undefined) return `has no index "${DUE_INDEX}"`;
  if (!hasKey(table, index.KeySchema, DUE_KEY)) {
    return `has an index "${DUE_INDEX}" with another key than duePk and dueSk`;
  }
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
