/** The query machine in a simulated world. */
import type { QuerySnapshot } from "../../../src/machines/queries/snapshot.ts";
import { attempt, type Machine, type Play, type Setting, type Stage } from "../machine.ts";
import { ask, collect, end } from "./clients.ts";
import { type QueryHistory, watchQueries } from "./history.ts";
import { isTerminal } from "./log.ts";
import { createProvider } from "./provider.ts";
import { read } from "./readers.ts";
import { answer, runnerOf } from "./runners.ts";
import type { Clients, QueryStage } from "./stage.ts";

export const queries: Machine = {
  name: "queries",
  begin({ seed, world, truth }: Setting): Play {
    const provider = createProvider(() => history);
    const history: QueryHistory = watchQueries(truth, provider);
    const clients: Clients = { asked: new Map(), phones: [], creations: new Map() };
    const heldQueries = seed % 3 === 0 ? "admit" : "refuse";
    history.rules.refusesHeld = heldQueries === "refuse";

    function coordinatorOf(stage: Stage) {
      const { chance } = world;
      return stage.holdfast.coordinate({
        runner: runnerOf(stage, provider),
        atOnce: chance.between(1, 3),
        deadlineMs: chance.between(10_000, 120_000),
        project: ({ jobId, status }: QuerySnapshot) => {
          const known = history.log(stage.prefix, jobId)?.status;
          if (status !== known || !isTerminal(status))
            truth.blame(`${jobId}: a false end was told`);
        },
      });
    }

    return {
      opening: () => ({
        heldQueries,
        limits: { queryRetentionMs: RETENTION_MS, runLeaseMs: RUN_LEASE_MS },
      }),
      live(stage) {
        const coordinator = world.chance.happens(0.5) ? coordinatorOf(stage) : null;
        const own: QueryStage = { ...stage, history, provider, clients, coordinator };
        world.start(() => ask(own));
        world.start(() => end(own));
        world.start(() => answer(own));
        world.start(() => read(own));
        world.start(() => read(own));
        world.start(() => collect(own));
      },
      isQuiet: () => history.roots().every((key) => isOver(history, key)),
      async checkEnd(judge) {
        provider.check(truth, judge.prefix);
        await checkEmpty(judge, history);
      },
    };
  },
};

const RETENTION_MS = 150_000;
const RUN_LEASE_MS = 9_000;

function isOver(history: QueryHistory, key: string): boolean {
  const root = history.rootAt(key);
  if (root === null || root["void"] === true) return true;
  const past = root["history"];
  return root["retirement"] === "removed" && Array.isArray(past) && past.length === 0;
}

/** Longer than what may be in flight is left alone. */
const POLITENESS_MS = 61_000;

/** With everything over, nothing of any log is left behind what `gc` removes (protocols 4.4). */
async function checkEmpty({ holdfast, process, truth, prefix }: Stage, history: QueryHistory) {
  await process.pause(POLITENESS_MS);
  // The walk may be in the middle: one more begins anew.
  for (let walks = 0; walks < 2; ) {
    const page = await attempt(() => holdfast.queries.gc());
    if (page.kind !== "answer") {
      truth.blame("gc failed in the end");
      return;
    }
    if (page.value.isComplete) walks += 1;
  }
  for (const log of history.logs()) {
    if (log.prefix === prefix && log.stored.size > 0)
      truth.blame(`${log.jobId}: its log is left over`);
  }
}
