/** What DynamoDB and the network can answer, as faults of the store; over real sockets. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { dynamodbStorage } from "../../../adapters/storage/dynamodb/index.ts";
import { itemOf } from "../../../adapters/storage/dynamodb/items.ts";
import { after, seconds } from "../../../src/core/time.ts";
import type { Backend, Version } from "../../../src/ports/backend.ts";
import {
  ContendedError,
  MisconfiguredError,
  RecordCorruptError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../../src/ports/faults.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { createStore } from "../../../src/store/store.ts";
import { testClock, testKey } from "../../conformance/fixture.ts";
import { body } from "../../conformance/steps.ts";
import { contextOf, openedBackend, rawClient, sharedFront, storageOn } from "./given.ts";

const ABSENT = { expected: "absent", due: null, dueBefore: null } as const;

const front = sharedFront();

const put = (backend: Backend) => backend.putIf(testKey("a"), "{}", ABSENT);

/** The fault of a write that is answered with this error. */
async function faultOf(type: string, message = "as planned", status = 400): Promise<unknown> {
  const { backend } = await openedBackend(front());
  front().setPlan((operation) => (operation === "PutItem" ? { status, type, message } : null));
  const fault = await put(backend).then(
    () => null,
    (error: unknown) => error,
  );
  front().setPlan(null);
  expect(await backend.get(testKey("a"))).toBeNull();
  await backend.close();
  return fault;
}

describe("an error of DynamoDB", () => {
  it.each([
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
  ])("%s of a write means: not written, later", async (type) => {
    expect(await faultOf(type)).toBeInstanceOf(StoreThrottledError);
  });

  it.each(["TransactionConflictException", "ReplicatedWriteConflictException"])(
    "%s means: not written, somebody else is at it",
    async (type) => {
      expect(await faultOf(type)).toBeInstanceOf(ContendedError);
    },
  );

  it("about a size means: too large", async () => {
    const message = "Item size has exceeded the maximum allowed size";
    expect(await faultOf("ValidationException", message)).toBeInstanceOf(RecordTooLargeError);
    const type = "ItemCollectionSizeLimitExceededException";
    expect(await faultOf(type)).toBeInstanceOf(RecordTooLargeError);
  });

  it.each([
    [
      "ResourceNotFoundException",
      /HOLDFAST_TABLE.*eu-central-1.*AWS_REGION.*holdfast table create/,
    ],
    ["AccessDeniedException", /HOLDFAST_TABLE.*README/],
    ["UnrecognizedClientException", /AWS_ACCESS_KEY_ID/],
    ["InvalidSignatureException", /AWS_SECRET_ACCESS_KEY/],
    ["ExpiredTokenException", /AWS_SESSION_TOKEN/],
    ["ValidationException", /HOLDFAST_TABLE.*does not fit; name another.*holdfast table create/],
  ])("%s names what a person has to change", async (type, advice) => {
    const fault = await faultOf(type);
    expect(fault).toBeInstanceOf(MisconfiguredError);
    expect(String(fault)).toMatch(advice);
    expect(String(fault)).toMatch(/as planned/);
  });

  it("about an index that is still being filled passes", async () => {
    const message = "Cannot read from backfilling global secondary index: due";
    expect(await faultOf("ValidationException", message)).toBeInstanceOf(StoreUnavailableError);
  });

  it.each([500, 503])("of its own (%d) leaves a write without a verdict", async (status) => {
    const fault = await faultOf("InternalServerError", "as planned", status);
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(fault).toMatchObject({ isNotWritten: false });
  });

  it.each([
    ["a page, 404", 404, "<!DOCTYPE html>"],
    ["a page, 501", 501, "<!DOCTYPE html>"],
    ["nothing, 404", 404, ""],
    ["something, 400", 400, '{"error":"no"}'],
  ])("is not %s: no DynamoDB answers there", async (_name, status, text) => {
    const served = createServer((_request, response) => {
      response.writeHead(status);
      response.end(text);
    });
    await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
    const { port } = served.address() as AddressInfo;
    const opening = storageOn(`http://127.0.0.1:${port}`, "jobs").open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(
      `something answers at http://127.0.0.1:${port}, but not as DynamoDB does`,
    );
    served.closeAllConnections();
    await new Promise((resolve) => served.close(resolve));
  });

  it("about the time of a signature passes, since the SDK learns the time by it", async () => {
    const served = createServer((_request, response) => {
      response.writeHead(400, { date: "Tue, 01 Jan 2030 00:00:00 GMT" });
      response.end(JSON.stringify({ __type: "x#InvalidSignatureException", message: "expired" }));
    });
    await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
    const { port } = served.address() as AddressInfo;
    const opening = storageOn(`http://127.0.0.1:${port}`, "jobs").open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(StoreUnavailableError);
    served.closeAllConnections();
    await new Promise((resolve) => served.close(resolve));
  });

  it("on a machine whose clock is off leaves a write without a verdict all the same", async () => {
    const opened = await answered((operation, response) => {
      // The SDK takes it for the service's time, and marks every error that comes with it.
      response.setHeader("date", "Tue, 01 Jan 2030 00:00:00 GMT");
      if (operation === "GetItem") return '{"Item":{"dueShards":{"N":"4"}}}';
      response.statusCode = 500;
      return JSON.stringify({ __type: "x#InternalServerError" });
    });
    await expect(put(opened.backend)).rejects.toMatchObject({ isNotWritten: false });
    await opened.close();
  });

  it("about a signature that is wrong whatever the time names the credentials", async () => {
    const opened = await answered((operation, response) => {
      response.setHeader("date", "Tue, 01 Jan 2030 00:00:00 GMT");
      if (operation === "GetItem") return '{"Item":{"dueShards":{"N":"4"}}}';
      response.statusCode = 400;
      const message = "The request signature we calculated does not match";
      return JSON.stringify({ __type: "x#InvalidSignatureException", message });
    });
    await expect(put(opened.backend)).rejects.toThrow(/AWS_SECRET_ACCESS_KEY/);
    await opened.close();
  });

  it.each([
    [200, ""],
    [200, "{}"],
    [204, ""],
  ])("that nobody but DynamoDB can tell is none: %d %j of a proxy", async (status, body) => {
    let isOpen = false;
    const opened = await answered((_operation, response) => {
      if (!isOpen) return '{"Item":{"dueShards":{"N":"4"}}}';
      response.statusCode = status;
      response.removeHeader("content-type");
      return body;
    });
    isOpen = true;
    const { backend } = opened;
    const [get, list] = [() => backend.get(testKey("a")), () => backend.list("", null, 10)];
    for (const call of [() => put(backend), get, list]) {
      await expect(call()).rejects.toMatchObject({ code: "unavailable", isNotWritten: false });
    }
    await opened.close();
  });

  it("that throttles a write is waited out by the store", async () => {
    const { backend } = await openedBackend(front());
    let throttled = 2;
    front().setPlan(() => {
      throttled -= 1;
      return throttled >= 0 ? { status: 400, type: "ThrottlingException" } : null;
    });
    const clock = testClock();
    const quiet = { clock, random: systemRandom(), observe: () => {}, foreignDue: () => null };
    const store = createStore({ ...quiet, backend, tenant: null });
    const deadlineAt = after(clock.now(), seconds(20));
    const options = { expected: "absent", due: null, deadlineAt } as const;
    expect((await store.put(testKey("a"), body(1), options)).kind).toBe("stored");
    expect(front().takeCounts()).toEqual({ PutItem: 3 });
    await backend.close();
  });

  it("that passes is waited out by reads", async () => {
    const { backend } = await openedBackend(front());
    let failures = 2;
    front().setPlan(() => {
      failures -= 1;
      return failures >= 0 ? { status: 500, type: "InternalServerError" } : null;
    });
    expect(await backend.get(testKey("a"))).toBeNull();
    expect(front().takeCounts()).toEqual({ GetItem: 3 });
    await backend.close();
  });
});

