/** How requests get to the table: their clients, how long each may take, and the end of it all. */
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-dynamodb";
import { MisconfiguredError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { storeFault, type Where, writeFault } from "./faults.ts";
import { ask, type Command } from "./request.ts";

export interface ConnectionOptions {
  readonly table: string;
  /** The application's own; it is not closed. Null: made of the rest. */
  readonly client: DynamoDBClient | null;
  /** Region, endpoint and credentials; what is missing is found as the SDK finds it. */
  readonly config: DynamoDBClientConfig;
}

/** Commands serve for one request each. */
export type Send = <I extends ServiceInputTypes, O extends ServiceOutputTypes>(
  command: Command<I, O>,
) => Promise<O>;

export interface Connection {
  readonly where: Where;
  /**
   * For what does no harm twice: the SDK repeats what was throttled or failed. Throws faults, and a
   * refusal (a condition that did not hold) as it is.
   */
  readonly send: Send;
  /** One attempt, unless the application's own client makes more. Throws the same. */
  readonly sendOnce: Send;
  /** Waits for what is on its way, which is bounded; nothing is sent any more. */
  close(): Promise<void>;
}

/** Without `throwOnRequestTimeout` the SDK only warns. */
const HANDLER = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** Throws MisconfiguredError when no region is configured anywhere. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { repeating, single, close } = clientsOf(options);
  const where = await whereIs(repeating, options.table);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  async function send<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    client: DynamoDBClient,
    command: Command<I, O>,
    faultOf: (where: Where, error: unknown) => unknown,
  ): Promise<O> {
    if (isClosed) {
      throw new StoreUnavailableError("the storage was closed", { isNotWritten: true });
    }
    const call = ask(client, command);
    running.add(call);
    try {
      return await call;
    } catch (error) {
      throw faultOf(where, error);
    } finally {
      running.delete(call);
    }
  }

  return {
    where,
    send: (command) => send(repeating, command, storeFault),
    sendOnce: (command) => send(single, command, writeFault),
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      close();
    },
  };
}

interface Clients {
  readonly repeating: DynamoDBClient;
  readonly single: DynamoDBClient;
  readonly close: () => void;
}

/** Attempts are a client's option, not a request's: hence two, on the same sockets and credentials. */
function clientsOf({ client, config }: ConnectionOptions): Clients {
  if (client !== null) return { repeating: client, single: client, close: () => {} };
  const repeating = newClient(config);
  const { requestHandler, credentials, region } = repeating.config;
  const shared = { requestHandler, credentials, region };
  const single = new DynamoDBClient({ ...config, ...shared, maxAttempts: 1 });
  return { repeating, single, close: () => repeating.destroy() };
}

export function newClient(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({ ...config, requestHandler: HANDLER });
}

/** Throws MisconfiguredError when no region is configured anywhere, or another than the table's ARN has. */
export async function whereIs(client: DynamoDBClient, table: string): Promise<Where> {
  const region = await client.config.region().catch((cause: unknown) => {
    throw new MisconfiguredError(
      "DynamoDB needs a region: set region (AWS_REGION), such as eu-central-1",
      { cause },
    );
  });
  const [, tables = region] = /^arn:[^:]+:dynamodb:([^:]+):/.exec(table) ?? [];
  if (tables !== region) {
    throw new MisconfiguredError(
      `DynamoDB table ${table} (HOLDFAST_TABLE) is in ${tables}, and the region (AWS_REGION) is ${region}`,
    );
  }
  return { table, region, endpoint: await endpointOf(client) };
}

async function endpointOf(client: DynamoDBClient): Promise<string | null> {
  const endpoint = await client.config.endpoint?.();
  if (endpoint === undefined) return null;
  const { protocol, hostname, port, path } = endpoint;
  const at = port === undefined ? "" : `:${port}`;
  return `${protocol}//${hostname}${at}${path === "/" ? "" : path}`;
}
