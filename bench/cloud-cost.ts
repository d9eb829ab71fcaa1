/** What a million jobs cost in the cloud: requests counted on this machine, times list prices. */
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import type { Mailer } from "../src/ports/mailer.ts";
import { type Cost, type CountedPlace, cloudPlaces } from "./cloud-places.ts";
import {
  dollars,
  GB_MONTH,
  INVOCATIONS,
  INVOCATIONS_TEXT,
  PRICES_TEXT,
  priceOf,
  requestsIn,
  share,
} from "./cloud-prices.ts";
import { table } from "./measure.ts";
import { answerText, deltasOf, requestOf } from "./query-jobs.ts";

const MILLION = 1_000_000;

/** Passes of a month of 30 days, one a minute. */
const PASSES = 43_200;

const EMAILS = 100;

const ANSWER_BYTES = 120_000;

/** Events of the answer: accepted, starting, running twice, 54 chunks, answer_ready, completed. */
const EVENTS = 60;
const CHUNKS = EVENTS - 6;

/** Of DynamoDB: what one read unit brings. */
const READ_UNIT_BYTES = 4_096;

const MESSAGE = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Good to have you here. ".repeat(10),
};

const nowhere: Mailer = { send: async () => ({ kind: "sent", id: null }), close: async () => {} };

interface Lives {
  readonly email: Cost;
  readonly duplicate: Cost;
  readonly receipt: Cost;
  readonly once: Cost;
  readonly query: Cost;
  readonly replay: Cost;
  readonly pass: Cost;
}

const TEXTS: Readonly<Record<keyof Lives, string>> = {
  email: "an email, from `enqueue` to `sent`, moved and sent by passes",
  duplicate: "an email that is enqueued again",
  receipt: "a receipt, step by step: prepare, dispatch, accept, terminal",
  once: "`receipts.once`, its first call",
  query: "a query of 120 KB in 60 events, from its admission to its end",
  replay: "a reader who reads all of it in another process",
  pass: "a pass with nothing due, one a minute, a tenant and a month",
};

/** How often each is counted in the table. */
const TIMES: Readonly<Record<keyof Lives, number>> = {
  email: MILLION,
  duplicate: MILLION,
  receipt: MILLION,
  once: MILLION,
  query: MILLION,
  replay: MILLION,
  pass: PASSES,
};

const LIVES = Object.keys(TEXTS) as readonly (keyof Lives)[];

export async function cloudCostSection(): Promise<string> {
  const places = await cloudPlaces();
  const measured: { readonly name: string; readonly lives: Lives }[] = [];
  try {
    for (const place of places) measured.push({ name: place.name, lives: await livesOf(place) });
  } finally {
    for (const place of places) await place.close();
  }
  const names = measured.map(({ name }) => name);
  return [
    table(
      ["a million times, but for the passes", ...names],
      [
        ...LIVES.map((life) => [
          TEXTS[life],
          ...measured.map(({ name, lives }) => dollars(TIMES[life] * priceOf(name, lives[life]))),
        ]),
        ["a GB that is stored, a month", ...names.map((name) => `$${GB_MONTH[name]}`)],
      ],
    ),
    "",
    table(
      ["a million invocations", "Lambda", "Workers"],
      INVOCATIONS.map(({ what, lambda, worker }) => [what, dollars(lambda), dollars(worker)]),
    ),
    "",
    PRICES_TEXT,
    INVOCATIONS_TEXT,
    "",
    "## The requests behind it",
    "",
    table(
      ["", ...names],
      LIVES.map((life) => [TEXTS[life], ...measured.map(({ lives }) => requestsIn(lives[life]))]),
    ),
    "",
    "r: reads, of DynamoDB also queries of a log. w: conditional writes. l: pages of a listing, or queries " +
      "of an index. d: removals, which are free on S3 and R2. DynamoDB bills a write unit for each KB and " +
      "one for each entry of an index that comes or goes, and a read unit for each 4 KB.",
  ].join("\n");
}