describe("opening", () => {
  it("without the table names its setting and the command that makes one", async () => {
    const opening = storageOn(front().endpoint, "nowhere").open(contextOf());
    await expect(opening).rejects.toThrow(
      /no DynamoDB table nowhere \(HOLDFAST_TABLE\) in eu-central-1.*holdfast table create/,
    );
    await expect(opening).rejects.toThrow(
      `AWS_REGION=eu-central-1 HOLDFAST_ENDPOINT=${front().endpoint} HOLDFAST_STORAGE=dynamodb HOLDFAST_TABLE=nowhere holdfast`,
    );
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
  });

  it("of a table whose ARN has another region names both", async () => {
    const arn = "arn:aws:dynamodb:us-east-1:123456789012:table/jobs";
    const opening = storageOn(front().endpoint, arn).open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(/is in us-east-1, and the region .* is eu-central-1/);
  });

  it("without a region anywhere names the variable and an example", async () => {
    for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION"]) vi.stubEnv(name, undefined);
    for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) {
      vi.stubEnv(name, "/dev/null");
    }
    const opening = dynamodbStorage({ table: "jobs" }).open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(/AWS_REGION\), such as eu-central-1/);
    vi.unstubAllEnvs();
  });

  it("without credentials anywhere names where they can stand", async () => {
    const credentials = async () => {
      throw Object.assign(new Error("no credentials here"), { name: "CredentialsProviderError" });
    };
    const opening = storageOn(front().endpoint, "jobs", { credentials }).open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(/AWS_ACCESS_KEY_ID.*AWS_PROFILE.*role/);
  });

  it("where nobody listens is a fault that passes, and surely wrote nothing", async () => {
    const served = createServer();
    await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
    const { port } = served.address() as AddressInfo;
    await new Promise((resolve) => served.close(resolve));
    const opening = storageOn(`http://127.0.0.1:${port}`, "jobs").open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(opening).rejects.toMatchObject({ isNotWritten: true });
    await expect(opening).rejects.toThrow(/eu-central-1 \(AWS_REGION\).*ECONNREFUSED/);
  });

  it.each([
    [{ table: "" }, /table .* must name/],
    [{ table: "jobs", shards: 4 }, /unknown option shards/],
    [{ table: "jobs", dueShards: 0 }, /dueShards must be 1 to 64, not 0/],
    [{ table: "jobs", dueShards: 65 }, /dueShards must be 1 to 64, not 65/],
    [{ table: "jobs", dueShards: 1.5 }, /dueShards must be 1 to 64/],
    [{ table: "jobs", region: "eu-central-1", client: rawClient("http://x") }, /client brings/],
  ])("is refused with options that cannot be meant: %o", (options, message) => {
    expect(() => dynamodbStorage(options)).toThrow(MisconfiguredError);
    expect(() => dynamodbStorage(options)).toThrow(message);
  });
});

