/** How soon a subscriber is told what is durable: of its own process, and of another. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { inFolder, median, quantile, table } from "./measure.ts";
import { requestOf, toldStorage } from "./query-jobs.ts";

/** Of the machine's clock, the same in every process on it, finer than a millisecond. */
export function machineMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Where deltas come from, and how long each time after the one before was seen. */
interface Pace {
  readonly name: string;
  readonly deltas: number;
  readonly afterMs: () => number;
}

export interface SeenCounts {
  readonly here: number;
  readonly often: number;
  readonly seldom: number;
}

export async function seenTable({ here, often, seldom }: SeenCounts): Promise<string> {
  const rows = await inFolder(async (directory) => [
    await seenHere(join(directory, "processes"), "processes", here),
    await seenHere(join(directory, "exclusive"), "exclusive", here),
    ...(await seenElsewhere(join(directory, "two"), [
      {
        name: "25 to 75 ms after the last was seen",
        deltas: often,
        afterMs: () => 25 + 50 * Math.random(),
      },
      {
        name: "3 to 4 s after it",
        deltas: seldom,
        afterMs: () => 3_000 + 1_000 * Math.random(),
      },
    ])),
  ]);
  return [
    table(["written by", "deltas", "median ms", "p99 ms", "largest ms"], rows),
    "",
    "From when a delta is durable in a folder until the listener of a subscription is called with it. A " +
      "process looks for what others wrote 100 ms after it found something, then less and less often, every " +
      "second in the end.",
  ].join("\n");
}

/** When each delta was durable, and when it was seen, by its place. */
function timesOf() {
  const seen: (() => void)[] = [];
  const times: number[] = [];
  let durableAt: number | null = null;
  let seenAt: number | null = null;
  const note = (): void => {
    if (durableAt === null || seenAt === null) return;
    times.push(seenAt - durableAt);
    [durableAt, seenAt] = [null, null];
    for (const next of seen.splice(0)) next();
  };
  return {
    times,
    durable(at: number): void {
      durableAt = at;
      note();
    },
    isSeen(): void {
      seenAt = machineMs();
      note();
    },
    /** When both are known of the delta that is under way. */
    both: () => new Promise<void>((resolve) => void seen.push(resolve)),
  };
}

async function seenHere(
  directory: string,
  sharing: "processes" | "exclusive",
  deltas: number,
): Promise<string[]> {
  const { times, durable, isSeen, both } = timesOf();
  let jobId = "";
  const storage = toldStorage(filesystemStorage({ directory, sharing }), (key) => {
    if (jobId !== "" && key.includes(jobId)) durable(machineMs());
  });
  const { queries, close } = await createHoldfast({ storage });
  const { job } = await queries.admit(requestOf(1));
  await queries.markStarting(job.jobId);
  await queries.subscribe(job.jobId, 1, 2, isSeen);
  ({ jobId } = job);
  for (let n = 0; n < deltas; n += 1) {
    const next = both();
    await queries.appendPartial(jobId, `delta ${n}`);
    await next;
  }
  await close();
  return rowOf(`the same process, \`sharing: "${sharing}"\``, times);
}

async function seenElsewhere(directory: string, paces: readonly Pace[]): Promise<string[][]> {
  const { queries, close } = await createHoldfast({ storage: filesystemStorage({ directory }) });
  const { job } = await queries.admit(requestOf(1));
  const { leaseToken } = await queries.markStarting(job.jobId);
  const writer = await startWriter([directory, job.jobId, leaseToken ?? ""]);
  const rows: string[][] = [];
  for (const { name, deltas, afterMs } of paces) {
    const { times, durable, isSeen, both } = timesOf();
    const { latestEventSeq } = await queries.replay(job.jobId, 1, 0);
    const subscription = await queries.subscribe(job.jobId, 1, latestEventSeq, isSeen);
    writer.on("message", durable);
    for (let n = 0; n < deltas; n += 1) {
      await wait(afterMs());
      const next = both();
      writer.send(`${name} ${n}`);
      await next;
    }
    writer.off("message", durable);
    subscription.unsubscribe();
    rows.push(rowOf(`another process, ${name}`, times));
  }
  writer.send("end");
  await once(writer, "exit");
  await close();
  return rows;
}

async function startWriter(args: readonly string[]): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("./query-writer.js", import.meta.url));
  const writer = fork(script, [...args]);
  await once(writer, "message");
  writer.once("exit", (code) => {
    if (code !== 0) throw new Error("the process that writes has failed");
  });
  return writer;
}

function rowOf(name: string, times: readonly number[]): string[] {
  const figures = [median(times), quantile(times, 0.99), Math.max(...times)];
  return [name, String(times.length), ...figures.map((ms) => ms.toFixed(1))];
}
