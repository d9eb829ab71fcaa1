/**
 * A DynamoDB on a loopback port: dynalite behind a front that adds what it lacks (the record in a
 * refusal, a due index that lags, throttling, replies that get lost) and counts what is asked of it.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import dynalite from "dynalite";
import { tableDefinition } from "../../adapters/storage/dynamodb/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** What becomes of a request whose reply does not come: it is carried out now, by `applyLate`, or never. */
export interface Loss {
  readonly applied: "now" | "late" | "never";
  /** What its sender meets: a closed connection, a 500, silence, or half of an answer and silence. */
  readonly seen: "reset" | "error" | "silence" | "half";
}

/** An answer in place of the service's own; the request is not carried out. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly message?: string;
}

export type Fault = Loss | Answer;

/** Asked about every request; null: it is answered as it is. */
export type Plan = (operation: string, input: Json) => Fault | null;

export interface DynamodbFront {
  readonly endpoint: string;
  /** Dynalite itself, which shows no record in a refusal. */
  readonly plainEndpoint: string;
  /** Makes a table, and answers its name. */
  createTable(): Promise<string>;
  setPlan(plan: Plan | null): void;
  /** Carries out what was lost to be applied late, oldest first; conditions are checked now. */
  applyLate(): Promise<void>;
  /** All that stands in a table. */
  items(table: string): Promise<readonly StoredItem[]>;
  /** Until it is released, the index of the table answers as it would now. */
  holdIndex(table: string): Promise<void>;
  releaseIndex(table: string): void;
  /** Requests since the last call, by operation; a query of an index is a `QueryIndex`. */
  takeCounts(): Readonly<Record<string, number>>;
  /** Sockets of clients that are open. */
  connectionCount(): Promise<number>;
  close(): Promise<void>;
}

/** As DynamoDB writes it; the storage has texts alone. */
export type StoredItem = Readonly<Record<string, { readonly S?: string } | undefined>>;

interface Reply {
  readonly status: number;
  readonly body: string;
}

const CONTENT_TYPE = "application/x-amz-json-1.0";

/** `path`: a folder that the tables are kept in, for more than the memory holds. */
export async function dynamodbFront(path?: string): Promise<DynamodbFront> {
  const inner = dynalite({ createTableMs: 0, deleteTableMs: 0, path });
  await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve));
  const { port } = inner.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const call = (operation: string, input: Json): Promise<Reply> =>
    post({ port, agent }, operation, JSON.stringify(input));

  const late: (() => Promise<unknown>)[] = [];
  const held = new Map<string, string>();
  const open = new Set<ServerResponse>();
  let counts: Record<string, number> = {};
  let plan: Plan | null = null;
  let tables = 0;

  async function carriedOut(operation: string, input: Json): Promise<Reply> {
    const lagging = "IndexName" in input ? held.get(String(input["TableName"])) : undefined;
    const reply = await call(
      operation,
      lagging === undefined ? input : { ...input, TableName: lagging },
    );
    const isRefusal = reply.body.includes("ConditionalCheckFailedException");
    const showsItem = input["ReturnValuesOnConditionCheckFailure"] === "ALL_OLD";
    return isRefusal && showsItem ? withItem(call, input, reply) : reply;
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const input: Json = JSON.parse(await text(incoming));
    const operation = operationOf(incoming);
    const name = "IndexName" in input ? `${operation}Index` : operation;
    counts[name] = (counts[name] ?? 0) + 1;
    const fault = plan?.(operation, input) ?? null;
    if (fault === null) return send(response, await carriedOut(operation, input));
    if ("status" in fault) return send(response, errorReply(fault));
    if (fault.applied === "late") late.push(() => carriedOut(operation, input));
    const reply = fault.applied === "now" ? await carriedOut(operation, input) : null;
    lose(response, fault, reply);
  }

  const front = createServer((incoming, response) => {
    open.add(response);
    response.on("close", () => open.delete(response));
    answer(incoming, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));

  async function freshTable(): Promise<string> {
    tables += 1;
    const name = `jobs-${tables}`;
    await call("CreateTable", { ...tableDefinition(name) });
    for (let isActive = false; !isActive; ) {
      const { body } = await call("DescribeTable", { TableName: name });
      isActive = body.includes('"TableStatus":"ACTIVE"');
    }
    return name;
  }

  async function items(table: string): Promise<readonly StoredItem[]> {
    const found: StoredItem[] = [];
    for (let from: Json = {}; ; ) {
      const { body } = await call("Scan", { TableName: table, ...from });
      const { Items, LastEvaluatedKey } = JSON.parse(body);
      found.push(...Items);
      if (LastEvaluatedKey === undefined) return found;
      from = { ExclusiveStartKey: LastEvaluatedKey };
    }
  }

  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    plainEndpoint: `http://127.0.0.1:${port}`,
    createTable: freshTable,
    setPlan: (next) => {
      plan = next;
    },
    async applyLate() {
      for (const run of late.splice(0)) await run();
    },
    items,
    async holdIndex(table) {
      const copy = await freshTable();
      for (const Item of await items(table)) await call("PutItem", { TableName: copy, Item });
      held.set(table, copy);
    },
    releaseIndex: (table) => void held.delete(table),
    takeCounts() {
      const taken = counts;
      counts = {};
      return taken;
    },
    connectionCount: () =>
      new Promise((resolve, reject) =>
        front.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    async close() {
      for (const response of open) response.destroy();
      agent.destroy();
      for (const server of [front, inner]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** As DynamoDB answers `ALL_OLD`: the record that stood in the way, where there was one. */
async function withItem(
  call: (operation: string, input: Json) => Promise<Reply>,
  { TableName, Item }: Json,
  refusal: Reply,
): Promise<Reply> {
  const { pk, sk } = Item as Json;
  const { body } = await call("GetItem", { TableName, Key: { pk, sk }, ConsistentRead: true });
  return { ...refusal, body: JSON.stringify({ ...JSON.parse(refusal.body), ...JSON.parse(body) }) };
}

function errorReply({ status, type, message = "as planned" }: Answer): Reply {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
  return { status, body: JSON.stringify({ __type, message }) };
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { "content-type": CONTENT_TYPE });
  response.end(body);
}

function lose(response: ServerResponse, { seen }: Loss, reply: Reply | null): void {
  const error = errorReply({ status: 500, type: "InternalServerError" });
  if (seen === "reset") response.destroy();
  if (seen === "error") send(response, error);
  if (seen !== "half") return;
  const { status, body } = reply ?? error;
  response.writeHead(status, { "content-type": CONTENT_TYPE, "content-length": body.length + 1 });
  response.write(body);
}

function operationOf({ headers }: IncomingMessage): string {
  return String(headers["x-amz-target"]).replace("DynamoDB_20120810.", "");
}

function post(
  to: { readonly port: number; readonly agent: Agent },
  operation: string,
  input: string,
): Promise<Reply> {
  const headers = {
    "content-type": CONTENT_TYPE,
    "x-amz-target": `DynamoDB_20120810.${operation}`,
    "x-amz-date": "20260101T000000Z",
    authorization: "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c",
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...to, host: "127.0.0.1", method: "POST", headers }, (incoming) => {
      text(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, body }), reject);
    });
    outgoing.on("error", reject);
    outgoing.end(input);
  });
}
