/** What a subscription asks of a storage while nothing comes. */
import { createHoldfast } from "../src/holdfast.ts";
import { type Clock, systemClock } from "../src/ports/clock.ts";
import { type CountedPlace, cloudPlaces } from "./cloud-places.ts";
import { requestsIn, share } from "./cloud-prices.ts";
import { repeat, table } from "./measure.ts";
import { requestOf } from "./query-jobs.ts";

const POLLS = 50;

const FOLLOWERS = [1, 500];

/** Subscribing at once; the storages on this machine have no time for more. */
const CONNECTIONS = 8;

/** Exactly what is asked for in POLLS polls of one job that nothing comes to. */
export async function idleTable(): Promise<string> {
  const places = await cloudPlaces();
  const rows: string[][] = [];
  try {
    for (const followers of FOLLOWERS) {
      const counts: string[] = [];
      for (const place of places) counts.push(await pollCost(place, followers));
      rows.push([followers.toLocaleString("en"), ...counts]);
    }
  } finally {
    for (const place of places) await place.close();
  }
  return [
    table(["subscribers of one job", ...places.map(({ name }) => name)], rows),
    "",
    `Requests of a poll, counted over ${POLLS} of them; r: reads. Every 30 seconds one more looks whether the job is still there.`,
  ].join("\n");
}

async function pollCost(place: CountedPlace, followers: number): Promise<string> {
  const clock = heldClock();
  const writer = await createHoldfast({ storage: place.storage });
  const reader = await createHoldfast({ storage: place.storage, clock });
  const { jobId } = (await writer.queries.admit(requestOf(followers))).job;
  await repeat(followers, CONNECTIONS, async () => {
    await reader.queries.subscribe(jobId, 1, 1, () => {});
  });
  await clock.held();
  place.take();
  await clock.polls(POLLS);
  const cost = share(place.take(), POLLS);
  await reader.close();
  await writer.close();
  return requestsIn(cost);
}

interface HeldClock extends Clock {
  /** When somebody who polls waits for the next poll. */
  held(): Promise<void>;
  /** Lets so many polls be made. */
  polls(count: number): Promise<void>;
}

/** Nobody sleeps himself out: the next poll comes when it is let. */
function heldClock(): HeldClock {
  let left = 0;
  let wake: (() => void) | null = null;
  const waiting: (() => void)[] = [];
  return {
    ...systemClock(),
    sleep: (_duration, signal) =>
      new Promise<void>((resolve) => {
        if (left > 0) {
          left -= 1;
          resolve();
          return;
        }
        wake = resolve;
        signal?.addEventListener("abort", () => resolve());
        for (const told of waiting.splice(0)) told();
      }),
    held: async () => {
      if (wake === null) await new Promise<void>((told) => void waiting.push(told));
    },
    polls(count) {
      left = count - 1;
      const made = new Promise<void>((told) => void waiting.push(told));
      wake?.();
      return made;
    },
  };
}
