/** A side effect that is to happen once: by receipts, and by what users of Lambda know, on one table each. */
import { dynamodbStorage } from "../adapters/storage/dynamodb/index.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { type DynamodbFront, dynamodbFront } from "../test/fakes/dynamodb-front.ts";
import { ACCESS } from "./cloud-places.ts";
import { elapsedMs, median, table } from "./measure.ts";
import { powertoolsOn } from "./powertools.ts";

type Effect = (operation: string) => Promise<unknown>;

/** Runs `effect` for the operation unless it was run; its result, or that of then. */
type Once = (operation: string, effect: Effect) => Promise<unknown>;

interface Contender {
  readonly name: string;
  /** As many as there would be processes, each with its own view of the one table. */
  readonly open: (front: DynamodbFront, table: string) => Promise<Once>;
}

const PROCESSES = 4;

/** Identical calls at the same time. */
const CALLS = 32;

/** How long the side effect of such calls takes. */
const EFFECT_MS = 50;

const CONTENDERS: readonly Contender[] = [
  {
    name: "`receipts.once`",
    async open({ endpoint }, name) {
      const storage = dynamodbStorage({ table: name, endpoint, ...ACCESS });
      const { receipts } = await createHoldfast({ storage });
      return async (operationId, effect) =>
        (await receipts.once({ operationId }, {}, async () => (await effect(operationId)) ?? null))
          .result;
    },
  },
  {
    name: "Powertools 2.35.0",
    async open({ endpoint }, name) {
      const idempotent = await powertoolsOn(endpoint, name);
      return (operation, effect) => idempotent(effect)(operation);
    },
  },
];

export async function onceTable(rounds: number): Promise<string> {
  const measured: Record<string, string>[] = [];
  for (const contender of CONTENDERS) measured.push(await measure(contender, rounds));
  const rows = Object.keys(measured[0] ?? {}).map((what) => [
    what,
    ...measured.map((one) => one[what] ?? ""),
  ]);
  return [
    table(["", ...CONTENDERS.map(({ name }) => name)], rows),
    "",
    "Requests as DynamoDB's emulator on this machine counts them. A side effect that throws may have " +
      "happened: a receipt says that nobody knows, Powertools forgets the call. Calls beside a live one " +
      "wait for it, or are refused.",
  ].join("\n");
}

async function measure({ open }: Contender, rounds: number): Promise<Record<string, string>> {
  const front = await dynamodbFront();
  try {
    const name = await front.createTable();
    const processes: Once[] = [];
    for (let n = 0; n < PROCESSES; n += 1) processes.push(await open(front, name));
    const [first, other] = processes;
    if (first === undefined || other === undefined) throw new Error("two processes are needed");
    // A table notes something with its first entry, and a connection takes its time.
    for (const once of processes) await once(`warm-${processes.indexOf(once)}`, charge);
    const [firsts, repeats] = [[] as number[], [] as number[]];
    for (let n = 0; n < rounds; n += 1) {
      firsts.push(await elapsedMs(async () => void (await first(`timed-${n}`, charge))));
      repeats.push(await elapsedMs(async () => void (await other(`timed-${n}`, charge))));
    }
    front.takeCounts();
    await first("counted", charge);
    const ofFirst = requests(front);
    await other("counted", charge);
    const ofRepeat = requests(front);
    const raced = await race(processes);
    return {
      "requests of a first call": ofFirst,
      "requests of a repeat": ofRepeat,
      "a first call, median ms": median(firsts).toFixed(2),
      "a repeat, median ms": median(repeats).toFixed(2),
      [`${CALLS} calls at once over ${PROCESSES} instances: side effects`]: String(raced.effects),
      "of them answered with the result": String(raced.answers),
      "called again after it threw: side effects": String(await afterThrow(first, other)),
    };
  } finally {
    await front.close();
  }
}

const charge: Effect = async (operation) => ({ charge: operation });

function requests(front: DynamodbFront): string {
  return Object.entries(front.takeCounts())
    .map(([operation, count]) => `${count} ${operation}`)
    .join(", ");
}

async function race(processes: readonly Once[]) {
  let effects = 0;
  const calls = Array.from({ length: CALLS }, async (_, n) => {
    const once = processes[n % processes.length];
    return once?.("raced", async (operation) => {
      effects += 1;
      await new Promise((resolve) => setTimeout(resolve, EFFECT_MS));
      return { charge: operation };
    });
  });
  const ends = await Promise.allSettled(calls);
  const isAnswer = (end: PromiseSettledResult<unknown>): boolean =>
    end.status === "fulfilled" && JSON.stringify(end.value) === '{"charge":"raced"}';
  return { effects, answers: ends.filter(isAnswer).length };
}

/** How often it is run when it throws after it was done, and is called again by another process. */
async function afterThrow(first: Once, other: Once): Promise<number> {
  let effects = 0;
  const lost: Effect = async () => {
    effects += 1;
    throw new Error("done, and the reply is lost");
  };
  await first("lost", lost).catch(() => {});
  await other("lost", lost).catch(() => {});
  return effects;
}
