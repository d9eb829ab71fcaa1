/** Ends that timers measure, and answers that are not waited for longer. */
import { describe, expect, it } from "vitest";
import { durationMs, epochMs } from "../../src/core/time.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { deadline, endOf, openEnd, within } from "../../src/services/reconcile/deadline.ts";
import { passTime } from "../../src/services/reconcile/time.ts";

interface Timers extends Clock {
  pass(ms: number): Promise<void>;
  /** Time goes by while the process stands still. */
  freeze(ms: number): void;
  running(): number;
}

/** Timers that go on when they are told to; the wall clock means nothing. */
function timers(): Timers {
  const sleeps = new Set<{ left: number; wake: () => void }>();
  let elapsed = 0;
  return {
    now: () => epochMs(Math.floor(Math.random() * 1_000_000)),
    elapsed: () => elapsed,
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        const sleep = {
          left: duration,
          wake() {
            sleeps.delete(sleep);
            resolve();
          },
        };
        sleeps.add(sleep);
        signal?.addEventListener("abort", sleep.wake);
      }),
    freeze(ms) {
      elapsed += ms;
    },
    async pass(ms) {
      elapsed += ms;
      for (const sleep of [...sleeps]) {
        sleep.left -= ms;
        if (sleep.left <= 0) sleep.wake();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
    running: () => sleeps.size,
  };
}

const seconds = (count: number) => durationMs(count * 1_000);

describe("a deadline", () => {
  it("is over after its time, once, and for ever", async () => {
    const clock = timers();
    const end = deadline(clock, seconds(2));
    let told = 0;
    end.onOver(() => {
      told += 1;
    });
    await clock.pass(1_999);
    expect([end.isOver(), told]).toEqual([false, 0]);
    await clock.pass(1);
    end.end();
    expect([end.isOver(), told]).toEqual([true, 1]);
    end.onOver(() => {
      told += 1;
    });
    expect(told).toBe(2);
  });

  it("is over with any of the others that it waits for", () => {
    const clock = timers();
    const [one, two] = [openEnd(), openEnd()];
    const end = deadline(clock, seconds(2), [one, two]);
    two.end();
    expect(end.isOver()).toBe(true);
    expect(deadline(clock, seconds(2), [two]).isOver()).toBe(true);
  });

  it("leaves no timer when it is stopped, and is not over by that", async () => {
    const clock = timers();
    let told = 0;
    const other = openEnd();
    const end = deadline(clock, seconds(2), [other]);
    end.onOver(() => {
      told += 1;
    });
    end.stop();
    expect([end.isOver(), clock.running()]).toEqual([false, 0]);
    other.end();
    await clock.pass(10_000);
    expect(told).toBe(0);
  });

  it("is over for whoever asks before its timer had its turn, and tells the others then", () => {
    const clock = timers();
    let told = 0;
    const one = deadline(clock, seconds(2));
    const both = deadline(clock, seconds(9), [one]);
    both.onOver(() => {
      told += 1;
    });
    clock.freeze(1_999);
    expect([both.isOver(), told]).toEqual([false, 0]);
    clock.freeze(1);
    expect([both.isOver(), one.isOver(), told]).toEqual([true, true, 1]);
  });

  it("tells nobody who has forgotten it", () => {
    const end = openEnd();
    let told = 0;
    end.onOver(() => {
      told += 1;
    })();
    end.end();
    expect(told).toBe(0);
  });

  it("is over with a signal, also one that was aborted before", () => {
    const controller = new AbortController();
    const end = endOf(controller.signal);
    expect(end.isOver()).toBe(false);
    controller.abort();
    expect([end.isOver(), endOf(AbortSignal.abort()).isOver()]).toEqual([true, true]);
    expect(endOf(undefined).isOver()).toBe(false);
  });
});

