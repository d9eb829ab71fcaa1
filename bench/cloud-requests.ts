/** What each step of an email asks of a storage in the cloud, beside what the protocols say. */
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import type { Mailer } from "../src/ports/mailer.ts";
import type { Job } from "../src/services/emails.ts";
import { type Cost, type CountedPlace, cloudPlaces } from "./cloud-places.ts";
import {
  difference,
  dollars,
  PRICES_TEXT,
  priceOf,
  requestsIn,
  share,
  unitsIn,
} from "./cloud-prices.ts";
import { table } from "./measure.ts";

const MESSAGE = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Good to have you here. ".repeat(10),
};

/** Jobs of the passes that have something to do. */
const DUE = 100;

/** Tenants of the passes that have nothing to do. */
const TENANTS = 10;

const nowhere: Mailer = { send: async () => ({ kind: "sent", id: null }), close: async () => {} };

/** What the protocols say of each step, and what due markers add to it on a bucket. */
const EXPECTED = {
  "an email, each step given the job": ["4 w", "2 w, 2 d"],
  "an email, each step given the key": ["3 r, 4 w", "2 w, 2 d"],
  "the same key enqueued again, by another process": ["1 r, 1 w", "1 w, 1 d"],
  "who loses a race for a lease to the same process": ["1 r", ""],
  "who loses it to another process, given the job": ["1 r, 1 w", ""],
  "a pass with nothing due, each tenant": ["1 r, 2 l", ""],
  "a pass with 100 due, each email": ["1 r, 2 w", "1 d"],
  "an email from enqueue on, moved and sent by passes": ["2 r, 4 w", "2 w, 2 d"],
} as const satisfies Record<string, readonly [string, string]>;

type Step = keyof typeof EXPECTED;

const STEPS = Object.keys(EXPECTED) as readonly Step[];

interface Measured {
  readonly place: CountedPlace;
  readonly costs: Readonly<Record<Step, Cost>>;
}

export async function cloudRequestSection(): Promise<string> {
  const places = await cloudPlaces();
  const measured: Measured[] = [];
  try {
    for (const place of places) measured.push({ place, costs: await costsOf(place) });
  } finally {
    for (const place of places) await place.close();
  }
  const names = measured.map(({ place }) => place.name);
  return [
    table(
      ["", "protocols", "and with markers", ...names],
      STEPS.map((step) => [
        step,
        ...EXPECTED[step],
        ...measured.map(({ costs }) => requestsIn(costs[step])),
      ]),
    ),
    "",
    "r: reads. w: conditional writes, refused ones among them. l: pages of a listing, or queries of an " +
      "index, of which DynamoDB has four shards. d: removals. S3 and R2 keep due markers. DynamoDB " +
      "shows the record in a refusal, so that nobody has to read it anew.",
    "",
    "## Bytes written, names among them, and what DynamoDB bills",
    "",
    table(
      ["", ...names, "DynamoDB, units"],
      LIVES.map((step) => [
        step,
        ...measured.map(({ costs }) => Math.round(costs[step].bytesWritten).toLocaleString("en")),
        measured.map(({ costs }) => unitsIn(costs[step])).join(""),
      ]),
    ),
    "",
    "## US dollars",
    "",
    table(
      ["a million times", ...names],
      PRICED.map((step) => [
        step,
        ...measured.map(({ place, costs }) =>
          dollars(1_000_000 * priceOf(place.name, costs[step])),
        ),
      ]),
    ),
    "",
    `A pass a minute with nothing due, a tenant and a month of 30 days: ${measured
      .map(
        ({ place: { name }, costs }) => `${name} ${dollars(MINUTES * priceOf(name, costs[IDLE]))}`,
      )
      .join(", ")}.`,
    "",
    PRICES_TEXT,
  ].join("\n");
}

/** Of a month. */
const MINUTES = 43_200;

const IDLE: Step = "a pass with nothing due, each tenant";

const LIVES: readonly Step[] = [
  "an email, each step given the job",
  "an email, each step given the key",
  "an email from enqueue on, moved and sent by passes",
];

const PRICED: readonly Step[] = [...LIVES, "the same key enqueued again, by another process"];

