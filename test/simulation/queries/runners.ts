/** Who answers queries: runners that go through the steps by themselves, and providers of coordinators. */
import type { Runner, RunnerExecution } from "../../../src/ports/runner.ts";
import { RunnerError } from "../../../src/ports/runner.ts";
import type { Applied, HolderOptions } from "../../../src/services/queries.ts";
import { attempt, persistently, type Stage, type Verdict } from "../machine.ts";
import { has } from "./clients.ts";
import { isTerminal } from "./log.ts";
import type { Provider, Run } from "./provider.ts";
import { checkFound, codeOf, type QueryStage } from "./stage.ts";

/** Takes accepted jobs and answers them; sometimes too slowly, sometimes never. */
export async function answer(stage: QueryStage): Promise<void> {
  const { world, process, holdfast } = stage;
  const { chance } = world;
  for (;;) {
    await process.pause(chance.between(1_000, stage.isHealing() ? 30_000 : 9_000));
    const page = await attempt(() => holdfast.queries.list({ status: "accepted", limit: 8 }));
    if (page.kind !== "answer") continue;
    if (page.value.corrupt.length > 0) stage.truth.blame("a query job cannot be read");
    const [first, ...others] = page.value.jobs;
    if (first === undefined) continue;
    await take(stage, chance.pick([first, ...others]).jobId);
  }
}

interface Held {
  readonly jobId: string;
  readonly token: string;
  readonly leaseMs: number;
  readonly run: Run;
  calls: number;
  position: string | null;
}

async function take(stage: QueryStage, jobId: string): Promise<void> {
  const { world, process, holdfast, provider, truth } = stage;
  const { chance } = world;
  const token = `${process.name}-${world.now()}-${chance.between(0, 1e9)}`;
  const leaseMs = chance.pick([2_000, 10_000, 30_000]);
  // The same token again learns whether the first try made it the holder.
  const started = await persistently(stage, chance.between(1, 3), () =>
    holdfast.queries.markStarting(jobId, { leaseToken: token, leaseMs }),
  );
  checkFound(stage, jobId, started);
  if (started.kind !== "answer" || !started.value.applied) return;
  if (!has(stage, jobId, "starting")) truth.blame(`${jobId}: told to be started, and is not`);
  const run = provider.begin(stage, jobId);
  const held: Held = { jobId, token, leaseMs, run, calls: 0, position: started.value.position };
  await drive(stage, held);
  run.isOver = true;
}

async function drive(stage: QueryStage, held: Held): Promise<void> {
  const { world, process, holdfast } = stage;
  const { chance } = world;
  const { jobId, leaseMs, run } = held;
  const { queries } = holdfast;
  if (!(await tell(stage, held, (options) => queries.markRunning(jobId, {}, options)))) return;
  if (chance.happens(0.7)) {
    const linkage = { claudeRunId: held.token };
    if (!(await tell(stage, held, (options) => queries.updateLinkage(jobId, linkage, options))))
      return;
  }
  for (let n = chance.between(0, 5); n > 0; n -= 1) {
    const isSlow = !stage.isHealing() && chance.happens(0.15);
    await process.pause(chance.between(50, isSlow ? 3 * leaseMs : leaseMs / 4));
    const piece = `${held.token}-${n};`;
    run.told.push(piece);
    const isTaken = await tell(stage, held, (options) =>
      queries.appendPartial(jobId, piece, "", false, options),
    );
    if (isTaken === "yes") run.acknowledged.add(piece);
    if (!isTaken) return;
    if (chance.happens(0.4)) await beat(stage, held);
  }
  // It is gone, and nobody hears of it any more.
  if (!stage.isHealing() && chance.happens(0.15)) return;
  await finish(stage, held);
}

async function finish(stage: QueryStage, held: Held): Promise<void> {
  const { chance } = stage.world;
  const { queries } = stage.holdfast;
  const { jobId, run } = held;
  const ending = stage.isHealing() ? 0 : chance.fraction();
  const text = run.told.join("");
  if (ending < 0.5) {
    // One in some answers differs from what was told before, and a few are too long for one record.
    const isLong = chance.happens(0.02);
    const whole =
      chance.happens(0.8) && !isLong ? text : `${text}${"漢".repeat(isLong ? 90_000 : 1)}`;
    if (chance.happens(0.7)) {
      const isReady = await tell(stage, held, (options) =>
        queries.markAnswerReady(jobId, whole, {}, options),
      );
      if (!isReady || (!stage.isHealing() && chance.happens(0.2))) return;
    }
    await tell(stage, held, (options) => queries.complete(jobId, { text: whole }, options));
  } else if (ending < 0.75) {
    await tell(stage, held, (options) => queries.fail(jobId, { code: "provider" }, options));
  } else await tell(stage, held, (options) => queries.interrupt(jobId, "enough", options));
}

