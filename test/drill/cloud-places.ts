/** A table and a bucket that lose a share of their replies, and what stands in them at the end. */
import { dynamodbStorage } from "../../adapters/storage/dynamodb/index.ts";
import { s3Storage } from "../../adapters/storage/s3/index.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { dynamodbFront, type Fault as TableFault } from "../fakes/dynamodb-front.ts";
import { errorAnswer, type FakeFault, fakeS3 } from "../fakes/s3.ts";

export type PlaceKind = "dynamodb" | "s3";

export interface DrillPlace {
  /** For `holdfast serve`. */
  readonly env: Readonly<Record<string, string>>;
  readonly storage: Storage;
  /** What became of requests that were not answered as they should be, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  requests(): number;
  /** Carries out what was lost to be applied late. */
  applyLate(): Promise<void>;
  /** From now on every request is answered. */
  calm(): void;
  /** The bodies of all records, read past the product. */
  records(): Promise<readonly string[]>;
  /** Names of what still waits to be looked at. */
  due(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const ACCESS = {
  region: "eu-central-1",
  credentials: { accessKeyId: "drill", secretAccessKey: "drill" },
};

const ENV = {
  AWS_REGION: ACCESS.region,
  AWS_ACCESS_KEY_ID: ACCESS.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: ACCESS.credentials.secretAccessKey,
};

/** One request in so many is not answered as it should be. */
const ONE_IN = 12;

/** Weights among those. Silence is rare, since each costs its sender seconds. */
const WEIGHTS = {
  "applied, then reset": 30,
  "applied, then 500": 30,
  "applied late": 15,
  "never applied": 10,
  throttled: 20,
  "applied, then silence": 1,
} as const;

type FaultName = keyof typeof WEIGHTS;

const NAMES = Object.keys(WEIGHTS) as FaultName[];
const TOTAL = Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0);

/** Draws a fault or none for each request, and counts them. */
function lottery(random: () => number) {
  const faults: Partial<Record<FaultName, number>> = {};
  let isCalm = false;
  let requests = 0;
  return {
    faults,
    requests: () => requests,
    calm() {
      isCalm = true;
    },
    draw(): FaultName | null {
      requests += 1;
      if (isCalm || random() * ONE_IN >= 1) return null;
      let left = random() * TOTAL;
      const name = NAMES.find((one) => {
        left -= WEIGHTS[one];
        return left < 0;
      });
      if (name !== undefined) faults[name] = (faults[name] ?? 0) + 1;
      return name ?? null;
    },
  };
}

export function openPlace(kind: PlaceKind, random: () => number): Promise<DrillPlace> {
  return kind === "dynamodb" ? tablePlace(random) : bucketPlace(random);
}

const TABLE_FAULTS: Readonly<Record<FaultName, TableFault>> = {
  "applied, then reset": { applied: "now", seen: "reset" },
  "applied, then 500": { applied: "now", seen: "error" },
  "applied late": { applied: "late", seen: "reset" },
  "never applied": { applied: "never", seen: "reset" },
  throttled: { status: 400, type: "ProvisionedThroughputExceededException" },
  "applied, then silence": { applied: "now", seen: "silence" },
};

async function tablePlace(random: () => number): Promise<DrillPlace> {
  const front = await dynamodbFront();
  const table = await front.createTable();
  const { faults, requests, calm, draw } = lottery(random);
  front.setPlan(() => {
    const name = draw();
    return name === null ? null : TABLE_FAULTS[name];
  });
  return {
    env: {
      ...ENV,
      HOLDFAST_STORAGE: "dynamodb",
      HOLDFAST_TABLE: table,
      HOLDFAST_ENDPOINT: front.endpoint,
    },
    storage: dynamodbStorage({ ...ACCESS, table, endpoint: front.endpoint }),
    faults,
    requests,
    calm,
    applyLate: () => front.applyLate(),
    async records() {
      const items = await front.items(table);
      return items.flatMap(({ pk, body }) =>
        pk?.S?.startsWith("emails/jobs#") === true ? [body?.S ?? ""] : [],
      );
    },
    async due() {
      return (await front.items(table)).flatMap(({ duePk, dueSk }) =>
        duePk?.S === undefined ? [] : [`${duePk.S} ${dueSk?.S}`],
      );
    },
    close: () => front.close(),
  };
}

const BUCKET_FAULTS: Readonly<Record<FaultName, FakeFault>> = {
  "applied, then reset": "apply_then_reset",
  "applied, then 500": "apply_then_500",
  "applied late": "late",
  "never applied": "never",
  throttled: { answer: errorAnswer(503, "SlowDown") },
  "applied, then silence": "apply_then_hang",
};

async function bucketPlace(random: () => number): Promise<DrillPlace> {
  const fake = await fakeS3();
  const { bucket, endpoint, objects } = fake;
  const { faults, requests, calm, draw } = lottery(random);
  fake.faultOf = () => {
    const name = draw();
    return name === null ? null : BUCKET_FAULTS[name];
  };
  return {
    env: {
      ...ENV,
      HOLDFAST_STORAGE: "s3",
      HOLDFAST_BUCKET: bucket,
      HOLDFAST_ENDPOINT: endpoint,
      HOLDFAST_PATH_STYLE: "true",
    },
    storage: s3Storage({ ...ACCESS, bucket, endpoint, forcePathStyle: true }),
    faults,
    requests,
    calm,
    applyLate: async () => fake.applyLate(),
    async records() {
      const jobs = [...objects].filter(([name]) => name.startsWith("emails/jobs/"));
      return jobs.map(([, { body }]) => body);
    },
    due: async () => [...objects.keys()].filter((name) => name.startsWith("due/")),
    close: () => fake.close(),
  };
}
