/** How requests get to the table: their clients, how long each may take, and the end of it all. */
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { MisconfiguredError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { storeFault, type Where, writeFault } from "./faults.ts";

export interface ConnectionOptions {
  readonly table: string;
  /** The application's own; it is not closed. Null: made of the rest. */
  readonly client: DynamoDBClient | null;
  /** Region, endpoint and credentials; what is missing is found as the SDK finds it. */
  readonly config: DynamoDBClientConfig;
}

/** Sends one request through the client it is given, with the signal that ends it. */
export type Request<T> = (
  client: DynamoDBClient,
  options: { readonly abortSignal: AbortSignal },
) => Promise<T>;

export interface Connection {
  readonly where: Where;
  /**
   * For what does no harm twice: the SDK repeats what was throttled or failed. Throws faults, and a
   * refusal (a condition that did not hold) as it is.
   */
  send<T>(request: Request<T>): Promise<T>;
  /** One attempt, unless the application's own client makes more. Throws the same. */
  sendOnce<T>(request: Request<T>): Promise<T>;
  /** Waits for what is on its way; nothing is sent any more. */
  close(): Promise<void>;
}

/** Without `throwOnRequestTimeout` the SDK only warns. */
const HANDLER = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** One request with all its attempts; also for an answer that stops in the middle. */
const CALL_MS_MAX = 6_000;

/** Throws MisconfiguredError when no region is configured anywhere. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { repeating, single, close } = clientsOf(options);
  const where = await whereIs(repeating, options.table);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  async function send<T>(
    client: DynamoDBClient,
    request: Request<T>,
    faultOf: (where: Where, error: unknown) => unknown,
  ): Promise<T> {
    if (isClosed) {
      throw new StoreUnavailableError("the storage was closed", { isNotWritten: true });
    }
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), CALL_MS_MAX);
    const call = request(client, { abortSignal: end.signal });
    running.add(call);
    try {
      return await call;
    } catch (error) {
      throw faultOf(where, error);
    } finally {
      clearTimeout(timer);
      running.delete(call);
    }
  }

  return {
    where,
    send: (request) => send(repeating, request, storeFault),
    sendOnce: (request) => send(single, request, writeFault),
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
