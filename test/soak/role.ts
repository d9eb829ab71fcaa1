/** What every process of a soak is given, and how it goes on when a service is killed under it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, HoldfastError } from "../../src/client/client.ts";
import type { EffectsOf, Tell } from "./facts.ts";

export interface Part {
  readonly name: string;
  readonly client: Client;
  readonly tell: Tell;
  readonly effectsOf: EffectsOf;
  /** Whether the enqueuer is to lose a job, so that the soak is seen to tell it. */
  readonly losesOne: boolean;
  /** Aborted when no more work is to be begun. */
  readonly stopping: AbortSignal;
  /** Kills this process now, one time in so many, if it is one that may die. */
  mayDie(oneIn: number): void;
}

/** Of all services, whichever comes next, as behind a load balancer that does not look. */
export function clientOf(urls: readonly string[]): Client {
  const nowhere = "http://soak.invalid";
  let next = 0;
  return createClient({
    url: nowhere,
    retry: { attempts: 12 },
    fetch(asked, init) {
      next += 1;
      return fetch(asked.replace(nowhere, urls[next % urls.length] ?? ""), init);
    },
  });
}

/** Outages and load, which pass; anything else is trouble. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === null || error.status === 429 || error.status === 503;
}

/** Refusals by which one of two is told that the other was first. */
const RACES: ReadonlySet<unknown> = new Set([
  ...["lease_lost", "dispatch_lost", "already_resolved", "state_mismatch", "dispatch_live"],
  ...["invalid_receipt_state", "job_not_found", "not_leasable"],
]);

export async function told(part: Part, error: unknown): Promise<void> {
  const code = error instanceof HoldfastError ? error.code : null;
  const isKnown = mayPass(error) || RACES.has(code);
  const what = code ?? (error instanceof Error ? error.message : String(error));
  await part.tell(
    isKnown ? { kind: "met", what } : { kind: "trouble", who: part.name, what: what.slice(0, 300) },
  );
}

/** Does it again and again, `everyMs` apart, until the process is told to stop. */
export async function again(part: Part, everyMs: number, work: () => Promise<void>): Promise<void> {
  while (!part.stopping.aborted) {
    try {
      await work();
    } catch (error) {
      await told(part, error);
    }
    await sleep(everyMs, undefined, { signal: part.stopping }).catch(() => {});
  }
}

/** The same for all processes at one time, so that they meet at the same records. */
export function slotOf(everyMs: number): number {
  return Math.floor(Date.now() / everyMs);
}
