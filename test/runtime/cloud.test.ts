/** The service and the command line over a table and a bucket, by their settings alone. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DynamodbFront, dynamodbFront } from "../fakes/dynamodb-front.ts";
import { errorAnswer, type FakeS3, fakeS3 } from "../fakes/s3.ts";
import { MESSAGE } from "../services/emails/given.ts";
import { type Env, holdfast, type ServerProcess, startServer } from "./process.ts";

const ACCESS: Env = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
};

let front: DynamodbFront;
let bucket: FakeS3;
let folder: string;
let server: ServerProcess | null;

beforeAll(async () => {
  front = await dynamodbFront();
});

afterAll(() => front.close());

beforeEach(async () => {
  bucket = await fakeS3();
  folder = mkdtempSync(join(tmpdir(), "holdfast-cloud-"));
  server = null;
});

afterEach(async () => {
  await server?.kill("SIGKILL");
  await bucket.close();
  rmSync(folder, { recursive: true, force: true });
});

const tableEnv = (table: string): Env => ({
  ...ACCESS,
  HOLDFAST_STORAGE: "dynamodb",
  HOLDFAST_TABLE: table,
  HOLDFAST_ENDPOINT: front.endpoint,
});

const bucketEnv = (): Env => ({
  ...ACCESS,
  HOLDFAST_STORAGE: "s3",
  HOLDFAST_BUCKET: bucket.bucket,
  HOLDFAST_PREFIX: "holdfast",
  HOLDFAST_ENDPOINT: bucket.endpoint,
  HOLDFAST_PATH_STYLE: "true",
});

/** One with these keys and no index. */
async function makeTable(TableName: string, keys: readonly string[]): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: front.endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: keys.map((AttributeName, n) => ({
        AttributeName,
        KeyType: n === 0 ? "HASH" : "RANGE",
      })),
    }),
  );
  client.destroy();
}

const KINDS = [
  ["a table", async () => tableEnv(await front.createTable())],
  ["a bucket", async () => bucketEnv()],
] as const;

async function enqueue({ url }: ServerProcess, logicalKey: string): Promise<number> {
  const response = await fetch(`${url}/v1/emails`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ logicalKey, payload: MESSAGE }),
  });
  return response.status;
}

for (const [kind, fresh] of KINDS) {
  describe(`over ${kind}`, () => {
    it("the service serves, and the command line works beside it", async () => {
      const env = await fresh();
      server = await startServer(env);
      expect(server.lines().find(({ event }) => event === "serving")).toMatchObject({
        storage: env["HOLDFAST_STORAGE"],
      });
      expect(await enqueue(server, "welcome:ann")).toBe(201);
      const { stdout, status } = await holdfast(env, "--json", "jobs", "list");
      expect(status).toBe(0);
      expect(JSON.parse(stdout).jobs).toMatchObject([{ logicalKey: "welcome:ann" }]);
      expect((await server.kill("SIGTERM")).status).toBe(0);
    });

    it("the doctor tells every check of the probe", async () => {
      const { stdout, status } = await holdfast(await fresh(), "--json", "doctor");
      const findings: readonly { check: string; verdict: string; detail: string }[] =
        JSON.parse(stdout);
      expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
      expect(status).toBe(0);
      const checks = findings.map(({ check }) => check);
      expect(checks).toContain("storage");
      expect(checks).toContain("storage: clock");
      expect(findings.find(({ check }) => check === "service")?.detail).toMatch(
        /^the command line itself .* no server was asked$/,
      );
      expect(checks.filter((check) => check.startsWith("storage: ")).length).toBeGreaterThan(5);
    });
  });
}

