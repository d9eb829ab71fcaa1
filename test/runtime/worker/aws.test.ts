/** The Workers over DynamoDB and S3 as wrangler builds them: the AWS SDK in workerd, over sockets. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DynamodbFront, dynamodbFront } from "../../fakes/dynamodb-front.ts";
import { type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { MESSAGE } from "../../http/fixture.ts";
import { eventually } from "../../http/streams.ts";
import { built } from "./built.ts";
import { type Env, openWorkers, type Workers } from "./workers.ts";

let front: DynamodbFront;
let bucket: FakeS3;
let open: Workers | null = null;

beforeAll(async () => {
  front = await dynamodbFront();
  bucket = await fakeS3();
});

afterEach(async () => {
  await open?.close();
  open = null;
});

afterAll(async () => {
  await front.close();
  await bucket.close();
});

const ACCESS: Env = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "S3cret",
};

const tableEnv = async (): Promise<Env> => ({
  ...ACCESS,
  HOLDFAST_TABLE: await front.createTable(),
  HOLDFAST_ENDPOINT: front.endpoint,
});

const bucketEnv = async (): Promise<Env> => ({
  ...ACCESS,
  HOLDFAST_BUCKET: bucket.bucket,
  HOLDFAST_ENDPOINT: bucket.endpoint,
  HOLDFAST_PATH_STYLE: "true",
});

const KINDS = [
  ["dynamodb", tableEnv, "HOLDFAST_TABLE"],
  ["s3", bucketEnv, "HOLDFAST_BUCKET"],
] as const;

for (const [kind, freshEnv, place] of KINDS) {
  describe(`the Worker over ${kind}`, async () => {
    const worker = await built(`adapters/runtime/worker/${kind}.ts`);

    async function running(env: Env) {
      open = await openWorkers(worker, { env, isBound: false });
      const [first] = open.workers;
      if (first === undefined) throw new Error("no worker");
      return { ...first, lines: open.lines };
    }

    it("has nothing of Node, and no warning of wrangler's", () => {
      expect(worker.script).not.toMatch(/["'`]node:/);
      expect(worker.told).not.toMatch(/warning/i);
    });

    it("drives all three machines, and passes", async () => {
      const { client, cron, lines } = await running(await freshEnv());
      const { emails, receipts, queries } = client();
      for (const logicalKey of ["a", "b & <c>", "d"]) {
        await emails.enqueue({ logicalKey, payload: MESSAGE });
      }
      const again = await emails.enqueue({ logicalKey: "a", payload: MESSAGE });
      expect(again.created).toBe(false);
      expect(await cron()).toBe("ok");
      const { jobs } = await emails.leaseDue({ durationMs: 60_000, limit: 10 });
      expect(jobs.map(({ logicalKey }) => logicalKey).sort()).toEqual(["a", "b & <c>", "d"]);
      const [job] = jobs;
      const settlement = { leaseToken: String(job?.leaseToken), to: "sent" } as const;
      const settled = await emails.settle(String(job?.logicalKey), settlement);
      expect(settled.job.state).toBe("sent");
      const { receipt } = await receipts.prepare({ operationId: "charge", payload: 1 });
      const { dispatchToken } = await receipts.dispatch(receipt.id);
      const token = dispatchToken === null ? {} : { dispatchToken };
      const accepted = await receipts.accept(receipt.id, { result: { ok: true }, ...token });
      expect(accepted.receipt.state).toBe("accepted");
      const submitted = await queries.submit({
        clientJobId: "44444444-4444-4444-8444-444444444444",
        generation: 1,
        query: "Are whales fish?",
        sessionId: "chat-4",
      });
      const { jobId } = submitted.job;
      const { run } = await queries.start(jobId, { generation: 1 });
      await run?.running();
      await run?.delta("No.");
      await run?.complete();
      const types: string[] = [];
      for await (const { type } of queries.follow(jobId, { generation: 1 })) types.push(type);
      expect(types).toEqual(["accepted", "starting", "running", "chunk", "completed"]);
      expect(lines().filter(({ level }) => level === "error")).toEqual([]);
    });

    it("has one winner where its isolates race (G2)", async () => {
      open = await openWorkers(worker, { env: await freshEnv(), isBound: false, count: 2 });
      const clients = open.workers.map(({ client }) => client());
      const [first] = clients;
      const logicalKey = "raced";
      const made = await Promise.all(
        clients.map(({ emails }) => emails.enqueue({ logicalKey, payload: MESSAGE })),
      );
      expect(made.filter(({ created }) => created)).toHaveLength(1);
      await first?.emails.transition(logicalKey, { from: ["pending"], to: "ready" });
      const leases = await Promise.allSettled(
        clients.map(({ emails }) => emails.lease(logicalKey, { durationMs: 60_000 })),
      );
      expect(leases.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    it("names each variable that is missing", async () => {
      const { [place]: name = "", HOLDFAST_ENDPOINT: endpoint = "" } = await freshEnv();
      const { url, cron, lines } = await running({ [place]: name, HOLDFAST_ENDPOINT: endpoint });
      const answer = await fetch(`${url}/v1/health`);
      expect([answer.status, await answer.json()]).toMatchObject([
        503,
        {
          detail:
            "AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: the log says what is wrong",
        },
      ]);
      expect(await cron()).toBe("exception");
      const message = expect.stringMatching(
        /^AWS_REGION must be set .*\nAWS_ACCESS_KEY_ID must be set with `wrangler secret put AWS_ACCESS_KEY_ID`\n/,
      );
      await eventually(() => expect(lines()).toMatchObject([{ message }, { message }]));
    });

    it("says that the storage cannot be reached, and fails its cron events meanwhile", async () => {
      const env = { ...(await freshEnv()), HOLDFAST_ENDPOINT: "http://127.0.0.1:9" };
      const { url, cron, lines } = await running(env);
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      expect(await cron()).toBe("exception");
      await eventually(() =>
        expect(lines().filter(({ event }) => event === "pass not run")).toMatchObject([
          { fault: "StoreUnavailableError" },
        ]),
      );
      expect(JSON.stringify(lines())).not.toContain("S3cret");
    });
  });
}