async function costsOf(place: CountedPlace): Promise<Record<Step, Cost>> {
  const [one, other] = [await open(place), await open(place)];
  try {
    // With the first entry of each a new table is asked over how many shards its index is spread.
    await enqueue(one, "first");
    await enqueue(other, "second");
    const given = await life(one, place, byJob, "job");
    const named = await life(one, place, byKey, "key");
    const duplicate = await cost(place, async () => void (await enqueue(other, "job")));
    return {
      "an email, each step given the job": given,
      "an email, each step given the key": named,
      "the same key enqueued again, by another process": duplicate,
      "who loses a race for a lease to the same process": await lostAtHome(one, place),
      "who loses it to another process, given the job": await lostToOther(one, other, place),
      ...(await passes(one, place)),
    };
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}

async function open({ storage }: CountedPlace): Promise<Holdfast> {
  return createHoldfast({ storage, mail: { mailer: nowhere, from: "bench@example.com" } });
}

async function enqueue({ emails }: Holdfast, key: string): Promise<Job> {
  return (await emails.enqueue(key, MESSAGE)).job;
}

type Refer = (job: Job) => Job | string;

async function enqueueReady(holdfast: Holdfast, key: string, refer: Refer): Promise<Job> {
  const job = await enqueue(holdfast, key);
  return present(await holdfast.emails.transition(refer(job), ["pending"], "ready"));
}

async function cost(place: CountedPlace, work: () => Promise<void>): Promise<Cost> {
  place.take();
  await work();
  return place.take();
}

/** From enqueued to sent. */
function life(holdfast: Holdfast, place: CountedPlace, refer: Refer, key: string): Promise<Cost> {
  return cost(place, async () => {
    const { emails } = holdfast;
    const job = await enqueueReady(holdfast, key, refer);
    const leased = present(await emails.acquireSendingLease(refer(job), 60_000));
    await emails.transitionSending(refer(leased), leased.leaseToken, "sent");
  });
}

const byJob: Refer = (job) => job;
const byKey: Refer = ({ logicalKey }) => logicalKey;

/** Of two callers in one process: both together, less what the winner pays alone. */
async function lostAtHome(holdfast: Holdfast, place: CountedPlace): Promise<Cost> {
  const { emails } = holdfast;
  const alone = await enqueueReady(holdfast, "alone", byJob);
  const raced = await enqueueReady(holdfast, "raced", byJob);
  const won = await cost(
    place,
    async () => void present(await emails.acquireSendingLease(alone.logicalKey, 60_000)),
  );
  const both = await cost(place, async () => {
    const race = [1, 2].map(() => emails.acquireSendingLease(raced.logicalKey, 60_000));
    const leased = (await Promise.all(race)).filter((job) => job !== null);
    if (leased.length !== 1) throw new Error("a race without one winner");
  });
  return difference(both, won);
}

/** Of one that knows the job as it was before another process leased it. */
async function lostToOther(one: Holdfast, other: Holdfast, place: CountedPlace): Promise<Cost> {
  const job = await enqueueReady(one, "taken", byJob);
  const known = present(await other.emails.readJob("taken"));
  await one.emails.acquireSendingLease(job, 60_000);
  return cost(place, async () => {
    if ((await other.emails.acquireSendingLease(known, 60_000)) !== null) {
      throw new Error("two have one lease");
    }
  });
}

/** Passes with nothing due over several tenants, with DUE that are ready, and with DUE from the beginning. */
async function passes(holdfast: Holdfast, place: CountedPlace) {
  const tenants = Array.from({ length: TENANTS }, (_, n) => `tenant-${n}`);
  await drained(holdfast, tenants);
  const idle = await cost(place, () => drained(holdfast, tenants));
  for (let n = 0; n < DUE; n += 1) await enqueueReady(holdfast, `ready-${n}`, byJob);
  const ready = await cost(place, () => drained(holdfast, []));
  const whole = await cost(place, async () => {
    for (let n = 0; n < DUE; n += 1) await enqueue(holdfast, `whole-${n}`);
    await drained(holdfast, []);
  });
  return {
    "a pass with nothing due, each tenant": share(idle, TENANTS + 1),
    "a pass with 100 due, each email": share(ready, DUE),
    "an email from enqueue on, moved and sent by passes": share(whole, DUE),
  };
}

async function drained(holdfast: Holdfast, tenants: readonly string[]): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const report = await holdfast.reconcile({ tenants, budgetMs: 600_000 });
    if (report.failures.length > 0) throw new Error(JSON.stringify(report.failures));
    hasMore = report.hasMore;
  }
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error("the job is not as it must be");
  return value;
}
