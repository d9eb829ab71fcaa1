/** Who is told what when, where no time goes by (protocols 5.3). */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type MemoryStorage, memoryStorage } from "../../adapters/storage/memory.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { ShownEvent } from "../../src/machines/queries/public-event.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Subscription } from "../../src/services/query-subscribe.ts";
import { openServices } from "../../src/services/services.ts";
import { codeOf, running } from "./queries/given.ts";

interface StandingClock extends Clock {
  advance(ms: number): void;
  sleeping(): number;
  /** Ends every sleep there is. */
  wakeAll(): void;
}

/** Nothing sleeps itself out. */
function standingClock(): StandingClock {
  let now = 1_782_864_000_000;
  let elapsed = 0;
  const sleepers = new Set<() => void>();
  return {
    now: () => epochMs(now),
    elapsed: () => elapsed,
    sleep: (_duration, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        if (signal?.aborted === true) return resolve();
        signal?.addEventListener("abort", wake);
        sleepers.add(wake);
      }),
    advance(ms) {
      now += ms;
      elapsed += ms;
    },
    sleeping: () => sleepers.size,
    wakeAll() {
      for (const wake of [...sleepers]) wake();
    },
  };
}

const OFTEN = { interval: 1, timeout: 10_000 };

describe("followers of a job", () => {
  let storage: MemoryStorage;
  let clock: StandingClock;
  let holdfast: Holdfast;
  let other: Holdfast;
  let isAway = false;

  beforeEach(async () => {
    storage = memoryStorage();
    clock = standingClock();
    isAway = false;
    holdfast = await createHoldfast({ storage, clock });
    const ill = storage.withFaults((_operation, when) =>
      isAway && when === "before" ? "unavailable" : null,
    );
    other = await createHoldfast({ storage: ill, clock });
  });
  afterEach(async () => {
    await holdfast.close();
    await other.close();
  });

  const queries = () => holdfast.queries;

  async function follow(one: Holdfast, jobId: string) {
    const live: ShownEvent[] = [];
    const subscription = await one.queries.subscribe(jobId, 1, 0, (event) => void live.push(event));
    return { live, subscription };
  }

  /** The code by which it ended, however often its loop has to look. */
  async function endOf(subscription: Subscription): Promise<unknown> {
    const ended = codeOf(subscription.ended);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await vi.waitFor(() => {
      clock.wakeAll();
      expect(isOver).toBe(true);
    }, OFTEN);
    return ended;
  }

  it("are told at once what their own process writes", async () => {
    const { jobId } = await running(queries());
    const { live, subscription } = await follow(holdfast, jobId);
    await queries().appendPartial(jobId, "x");
    await vi.waitFor(() => expect(live).toHaveLength(1));
    await queries().complete(jobId, { text: "x" });
    await subscription.ended;
    expect(live.map(({ type }) => type)).toEqual(["chunk", "completed"]);
  });

  it("are told what others write when they next look", async () => {
    const { jobId } = await running(queries());
    const { live, subscription } = await follow(other, jobId);
    await queries().complete(jobId, { text: "x" });
    await vi.waitFor(() => {
      clock.wakeAll();
      expect(live).toHaveLength(1);
    });
    await subscription.ended;
  });

  it("look at the root every 30 seconds, and learn that their job is gone", async () => {
    const { jobId } = await running(queries());
    const { subscription } = await follow(other, jobId);
    const [key = "", body = ""] =
      [...storage.bodies()].find(([name]) => name.startsWith("queries/roots/")) ?? [];
    storage.plant(key, JSON.stringify({ ...JSON.parse(body), retirement: "removing" }));
    clock.advance(30_000);
    expect(await endOf(subscription)).toBe("query_job_not_found");
  });

  it("are shown nothing that was written to a job that is over (ghost commit)", async () => {
    const { jobId } = await running(queries());
    const { live, subscription } = await follow(other, jobId);
    const [key = "", body = ""] =
      [...storage.bodies()].find(([name]) => name.startsWith("queries/roots/")) ?? [];
    storage.plant(key, JSON.stringify({ ...JSON.parse(body), retirement: "removing" }));
    const part = { items: [{ type: "chunk", at: clock.now(), delta: "ghost" }] };
    const holdfastHeader = { schema: 1, w: "abcdefghijklmnop" };
    storage.plant(
      `queries/log/${jobId}/000000000004`,
      JSON.stringify({ ...part, holdfast: holdfastHeader }),
    );
    expect(await endOf(subscription)).toBe("query_job_not_found");
    expect(live).toEqual([]);
  });

  it("wait while the storage is away, and go on when it is back", async () => {
    const { jobId } = await running(queries());
    const { live, subscription } = await follow(other, jobId);
    isAway = true;
    for (let n = 0; n < 5; n += 1) {
      clock.wakeAll();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await queries().complete(jobId, { text: "x" });
    isAway = false;
    await vi.waitFor(() => {
      clock.wakeAll();
      expect(live).toHaveLength(1);
    });
    await subscription.ended;
  });

  it("are told when their process lets go of the storage, and nothing of them is left", async () => {
    const { jobId } = await running(queries());
    const { subscription } = await follow(other, jobId);
    await vi.waitFor(() => expect(clock.sleeping()).toBe(1));
    await other.close();
    expect(await codeOf(subscription.ended)).toBe("unavailable");
    expect(clock.sleeping()).toBe(0);
  });

  it("are told when it stays away", async () => {
    const { jobId } = await running(queries());
    const { subscription } = await follow(other, jobId);
    isAway = true;
    expect(await endOf(subscription)).toBe("unavailable");
  });

  it("who are far behind are handed less at once where the events are long", async () => {
    const { jobId } = await running(queries());
    for (let n = 0; n < 300; n += 1) {
      await queries().appendActivity(jobId, "status", `${n} ${"x".repeat(1_990)}`);
    }
    const services = await openServices({ storage, clock });
    const { reading, tails } = services.tenant(null).queries;
    const { place } = await reading.job(jobId, 1);
    const pages: (readonly ShownEvent[])[] = [];
    for await (const page of tails.follow(place, 0, new AbortController().signal)) {
      pages.push(page);
      if (page.at(-1)?.eventSeq === 303) break;
    }
    expect(pages.flat().map(({ eventSeq }) => eventSeq)).toEqual(
      Array.from({ length: 303 }, (_, n) => n + 1),
    );
    // 256 KiB, and the event that goes over it.
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(320_000);
    await services.close();
  });
});
