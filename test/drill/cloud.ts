/**
 * Services on one table or one bucket that are killed while they and workers drain it, over a storage
 * that loses replies: then looks whether anything is lost, stuck, or sent twice without a reason.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { smtpMailer } from "../../adapters/mail/smtp/index.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Mailer } from "../../src/ports/mailer.ts";
import { startSink } from "../adapters/mail/sink.ts";
import app from "./cloud-app.ts";
import { judged, type Repeats } from "./cloud-checks.ts";
import { type Lives, startLives } from "./cloud-lives.ts";
import { type DrillPlace, openPlace, type PlaceKind } from "./cloud-places.ts";
import { clientOf, enqueueAll, startWorker } from "./cloud-workers.ts";
import { FROM, sentIn } from "./letters.ts";

export interface CloudDrillOptions {
  readonly kind: PlaceKind;
  readonly jobs: number;
  readonly kills: number;
  /** Passes lease for two minutes, so that what a killed one had in its hands takes that much longer. */
  readonly doPassesSend: boolean;
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

export interface CloudDrillReport {
  readonly jobs: number;
  readonly seconds: number;
  readonly kills: { readonly serving: number; readonly starting: number };
  /** Services that did not begin over such a storage, and were started again. */
  readonly failedStarts: number;
  readonly requests: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly sends: number;
  readonly sendsByPasses: number;
  readonly repeats: Repeats;
  readonly workerErrors: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

const SERVICES = 2;
const WORKERS = 2;
const ENQUEUERS = 4;

/** How often what was lost to be applied late is applied. */
const LATE_MS = 300;

const LOOK_MS = 500;

/** After this many milliseconds without an end something is stuck: leases of two minutes are over. */
const STUCK_MS = 300_000;

/** As long as a pass leases, and a little. */
const SWEEP_MS = 130_000;

const APP = fileURLToPath(new URL("./cloud-app.js", import.meta.url));

export async function cloudDrill(options: CloudDrillOptions): Promise<CloudDrillReport> {
  const { kind, jobs, kills, doPassesSend, progress = () => {} } = options;
  const begun = performance.now();
  const random = randomFrom(options.seed);
  const [place, sink] = await Promise.all([openPlace(kind, random), startSink()]);
  const smtp = `smtp://127.0.0.1:${sink.port}`;
  const mailer = smtpMailer({ url: smtp });
  const late = setInterval(() => void place.applyLate(), LATE_MS);
  const lives = startLives({
    env: {
      ...place.env,
      HOLDFAST_APP: APP,
      HOLDFAST_RECONCILE_MS: "250",
      ...(doPassesSend ? { HOLDFAST_MAILER: smtp, HOLDFAST_MAIL_FROM: FROM } : {}),
    },
    services: SERVICES,
    kills,
    random,
  });
  const client = clientOf(lives.url);
  const workers = Array.from({ length: WORKERS }, (_, n) =>
    startWorker(`worker-${n + 1}`, client, mailer),
  );
  try {
    const enqueued = await enqueueAll(client, jobs, ENQUEUERS);
    progress(`${jobs} jobs are enqueued`);
    await lives.killed;
    progress(`${kills} kills are done`);
    await drained(place, jobs, progress);
    await Promise.all(workers.map((one) => one.stop()));
    await lives.stop();
    clearInterval(late);
    place.calm();
    await place.applyLate();
    progress("looking at what is left");
    await sweep(place, mailer);
    const sends = sink.received.map(sentIn);
    const held = workers.flatMap((one) => one.held);
    const verdict = judged({
      sends,
      records: await place.records(),
      due: await place.due(),
      enqueued,
      held,
      lives: lives.all,
    });
    return {
      jobs,
      seconds: Math.round((performance.now() - begun) / 1_000),
      ...counted(lives),
      requests: place.requests(),
      faults: place.faults,
      sends: sends.length,
      sendsByPasses: sends.filter(({ by }) => by.startsWith("service")).length,
      workerErrors: summed(workers.map(({ errors }) => errors)),
      ...verdict,
    };
  } finally {
    clearInterval(late);
    await Promise.all(workers.map((one) => one.stop()));
    await lives.stop();
    await Promise.all([mailer.close(), sink.close(), place.close()]);
  }
}

/** Resolves when every job is sent, or nothing will come of it any more. */
async function drained(
  place: DrillPlace,
  jobs: number,
  progress: (text: string) => void,
): Promise<void> {
  const until = performance.now() + STUCK_MS;
  for (let sent = 0; sent < jobs && performance.now() < until; ) {
    await sleep(LOOK_MS);
    const records = await place.records();
    const now = records.filter((body) => JSON.parse(body).state === "sent").length;
    if (now > sent) progress(`${now} of ${jobs} are sent`);
    sent = now;
  }
}

/**
 * What a pass finds wrong in the index it takes away, once its time has come: the marker of a lease stands
 * at the lease's end, also when a settlement could not remove it.
 */
async function sweep({ storage, due }: DrillPlace, mailer: Mailer): Promise<void> {
  // Without a mailer a pass looks at nothing that is to be delivered.
  const holdfast = await createHoldfast({ storage, app, mail: { mailer, from: FROM } });
  const until = performance.now() + SWEEP_MS;
  do {
    await holdfast.reconcile();
    await sleep(LOOK_MS);
  } while ((await due()).length > 0 && performance.now() < until);
  await holdfast.close();
}

function counted({ all }: Lives): Pick<CloudDrillReport, "kills" | "failedStarts"> {
  const ended = (how: string): number => all.filter(({ end }) => end === how).length;
  return {
    kills: { serving: ended("killed"), starting: ended("killed while starting") },
    failedStarts: ended("did not start"),
  };
}

function summed(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** Mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