describe("the service", () => {
  it("does not begin over a bucket that ignores conditions, and names the check", async () => {
    bucket.ignoresConditions = true;
    await expect(startServer(bucketEnv())).rejects.toThrow(/the storage cannot be used.*create/);
    const { stdout, status } = await holdfast(bucketEnv(), "doctor");
    expect(status).toBe(1);
    expect(stdout).toMatch(/fail +storage: /);
  });

  it("tells whoever enqueues over a bucket that is not there what is wrong, and logs it", async () => {
    server = await startServer(bucketEnv());
    bucket.faultOf = ({ operation }) =>
      operation === "put" ? { answer: errorAnswer(404, "NoSuchBucket") } : null;
    expect(await enqueue(server, "welcome:ann")).toBe(503);
    await server.kill("SIGTERM");
    const faults = server.lines().filter(({ event }) => event === "fault");
    expect(faults).toMatchObject([{ fault: "MisconfiguredError" }]);
    expect(String(faults[0]?.["message"])).toContain("There is no such bucket");
  });

  it("does not begin over a table that is not there, and names it and its variable", async () => {
    const starting = startServer(tableEnv("missing-table"));
    await expect(starting).rejects.toThrow(/missing-table.*HOLDFAST_TABLE/);
    const { stdout, status } = await holdfast(tableEnv("missing-table"), "doctor");
    expect(status).toBe(1);
    expect(stdout).toMatch(/fail +storage +DynamoDB table missing-table: /);
    expect(stdout.match(/^fail/gm)).toHaveLength(1);
  });

  it("does not begin over a table without the due index, which nothing else would need yet", async () => {
    await makeTable("no-index", ["pk", "sk"]);
    const starting = startServer(tableEnv("no-index"));
    await expect(starting).rejects.toThrow(/no-index \(HOLDFAST_TABLE\) has no index/);
  });

  it("does not begin where its clock is minutes off that of the table, and tells seconds", async () => {
    let ahead = 600_000;
    const relay = createServer((incoming, outgoing) => {
      const { method, headers, url = "/" } = incoming;
      const onward = request(new URL(url, front.endpoint), { method, headers }, (answer) => {
        const date = new Date(Date.now() + ahead).toUTCString();
        outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, date });
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const { port } = relay.address() as AddressInfo;
    const table = await front.createTable();
    const env = { ...tableEnv(table), HOLDFAST_ENDPOINT: `http://127.0.0.1:${port}` };
    await expect(startServer(env)).rejects.toThrow(
      /this machine's clock is (?:599|600|601) s behind/,
    );
    ahead = 20_000;
    server = await startServer(env);
    expect(server.lines()).toContainEqual(
      expect.objectContaining({ level: "warn", event: "storage", check: "clock" }),
    );
    relay.closeAllConnections();
    await new Promise((resolve) => relay.close(resolve));
  });

  it("names the package that its storage needs, and no other has to be there", async () => {
    const module = fileURLToPath(new URL("../../adapters/runtime/storages.js", import.meta.url));
    const hook = `export async function resolve(specifier, context, next) {
      if (!specifier.startsWith("@aws-sdk/")) return next(specifier, context);
      throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    }`;
    const nothing = { region: null, endpoint: null };
    const configs = [
      { kind: "memory" },
      { kind: "dynamodb", table: "jobs", dueShards: null, ...nothing },
      { kind: "s3", bucket: "jobs", prefix: "", isPathStyle: false, ...nothing },
    ];
    const script = `
      import { register } from "node:module";
      register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});
      const { storageOf } = await import(${JSON.stringify(module)});
      const told = ${JSON.stringify(configs)}.map((config) => storageOf(config, null).then(
        () => "opened", ({ code, message }) => code + " " + message));
      console.log(JSON.stringify(await Promise.all(told)));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "--eval",
      script,
    ]);
    expect(JSON.parse(stdout)).toEqual([
      "opened",
      "misconfigured HOLDFAST_STORAGE: dynamodb needs the package @aws-sdk/client-dynamodb: npm install @aws-sdk/client-dynamodb@3",
      "misconfigured HOLDFAST_STORAGE: s3 needs the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3@3",
    ]);
  });
});

describe("holdfast table create", () => {
  it("shows its request, makes the table, and finds it the next time", async () => {
    const env = tableEnv("made-by-command");
    const shown = await holdfast(env, "table", "create", "--dry-run");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      TableName: "made-by-command",
      BillingMode: "PAY_PER_REQUEST",
    });
    expect((await holdfast(env, "jobs", "list")).status).toBe(1);
    expect(await holdfast(env, "table", "create")).toMatchObject({
      status: 0,
      stdout: "made table made-by-command\n",
    });
    expect(await holdfast(env, "table", "create")).toMatchObject({
      status: 0,
      stdout: "table made-by-command is there and fits\n",
    });
    const again = await holdfast(env, "--json", "table", "create");
    expect(JSON.parse(again.stdout)).toEqual({ table: "made-by-command", created: false });
    expect((await holdfast(env, "jobs", "list")).status).toBe(0);
  });

  it("refuses a table that does not fit, and says why; and a storage without tables", async () => {
    await makeTable("somebody-elses", ["id"]);
    const { status, stderr } = await holdfast(tableEnv("somebody-elses"), "table", "create");
    expect(status).toBe(1);
    expect(stderr).toContain("has another primary key than pk and sk; name another table");
    const none = await holdfast({}, "table", "create");
    expect(none.status).toBe(1);
    expect(none.stderr).toContain("HOLDFAST_STORAGE is filesystem, which has no table");
  });
});

describe("holdfast copy", () => {
  it("goes from a folder to a table, to a bucket, and back to a folder", async () => {
    const data = { HOLDFAST_DATA_DIR: join(folder, "a") };
    server = await startServer(data);
    for (const key of ["one", "two", "three"]) await enqueue(server, key);
    await server.kill("SIGTERM");
    const table = await front.createTable();
    const prefix = `s3://${bucket.bucket}/moved?endpoint=${bucket.endpoint}&path-style=true`;
    const places = [
      `folder:${join(folder, "a")}`,
      `dynamodb:${table}?region=eu-central-1&endpoint=${front.endpoint}`,
      prefix,
      `folder:${join(folder, "b")}`,
    ];
    for (const [n, to] of places.entries()) {
      const from = places[n - 1];
      if (from === undefined) continue;
      const done = await holdfast(ACCESS, "--json", "copy", "--from", from, "--to", to);
      expect(done.status).toBe(0);
      expect(JSON.parse(done.stdout)).toMatchObject({ copied: 3, conflicting: 0 });
    }
    const markers = [...bucket.objects.keys()].filter((name) => name.includes("due/"));
    expect(markers).toHaveLength(3);
    expect(markers.every((name) => name.startsWith("moved/due/attend/"))).toBe(true);
    const due = { HOLDFAST_DATA_DIR: join(folder, "b") };
    const pass = await holdfast(due, "--json", "reconcile");
    expect(JSON.parse(pass.stdout).emails).toMatchObject({ promoted: 3 });
    for (const place of places.slice(1, 3)) {
      const itself = await holdfast(ACCESS, "copy", "--from", place, "--to", place);
      expect(itself.status).toBe(1);
      expect(itself.stderr).toContain("would be copied to itself");
    }
    const deep = prefix.replace("/moved", "/moved/emails");
    const nothing = await holdfast(ACCESS, "copy", "--from", deep, "--to", places[1] ?? "");
    expect(nothing.status).toBe(1);
    expect(nothing.stderr).toMatch(/nothing of Holdfast is there: s3:.*the bucket with the prefix/);
    const again = ["copy", "--from", places[1] ?? "", "--to", places[2] ?? ""];
    const { stdout } = await holdfast(ACCESS, "--json", ...again);
    expect(JSON.parse(stdout)).toMatchObject({ copied: 0, present: 3 });
  }, 60_000);
});
