/** Whoever answers queries, as it is from outside: what is at work, and in which session. */
import type { Stage } from "../machine.ts";
import type { Truth } from "../truth.ts";
import { START_MS } from "../world.ts";
import { type QueryHistory, SKEW_MS, sessionOf } from "./history.ts";

export interface Run {
  /** Pieces of the answer that were told, in order, whether or not they were taken. */
  readonly told: string[];
  /** Those that were acknowledged. */
  readonly acknowledged: Set<string>;
  /** All of them are in an answer that was committed. */
  isWhole: boolean;
  isOver: boolean;
}

export interface Provider {
  /** The provider is asked, by whoever has the run: once for each job, and not in a held session. */
  begin(stage: Stage, jobId: string): Run;
  /** Whether it was begun and is over: a process that died may have left it at work. */
  isOver(prefix: string, jobId: string): boolean;
  /** What each run told is in its log: once, in order, and all of it that was acknowledged. */
  check(truth: Truth, prefix: string): void;
}

export function createProvider(history: () => QueryHistory): Provider {
  const runs = new Map<string, Run>();

  function checkSession({ truth, prefix, world }: Stage, jobId: string): void {
    const log = history().log(prefix, jobId);
    const { startedAt } = log ?? { startedAt: null };
    if (log === null || startedAt === null) {
      truth.blame(`${jobId}: run without a start`);
      return;
    }
    // One that is set after the start counts as later (protocols 4.3).
    const held = history()
      .holds(prefix, sessionOf(log))
      .find(
        (hold) =>
          hold.jobId !== jobId &&
          hold.since < startedAt &&
          hold.until > START_MS + world.now() + SKEW_MS,
      );
    if (held !== undefined) truth.blame(`${jobId}: run while its session is held by ${held.jobId}`);
  }

  return {
    begin(stage, jobId) {
      const { truth, prefix, process, world } = stage;
      if (runs.has(prefix + jobId)) truth.blame(`${jobId}: run twice`);
      checkSession(stage, jobId);
      world.note(`${process.name} runs ${jobId}`);
      const run: Run = {
        ...{ told: [], acknowledged: new Set<string>(), isWhole: false, isOver: false },
      };
      runs.set(prefix + jobId, run);
      return run;
    },
    isOver: (prefix, jobId) => runs.get(prefix + jobId)?.isOver === true,
    check(truth, prefix) {
      for (const log of history().logs()) {
        if (log.prefix !== prefix) continue;
        const run = runs.get(prefix + log.jobId);
        const problem = problemOf(log.chunks, run ?? null);
        if (problem !== null) truth.blame(`${log.jobId}: ${problem}`);
      }
    },
  };
}

function problemOf(chunks: string, run: Run | null): string | null {
  const written = chunks.split(/(?<=;)/).filter((piece) => piece !== "");
  if (run === null) return written.length === 0 ? null : "an answer that nobody gave";
  const { told, acknowledged, isWhole } = run;
  const places = written.map((piece) => told.indexOf(piece));
  const isInOrder = places.every((place, n) => place >= 0 && place > (places[n - 1] ?? -1));
  if (!isInOrder) return "what it told is in its log twice, or in another order";
  const known = new Set(written);
  if ([...acknowledged].some((piece) => !known.has(piece))) return "what was acknowledged is lost";
  return isWhole && written.length !== told.length ? "its committed answer is not whole" : null;
}
