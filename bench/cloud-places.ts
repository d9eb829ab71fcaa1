/** A table, a bucket of S3 and one of R2, each on this machine, with all that is asked of it counted. */
import { dynamodbStorage } from "../adapters/storage/dynamodb/index.ts";
import { r2Storage } from "../adapters/storage/r2.ts";
import { s3Storage } from "../adapters/storage/s3/index.ts";
import type { Storage } from "../src/ports/backend.ts";
import { leapingClock, openR2 } from "../test/adapters/r2/fixture.ts";
import { dynamodbFront, type StoredItem } from "../test/fakes/dynamodb-front.ts";
import { fakeS3 } from "../test/fakes/s3.ts";

/** What was asked for, and what AWS would bill of it. */
export interface Cost {
  reads: number;
  writes: number;
  /** Pages of a listing, or queries of an index. */
  lists: number;
  removals: number;
  /** Of bodies, with their names and what indexes them on DynamoDB. */
  bytesWritten: number;
  /** Of DynamoDB, those of the index among them; null elsewhere. */
  units: { read: number; write: number } | null;
}

export interface CountedPlace {
  readonly name: string;
  readonly storage: Storage;
  /** Since the last call. */
  take(): Cost;
  close(): Promise<void>;
}

/** Of the SDKs, which check no signatures here. */
export const ACCESS = {
  region: "us-east-1",
  credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
};

export async function cloudPlaces(): Promise<readonly CountedPlace[]> {
  return Promise.all([tablePlace(), bucketPlace(), r2Place()]);
}

function noCost(): Cost {
  return { reads: 0, writes: 0, lists: 0, removals: 0, bytesWritten: 0, units: null };
}

/** Counts into what the next call of `take` answers. */
function counter(isTable: boolean) {
  const fresh = (): Cost => ({ ...noCost(), units: isTable ? { read: 0, write: 0 } : null });
  let cost = fresh();
  return {
    add(what: "reads" | "writes" | "lists" | "removals", bytes = 0): void {
      cost[what] += 1;
      cost.bytesWritten += bytes;
    },
    bill(kind: "read" | "write", units: number): void {
      if (cost.units !== null) cost.units[kind] += units;
    },
    take(): Cost {
      const taken = cost;
      cost = fresh();
      return taken;
    },
  };
}

const UNIT_BYTES = 1_024;

async function tablePlace(): Promise<CountedPlace> {
  const front = await dynamodbFront();
  const table = await front.createTable();
  const { add, bill, take } = counter(true);
  /** What stands in the table, to tell what a write changes in the index. */
  const items = new Map<string, StoredItem>();
  front.setPlan((operation, input) => {
    if (operation === "PutItem") {
      const item = input["Item"] as StoredItem;
      const place = `${item["pk"]?.S}\n${item["sk"]?.S}`;
      const old = items.get(place) ?? null;
      const wanted = Object(input["ExpressionAttributeValues"])[":expected"]?.S ?? null;
      const isRefused = wanted !== (old?.["version"]?.S ?? null);
      add("writes", bytesOf(item));
      // A refused write is billed by the larger of the two items, too, and leaves the index alone.
      const bytes = Math.max(bytesOf(item), old === null ? 0 : bytesOf(old));
      bill("write", Math.ceil(bytes / UNIT_BYTES));
      if (!isRefused) {
        bill("write", indexUnits(old, item));
        items.set(place, item);
      }
    } else if ("IndexName" in input) {
      add("lists");
      bill("read", 0.5);
    } else {
      add("reads");
      bill("read", 1);
    }
    return null;
  });
  return {
    name: "DynamoDB",
    storage: dynamodbStorage({ ...ACCESS, table, endpoint: front.endpoint }),
    take,
    close: () => front.close(),
  };
}

function bytesOf(item: StoredItem): number {
  const fields = Object.entries(item);
  return fields.reduce(
    (sum, [name, text]) => sum + name.length + Buffer.byteLength(text?.S ?? ""),
    0,
  );
}

/** An entry that moves is removed in one place and put into another. */
function indexUnits(old: StoredItem | null, item: StoredItem): number {
  const [before, after] = [old, item].map((one) => one?.["dueSk"] && entryOf(one));
  if (before === after) return 0;
  return (before === undefined ? 0 : 1) + (after === undefined ? 0 : 1);
}

function entryOf(item: StoredItem): string {
  return `${item["duePk"]?.S} ${item["dueSk"]?.S}`;
}

const S3_COSTS = { get: "reads", put: "writes", list: "lists", delete: "removals" } as const;

async function bucketPlace(): Promise<CountedPlace> {
  const fake = await fakeS3();
  const { bucket, endpoint } = fake;
  const { add, take } = counter(false);
  fake.faultOf = ({ operation, key, headers }) => {
    const bytes = operation === "put" ? Number(headers["content-length"] ?? 0) + key.length : 0;
    add(S3_COSTS[operation], bytes);
    return null;
  };
  return {
    name: "S3",
    storage: s3Storage({ ...ACCESS, bucket, endpoint, forcePathStyle: true }),
    take,
    close: () => fake.close(),
  };
}

async function r2Place(): Promise<CountedPlace> {
  const r2 = await openR2();
  const { bucket, prefix } = r2.place();
  const { add, take } = counter(false);
  const storage = r2Storage({
    prefix,
    bucket: {
      get(key) {
        add("reads");
        return bucket.get(key);
      },
      put(key, value, options) {
        add("writes", Buffer.byteLength(value) + key.length - prefix.length);
        return bucket.put(key, value, options);
      },
      list(options) {
        add("lists");
        return bucket.list(options);
      },
      delete(key) {
        add("removals");
        return bucket.delete(key);
      },
    },
  });
  // R2 takes one write of a key in a second: the storage waits for it, by a clock on which that is no time.
  const clock = leapingClock();
  return {
    name: "R2",
    storage: { open: (context) => storage.open({ ...context, clock }) },
    take,
    close: () => r2.close(),
  };
}
