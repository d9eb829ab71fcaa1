/** A storage that is tried whenever it is opened, and refused when it does not keep its promises. */
import { durationMs } from "../core/time.ts";
import type { Backend, Storage } from "../ports/backend.ts";
import { MisconfiguredError, StoreUnavailableError } from "../ports/faults.ts";
import { isTurnedAway, type ProbeDeps, type ProbeFinding, probe } from "./probe.ts";

/** One reply that gets lost keeps a probe from telling, so it begins anew; an outage ends all of them. */
const PROBES_MAX = 5;
const PROBE_PAUSE_MS = durationMs(250);

/**
 * `storage`, tried by `probe` whenever it is opened. Opening throws MisconfiguredError, naming every
 * check that failed, or the fault that kept every try from telling; `warn` is told what works and should
 * be looked at.
 */
export function probed(
  storage: Storage,
  warn: (finding: ProbeFinding) => void = () => {},
): Storage {
  return {
    async open(context) {
      const backend = await storage.open(context);
      try {
        const findings = await told(backend, context);
        const failed = findings.filter(({ verdict }) => verdict === "fail");
        if (failed.length > 0) {
          const names = failed.map(({ check, detail }) => `${check}: ${detail}`);
          throw new MisconfiguredError(`the storage cannot be used. ${names.join("; ")}`);
        }
        for (const finding of findings) if (finding.verdict === "warn") warn(finding);
        return backend;
      } catch (error) {
        await backend.close();
        throw error;
      }
    },
  };
}

async function told(backend: Backend, deps: ProbeDeps): Promise<readonly ProbeFinding[]> {
  for (let probes = 1; ; probes += 1) {
    try {
      return await probe(backend, deps);
    } catch (fault) {
      if (!mayPass(fault) || probes >= PROBES_MAX) throw fault;
      await deps.clock.sleep(PROBE_PAUSE_MS);
    }
  }
}

/** Whoever cannot even be reached is not waited for: its address may be wrong, and a person wait. */
function mayPass(fault: unknown): boolean {
  if (fault instanceof StoreUnavailableError) return !fault.isNotWritten;
  return isTurnedAway(fault);
}
