/** What every runner must do, whatever is behind it. */
import { afterEach, describe, expect, it } from "vitest";
import {
  type Runner,
  type RunnerCallbacks,
  RunnerError,
  type RunnerExecution,
} from "../../../src/ports/runner.ts";

/** What the provider does once it has the prompt. */
export type Script =
  | { readonly kind: "answers"; readonly parts: readonly string[] }
  /** Says the parts, and then nothing more. */
  | { readonly kind: "hangs"; readonly parts: readonly string[] }
  | { readonly kind: "fails"; readonly parts: readonly string[] }
  /** `chars` of the letter x, as fast as they are read. */
  | { readonly kind: "floods"; readonly chars: number };

export interface RunnerWorld {
  readonly runner: Runner;
  /** Everything that has reached the provider of any prompt. */
  received(): string;
  /** Resolves when the provider would have whatever has left so far. */
  arrived(): Promise<void>;
  /** Resolves when nothing that was begun there is left. */
  gone(): Promise<void>;
  /** Resolves when the provider of a flood can say no more for now; how much it has said. */
  blocked(): Promise<number>;
  close(): Promise<void>;
}

export const EXECUTION: RunnerExecution = {
  jobId: "5b0c6a4e-0d0c-4b7e-9f0a-2f6d1c9b7a10",
  query: "What does the naïve 🙂 ask\nin two lines?",
  reference: null,
  sessionId: "session-1",
  model: null,
  effort: null,
  attachmentIds: [],
  attachmentRefs: [],
};

export interface Told {
  readonly name: keyof RunnerCallbacks;
  readonly value: unknown;
}

/** Callbacks that take everything; `calls` has what they were told, in order. */
export function recorder(own: Partial<RunnerCallbacks> = {}) {
  const calls: Told[] = [];
  let inFlight = 0;
  let isOverlapping = false;

  async function tell<T>(name: keyof RunnerCallbacks, value: unknown, answer: () => Promise<T>) {
    calls.push({ name, value });
    inFlight += 1;
    isOverlapping ||= inFlight > 1;
    // A turn of the loop, in which a second one would be seen.
    await new Promise(setImmediate);
    try {
      return await answer();
    } finally {
      inFlight -= 1;
    }
  }

  const callbacks: RunnerCallbacks = {
    started: (start) => tell("started", start, async () => own.started?.(start)),
    ownership: (linkage) =>
      tell("ownership", linkage, async () => (await own.ownership?.(linkage)) ?? true),
    delta: (text) => tell("delta", text, async () => own.delta?.(text)),
    activity: (kind, text) =>
      tell("activity", [kind, text], async () => own.activity?.(kind, text)),
    answerReady: (text) => tell("answerReady", text, async () => own.answerReady?.(text)),
  };
  return {
    callbacks,
    calls,
    names: () => calls.map(({ name }) => name).filter((name, n, all) => name !== all[n - 1]),
    text: () =>
      calls.flatMap(({ name, value }) => (name === "delta" ? [String(value)] : [])).join(""),
    inFlight: () => inFlight,
    isOverlapping: () => isOverlapping,
  };
}

export const never: AbortSignal = new AbortController().signal;

/** What `run` rejects with, which must be a RunnerError. */
export async function failureOf(run: Promise<unknown>): Promise<RunnerError> {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunnerError)) throw new Error(`no RunnerError: ${String(error)}`);
  return error;
}

