/** Passes of the simulated processes, and what must hold of each. */
import type { ReconcileOptions } from "../../src/services/reconcile/reconcile.ts";
import type { PassReport } from "../../src/services/reconcile/report.ts";
import type { Setting } from "./machine.ts";
import type { Process } from "./world.ts";

/** Runs passes again and again, over both tenants. */
export async function passAgain(
  { world, truth }: Setting,
  process: Process,
  reconcile: (options: ReconcileOptions) => Promise<PassReport>,
): Promise<void> {
  for (;;) {
    await process.pause(world.chance.between(1_000, 40_000));
    const awake = (): number => world.now() - process.stoodStillMs();
    const begun = awake();
    const {
      failures,
      hasMore: _more,
      failuresLeftOut: _left,
      ...done
    } = await reconcile({
      tenants: ["acme"],
    });
    const codes = [...new Set(failures.map(({ code }) => code))].sort();
    world.note(`${process.name} passed ${JSON.stringify(done)} ${codes}`);
    if (codes.includes("unexpected")) truth.blame("a pass met what nobody expected");
    if (awake() - begun > LONGEST_MS) truth.blame(`a pass took ${awake() - begun} ms`);
  }
}

/** The budget, a grace for the last sends, time for their settlements, and a grace for those. */
const LONGEST_MS = 25_000 + 1_000 + 3_000 + 1_000;