describe("waiting for an answer", () => {
  const GRACE = seconds(1);

  it("gives it, or what was thrown instead, also before anything was awaited", async () => {
    const clock = timers();
    const end = openEnd();
    expect(await within({ clock, graceMs: GRACE }, end, () => 7)).toEqual({
      kind: "answer",
      value: 7,
    });
    expect(await within({ clock, graceMs: GRACE }, end, async () => 8)).toEqual({
      kind: "answer",
      value: 8,
    });
    const thrown = within({ clock, graceMs: GRACE }, end, () => {
      throw "at once";
    });
    expect(await thrown).toEqual({ kind: "thrown", error: "at once" });
    expect(clock.running()).toBe(0);
  });

  it("ends as long after the end as it is told, when none came", async () => {
    const clock = timers();
    const end = openEnd();
    let told: AbortSignal | undefined;
    const answer = within({ clock, graceMs: GRACE }, end, (signal) => {
      told = signal;
      return new Promise(() => {});
    });
    end.end();
    expect(told?.aborted).toBe(true);
    await clock.pass(1_000);
    expect(await answer).toEqual({ kind: "late" });
  });

  it("takes one that comes in that time, but no error for the end's sake", async () => {
    const clock = timers();
    const atEnd = (settle: (resolve: (value: string) => void, reject: () => void) => void) => {
      const end = openEnd();
      const answer = within(
        { clock, graceMs: GRACE },
        end,
        (signal) =>
          new Promise<string>((resolve, reject) => {
            signal.addEventListener("abort", () => settle(resolve, reject));
          }),
      );
      end.end();
      return answer;
    };
    expect(await atEnd((resolve) => resolve("sent"))).toEqual({ kind: "answer", value: "sent" });
    expect(await atEnd((_, reject) => reject())).toEqual({ kind: "late" });
  });

  it("does not begin after the end", async () => {
    const end = openEnd();
    end.end();
    const never = () => expect.fail("began");
    expect(await within({ clock: timers(), graceMs: GRACE }, end, never)).toEqual({ kind: "late" });
  });
});

describe("the time of a pass", () => {
  const overOf = ({ lease, send, over }: ReturnType<typeof passTime>) =>
    [lease, send, over].map((end) => end.isOver());

  it("waits for an answer a second at most, of a small budget a twentieth", () => {
    const graceOf = (ms: number) => passTime(timers(), durationMs(ms), openEnd()).graceMs;
    expect([25_000, 20_000, 2_000, 100].map(graceOf)).toEqual([1_000, 1_000, 100, 5]);
  });

  it("leaves the storage three seconds for the last settlements, and then waits for nothing", async () => {
    const clock = timers();
    const time = passTime(clock, seconds(25), openEnd());
    await clock.pass(25_000);
    await clock.pass(3_999);
    expect(time.end.isOver()).toBe(false);
    await clock.pass(1);
    expect(time.end.isOver()).toBe(true);
    time.stop();
    expect(clock.running()).toBe(0);
  });

  it("leaves a send five seconds at least, and a lease ten", async () => {
    const clock = timers();
    const time = passTime(clock, seconds(25), openEnd());
    await clock.pass(14_999);
    expect(overOf(time)).toEqual([false, false, false]);
    await clock.pass(1);
    expect(overOf(time)).toEqual([true, false, false]);
    await clock.pass(5_000);
    expect(overOf(time)).toEqual([true, true, false]);
    await clock.pass(5_000);
    expect(overOf(time)).toEqual([true, true, true]);
    time.stop();
    expect(clock.running()).toBe(0);
  });

  it("is shared out, when there is little of it", async () => {
    const clock = timers();
    const time = passTime(clock, durationMs(100), openEnd());
    await clock.pass(59);
    expect(overOf(time)).toEqual([false, false, false]);
    await clock.pass(1);
    expect(overOf(time)).toEqual([true, false, false]);
  });

  it("that is cut short begins nothing more, and leaves five seconds to what is on its way", async () => {
    const clock = timers();
    const stopped = openEnd();
    const time = passTime(clock, seconds(25), stopped);
    stopped.end();
    expect(overOf(time)).toEqual([true, true, false]);
    await clock.pass(5_000);
    expect(overOf(time)).toEqual([true, true, true]);
    time.stop();
    expect(clock.running()).toBe(0);
  });
});