async function beat(stage: QueryStage, held: Held): Promise<void> {
  const { jobId, token, leaseMs } = held;
  const verdict = await attempt(() =>
    stage.holdfast.queries.heartbeat(jobId, { leaseToken: token, leaseMs }),
  );
  checkHolder(stage, held, verdict);
}

/**
 * One word of the run, tried again under its name until it has an answer. Null: the run is over. `maybe`:
 * nobody knows whether it was taken.
 */
async function tell(
  stage: QueryStage,
  held: Held,
  word: (options: HolderOptions) => Promise<Applied>,
): Promise<"yes" | "no" | "maybe" | null> {
  const { world, truth, history, prefix } = stage;
  held.calls += 1;
  const { position, token: leaseToken, jobId } = held;
  const options = { leaseToken, requestId: String(held.calls), position };
  const verdict = await persistently(stage, world.chance.between(1, 6), () => word(options));
  checkHolder(stage, held, verdict);
  if (verdict.kind === "refused") return null;
  if (verdict.kind !== "answer") return "maybe";
  held.position = verdict.value.position ?? position;
  const { status } = history.log(prefix, jobId) ?? { status: "none" };
  const isOpen = status === "starting" || status === "running";
  if (!verdict.value.applied && isOpen) truth.blame(`${jobId}: its holder's word was not taken`);
  if (verdict.value.applied) return "yes";
  return isTerminal(status) ? null : "no";
}

/** The token decides: whoever has the run is not told that it lost it (protocols 5.2). */
function checkHolder(stage: QueryStage, { jobId }: Held, verdict: Verdict<Applied>): void {
  const { history, prefix, truth } = stage;
  checkFound(stage, jobId, verdict);
  const { status } = history.log(prefix, jobId) ?? { status: "none" };
  const code = codeOf(verdict);
  if (code === "lease_lost" && !isTerminal(status)) truth.blame(`${jobId}: a false "lease lost"`);
  if (code === null || ["lease_lost", "query_job_not_found"].includes(code)) return;
  truth.blame(`${jobId}: its holder was refused as ${code}`);
}

/** The provider of a coordinator: one run of a session at a time, and told to stop in time. */
export function runnerOf(stage: Stage, provider: Provider): Runner {
  const { world, process, truth } = stage;
  const { chance } = world;
  const sessions = new Set<string>();

  async function speak(
    { jobId }: RunnerExecution,
    run: Run,
    callbacks: Parameters<Runner["run"]>[1],
    signal: AbortSignal,
  ): Promise<void> {
    const wait = async (ms: number): Promise<void> => {
      await process.pause(ms);
      if (signal.aborted) throw new RunnerError("run_stopped", "told to stop");
    };
    await wait(chance.between(10, 2_000));
    await callbacks.started({ provider: "claude" });
    if (!(await callbacks.ownership({ claudeRunId: process.name }))) {
      throw new RunnerError("run_stopped", "it is not ours any more");
    }
    for (let n = chance.between(0, 6); n > 0; n -= 1) {
      await wait(chance.between(10, chance.happens(0.1) && !stage.isHealing() ? 90_000 : 2_000));
      const piece = `${process.name}-${jobId.slice(0, 8)}-${n};`;
      run.told.push(piece);
      await callbacks.delta(piece);
      if (chance.happens(0.2)) await callbacks.activity("status", `step ${n}`);
    }
    if (!stage.isHealing() && chance.happens(0.15)) {
      throw new RunnerError("provider_failed", "the provider hung up");
    }
    if (chance.happens(0.4)) await callbacks.answerReady();
    await wait(chance.between(1, 1_000));
  }

  return {
    async run(execution, callbacks, signal) {
      const { sessionId, jobId } = execution;
      if (sessions.has(sessionId)) truth.blame(`${jobId}: two at once in ${sessionId}`);
      sessions.add(sessionId);
      const run = provider.begin(stage, jobId);
      try {
        await speak(execution, run, callbacks, signal);
        return {};
      } finally {
        sessions.delete(sessionId);
        run.isOver = true;
      }
    },
  };
}
