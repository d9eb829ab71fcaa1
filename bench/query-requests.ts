/** What each step of a query asks of a storage in the cloud, and what an answer costs there. */
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import { type Cost, type CountedPlace, cloudPlaces } from "./cloud-places.ts";
import { dollars, PRICES_TEXT, priceOf, requestsIn, share } from "./cloud-prices.ts";
import { table } from "./measure.ts";
import { answerText, providerSaying, requestOf } from "./query-jobs.ts";

/** Of the job that is gone through step by step. */
const CHUNKS = 20;

const CHUNK = "x".repeat(100);

const ANSWER_BYTES = 120_000;

/** A coordinator writes what has come every 50 ms. */
const CHUNKS_A_MINUTE = 1_200;

type Costs = Readonly<Record<string, Cost>>;

export async function queryRequestSection(): Promise<string> {
  const places = await cloudPlaces();
  const measured: { readonly name: string; readonly steps: Costs; readonly answer: Cost }[] = [];
  try {
    for (const place of places) {
      const steps = await stepsOf(place);
      measured.push({ name: place.name, steps, answer: await answerOf(place) });
    }
  } finally {
    for (const place of places) await place.close();
  }
  const names = measured.map(({ name }) => name);
  const steps = Object.keys(measured[0]?.steps ?? {});
  return [
    table(
      ["", ...names],
      [
        ...steps.map((step) => [
          step,
          ...measured.map(({ steps: { [step]: cost } }) => requestsIn(costIn(cost))),
        ]),
        [WHOLE, ...measured.map(({ answer }) => requestsIn(answer))],
      ],
    ),
    "",
    "r: reads, of DynamoDB also queries of a log. w: conditional writes. l: pages of a listing. S3 and R2 " +
      "keep due markers.",
    "",
    table(
      ["US dollars, a thousand times", ...names],
      [
        [WHOLE, ...measured.map(({ name, answer }) => dollars(1_000 * priceOf(name, answer)))],
        [
          "a minute of an answer that comes slowly, a chunk every 50 ms",
          ...measured.map(({ name, steps: { [A_CHUNK]: chunk } }) =>
            dollars(1_000 * CHUNKS_A_MINUTE * priceOf(name, costIn(chunk))),
          ),
        ],
      ],
    ),
    "",
    PRICES_TEXT,
  ].join("\n");
}

const A_CHUNK = "a chunk";

const WHOLE = "an answer of 120,000 bytes by a coordinator, as fast as it is written";

async function stepsOf(place: CountedPlace): Promise<Costs> {
  const one = await open(place);
  const other = await open(place);
  const costs: Record<string, Cost> = {};
  const counted = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    place.take();
    const answer = await work();
    costs[step] = place.take();
    return answer;
  };
  const { queries } = one;
  const text = CHUNK.repeat(CHUNKS);
  // With its first entry a new table is asked over how many shards its index is spread.
  const { jobId: first } = (await queries.admit(requestOf(0))).job;
  await queries.cancel(first, 1);
  const { job } = await counted("admit", () => queries.admit(requestOf(1)));
  const { jobId } = job;
  await counted("the same again", () => queries.admit(requestOf(1)));
  await counted("start", () => queries.markStarting(jobId));
  await counted("running, ownership", async () => {
    await queries.markRunning(jobId);
    await queries.updateLinkage(jobId);
  });
  await counted(A_CHUNK, async () => {
    for (let n = 0; n < CHUNKS; n += 1) await queries.appendPartial(jobId, CHUNK);
  });
  costs[A_CHUNK] = share(costIn(costs[A_CHUNK]), CHUNKS);
  await counted("heartbeat", () => queries.heartbeat(jobId));
  await counted("answer ready", () => queries.markAnswerReady(jobId, text));
  await counted("complete", () => queries.complete(jobId, { text }));
  const replay = () => other.queries.replay(jobId, 1, 0);
  const { events } = await counted(`replay of ${CHUNKS + 6} parts, by another process`, replay);
  if (events.length !== CHUNKS + 6) throw new Error("a replay without all events");
  await counted("the last 2 of them again", () => other.queries.replay(jobId, 1, CHUNKS + 4));
  await counted("its snapshot again", () => other.queries.getSnapshot(jobId));
  await one.close();
  await other.close();
  return costs;
}

async function answerOf(place: CountedPlace): Promise<Cost> {
  const holdfast = await open(place);
  const runner = providerSaying(answerText(ANSWER_BYTES), 200);
  const coordinator = holdfast.coordinate({ runner });
  // As it does by itself when it begins.
  await coordinator.look();
  place.take();
  const { job } = await coordinator.submit(requestOf(2));
  await coordinator.idle();
  const cost = place.take();
  const { response } = await holdfast.queries.getSnapshot(job.jobId);
  if (response?.length !== ANSWER_BYTES) throw new Error("the answer is not whole");
  await holdfast.close();
  return cost;
}

function costIn(cost: Cost | undefined): Cost {
  if (cost === undefined) throw new Error("a step was not measured");
  return cost;
}

function open({ storage }: CountedPlace): Promise<Holdfast> {
  return createHoldfast({ storage });
}
