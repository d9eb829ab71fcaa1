/** Many who follow one query, and many queries at once, in one process: nothing may be lost. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast, type Holdfast } from "../src/holdfast.ts";
import type { ShownEvent } from "../src/machines/queries/public-event.ts";
import { elapsedMs, inFolder, repeat, table } from "./measure.ts";
import { answerText, providerSaying, requestOf } from "./query-jobs.ts";

export interface Crowd {
  readonly jobs: number;
  /** Of the first job; each other has one. */
  readonly followers: number;
  readonly answerBytes: number;
}

/** What a provider says at a time, and how long it waits in between. */
const DELTA_BYTES = 100;
const EVERY_MS = 20;

const AT_ONCE = 16;

/** Looks at every event as it is told, and keeps none. */
interface Follower {
  readonly jobId: string;
  /** Events told. */
  told: number;
  /** Characters of the answer told. */
  chars: number;
  isWhole: boolean;
  readonly ended: Promise<void>;
}

/** Measured by a process of its own. Rejects when that fails. */
export async function crowdTable(crowd: Crowd): Promise<string> {
  const script = fileURLToPath(new URL("./query-crowd-child.js", import.meta.url));
  const child = fork(script, [JSON.stringify(crowd)]);
  const failed = once(child, "exit").then(() => {
    throw new Error("the measurement of the crowd failed");
  });
  const [report] = await Promise.race([once(child, "message"), failed]);
  return String(report);
}

/** Throws when a follower was not told every event of its job, each once and in order, in time. */
export async function crowdReport({ jobs, followers, answerBytes }: Crowd): Promise<string> {
  const text = answerText(answerBytes);
  const runner = providerSaying(text, DELTA_BYTES, () => wait(EVERY_MS));
  return inFolder(async (directory) => {
    const storage = filesystemStorage({ directory, sharing: "exclusive" });
    const holdfast = await createHoldfast({ storage });
    const jobIds: string[] = [];
    await repeat(jobs, AT_ONCE, async (n) => {
      jobIds[n] = (await holdfast.queries.admit(requestOf(n))).job.jobId;
    });
    const [first = "", ...others] = jobIds;
    const followed = [...Array<string>(followers).fill(first), ...others];
    const memory = watchedMemory();
    const before = residentMiB();
    const following: Follower[] = [];
    await repeat(followed.length, AT_ONCE, async (n) => {
      following.push(await follow(holdfast, followed[n] ?? "", text));
    });
    const subscribed = residentMiB();
    const coordinator = holdfast.coordinate({ runner, atOnce: jobs });
    const ms = await elapsedMs(async () => {
      await coordinator.look();
      await coordinator.idle();
      await inTime(Promise.all(following.map(({ ended }) => ended)));
    });
    const [peak, after] = [memory.stop(), residentMiB()];
    for (const follower of following) check(follower, text);
    await holdfast.close();
    const told = following.reduce((sum, follower) => sum + follower.told, 0);
    const ofEach = new Map(following.map((follower) => [follower.jobId, follower.told]));
    const written = [...ofEach.values()].reduce((sum, count) => sum + count, 0);
    const leastMs = (answerBytes / DELTA_BYTES) * EVERY_MS;
    return [
      table(
        [
          "jobs at once",
          "subscribers",
          "events written",
          "told",
          "lost",
          "seconds",
          "events written/s",
        ],
        [
          [
            ...[jobs, following.length, written, told, 0].map((count) =>
              count.toLocaleString("en"),
            ),
            (ms / 1_000).toFixed(1),
            Math.round((1_000 * written) / ms).toLocaleString("en"),
          ],
        ],
      ),
      "",
      `Resident memory: ${before} MiB with the jobs admitted, ${subscribed} with all subscribed, at most ${peak} while they ran, ${after} after it.`,
      "",
      `In one process, on a folder. ${followers.toLocaleString("en")} subscribe to the first job, and one to each other. Every answer has ${answerBytes.toLocaleString("en")} bytes, said by ${DELTA_BYTES} every ${EVERY_MS} ms, so that none can end before ${(leastMs / 1_000).toFixed(1)} seconds. Each event is checked as it is told: none is missing, doubled or out of order, and the answer is whole.`,
    ].join("\n");
  });
}

async function follow({ queries }: Holdfast, jobId: string, text: string): Promise<Follower> {
  const follower = { jobId, told: 0, chars: 0, isWhole: true, ended: Promise.resolve() };
  const take = ({ eventSeq, type, data }: ShownEvent): void => {
    follower.told += 1;
    const delta = type === "chunk" ? String(data["text"]) : "";
    const isNext = eventSeq === follower.told && text.startsWith(delta, follower.chars);
    follower.isWhole &&= isNext;
    follower.chars += delta.length;
  };
  const live: ShownEvent[] = [];
  let tell = (event: ShownEvent): void => void live.push(event);
  const { events, ended } = await queries.subscribe(jobId, 1, 0, (event) => tell(event));
  tell = take;
  for (const event of [...events, ...live]) take(event);
  return Object.assign(follower, { ended });
}

function check({ jobId, chars, isWhole }: Follower, text: string): void {
  if (isWhole && chars === text.length) return;
  throw new Error(`a subscriber of ${jobId} was not told everything, each event once and in order`);
}

/** Of what is written already, so that it takes no longer than to be told. */
const TELLING_MS = 30_000;

async function inTime(told: Promise<unknown>): Promise<void> {
  const stopped = new AbortController();
  const late = wait(TELLING_MS, null, { signal: stopped.signal }).then(() => {
    throw new Error("a subscriber was not told of the end");
  });
  try {
    await Promise.race([told, late]);
  } finally {
    stopped.abort();
    late.catch(() => {});
  }
}

function residentMiB(): number {
  return Math.round(process.memoryUsage().rss / 2 ** 20);
}

/** The most that was resident, looked at often. */
function watchedMemory() {
  let peak = residentMiB();
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMiB());
  }, 50);
  return {
    stop(): number {
      clearInterval(timer);
      return peak;
    },
  };
}
