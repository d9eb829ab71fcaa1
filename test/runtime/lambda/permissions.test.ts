/** What serverless.yml allows the functions, against what they ask for: enough, and nothing that is never used. */
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../../src/client/client.ts";
import { newKey, SECRET_BYTES } from "../../../src/http/keys.ts";
import { request } from "../../client/query-given.ts";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import {
  contextOf,
  type FunctionUrl,
  functionUrl,
  provideAwslambda,
} from "../../fakes/function-url.ts";
import { errorAnswer, type FakeOperation, type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import {
  allowancesOf,
  type Deployment,
  deploymentOf,
  PACKAGING_MS,
  type Storage,
  workshop,
} from "./deployment.ts";

const { key, entry } = newKey("all", new Uint8Array(SECRET_BYTES), { scopes: ["*"] });

const shop = workshop();
let url: FunctionUrl | null = null;

beforeAll(() => {
  provideAwslambda();
  Object.assign(process.env, {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    HOLDFAST_KEYS: JSON.stringify([entry]),
    HOLDFAST_LOG_LEVEL: "silent",
  });
});
afterEach(async () => {
  await url?.close();
  url = null;
});
afterAll(() => shop.remove());

/** All of `statement`'s actions on places of which `isMeant` says so. */
function actionsOn({ template }: Deployment, isMeant: (place: string) => boolean): Set<string> {
  const meant = allowancesOf(template).filter(({ resources }) =>
    resources.some((one) => isMeant(JSON.stringify(one))),
  );
  return new Set(meant.flatMap(({ actions }) => actions));
}

/** Everything that an application and an operator do, and passes beside it. */
async function used(
  { emails, receipts, queries, ...operations }: Client,
  pass: () => Promise<{ readonly failures: readonly unknown[] }>,
): Promise<void> {
  const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
  for (const logicalKey of ["one", "two"]) await emails.enqueue({ logicalKey, payload });
  await emails.transition("one", { from: ["pending"], to: "ready" });
  const { job } = await emails.lease("one", { durationMs: 60_000 });
  await emails.settle("one", { leaseToken: String(job.leaseToken), to: "sent" });
  await emails.list();

  const { receipt } = await receipts.prepare({ operationId: "charge", payload: { amount: 1 } });
  const { dispatchToken } = await receipts.dispatch(receipt.id);
  const result = { charged: true };
  await receipts.accept(receipt.id, { result, dispatchToken: String(dispatchToken) });
  await receipts.complete(receipt.id);
  await receipts.list();

  const { job: query } = await queries.submit(request());
  const { run } = await queries.start(query.jobId, { generation: 1 });
  await run?.delta("Whales are mammals.");
  await run?.complete();
  await queries.events(query.jobId, { generation: 1 });
  await queries.list();

  await operations.erase({ email: "two" });
  await operations.erase({ query: request().clientJobId });
  await operations.collect();
  await operations.stuck();
  await operations.health();
  expect(await pass()).toMatchObject({ failures: [] });
}

async function drive(made: Deployment): Promise<void> {
  const { http, reconcile } = await import(pathToFileURL(made.entry).href);
  url = await functionUrl(http, { timeoutMs: 70_000 });
  const client = createClient({ url: url.url, key, retry: { attempts: 1 } });
  await used(client, () => reconcile({}, contextOf(60_000)));
}

describe("what the functions may", () => {
  const made = new Map<Storage, Deployment>();
  let front: DynamodbFront;
  let bucket: FakeS3;
  beforeAll(async () => {
    for (const storage of ["dynamodb", "s3"] as const) {
      made.set(storage, await deploymentOf(shop, storage));
    }
    front = await dynamodbFront();
    bucket = await fakeS3();
  }, PACKAGING_MS);
  afterAll(async () => {
    await front.close();
    await bucket.close();
  });

  function deployment(storage: Storage): Deployment {
    const found = made.get(storage);
    if (found === undefined) throw new Error(`${storage} was not packaged`);
    return found;
  }

  it("with their table is what they ask of it, and each of it is asked", async () => {
    const deployed = deployment("dynamodb");
    const ofTable = actionsOn(deployed, (place) => place === '{"Fn::GetAtt":["Table","Arn"]}');
    const ofIndex = actionsOn(deployed, (place) => place.includes("/index/due"));
    const asked = { table: new Set<string>(), index: new Set<string>() };
    Object.assign(process.env, {
      HOLDFAST_ENDPOINT: front.endpoint,
      HOLDFAST_TABLE: await front.createTable(),
    });
    front.setPlan((operation, input) => {
      const action = `dynamodb:${operation}`;
      const isOfIndex = "IndexName" in input;
      asked[isOfIndex ? "index" : "table"].add(action);
      if ((isOfIndex ? ofIndex : ofTable).has(action)) return null;
      return { status: 400, type: "AccessDeniedException", message: action };
    });
    await drive(deployed);
    expect(asked).toEqual({ table: ofTable, index: ofIndex });
  });

  it("with their bucket is what they ask of it, and each of it is asked", async () => {
    const actions: Readonly<Record<FakeOperation, string>> = {
      get: "s3:GetObject",
      put: "s3:PutObject",
      delete: "s3:DeleteObject",
      list: "s3:ListBucket",
    };
    const deployed = deployment("s3");
    const allowed = actionsOn(deployed, (place) => place.includes("Bucket"));
    const asked = new Set<string>();
    delete process.env["HOLDFAST_TABLE"];
    Object.assign(process.env, {
      HOLDFAST_ENDPOINT: bucket.endpoint,
      HOLDFAST_BUCKET: bucket.bucket,
      HOLDFAST_PATH_STYLE: "true",
    });
    bucket.faultOf = ({ operation }) => {
      asked.add(actions[operation]);
      if (allowed.has(actions[operation])) return null;
      return { answer: errorAnswer(403, "AccessDenied") };
    };
    await drive(deployed);
    expect(asked).toEqual(allowed);
  });
});
