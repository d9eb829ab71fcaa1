/** Preparing a receipt and marking it, with few and with many receipts stored. */
import { join } from "node:path";
import { dynamodbStorage } from "../adapters/storage/dynamodb/index.ts";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import type { Storage } from "../src/ports/backend.ts";
import { StoreUnavailableError } from "../src/ports/faults.ts";
import { dynamodbFront } from "../test/fakes/dynamodb-front.ts";
import { ACCESS } from "./cloud-places.ts";
import { elapsedMs, inFolder, median, repeat, table } from "./measure.ts";
import { fillReceipts, openAndRebuild } from "./originals.ts";

const ROUNDS = 300;

const AT_ONCE = 16;

/** What is stored stays as it is: nothing is due, however old it is. */
const LIMITS = { receiptRetentionMs: "off" } as const;

const STEPS = ["prepare", "dispatch", "accept", "terminal"] as const;

type Times = Readonly<Record<(typeof STEPS)[number], number[]>>;

export async function receiptTable(inAFolder: number, inATable: number): Promise<string> {
  const rows = [
    ...(await inFolder((directory) => folderRows(directory, inAFolder))),
    ...(await tableRows(inATable)),
  ];
  return [
    table(["", "stored", ...STEPS.map((step) => `${step}, median ms`)], rows),
    "",
    "The folder counts its receipts, the table does not. The table is an emulator on this machine.",
  ].join("\n");
}

async function folderRows(directory: string, many: number): Promise<string[][]> {
  const counts = [100, many];
  const opened: Holdfast[] = [];
  for (const count of counts) {
    const folder = join(directory, String(count));
    fillReceipts(folder, count);
    await openAndRebuild(folder, LIMITS);
    const one = await open(filesystemStorage({ directory: folder, sharing: "exclusive" }));
    await counted(one);
    opened.push(one);
  }
  return rowsOf("folder", counts, opened);
}

/** The first receipt of a folder waits until those of the original are counted, once. */
async function counted({ receipts }: Holdfast): Promise<void> {
  for (;;) {
    try {
      await receipts.prepare({ operationId: "first", payload: null });
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }
}

async function tableRows(many: number): Promise<string[][]> {
  const front = await dynamodbFront();
  try {
    const counts = [100, many];
    const opened: Holdfast[] = [];
    for (const count of counts) {
      const name = await front.createTable();
      const one = await open(dynamodbStorage({ table: name, endpoint: front.endpoint, ...ACCESS }));
      await repeat(count, AT_ONCE, async (n) => {
        await one.receipts.once({ operationId: `stored-${n}` }, n, () => RESULT);
      });
      opened.push(one);
    }
    return await rowsOf("DynamoDB", counts, opened);
  } finally {
    await front.close();
  }
}

function open(storage: Storage): Promise<Holdfast> {
  return createHoldfast({ storage, limits: LIMITS });
}

/** Measured in turns, so that a slow moment of the machine hits all. The last row has the ratios. */
async function rowsOf(
  place: string,
  counts: readonly number[],
  opened: readonly Holdfast[],
): Promise<string[][]> {
  const measured = opened.map((one) => ({ one, times: noTimes() }));
  for (let n = 0; n < ROUNDS; n += 1) {
    for (const { one, times } of measured) await life(one, n, times);
  }
  for (const one of opened) await one.close();
  const medians = measured.map(({ times }) => STEPS.map((step) => median(times[step])));
  const [few = [], many = []] = medians;
  return [
    ...medians.map((of, which) => [
      place,
      (counts[which] ?? 0).toLocaleString("en"),
      ...of.map((ms) => ms.toFixed(2)),
    ]),
    [place, "many : few", ...many.map((ms, step) => (ms / (few[step] ?? ms)).toFixed(2))],
  ];
}

function noTimes(): Times {
  return { prepare: [], dispatch: [], accept: [], terminal: [] };
}

const RESULT = { charge: "ch_1" };

async function life({ receipts }: Holdfast, n: number, times: Times): Promise<void> {
  const request = { workspaceId: "measured", operationId: `measured-${n}`, payload: { n } };
  const timed = async <T>(step: (typeof STEPS)[number], work: () => Promise<T>): Promise<T> => {
    const answers: T[] = [];
    times[step].push(await elapsedMs(async () => void answers.push(await work())));
    const [answer] = answers;
    if (answer === undefined) throw new Error(`${step} answered nothing`);
    return answer;
  };
  const prepared = await timed("prepare", () => receipts.prepare(request));
  const dispatched = await timed("dispatch", () => receipts.dispatch(prepared.receipt));
  const accepted = await timed("accept", () => receipts.markAccepted(dispatched.receipt, RESULT));
  await timed("terminal", () => receipts.markTerminal(accepted));
}
