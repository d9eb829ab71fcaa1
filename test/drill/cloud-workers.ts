/** The two clients of the cloud drill: one that enqueues, and workers that send what is due. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Client,
  createClient,
  HoldfastError,
  type Worker,
  worker,
} from "../../src/client/client.ts";
import type { Mailer } from "../../src/ports/mailer.ts";
import { FROM, KIND, keyOf, letterOf, recipientOf } from "./letters.ts";

/** One lease that a worker had, as the worker saw it. */
export interface HeldLease {
  readonly key: string;
  readonly attempt: number;
  readonly by: string;
  /** Whether the service said that the settlement is stored. */
  isSettled: boolean;
  /** Whether the worker was told, or found by its clock, that the lease is not its own any more. */
  isLost: () => boolean;
}

/** A lease of the dead is taken over after it. */
const LEASE_MS = 3_000;

/** Handlers of one worker at the same time. */
const AT_ONCE = 4;

/** How long an enqueuer and a worker wait while nobody serves. */
const NOBODY_MS = 100;

/** A client of whichever service serves, as behind a load balancer. */
export function clientOf(url: () => string | null): Client {
  const nowhere = "http://drill.invalid";
  return createClient({
    url: nowhere,
    fetch: async (asked, init) => {
      const to = url();
      if (to !== null) return fetch(asked.replace(nowhere, to), init);
      await sleep(NOBODY_MS);
      throw new TypeError("nobody serves");
    },
  });
}

export interface Enqueued {
  /** Keys whose creation was acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
  /** Keys of which more than one call was told that it created the job. */
  readonly createdTwice: readonly string[];
}

/** Enqueues jobs 0 … count − 1 one by one, `atOnce` at a time, each until it is acknowledged. */
export async function enqueueAll(client: Client, count: number, atOnce: number): Promise<Enqueued> {
  const acknowledged = new Set<string>();
  const creations = new Map<string, number>();
  let next = 0;

  async function enqueue(key: string): Promise<void> {
    const payload = { type: KIND, recipient: recipientOf(key) };
    while (!acknowledged.has(key)) {
      try {
        const { created } = await client.emails.enqueue({ logicalKey: key, payload });
        if (created) creations.set(key, (creations.get(key) ?? 0) + 1);
        acknowledged.add(key);
      } catch (error) {
        if (!mayPass(error)) throw error;
      }
    }
  }

  const lane = async (): Promise<void> => {
    while (next < count) {
      const key = keyOf(next);
      next += 1;
      await enqueue(key);
      // Somebody enqueues a second time, as a caller does that was killed before it heard.
      if (next % 10 === 0) {
        acknowledged.delete(key);
        await enqueue(key);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const createdTwice = [...creations].flatMap(([key, times]) => (times > 1 ? [key] : []));
  return { acknowledged, createdTwice };
}

/** Outages and load, which a caller waits out; everything else would be a fault of the service. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === null || error.status === 429 || error.status === 503;
}

export interface DrillWorker {
  readonly held: readonly HeldLease[];
  /** What went wrong on the way to the service, by code. */
  readonly errors: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export function startWorker(name: string, client: Client, mailer: Mailer): DrillWorker {
  const held = new Map<string, HeldLease>();
  const errors: Record<string, number> = {};
  const { leaseDue, extend, settle } = client.emails;

  const started: Worker = worker(
    {
      emails: {
        leaseDue,
        extend,
        async settle(key, body, options) {
          const lease = held.get(body.leaseToken);
          try {
            const answer = await settle(key, body, options);
            if (lease !== undefined) lease.isSettled = true;
            return answer;
          } catch (error) {
            const isRefused = error instanceof HoldfastError && error.code === "lease_lost";
            if (lease !== undefined && isRefused) lease.isLost = () => true;
            throw error;
          }
        },
      },
    },
    async ({ logicalKey, attempts, leaseToken }, { signal }) => {
      held.set(leaseToken ?? "", {
        key: logicalKey,
        attempt: attempts,
        by: name,
        isSettled: false,
        isLost: () => signal.aborted,
      });
      const mail = { from: FROM, to: recipientOf(logicalKey), html: null, replyTo: null };
      const letter = letterOf(logicalKey, attempts, name);
      const sent = await mailer.send(
        { ...mail, ...letter },
        { idempotencyKey: logicalKey, signal },
      );
      if (sent.kind !== "sent") throw new Error(sent.error);
    },
    {
      concurrency: AT_ONCE,
      leaseMs: LEASE_MS,
      pollMs: 100,
      idleMs: 400,
      onError(error) {
        const code = error instanceof HoldfastError ? error.code : "not a HoldfastError";
        errors[code] = (errors[code] ?? 0) + 1;
      },
    },
  );
  return {
    get held() {
      return [...held.values()];
    },
    errors,
    stop: () => started.stop(),
  };
}
