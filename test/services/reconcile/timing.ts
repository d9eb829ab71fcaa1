/** Budgets, hanging mailers and sources, aborted passes: measured by timers, whatever the clock says. */
import { describe, expect, it } from "vitest";
import type { Mailer } from "../../../src/ports/mailer.ts";
import type { SourcePage } from "../../../src/ports/source.ts";
import type { HoldfastOptions } from "../../../src/services/options.ts";
import type { PassOptions } from "../../../src/services/reconcile/reconcile.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { FIRST_VIEW, MESSAGE, thrownBy, times } from "../emails/given.ts";
import {
  codes,
  counted,
  FROM,
  found,
  LETTER,
  letter,
  mailing,
  outbox,
  paged,
  readyMessage,
  whileTimePasses,
} from "./given.ts";

const never = <T>(): Promise<T> => new Promise(() => {});

export function describeTiming(bench: CurrentBench): void {
  describe("time", () => {
    describeHanging(bench);
    describeBudget(bench);
    describeStandingStill(bench);
    describeAborted(bench);
    describeOptions(bench);
  });
}

function describeHanging(bench: CurrentBench): void {
  it("a mailer that hangs is told so, given up, and stops no other", async () => {
    let told: AbortSignal | null = null;
    const box = outbox((mail, signal) => {
      if (mail.subject !== "slow") return { kind: "sent", id: null };
      told = signal;
      return never();
    });
    const instance = await mailing(bench(), {}, { box, atOnce: 2 });
    const { emails, holdfast } = instance;
    await emails.enqueue("slow", { ...MESSAGE, subject: "slow" });
    await Promise.all(times(10, (n) => emails.enqueue(`job-${n}`, MESSAGE)));
    const report = await whileTimePasses(bench(), instance, holdfast.reconcile());
    expect(counted(report)).toEqual({ promoted: 11, sent: 10, retried: 1 });
    expect(codes(report)).toEqual(["mailer_timeout"]);
    expect(told).toMatchObject({ aborted: true });
    const job = await emails.readJob("slow");
    expect(job).toMatchObject({
      state: "ready",
      lastError: expect.stringMatching(/^outcome unknown/),
    });
  });

  it("what a mailer says when it is told to stop still counts", async () => {
    const box = outbox(
      (_, signal) =>
        new Promise((resolve) => {
          const answer = { kind: "permanent", error: "refused after all" };
          signal.addEventListener("abort", () => resolve(answer));
        }),
    );
    const instance = await mailing(bench(), {}, { box });
    const { emails, holdfast } = instance;
    await readyMessage(emails, "hello");
    const report = await whileTimePasses(bench(), instance, holdfast.reconcile());
    expect([counted(report), codes(report)]).toEqual([{ failed: 1 }, []]);
  });

  it.each<[string, PassOptions, NonNullable<HoldfastOptions["limits"]>, number]>([
    ["the end of the budget", { budgetMs: 30_000 }, {}, 30_000],
    ["the end of the default budget", {}, {}, 25_000],
    ["the end of the instance's own budget", {}, { passMs: 40_000 }, 40_000],
    ["15 seconds before the end of the lease", { budgetMs: 3_600_000 }, {}, 105_000],
  ])("a send goes on until %s at most", async (_, options, limits, end) => {
    let elapsed = 0;
    const { clock } = bench();
    const box = outbox(
      (_mail, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve({ kind: "retry", error: `${elapsed}` }));
        }),
    );
    const { emails, holdfast } = await mailing(bench(), {}, { box, limits });
    await readyMessage(emails, "hello");
    const pass = holdfast.reconcile(options);
    let isOver = false;
    void pass.then(() => {
      isOver = true;
    });
    while (box.delivered.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    while (!isOver) {
      elapsed += 5_000;
      clock.elapse(5_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await emails.readJob("hello"))?.lastError).toBe(`${end}`);
  });

  it("a preparation that hangs is given up, and its job tried again", async () => {
    const instance = await mailing(bench(), { kinds: [letter(() => never())] });
    const { emails, holdfast, box } = instance;
    await emails.enqueue("a", LETTER);
    await emails.enqueue("hello", MESSAGE);
    const report = await whileTimePasses(bench(), instance, holdfast.reconcile());
    expect(counted(report)).toEqual({ promoted: 2, sent: 1, retried: 1 });
    expect(codes(report)).toEqual(["prepare_timeout"]);
    expect(box.keys()).toEqual(["hello"]);
  });

  it("nothing is sent when preparing took the time of it", async () => {
    const kinds = [
      letter(async () => {
        bench().clock.elapse(20_000);
        return { subject: "Late", text: "Too late" };
      }),
    ];
    const { emails, holdfast, box } = await mailing(bench(), { kinds });
    await emails.enqueue("a", LETTER);
    const report = await holdfast.reconcile();
    expect(codes(report)).toEqual(["out_of_time"]);
    expect(counted(report)).toEqual({ promoted: 1, retried: 1 });
    expect(box.delivered).toEqual([]);
  });

  it("nothing is sent when getting the lease took the time of it", async () => {
    const { emails, holdfast, box, interference } = await mailing(bench());
    await readyMessage(emails, "hello");
    interference.afterPut = async (key) => {
      if (key.includes("jobs")) bench().clock.elapse(100_000);
    };
    const report = await holdfast.reconcile({ budgetMs: 3_600_000 });
    expect([counted(report), codes(report)]).toEqual([{}, ["out_of_time"]]);
    expect(box.delivered).toEqual([]);
    expect(await emails.readJob("hello")).toMatchObject({ state: "ready", attempts: 0 });
  });

  it("a preparation that is always too slow comes to its end", async () => {
    const kinds = [
      letter(async () => {
        bench().clock.elapse(20_000);
        return { subject: "Late", text: "Too late" };
      }),
    ];
    const { emails, holdfast } = await mailing(bench(), { kinds });
    await emails.enqueue("a", LETTER);
    for (const _ of times(3, String)) {
      await holdfast.reconcile();
      bench().clock.advance(3_600_000);
    }
    expect(await emails.readJob("a")).toMatchObject({ state: "failed", attempts: 3 });
  });

  it("a source that hangs is given up, and stops no other, nor the rest of the pass", async () => {
    const slow = { name: "slow", scan: () => never<SourcePage>() };
    const sources = [slow, paged([{ jobs: [found(1)], next: null }])];
    const instance = await mailing(bench(), { sources });
    const { emails, holdfast } = instance;
    await readyMessage(emails, "hello");
    const report = await whileTimePasses(bench(), instance, holdfast.reconcile());
    expect(codes(report)).toEqual(["source_timeout"]);
    expect(counted(report)).toEqual({ discovered: 1, enqueued: 1, promoted: 1, sent: 2 });
  });
}