export function describeRunner(name: string, open: (script: Script) => Promise<RunnerWorld>): void {
  const opened: RunnerWorld[] = [];
  const world = async (script: Script): Promise<RunnerWorld> => {
    const one = await open(script);
    opened.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  describe(`${name}, as any runner,`, () => {
    it("starts, asks whether it owns the run, sends the prompt and tells the answer in order", async () => {
      const parts = ["Hello ", "wörld 🙂", "\n", "漢字", "!"];
      const { runner, received, gone } = await world({ kind: "answers", parts });
      const told = recorder();
      const { text } = await runner.run(EXECUTION, told.callbacks, never);
      expect(told.names()).toEqual(["started", "ownership", "delta"]);
      expect(told.text()).toBe("Hello wörld 🙂\n漢字!");
      expect(text ?? told.text()).toBe(told.text());
      expect([told.isOverlapping(), told.inFlight()]).toEqual([false, 0]);
      for (const { name: kind, value } of told.calls)
        if (kind === "delta") expect(value).not.toBe("");
      expect(received()).toContain("What does the naïve 🙂 ask");
      await gone();
    });

    it("lets no byte of the prompt leave before ownership is confirmed (QUERY-75)", async () => {
      const { runner, received, arrived } = await world({ kind: "answers", parts: ["a"] });
      const before: string[] = [];
      const told = recorder({
        async ownership() {
          await arrived();
          before.push(received());
          return true;
        },
      });
      await runner.run(EXECUTION, told.callbacks, never);
      expect(before).toEqual([""]);
      expect(received()).not.toBe("");
    });

    it("sends nothing and ends when it does not own the run (QUERY-75)", async () => {
      const { runner, received, arrived, gone } = await world({ kind: "answers", parts: ["a"] });
      const told = recorder({
        async ownership() {
          await arrived();
          return false;
        },
      });
      const failure = await failureOf(runner.run(EXECUTION, told.callbacks, never));
      expect(failure.code).toBe("run_stopped");
      expect(told.names()).toEqual(["started", "ownership"]);
      await gone();
      expect(received()).toBe("");
    });

    it.each(["started", "ownership", "delta"] as const)(
      "ends, and rejects with the same error, when %s does",
      async (name) => {
        const { runner, received, gone } = await world({ kind: "hangs", parts: ["so far"] });
        const lost = new Error("the storage is away");
        const told = recorder({ [name]: () => Promise.reject(lost) });
        await expect(runner.run(EXECUTION, told.callbacks, never)).rejects.toBe(lost);
        expect(told.calls.at(-1)?.name).toBe(name);
        await gone();
        expect(received() === "").toBe(name !== "delta");
      },
    );

    it("begins nothing for a signal that is aborted already", async () => {
      const { runner, received } = await world({ kind: "answers", parts: ["a"] });
      const told = recorder();
      const run = runner.run(EXECUTION, told.callbacks, AbortSignal.abort());
      expect((await failureOf(run)).code).toBe("run_stopped");
      expect([told.calls, received()]).toEqual([[], ""]);
    });

    it.each(["started", "ownership"] as const)(
      "sends nothing when it is aborted during %s",
      async (name) => {
        const { runner, received, gone } = await world({ kind: "answers", parts: ["a"] });
        const stop = new AbortController();
        const abort = async (): Promise<boolean> => {
          stop.abort();
          return true;
        };
        const told = recorder({ [name]: abort });
        const failure = await failureOf(runner.run(EXECUTION, told.callbacks, stop.signal));
        expect([failure.code, told.calls.at(-1)?.name]).toEqual(["run_stopped", name]);
        await gone();
        expect(received()).toBe("");
      },
    );

    it("ends a provider that is silent when it is aborted, and tells nothing more", async () => {
      const { runner, gone } = await world({ kind: "hangs", parts: ["so ", "far"] });
      const stop = new AbortController();
      const told = recorder({
        async delta() {
          // Only once all of it has come is the provider silent.
          if (told.text() === "so far") setImmediate(() => stop.abort());
        },
      });
      const failure = await failureOf(runner.run(EXECUTION, told.callbacks, stop.signal));
      expect([failure.code, failure.retryable]).toEqual(["run_stopped", true]);
      await gone();
      const { length } = told.calls;
      await new Promise(setImmediate);
      expect([told.calls.length, told.inFlight()]).toEqual([length, 0]);
    });

    it("ends when it is aborted while a delta is awaited, and makes no further call", async () => {
      const { runner, gone } = await world({ kind: "floods", chars: 10_000_000 });
      const stop = new AbortController();
      const told = recorder({
        async delta() {
          stop.abort();
          await new Promise(setImmediate);
        },
      });
      const failure = await failureOf(runner.run(EXECUTION, told.callbacks, stop.signal));
      expect(failure.code).toBe("run_stopped");
      expect(told.names()).toEqual(["started", "ownership", "delta"]);
      expect(told.calls).toHaveLength(3);
      await gone();
    });

    it("tells what came before a failure, and rejects without a word of the prompt (QUERY-81)", async () => {
      const { runner, gone } = await world({ kind: "fails", parts: ["so ", "far"] });
      const told = recorder();
      const failure = await failureOf(runner.run(EXECUTION, told.callbacks, never));
      expect(told.text()).toBe("so far");
      expect(failure.code).toMatch(/^[A-Za-z0-9_.-]{1,80}$/);
      expect(failure.message).not.toContain("What does the naïve");
      expect(failure.message).not.toContain("in two lines?");
      await gone();
    });

    it("reads no further while a delta is awaited, and loses nothing of a flood", async () => {
      const chars = 100_000_000;
      const { runner, blocked } = await world({ kind: "floods", chars });
      let saidMeanwhile: number | null = null;
      let length = 0;
      const told: RunnerCallbacks = {
        ...recorder().callbacks,
        async delta(text) {
          length += text.length;
          saidMeanwhile ??= await blocked();
        },
      };
      await runner.run(EXECUTION, told, never);
      expect(saidMeanwhile).toBeLessThan(chars / 3);
      expect(length).toBe(chars);
    });

    it("keeps runs at the same time apart", async () => {
      const { runner, gone } = await world({ kind: "answers", parts: ["one ", "answer"] });
      const all = Array.from({ length: 5 }, () => recorder());
      await Promise.all(all.map((told) => runner.run(EXECUTION, told.callbacks, never)));
      expect(all.map((told) => told.text())).toEqual(Array(5).fill("one answer"));
      await gone();
    });
  });
}
