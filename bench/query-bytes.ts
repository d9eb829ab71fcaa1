/** How much is written for one streamed answer, beside the scheme of the original. */
import { memoryStorage } from "../adapters/storage/memory.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import { table } from "./measure.ts";
import { journalOf, type Written } from "./original-journal.ts";
import { answerText, deltasOf, providerSaying, requestOf, toldStorage } from "./query-jobs.ts";

const SMALL = 12_000;
const LARGE = 120_000;

/** Of a provider that says little at a time, and how long it waits between. */
const SLOW = { bytes: 20, everyMs: 20 };

type Write = (bytes: number) => Promise<Written>;

interface Contender {
  readonly name: string;
  readonly write: Write;
}

/** As the coordinators of both join them: 1,024 characters, or whatever came in 50 ms. */
const CHUNK = 1_024;

const CONTENDERS: readonly Contender[] = [
  { name: "a coordinator, 200-byte deltas", write: (bytes) => run(bytes, 200) },
  { name: "one part for each of 200 bytes", write: (bytes) => append(bytes, 200) },
  { name: "one part for each of 20 bytes", write: (bytes) => append(bytes, 20) },
  ...[CHUNK, 200, 20].map((size) => ({
    name: `the original's scheme, ${size.toLocaleString("en")}-byte chunks`,
    write: async (bytes: number) => journalOf(bytes, size),
  })),
];

export async function answerBytesTable(): Promise<string> {
  const rows: string[][] = [];
  for (const { name, write } of CONTENDERS) {
    const [small, large] = [await write(SMALL), await write(LARGE)];
    rows.push([
      name,
      large.writes.toLocaleString("en"),
      large.bytes.toLocaleString("en"),
      (large.bytes / LARGE).toFixed(2),
      (large.writes / small.writes).toFixed(1),
      (large.bytes / small.bytes).toFixed(1),
    ]);
  }
  const slow = await run(SMALL, SLOW.bytes, SLOW.everyMs);
  return [
    table(
      [
        "120,000 bytes of answer",
        "writes",
        "bytes",
        "of the answer",
        "writes, 120,000 : 12,000",
        "bytes, 120,000 : 12,000",
      ],
      rows,
    ),
    "",
    "Bodies of all records of the job, from its admission to its end, on a storage that keeps no due " +
      "markers. A coordinator joins deltas to 1,024 characters, or writes what has come in 50 ms: the " +
      "provider here says them as fast as they are taken. One that says " +
      `${SLOW.bytes} bytes every ${SLOW.everyMs} ms gets a part each 50 ms or so: of ` +
      `${SMALL.toLocaleString("en")} bytes ${slow.writes} writes, ${(slow.bytes / SMALL).toFixed(2)} of the ` +
      "answer. The scheme of the original is its lines of JSON, made here as its store makes them: each chunk has the " +
      "whole text so far twice.",
  ].join("\n");
}

async function opened(work: (holdfast: Holdfast) => Promise<void>): Promise<Written> {
  const written: Written = { writes: 0, bytes: 0 };
  const storage = toldStorage(memoryStorage(), (_key, body) => {
    written.writes += 1;
    written.bytes += Buffer.byteLength(body);
  });
  const holdfast = await createHoldfast({ storage });
  await work(holdfast);
  await holdfast.close();
  return written;
}

/** By a coordinator, whose provider says it. */
function run(bytes: number, size: number, everyMs = 0): Promise<Written> {
  return opened(async (holdfast) => {
    const between =
      everyMs === 0 ? undefined : () => new Promise<void>((next) => setTimeout(next, everyMs));
    const runner = providerSaying(answerText(bytes), size, between);
    const coordinator = holdfast.coordinate({ runner });
    const { job } = await coordinator.submit(requestOf(1));
    await coordinator.idle();
    await coordinator.close();
    await checkAnswer(holdfast, job.jobId, bytes);
  });
}

/** Each delta by a call of its own. */
function append(bytes: number, size: number): Promise<Written> {
  return opened(async (holdfast) => {
    const { queries } = holdfast;
    const { jobId } = (await queries.admit(requestOf(1))).job;
    await queries.markStarting(jobId);
    await queries.markRunning(jobId);
    await queries.updateLinkage(jobId);
    const text = answerText(bytes);
    for (const delta of deltasOf(text, size)) await queries.appendPartial(jobId, delta);
    await queries.markAnswerReady(jobId, text);
    await queries.complete(jobId, { text });
    await checkAnswer(holdfast, jobId, bytes);
  });
}

async function checkAnswer({ queries }: Holdfast, jobId: string, bytes: number): Promise<void> {
  const { response } = await queries.getSnapshot(jobId);
  if (response !== answerText(bytes)) throw new Error("the answer is not what was said");
}
