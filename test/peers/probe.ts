/** What the probe finds in a storage. */
import type { Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { type ProbeFinding, probe } from "../../src/store/probe.ts";

export async function probeOf(storage: Storage): Promise<readonly ProbeFinding[]> {
  const context = { clock: systemClock(), random: systemRandom(), observe: () => {} };
  const backend = await storage.open({ ...context, dueOf: () => null });
  try {
    return await probe(backend, context);
  } finally {
    await backend.close();
  }
}

export function failedChecks(findings: readonly ProbeFinding[]): string[] {
  return findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
}