function describeBudget(bench: CurrentBench): void {
  it("what a pass has no time for is left to the next one, unleased", async () => {
    const box = outbox();
    const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
    for (const key of ["a", "b", "c"]) {
      await readyMessage(emails, key);
      bench().clock.advance(1);
    }
    box.answer = () => {
      bench().clock.elapse(15_000);
      return { kind: "sent", id: null };
    };
    const first = await holdfast.reconcile();
    expect([counted(first), first.hasMore]).toEqual([{ sent: 1 }, true]);
    expect((await emails.readJob("b"))?.attempts).toBe(0);
    box.answer = () => ({ kind: "sent", id: null });
    const second = await holdfast.reconcile();
    expect([counted(second), second.hasMore]).toEqual([{ sent: 2 }, false]);
    expect(box.keys()).toEqual(["a", "b", "c"]);
  });

  it("a long queue of other work leaves time for what is due for delivery", async () => {
    const { emails, holdfast, interference } = await mailing(bench());
    await readyMessage(emails, "hello");
    await Promise.all(times(70, (n) => emails.enqueue(`view-${n}`, FIRST_VIEW)));
    interference.afterPut = async (key) => {
      if (key.includes("jobs/")) bench().clock.elapse(250);
    };
    const report = await holdfast.reconcile();
    expect(report.emails.sent).toBe(1);
    expect(report.emails.promoted).toBeLessThan(70);
    expect(report.hasMore).toBe(true);
  });

  it("a send that began in time may go on until the budget is over", async () => {
    const box = outbox(async () => {
      bench().clock.elapse(24_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { kind: "sent", id: null };
    });
    const { emails, holdfast } = await mailing(bench(), {}, { box });
    await readyMessage(emails, "hello");
    expect(counted(await holdfast.reconcile())).toEqual({ sent: 1 });
  });
}

function describeStandingStill(bench: CurrentBench): void {
  const HOUR_MS = 3_600_000;

  /** The process stands still once, at the end of writing the lease: no timer of it has its turn. */
  async function leasedThenStill(elapsed: number, wall: number) {
    const instance = await mailing(bench());
    const { interference, emails } = instance;
    await readyMessage(emails, "hello");
    interference.afterPut = async (key) => {
      if (!key.includes("jobs/")) return;
      interference.afterPut = async () => {};
      bench().clock.freeze(elapsed);
      bench().clock.advance(wall);
    };
    return instance;
  }

  it.each([
    ["a stopped process", 120_000, 120_000],
    ["a machine that slept, whose timers did not count", 0, 120_000],
    ["a stopped process whose clock was set back", 120_000, -HOUR_MS],
  ])("%s does not send on waking what its lease covered before", async (_, elapsed, wall) => {
    const { emails, holdfast, box } = await leasedThenStill(elapsed, wall);
    const report = await holdfast.reconcile({ budgetMs: HOUR_MS });
    expect([counted(report), codes(report)]).toEqual([{}, ["lease_over"]]);
    expect(box.delivered).toEqual([]);
    expect(await emails.readJob("hello")).toMatchObject({ state: "ready", attempts: 0 });
    bench().clock.advance(2 * HOUR_MS);
    const next = await mailing(bench());
    expect(counted(await next.holdfast.reconcile())).toEqual({ sent: 1 });
    expect(next.box.keys()).toEqual(["hello"]);
  });

  it.each([
    ["is sent", "20,001 ms", 99_999, { sent: 1 }, { sent: 1 }, []],
    ["is tried again later", "20,000 ms", 100_000, { retried: 1 }, {}, ["out_of_time"]],
    ["is tried again later", "1 ms", 119_999, { retried: 1 }, {}, ["out_of_time"]],
    ["is left to the next", "nothing", 120_000, {}, {}, ["lease_over"]],
  ])("a mail %s when %s of its lease are left after it was prepared", async (...given) => {
    const [, , ms, stopped, slept, told] = given;
    // What a machine slept through is none of the time that preparing took.
    const { freeze, advance } = bench().clock;
    for (const [standStill, done] of [
      [freeze, stopped],
      [advance, slept],
    ] as const) {
      const kinds = [
        letter(() => {
          standStill(ms);
          return { subject: "Late", text: "Perhaps too late" };
        }),
      ];
      const { emails, holdfast, box } = await mailing(bench(), { kinds });
      const key = standStill === freeze ? "stopped" : "slept";
      await emails.enqueue(key, LETTER);
      await emails.transition(key, ["pending"], "ready");
      const report = await holdfast.reconcile({ budgetMs: HOUR_MS });
      expect([counted(report), codes(report)]).toEqual([done, told]);
      expect(box.delivered).toHaveLength(told.length === 0 ? 1 : 0);
      await emails.transition(key, ["ready"], "cancelled");
    }
  });
}

function describeAborted(bench: CurrentBench): void {
  it("a pass that is aborted before it begins does nothing", async () => {
    const { emails, holdfast, box } = await mailing(bench());
    const job = await readyMessage(emails, "hello");
    const report = await holdfast.reconcile({ signal: AbortSignal.abort() });
    expect([counted(report), report.hasMore]).toEqual([{}, true]);
    expect(box.delivered).toEqual([]);
    expect(await emails.readJob("hello")).toEqual(job);
  });

  it("one that is aborted begins nothing more, and settles what is on its way", async () => {
    const abort = new AbortController();
    const box = outbox(async () => {
      abort.abort();
      await new Promise((resolve) => setTimeout(resolve, 10));
      return { kind: "sent", id: null };
    });
    const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
    await readyMessage(emails, "a");
    await readyMessage(emails, "b");
    const report = await holdfast.reconcile({ signal: abort.signal });
    expect([counted(report), report.hasMore]).toEqual([{ sent: 1 }, true]);
  });

  it("one that is aborted while a mail is prepared leaves its job as it was, due at once", async () => {
    let abort = new AbortController();
    const kinds = [
      letter(() => {
        abort.abort();
        return { subject: "Hello", text: "Hello" };
      }),
    ];
    const { emails, holdfast, box } = await mailing(bench(), { kinds });
    await emails.enqueue("a", LETTER);
    for (const _ of times(4, String)) {
      abort = new AbortController();
      const report = await holdfast.reconcile({ signal: abort.signal });
      expect([codes(report), report.hasMore]).toEqual([[], true]);
      expect(await emails.readJob("a")).toMatchObject({ state: "ready", attempts: 0 });
    }
    expect(box.delivered).toEqual([]);
  });

  it("one that is aborted tells the mailer to begin nothing more, and outlasts what has begun", async () => {
    const abort = new AbortController();
    const seen: unknown[] = [];
    const mailer: Mailer = {
      async send(_mail, { signal, beginSignal }) {
        seen.push(beginSignal?.aborted);
        abort.abort();
        seen.push(beginSignal?.aborted, signal.aborted);
        return { kind: "sent", id: null };
      },
      close: async () => {},
    };
    const { emails, holdfast } = await bench().another({ mail: { mailer, from: FROM } });
    await readyMessage(emails, "a");
    expect(counted(await holdfast.reconcile({ signal: abort.signal }))).toEqual({ sent: 1 });
    expect(seen).toEqual([false, true, false]);
  });

  it("closing ends the passes that run, waits for them, and closes the mailer", async () => {
    const box = outbox(() => never());
    const instance = await mailing(bench(), {}, { box });
    const { emails, holdfast } = instance;
    await readyMessage(emails, "hello");
    const pass = holdfast.reconcile();
    while (box.delivered.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = whileTimePasses(bench(), instance, holdfast.close());
    expect(counted(await pass)).toEqual({ retried: 1 });
    await closed;
    expect(box.isClosed).toBe(true);
  });
}

function describeOptions(bench: CurrentBench): void {
  it.each([
    ["a budget of nothing", { budgetMs: 0 }, "options.budgetMs"],
    ["half a millisecond", { budgetMs: 100.5 }, "options.budgetMs"],
    ["more than an hour", { budgetMs: 3_600_001 }, "options.budgetMs"],
    ["a signal that is none", { signal: true }, "options.signal"],
    ["a dry run that is a word", { dryRun: "yes" }, "options.dryRun"],
    ["tenants that are none", { tenants: "acme" }, "options.tenants"],
    ["a tenant that cannot be", { tenants: ["ACME"] }, "tenant"],
    ["no options", null, "options"],
  ])("%s is refused, and nothing is done", async (_, options, path) => {
    const { emails, holdfast } = bench();
    await emails.enqueue("a", FIRST_VIEW);
    const before = await bench().contents();
    const error = await thrownBy(() => holdfast.reconcile(options as never));
    expect(error).toMatchObject({ code: "invalid_request", errors: [{ path }] });
    expect(await bench().contents()).toEqual(before);
  });
}