async function livesOf(place: CountedPlace): Promise<Lives> {
  const holdfast = await open(place);
  const other = await open(place);
  try {
    // With its first entry of each a new table is asked over how many shards its index is spread.
    await enqueued(holdfast, "first");
    await enqueued(other, "second");
    await settled(holdfast);
    const query = await queryOf(holdfast, place);
    const replay = await cost(place, async () => {
      const { events } = await other.queries.replay(query.jobId, 1, 0, { limit: 256 });
      if (events.length !== EVENTS) throw new Error(`${events.length} events, not ${EVENTS}`);
    });
    await settled(holdfast);
    return {
      email: await emailOf(holdfast, place),
      duplicate: await cost(place, () => enqueued(other, "job-0")),
      receipt: await receiptOf(holdfast, place),
      once: await cost(
        place,
        async () => void (await holdfast.receipts.once({ operationId: "once" }, 1, () => "done")),
      ),
      query: query.cost,
      replay: billedByBytes(replay, query.cost.bytesWritten),
      pass: await cost(place, () => settled(holdfast)),
    };
  } finally {
    await Promise.all([holdfast.close(), other.close()]);
  }
}

function open({ storage }: CountedPlace): Promise<Holdfast> {
  return createHoldfast({ storage, mail: { mailer: nowhere, from: "bench@example.com" } });
}

async function cost(place: CountedPlace, work: () => Promise<void>): Promise<Cost> {
  place.take();
  await work();
  return place.take();
}

async function enqueued({ emails }: Holdfast, key: string): Promise<void> {
  await emails.enqueue(key, MESSAGE);
}

/** Passes until nothing is left to do: the first of all make the configuration, and learn of the shards. */
async function settled(holdfast: Holdfast): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const report = await holdfast.reconcile({ budgetMs: 600_000 });
    if (report.failures.length > 0) throw new Error(JSON.stringify(report.failures));
    hasMore = report.hasMore;
  }
}

async function emailOf(holdfast: Holdfast, place: CountedPlace): Promise<Cost> {
  const whole = await cost(place, async () => {
    for (let n = 0; n < EMAILS; n += 1) await enqueued(holdfast, `job-${n}`);
    await settled(holdfast);
  });
  const { job } = await holdfast.emails.enqueue("job-0", MESSAGE);
  if (job.state !== "sent") throw new Error("an email was not sent");
  return share(whole, EMAILS);
}

function receiptOf({ receipts }: Holdfast, place: CountedPlace): Promise<Cost> {
  return cost(place, async () => {
    const { receipt } = await receipts.prepare({ operationId: "steps", payload: { amount: 1 } });
    const dispatched = await receipts.dispatch(receipt);
    const accepted = await receipts.markAccepted(dispatched.receipt, { chargeId: "ch_1" });
    await receipts.markTerminal(accepted);
  });
}

async function queryOf(
  { queries }: Holdfast,
  place: CountedPlace,
): Promise<{ readonly cost: Cost; readonly jobId: string }> {
  const text = answerText(ANSWER_BYTES);
  let jobId = "";
  const whole = await cost(place, async () => {
    ({ jobId } = (await queries.admit(requestOf(1))).job);
    await queries.markStarting(jobId);
    await queries.markRunning(jobId, { provider: "claude" });
    await queries.updateLinkage(jobId, { claudeRunId: "run-1" });
    for (const delta of deltasOf(text, Math.ceil(ANSWER_BYTES / CHUNKS))) {
      await queries.appendPartial(jobId, delta);
    }
    await queries.markAnswerReady(jobId, text);
    await queries.complete(jobId, { text });
  });
  return { cost: whole, jobId };
}

/** A query of a table is billed by what it brings, which the emulator does not tell. */
function billedByBytes(read: Cost, bytes: number): Cost {
  const { units } = read;
  if (units === null) return read;
  return { ...read, units: { ...units, read: units.read + Math.ceil(bytes / READ_UNIT_BYTES) } };
}
