/** What becomes of a page: a job, or none, for each of the things that it names. */
import type { DiscoveredEmail, SourceJob, SourcePage, SourceRequest } from "../../ports/source.ts";
import { mapLimited } from "../../services/map-limited.ts";
import type { CheckedPage } from "./pages.ts";

/** As many as the pass enqueues together. */
const READ_AT_ONCE = 8;

/** No job at all: the pass reports it as one that is not valid, and goes on to the others. */
const UNFIT: DiscoveredEmail = { logicalKey: "", payload: null };

/**
 * A page of the jobs that `jobOf` makes of `things`, each asked for once; null: nothing is asked for, or
 * there is no job. What fails, or does not end before the request's signal, is reported and keeps no
 * other from being found: scans come round again.
 */
export async function jobsOfPage<Thing>(
  { unfit, next }: Pick<CheckedPage<unknown>, "unfit" | "next">,
  { signal }: Pick<SourceRequest, "signal">,
  things: readonly (Thing | null)[],
  jobOf: (thing: Thing) => Promise<SourceJob | null>,
): Promise<SourcePage> {
  const distinct = [...new Set(things)].filter((thing) => thing !== null);
  const found = await mapLimited(distinct, READ_AT_ONCE, async (thing) => {
    try {
      return await whileWanted(signal, () => jobOf(thing));
    } catch {
      return UNFIT;
    }
  });
  const jobs = found.filter((job) => job !== null);
  return { jobs: [...jobs, ...Array.from({ length: unfit }, () => UNFIT)], next };
}

/** Rejects as soon as `signal` is aborted: a read may hang whatever it is told. */
function whileWanted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("nobody waits for it any more"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    const forget = (): void => signal.removeEventListener("abort", stop);
    void work().then(resolve, reject).finally(forget);
  });
}
