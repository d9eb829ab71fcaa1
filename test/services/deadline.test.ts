/** Ends that timers measure, and answers that are not waited for longer. */
import { describe, expect, it } from "vitest";
import { durationMs, epochMs } from "../../src/core/time.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { deadline, endOf, openEnd, within } from "../../src/services/reconcile/deadline.ts";
import { passTime } from "../../src/services/reconcile/time.ts";

/** Timers that go on when they are told to; the wall clock means nothing. */
function timers(): Clock & { pass(ms: number): Promise<void>; running(): number } {
  const sleeps = new Set<{ left: number; wake: () => void }>();
  return {
    now: () => epochMs(Math.floor(Math.random() * 1_000_000)),
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
    async pass(ms) {
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
    const other = openEnd();
    const end = deadline(clock, seconds(2), [other]);
    end.stop();
    other.end();
    await clock.pass(10_000);
    expect([end.isOver(), clock.running()]).toEqual([false, 0]);
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
  it("gives it, or what was thrown instead, also before anything was awaited", async () => {
    const clock = timers();
    const end = openEnd();
    expect(await within(clock, end, () => 7)).toEqual({ kind: "answer", value: 7 });
    expect(await within(clock, end, async () => 8)).toEqual({ kind: "answer", value: 8 });
    const thrown = within(clock, end, () => {
      throw "at once";
    });
    expect(await thrown).toEqual({ kind: "thrown", error: "at once" });
    expect(clock.running()).toBe(0);
  });

  it("ends a second after the end, when none came", async () => {
    const clock = timers();
    const end = openEnd();
    let told: AbortSignal | undefined;
    const answer = within(clock, end, (signal) => {
      told = signal;
      return new Promise(() => {});
    });
    end.end();
    expect(told?.aborted).toBe(true);
    await clock.pass(1_000);
    expect(await answer).toEqual({ kind: "late" });
  });

  it("takes one that comes within that second, but no error for the end's sake", async () => {
    const clock = timers();
    const atEnd = (settle: (resolve: (value: string) => void, reject: () => void) => void) => {
      const end = openEnd();
      const answer = within(
        clock,
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
    expect(await within(timers(), end, never)).toEqual({ kind: "late" });
  });
});

describe("the time of a pass", () => {
  const overOf = ({ lease, send, over }: ReturnType<typeof passTime>) =>
    [lease, send, over].map((end) => end.isOver());

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
