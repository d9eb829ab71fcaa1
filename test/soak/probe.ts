/**
 * Loaded into a service before its own modules (`--import`): answers its parent with what the process
 * holds. Nothing here keeps the process, or is a part of the product.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Held {
  readonly rssMiB: number;
  /** After a collection. */
  readonly heapMiB: number;
  /** What keeps or could keep the process, sockets and timers among it. */
  readonly resources: number;
  /** Of the event loop since the last answer. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** Only what it has beyond the time between two looks is a delay. */
const beyond = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);

const MIB = 2 ** 20;

process.on("message", () => {
  const delayMs = {
    p50: beyond(delay.percentile(50)),
    p99: beyond(delay.percentile(99)),
    max: beyond(delay.max),
  };
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo().length;
  process.send?.({ rssMiB: rss / MIB, heapMiB: heapUsed / MIB, resources, delayMs });
  // What the collection took is not the service's own.
  setImmediate(() => delay.reset());
});
process.channel?.unref();
// A soak that is gone, however it went, leaves no service behind.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));

// Kept for good, as a cache without a bound would be: a soak has to tell it.
if (process.env["SOAK_PLANT"] === "leak") {
  const leak: string[][] = [];
  setInterval(
    () => leak.push(Array.from({ length: 20_000 }, () => String(Math.random()))),
    250,
  ).unref();
}
