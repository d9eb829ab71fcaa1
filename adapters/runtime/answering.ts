/** Answers the queries of every tenant with one runner, for as long as a service runs. */
import type { Holdfast } from "../../src/holdfast.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Runner } from "../../src/ports/runner.ts";

export interface Answering {
  /**
   * Begins no other run, and interrupts those there are, or completes those whose answer is committed.
   * Resolves when their runners have let go.
   */
  stop(): Promise<void>;
}

/** Null: nobody answers here; what is accepted waits for whoever runs it from elsewhere. */
export function answerQueries(
  holdfast: Holdfast,
  runner: Runner | null,
  tenants: readonly string[],
  log: Log,
): Answering {
  const all = [holdfast, ...tenants.map((id) => holdfast.tenant(id))];
  // One for each, so that no tenant's runs take the places of another's.
  const coordinators = runner === null ? [] : all.map((tenant) => tenant.coordinate({ runner }));
  return {
    async stop() {
      const ends = await Promise.allSettled(coordinators.map((one) => one.close()));
      const failed = ends.filter(({ status }) => status === "rejected").length;
      if (failed === 0) return;
      log("warn", "runs not ended", {
        tenants: failed,
        what: "a pass does, when their lease is over",
      });
    },
  };
}
