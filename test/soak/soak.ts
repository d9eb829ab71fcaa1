/** A soak: mixed traffic on real services for a while, a quiet time, and a look at everything that is left. */
import { setTimeout as sleep } from "node:timers/promises";
import { beginners, finishers, type Troupe } from "./cast.ts";
import { broken } from "./checks.ts";
import type { Fact } from "./facts.ts";
import { openLog } from "./log.ts";
import { filesOf, type Growth, growthOf, leaks, type Sample } from "./meter.ts";
import { type Place, placeOf, type StorageName } from "./place.ts";
import { clientOf } from "./role.ts";
import {
  freePort,
  type Restless,
  restless,
  type Service,
  serviceEnv,
  startService,
} from "./services.ts";
import { readBack, type Stored, unfinished } from "./stored.ts";
import { startWorld } from "./world.ts";

/** `leak`: a service keeps what it should not. `loss`: an acknowledged email that is not stored. */
export type Plant = "leak" | "loss";

export interface SoakOptions {
  readonly minutes: number;
  readonly storage: StorageName;
  /** What a soak must tell; none for a real one. */
  readonly plants?: readonly Plant[];
  readonly progress?: (text: string) => void;
}

export interface SoakReport {
  readonly storage: StorageName;
  readonly minutes: number;
  readonly quietSeconds: number;
  readonly facts: readonly Fact[];
  readonly stored: Stored;
  readonly services: Omit<Restless, "broken">;
  /** Of senders, runners and callers that killed themselves. */
  readonly deaths: number;
  /** Of the service that lives through it all. */
  readonly growths: readonly Growth[];
  readonly samples: readonly Sample[];
  /** `GET /healthz` of that service, in milliseconds. */
  readonly latencies: readonly number[];
  readonly size: string;
  /** Warnings and errors in the services' logs. */
  readonly said: ReadonlyMap<string, number>;
  readonly broken: readonly string[];
}

/** How often the service is asked what it holds, at least so many times in a soak. */
const SAMPLE_MS = 10_000;
const SAMPLES_MIN = 30;

const HEALTH_MS = 250;

/** A pass leases for two minutes: what a killed one had in hand takes that much longer. */
const QUIET_MS_MAX = 180_000;
const LOOK_MS = 3_000;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, storage, plants = [], progress = () => {} } = options;
  const [place, world] = await Promise.all([placeOf(storage), startWorld()]);
  const env = serviceEnv(place.env, world.url);
  const ports = [await freePort(), await freePort()] as const;
  const log = openLog(progress);
  const steady = await startService({ ...env, ...plantOf(plants, "leak") }, ports[0], log.hears);
  const ending = new AbortController();
  const others = restless(() => startService(env, ports[1], log.hears), ending.signal);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const given = { env: { ...env, ...plantOf(plants, "loss") }, world: world.url, urls };
  const working = finishers(given);
  const beginning = beginners(given);
  const metering = meter(steady, minutes * 60_000);
  try {
    await metering.done;
    progress(`${minutes} minutes are over: quiet`);
    await beginning.stop();
    ending.abort();
    const { broken: disorder, ...services } = await others;
    const quietMs = await quiet(steady, progress);
    await working.stop();
    const stored = await readBack(clientOf([steady.url]));
    const growths = growthOf(metering.samples);
    const status = await steady.end("SIGTERM");
    return {
      ...{ storage, minutes, services, stored, growths },
      quietSeconds: Math.round(quietMs / 1_000),
      facts: world.facts,
      deaths: beginning.deaths() + working.deaths(),
      ...{ samples: metering.samples, latencies: metering.latencies },
      size: place.size(),
      said: log.said,
      broken: [
        ...disorder,
        ...beginning.broken(),
        ...working.broken(),
        ...(status === 0 ? [] : [`the service that was stopped at the end ended with ${status}`]),
        ...leaks(growths),
        ...log.broken,
        ...broken(world.facts, stored),
      ],
    };
  } finally {
    ending.abort();
    metering.stop();
    await close(place, [beginning, working], [steady.end("SIGKILL"), others]);
    await world.close();
  }
}

function plantOf(plants: readonly Plant[], plant: Plant): Readonly<Record<string, string>> {
  return plants.includes(plant) ? { SOAK_PLANT: plant } : {};
}

async function close(
  place: Place,
  troupes: readonly Troupe[],
  services: readonly Promise<unknown>[],
): Promise<void> {
  await Promise.all(troupes.map((one) => one.stop()));
  await Promise.all(services);
  await place.close();
}

/** Samples of the service until the time is over. */
function meter(service: Service, ms: number) {
  const samples: Sample[] = [];
  const latencies: number[] = [];
  const stopping = new AbortController();
  const begun = performance.now();
  const isOver = (): boolean => stopping.signal.aborted || performance.now() - begun >= ms;
  const wait = (waitMs: number) =>
    sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});

  async function sample(): Promise<void> {
    while (!isOver()) {
      await wait(Math.min(SAMPLE_MS, ms / SAMPLES_MIN));
      const held = await service.held();
      if (held === null) return;
      samples.push({ ...held, atMs: performance.now() - begun, files: filesOf(service.pid) });
    }
  }

  async function ask(): Promise<void> {
    while (!isOver()) {
      const askedAt = performance.now();
      const answer = await fetch(`${service.url}/healthz`).catch(() => null);
      if (answer?.ok !== true) throw new Error("the service that was to live does not answer");
      await answer.arrayBuffer();
      latencies.push(performance.now() - askedAt);
      await wait(HEALTH_MS);
    }
  }

  return {
    samples,
    latencies,
    done: Promise.all([sample(), ask()]),
    stop: () => stopping.abort(),
  };
}

/** Until everything that was begun has come to its end, or never will. How long that took. */
async function quiet(service: Service, progress: (text: string) => void): Promise<number> {
  const begun = performance.now();
  const client = clientOf([service.url]);
  for (;;) {
    const left = await unfinished(client);
    const quietMs = performance.now() - begun;
    if (Object.values(left).every((count) => count === 0) || quietMs > QUIET_MS_MAX) return quietMs;
    progress(`not at their end: ${JSON.stringify(left)}`);
    await sleep(LOOK_MS);
  }
}
