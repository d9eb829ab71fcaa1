/** Creates of which three in ten get no reply: by Holdfast, and by an SDK that repeats them by itself. */
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { dynamodbStorage } from "../adapters/storage/dynamodb/index.ts";
import { s3Storage } from "../adapters/storage/s3/index.ts";
import { createHoldfast } from "../src/holdfast.ts";
import type { Storage } from "../src/ports/backend.ts";
import { OutcomeUnknownError, StoreUnavailableError } from "../src/ports/faults.ts";
import { dynamodbFront, type Loss } from "../test/fakes/dynamodb-front.ts";
import { type FakeFault, fakeS3 } from "../test/fakes/s3.ts";
import { ACCESS } from "./cloud-places.ts";
import { repeat, table } from "./measure.ts";

const AT_ONCE = 16;

/** How often what is applied late is applied. */
const LATE_MS = 20;

/** Every key is created once, so each answer but "created" is wrong. */
interface Outcome {
  conflicts: number;
  /** Told that it is not known, or that the storage did not answer: repeating the call does no harm. */
  unknown: number;
  /** Told "created", and not there. */
  falseSuccesses: number;
  /** Stored more than once, or written anew. */
  duplicates: number;
}

/** `failed`: it gave up, with an error that says nothing of the record. */
type Told = "created" | "conflict" | "failed";

interface LossyPlace {
  readonly name: string;
  readonly storage: Storage;
  /** One conditional create by the SDK alone, with its own repetitions. */
  readonly plain: (n: number) => Promise<Told>;
  /** Of the jobs, past the product. */
  readonly bodies: () => Promise<readonly string[]>;
  readonly applyLate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function cloudLossTable(count: number): Promise<string> {
  const rows: string[][] = [];
  for (const open of [lossyTable, lossyBucket]) {
    const place = await open();
    const late = setInterval(() => void place.applyLate(), LATE_MS);
    try {
      const plain = await byPlainSdk(place, count);
      const holdfast = await byHoldfast(place, count);
      rows.push([place.name, "the SDK's own repetitions", ...plain, "", ""]);
      const { conflicts, unknown, falseSuccesses, duplicates } = holdfast;
      const told = [conflicts, unknown, falseSuccesses, duplicates].map(String);
      rows.push([place.name, "Holdfast", ...told]);
    } finally {
      clearInterval(late);
      await place.close();
    }
  }
  const head = ["", "", "false conflicts", "not told", "false successes", "duplicates"];
  return [
    table([`${count.toLocaleString("en")} creates`, ...head.slice(1)], rows),
    "",
    "Of the writes 30 % get no good reply: a reset or a 500, after they were carried out at once, later, or never.",
  ].join("\n");
}

/** False conflicts, and creates whose outcome the caller is not told. */
async function byPlainSdk({ plain }: LossyPlace, count: number): Promise<readonly string[]> {
  const told = { created: 0, conflict: 0, failed: 0 };
  await repeat(count, AT_ONCE, async (n) => {
    told[await plain(n)] += 1;
  });
  return [told.conflict, told.failed].map(String);
}

async function byHoldfast(place: LossyPlace, count: number): Promise<Outcome> {
  const outcome: Outcome = { conflicts: 0, unknown: 0, falseSuccesses: 0, duplicates: 0 };
  const created = new Set<string>();
  const { emails, close } = await createHoldfast({ storage: place.storage });
  await repeat(count, AT_ONCE, async (n) => {
    const key = `create:${n}`;
    try {
      const payload = { type: "first-view", recipient: "ann@example.com", recordingIds: [key] };
      const answer = await emails.enqueue(key, payload);
      if (answer.created) created.add(key);
      else outcome.conflicts += 1;
    } catch (error) {
      const isOutage =
        error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError;
      if (!isOutage) throw error;
      outcome.unknown += 1;
    }
  });
  await close();
  await place.applyLate();
  const stored = new Map<string, number>();
  for (const body of await place.bodies()) {
    const { logicalKey, holdfast } = JSON.parse(body);
    stored.set(logicalKey, (stored.get(logicalKey) ?? 0) + holdfast.v);
  }
  for (const key of created) if (!stored.has(key)) outcome.falseSuccesses += 1;
  for (const times of stored.values()) if (times > 1) outcome.duplicates += 1;
  return outcome;
}

/** The same three of every ten writes, which spreads them over all keys. */
function everyTenth<F>(faults: readonly F[]): () => F | null {
  let writes = 0;
  return () => {
    writes += 1;
    return writes % 10 < 3 ? (faults[writes % faults.length] ?? null) : null;
  };
}

const TABLE_LOSSES: readonly Loss[] = [
  { applied: "now", seen: "reset" },
  { applied: "now", seen: "error" },
  { applied: "late", seen: "reset" },
  { applied: "now", seen: "reset" },
  { applied: "never", seen: "error" },
  { applied: "late", seen: "error" },
  { applied: "now", seen: "error" },
];

async function lossyTable(): Promise<LossyPlace> {
  const front = await dynamodbFront();
  const table = await front.createTable();
  const { endpoint } = front;
  const storage = dynamodbStorage({ ...ACCESS, table, endpoint });
  // Opened once in quiet, so that the table has its settings.
  await (await createHoldfast({ storage })).close();
  const next = everyTenth(TABLE_LOSSES);
  front.setPlan((operation) => (operation === "PutItem" ? next() : null));
  const client = new DynamoDBClient({ ...ACCESS, endpoint });
  return {
    name: "DynamoDB",
    storage,
    async plain(n) {
      const Item = { pk: { S: `plain#${n}` }, sk: { S: "create" } };
      const ConditionExpression = "attribute_not_exists(pk)";
      return toldBy(
        client.send(new PutItemCommand({ TableName: table, Item, ConditionExpression })),
      );
    },
    async bodies() {
      const items = await front.items(table);
      const jobs = items.filter(({ pk }) => pk?.S?.startsWith("emails/jobs#"));
      return jobs.map(({ body }) => body?.S ?? "");
    },
    applyLate: () => front.applyLate(),
    async close() {
      client.destroy();
      await front.close();
    },
  };
}

const BUCKET_LOSSES: readonly FakeFault[] = [
  "apply_then_reset",
  "apply_then_500",
  "late",
  "apply_then_reset",
  "never",
  "late",
  "apply_then_500",
];

async function lossyBucket(): Promise<LossyPlace> {
  const fake = await fakeS3();
  const { bucket, endpoint, objects } = fake;
  const next = everyTenth(BUCKET_LOSSES);
  fake.faultOf = ({ operation }) => (operation === "put" ? next() : null);
  const where = { ...ACCESS, endpoint, forcePathStyle: true };
  const client = new S3Client(where);
  return {
    name: "S3",
    storage: s3Storage({ ...where, bucket }),
    plain: (n) =>
      toldBy(
        client.send(
          new PutObjectCommand({ Bucket: bucket, Key: `plain/${n}`, Body: "{}", IfNoneMatch: "*" }),
        ),
      ),
    bodies: async () =>
      [...objects].flatMap(([name, { body }]) => (name.startsWith("emails/jobs/") ? [body] : [])),
    applyLate: async () => fake.applyLate(),
    async close() {
      client.destroy();
      await fake.close();
    },
  };
}

async function toldBy(creation: Promise<unknown>): Promise<Told> {
  try {
    await creation;
    return "created";
  } catch (error) {
    const { name } = Object(error);
    const isRefused = name === "ConditionalCheckFailedException" || name === "PreconditionFailed";
    return isRefused ? "conflict" : "failed";
  }
}
