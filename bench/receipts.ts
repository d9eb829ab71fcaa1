/** Preparing a receipt and marking it, with few and with many receipts stored. */
import { join } from "node:path";
import { dynamodbStorage } from "../adapters/storage/dynamodb/index.ts";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import { StoreUnavailableError } from "../src/ports/faults.ts";
import { dynamodbFront } from "../test/fakes/dynamodb-front.ts";
import { ACCESS } from "./cloud-places.ts";
import { elapsedMs, inFolder, median, table } from "./measure.ts";
import { fillReceipts, openAndRebuild } from "./originals.ts";
import { fillTable } from "./table-receipts.ts";

const FEW = 100;

/** Operations of a round, in each place. */
const OPERATIONS = 60;

const STEPS = ["prepare", "dispatch", "accept", "terminal"] as const;
type Step = (typeof STEPS)[number];

interface Place {
  readonly stored: number;
  readonly opened: Holdfast;
  /** Requests since the last call; null where none are made. */
  take(): number | null;
  close(): Promise<void>;
}

/** Of one place and one round. */
type Samples = Readonly<Record<Step, { readonly ms: number[]; readonly requests: number[] }>>;

export function folderReceiptTable(many: number, rounds: number): Promise<string> {
  return receiptTable(folderPlace, many, rounds);
}

export async function tableReceiptTable(many: number, rounds: number): Promise<string> {
  return [
    await receiptTable(tablePlace, many, rounds),
    "",
    "The table is an emulator on this machine, which keeps it on the disk. Every stored receipt has its " +
      "entry in the due index.",
  ].join("\n");
}

type Open = (directory: string, stored: number) => Promise<Place>;

async function receiptTable(open: Open, many: number, rounds: number): Promise<string> {
  return inFolder(async (directory) => {
    const few = await open(join(directory, "few"), FEW);
    const full = await open(join(directory, "many"), many);
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await inTurns(few, full, round));
    await few.close();
    await full.close();
    const [ofFew, ofFull] = [
      measured.map((round) => round.few),
      measured.map((round) => round.full),
    ];
    const ratios = STEPS.map(
      (step) => median(timesOf(ofFull, step)) / median(timesOf(ofFew, step)),
    );
    const ofRounds = measured.flatMap((round) =>
      STEPS.map((step) => median(round.full[step].ms) / median(round.few[step].ms)),
    );
    return [
      table(
        ["stored", ...STEPS.map((step) => `${step}, median ms`), ...requestHead(few)],
        [
          rowOf(few, ofFew),
          rowOf(full, ofFull),
          [
            "many : few",
            ...ratios.map((ratio) => ratio.toFixed(2)),
            ...requestHead(few).map(() => ""),
          ],
        ],
      ),
      "",
      `Of the ${rounds} rounds of ${OPERATIONS} operations, one with few and one with many stored in turn, no median is less than ${Math.min(...ofRounds).toFixed(2)} times that with few, and none more than ${Math.max(...ofRounds).toFixed(2)} times.`,
    ].join("\n");
  });
}

interface Round {
  readonly few: Samples;
  readonly full: Samples;
}

/** One after the other for each operation, so that a slow moment of the machine hits both. */
async function inTurns(few: Place, full: Place, round: number): Promise<Round> {
  const samples = { few: noSamples(), full: noSamples() };
  for (let n = 0; n < OPERATIONS; n += 1) {
    const operationId = `measured-${round}-${n}`;
    await measure(few, operationId, samples.few);
    await measure(full, operationId, samples.full);
  }
  return samples;
}

function noSamples(): Samples {
  const none = () => ({ ms: [], requests: [] });
  return { prepare: none(), dispatch: none(), accept: none(), terminal: none() };
}

const RESULT = { charge: "ch_1" };

async function measure(place: Place, operationId: string, samples: Samples): Promise<void> {
  const { receipts } = place.opened;
  const measured = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    const answers: T[] = [];
    place.take();
    samples[step].ms.push(await elapsedMs(async () => void answers.push(await work())));
    const requests = place.take();
    if (requests !== null) samples[step].requests.push(requests);
    const [answer] = answers;
    if (answer === undefined) throw new Error(`${step} answered nothing`);
    return answer;
  };
  const request = { workspaceId: "measured", operationId, payload: { operationId } };
  const { receipt } = await measured("prepare", () => receipts.prepare(request));
  const dispatched = await measured("dispatch", () => receipts.dispatch(receipt));
  const accepted = await measured("accept", () =>
    receipts.markAccepted(dispatched.receipt, RESULT),
  );
  await measured("terminal", () => receipts.markTerminal(accepted));
}

function rowOf({ stored }: Place, rounds: readonly Samples[]): string[] {
  const times = STEPS.map((step) => median(timesOf(rounds, step)).toFixed(2));
  const requests = STEPS.map((step) => median(rounds.flatMap((round) => round[step].requests)));
  const counted = requests.some(Number.isNaN) ? [] : [requests.join(" · ")];
  return [stored.toLocaleString("en"), ...times, ...counted];
}

function timesOf(rounds: readonly Samples[], step: Step): number[] {
  return rounds.flatMap((round) => round[step].ms);
}

/** A folder has none. */
function requestHead(place: Place): string[] {
  return place.take() === null ? [] : ["requests of each"];
}

async function folderPlace(directory: string, stored: number): Promise<Place> {
  // What is stored stays as it is: nothing is due, however old it is.
  const limits = { receiptRetentionMs: "off" } as const;
  fillReceipts(directory, stored);
  await openAndRebuild(directory, limits);
  const storage = filesystemStorage({ directory, sharing: "exclusive" });
  const opened = await createHoldfast({ storage, limits });
  await counted(opened);
  return { stored, opened, take: () => null, close: () => opened.close() };
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

async function tablePlace(directory: string, stored: number): Promise<Place> {
  const front = await dynamodbFront(directory);
  const name = await front.createTable();
  const storage = dynamodbStorage({ ...ACCESS, table: name, endpoint: front.endpoint });
  const opened = await createHoldfast({ storage });
  await fillTable(front, name, opened, stored);
  return {
    stored,
    opened,
    take: () => Object.values(front.takeCounts()).reduce((sum, count) => sum + count, 0),
    async close() {
      await opened.close();
      await front.close();
    },
  };
}
