/** Requests in words, what they cost by public prices, and arithmetic with them. */
import type { Cost } from "./cloud-places.ts";

/** Dollars of a million: of S3 and R2 by request, of DynamoDB by unit. Removals are free on the former. */
const PRICES: Readonly<Record<string, { readonly read: number; readonly write: number }>> = {
  DynamoDB: { read: 0.125, write: 0.625 },
  S3: { read: 0.4, write: 5 },
  R2: { read: 0.36, write: 4.5 },
};

export const PRICES_TEXT =
  "List prices of 2025, requests alone; check them before relying on it: AWS us-east-1, DynamoDB on demand $0.625 " +
  "a million write units and $0.125 a million read units, S3 Standard $5 a million writes and listings and " +
  "$0.40 a million reads; R2 $4.50 and $0.36. Removals are free on S3 and R2. Storage, transfer and backups come on top, " +
  "free tiers are not taken off.";

/** Dollars of a GB that is stored for a month. */
export const GB_MONTH: Readonly<Record<string, number>> = { DynamoDB: 0.25, S3: 0.023, R2: 0.015 };

const LAMBDA = { million: 0.2, gbSecond: 0.000_013_333_4 };

const WORKERS = { million: 0.3, cpuMillionMs: 0.02 };

/** Of a function: GB of memory, and how long it runs, waiting for the storage among it. */
const SIZE_GB = 0.25;
const SHORT_MS = 50;
const PASS_MS = 200;

/** Of a Worker only the time at the processor is billed. */
const CPU_MS = 5;

function lambdaOf(ms: number): number {
  return LAMBDA.million + ms * 1_000 * SIZE_GB * LAMBDA.gbSecond;
}

export const INVOCATIONS: readonly {
  readonly what: string;
  readonly lambda: number;
  readonly worker: number;
}[] = [
  {
    what: `a request, ${SHORT_MS} ms of 256 MB · ${CPU_MS} ms of CPU`,
    lambda: lambdaOf(SHORT_MS),
    worker: WORKERS.million + CPU_MS * WORKERS.cpuMillionMs,
  },
  {
    what: `a pass, ${PASS_MS} ms of 256 MB · ${CPU_MS} ms of CPU`,
    lambda: lambdaOf(PASS_MS),
    worker: WORKERS.million + CPU_MS * WORKERS.cpuMillionMs,
  },
];

export const INVOCATIONS_TEXT =
  `Lambda on Arm $${LAMBDA.million.toFixed(2)} a million requests and $0.0000133334 a GB-second; Workers ` +
  `Paid $0.30 a million requests and $0.02 a million milliseconds of CPU, beside $5 a month. How long a function ` +
  "runs is assumed, not measured: put your own numbers in.";

export function priceOf(name: string, { reads, writes, lists, units }: Cost): number {
  const price = PRICES[name];
  if (price === undefined) throw new Error(`no prices of ${name}`);
  const read = units === null ? reads : units.read;
  const write = units === null ? writes + lists : units.write;
  return (read * price.read + write * price.write) / 1_000_000;
}

export function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

/** Empty for what has none. */
export function unitsIn({ units }: Cost): string {
  if (units === null) return "";
  return `${Number(units.write.toFixed(2))} write, ${Number(units.read.toFixed(2))} read`;
}

const COUNTS = ["reads", "writes", "lists", "removals"] as const;

const LETTERS = { reads: "r", writes: "w", lists: "l", removals: "d" } as const;

export function requestsIn(cost: Cost): string {
  const parts = COUNTS.filter((name) => cost[name] > 0);
  return parts.map((name) => `${rounded(cost[name])} ${LETTERS[name]}`).join(", ");
}

/** Whole numbers as they are. */
function rounded(count: number): string {
  return Number(count.toFixed(2)).toLocaleString("en");
}

export function difference(whole: Cost, part: Cost): Cost {
  return combined(whole, part, (one, other) => one - other);
}

export function share(cost: Cost, of: number): Cost {
  return combined(cost, cost, (one) => one / of);
}

function combined(one: Cost, other: Cost, by: (one: number, other: number) => number): Cost {
  return {
    reads: by(one.reads, other.reads),
    writes: by(one.writes, other.writes),
    lists: by(one.lists, other.lists),
    removals: by(one.removals, other.removals),
    bytesWritten: by(one.bytesWritten, other.bytesWritten),
    units:
      one.units === null || other.units === null
        ? null
        : {
            read: by(one.units.read, other.units.read),
            write: by(one.units.write, other.units.write),
          },
  };
}
