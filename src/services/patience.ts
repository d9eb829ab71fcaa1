/** Work on a storage that nobody waits for: what may pass is tried again, for a while. */
import { jitteredMs } from "../core/backoff.ts";
import { durationMs, seconds } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import { StoreThrottledError } from "../ports/faults.ts";
import type { Random } from "../ports/random.ts";
import { isPassing } from "./passing.ts";

/** With the waits below about half a minute: what lasts longer is an outage, and a person's business. */
const TRIES_MAX = 9;
const WAIT = { base: durationMs(250), cap: seconds(20) };

/** `work` must do no harm when it is repeated. Throws what its last try threw. */
export async function patiently<T>(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (fault) {
      if (tries >= TRIES_MAX || !isPassing(fault)) throw fault;
      const asked = fault instanceof StoreThrottledError ? fault.retryAfterMs : 0;
      const wait = jitteredMs(tries, random.fraction(), WAIT);
      await clock.sleep(durationMs(Math.max(asked, wait)));
    }
  }
}
