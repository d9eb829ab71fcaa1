/** Storage in one DynamoDB table: one item per record, its due time in the same item. */
import type { DynamoDBClient, DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import type { Storage } from "../../../src/ports/backend.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { tableBackend } from "./backend.ts";
import { newClient, openConnection } from "./connection.ts";
import { openShards, SHARDS_MAX } from "./shards.ts";

export { serverTime } from "./server-time.ts";
export { checkTable, createTable, tableDefinition } from "./table.ts";

export interface DynamodbStorageOptions {
  /** Its name or ARN; `createTable` makes one. */
  readonly table: string;
  /** What is left out is found as the SDK finds it: environment, profile, role. */
  readonly region?: string;
  /** Another service that speaks DynamoDB's protocol. */
  readonly endpoint?: string;
  readonly credentials?: DynamoDBClientConfig["credentials"];
  /** An own client instead of region, endpoint and credentials; it is not closed. */
  readonly client?: DynamoDBClient;
  /**
   * Over how many partition keys the due index of each queue is spread, 1 to 64: each takes a thousand
   * changes a second, and each is asked by every pass. By default as many as the table has; a new table
   * has 4. It can be raised at any time, never lowered: the table remembers it.
   */
  readonly dueShards?: number;
}

/**
 * Throws MisconfiguredError for options that cannot be meant. Opening throws MisconfiguredError (no
 * region, no table, no permission) or StoreUnavailableError.
 */
export function dynamodbStorage(options: DynamodbStorageOptions): Storage {
  checkOptions(options);
  const { table, client = null, dueShards = null } = options;
  const config = configOf(options);
  return {
    async open({ clock, random }) {
      const connection = await openConnection({ table, client, config });
      try {
        const shards = await openShards(connection, clock, dueShards);
        return tableBackend(connection, shards, random);
      } catch (error) {
        await connection.close();
        throw error;
      }
    },
  };
}

type ClientOptions = Pick<DynamodbStorageOptions, "region" | "endpoint" | "credentials">;

/** A client as the storage makes one, for `createTable` and `checkTable`; `destroy` ends it. */
export function dynamodbClient(options: ClientOptions): DynamoDBClient {
  return newClient(configOf(options));
}

function configOf({ region, endpoint, credentials }: ClientOptions): DynamoDBClientConfig {
  return {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

const OPTIONS = ["table", "region", "endpoint", "credentials", "client", "dueShards"];

/** A misspelt option must not quietly mean the default. */
function checkOptions(options: DynamodbStorageOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new MisconfiguredError(`unknown option ${unknown}; there are ${OPTIONS.join(", ")}`);
  }
  const { table, client, region, endpoint, credentials, dueShards } = options;
  if (typeof table !== "string" || table === "") {
    throw new MisconfiguredError(
      'table (HOLDFAST_TABLE) must name a DynamoDB table, such as "holdfast"',
    );
  }
  const isOwn = region !== undefined || endpoint !== undefined || credentials !== undefined;
  if (client !== undefined && isOwn) {
    throw new MisconfiguredError("client brings its own region, endpoint and credentials");
  }
  if (dueShards === undefined) return;
  if (!Number.isInteger(dueShards) || dueShards < 1 || dueShards > SHARDS_MAX) {
    throw new MisconfiguredError(`dueShards must be 1 to ${SHARDS_MAX}, not ${dueShards}`);
  }
}