describe("a record that cannot be used", () => {
  it("is told by name when its item is no record", async () => {
    const { table, backend } = await openedBackend(front());
    const { body: _, ...item } = itemOf(testKey("a"), record("{}"), null, 1);
    await plant(table, item);
    await expect(backend.get(testKey("a"))).rejects.toBeInstanceOf(RecordCorruptError);
    await expect(put(backend)).rejects.toBeInstanceOf(RecordCorruptError);
    const page = await backend.list("things/records/", null, 10);
    expect(page.entries).toEqual([{ key: testKey("a"), found: null, writtenAt: null }]);
    await backend.close();
  });

  it("is refused before anything is sent when its item would be too large", async () => {
    const { backend } = await openedBackend(front());
    const tooLarge = backend.putIf(testKey("a"), "é".repeat(204_800), ABSENT);
    await expect(tooLarge).rejects.toBeInstanceOf(RecordTooLargeError);
    expect(front().takeCounts()).toEqual({});
    await backend.close();
  });
});

describe("credentials that do not come", () => {
  it("end every call in its time, surely without a write, and let the storage be closed", async () => {
    let isHanging = false;
    const identity = { accessKeyId: "a", secretAccessKey: "b", expiration: new Date() };
    const credentials = () =>
      isHanging ? new Promise<never>(() => {}) : Promise.resolve(identity);
    const { backend } = await openedBackend(front(), { credentials });
    isHanging = true;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const calls = Promise.allSettled([put(backend), backend.get(testKey("a"))]);
    const closing = backend.close();
    await vi.advanceTimersByTimeAsync(6_000);
    vi.useRealTimers();
    for (const call of await calls) {
      expect(call).toMatchObject({ reason: { code: "unavailable", isNotWritten: true } });
    }
    await closing;
    expect(front().takeCounts()).toEqual({});
  });
});

describe("closing", () => {
  it("waits for what is on its way; afterwards nothing is sent", async () => {
    const { backend } = await openedBackend(front());
    const closings: Promise<void>[] = [];
    front().setPlan(() => {
      closings.push(backend.close());
      return null;
    });
    expect((await put(backend)).kind).toBe("stored");
    expect(closings).toHaveLength(1);
    await Promise.all(closings);
    front().takeCounts();
    await expect(put(backend)).rejects.toMatchObject({ code: "unavailable", isNotWritten: true });
    expect(front().takeCounts()).toEqual({});
  });

  it("lets go of every socket", async () => {
    const sockets = () => front().connectionCount();
    const { backend } = await openedBackend(front());
    await Promise.all(Array.from({ length: 5 }, () => backend.get(testKey("a"))));
    expect(await sockets()).toBeGreaterThanOrEqual(5);
    await backend.close();
    await expect.poll(sockets).toBe(0);
  });

  it("leaves a client alone that was given", async () => {
    const table = await front().createTable();
    const client = rawClient(front().endpoint);
    await (await dynamodbStorage({ table, client }).open(contextOf())).close();
    const again = await dynamodbStorage({ table, client }).open(contextOf());
    expect(await again.get(testKey("a"))).toBeNull();
    await again.close();
    client.destroy();
  });
});

function record(body: string): { body: string; version: Version } {
  return { body, version: "planted" as Version };
}

async function plant(table: string, item: Record<string, { readonly S: string }>): Promise<void> {
  const client = rawClient(front().endpoint);
  await client.send(new PutItemCommand({ TableName: table, Item: item }));
  client.destroy();
}

/** A backend on a server that answers what `answer` returns, by operation. */
async function answered(
  answer: (operation: string, response: ServerResponse) => string,
): Promise<{ readonly backend: Backend; readonly close: () => Promise<void> }> {
  const served = createServer((request, response) => {
    const operation = String(request.headers["x-amz-target"]).replace(/.*\./, "");
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(answer(operation, response));
  });
  await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
  const { port } = served.address() as AddressInfo;
  const backend = await storageOn(`http://127.0.0.1:${port}`, "jobs").open(contextOf());
  return {
    backend,
    async close() {
      await backend.close();
      served.closeAllConnections();
      await new Promise((resolve) => served.close(resolve));
    },
  };
}
