/**
 * Cuts the power of a process after every call that it made to the file system, and looks at what any
 * disk that keeps to POSIX may have left: whether all that was acknowledged or shown is there, every record
 * as it was before or after a write, and whether the next process goes on with it. Writes of one record
 * wait for those before, and nobody acts on what is not durable, so that this is all that the services
 * above need: to them a cut of the power is a kill.
 */
import { SHARINGS, type Sharing, SOON_MS } from "./boots.ts";
import { brokenIn, type Cut, cuts, type First, firstOf } from "./cuts.ts";
import { imageHash } from "./images.ts";
import type { Recorded } from "./operations.ts";
import { brokenAfter, LATER_MS, type Reboot } from "./reboot.ts";
import { FOLDER, record } from "./recording.ts";
import { EVERYTHING, survivals } from "./survivals.ts";

export interface PowerLossOptions {
  readonly sharing: Sharing;
  /** How many survivals are drawn for every cut, beside the plain ones. */
  readonly seeds: number;
  /** Of so many cuts one is opened by the adapter as well; 1: all. */
  readonly oneIn: number;
  /** Recorded lives: each begins with what a cut left of the one before, in the other sharing. */
  readonly lives: number;
  readonly progress?: (text: string) => void;
}

export interface PowerLossReport {
  /** Calls of the recorded processes that change the folder or make it durable. */
  readonly calls: number;
  /** Images whose files were compared with what was promised. */
  readonly images: number;
  /** Different ones of them that the adapter opened, as after a reboot, and as after a kill. */
  readonly reboots: number;
  readonly kills: number;
  /** What does not hold, in words, each once. Empty: passed. */
  readonly broken: readonly string[];
}

/** Drawn survivals of a cut that are opened by the adapter; there are many more cuts to open. */
const OPENED_SEEDS = 2;

const NOTHING_YET: First = { image: new Map(), records: new Map() };

export async function powerLossDrill(options: PowerLossOptions): Promise<PowerLossReport> {
  const { lives, seeds, progress = () => {} } = options;
  const report = { calls: 0, images: 0, reboots: 0, kills: 0, broken: new Set<string>() };
  let first = NOTHING_YET;
  let sharing = options.sharing;
  for (let boot = 1; boot <= lives; boot += 1) {
    const recording = await record(sharing, boot, first.image);
    report.calls += recording.filter((one) => "op" in one).length;
    for (const cut of cuts(recording, { first, survivals: (at) => survivals(at, seeds) })) {
      report.images += 1;
      for (const problem of brokenIn(cut)) report.broken.add(`life ${boot}: ${problem}`);
    }
    await openAll(recording, { ...options, sharing, boot, first, progress }, report);
    first = midway(recording, first);
    sharing = SHARINGS.find((other) => other !== sharing) ?? sharing;
  }
  return { ...report, broken: [...report.broken] };
}

interface Life extends PowerLossOptions {
  readonly boot: number;
  readonly first: First;
  readonly progress: (text: string) => void;
}

async function openAll(
  recording: readonly Recorded[],
  life: Life,
  report: { reboots: number; kills: number; readonly broken: Set<string> },
): Promise<void> {
  const { boot, sharing, first } = life;
  const seeds = Math.min(life.seeds, OPENED_SEEDS);
  const isOpened = (at: number): boolean => at % life.oneIn === 0;
  const known = new Set<string>();

  async function open(cut: Cut, reboot: Reboot): Promise<void> {
    const how = reboot.boot === boot ? "killed" : `the power cut, ${cut.survived} survives`;
    for (const problem of await brokenAfter(cut, reboot)) {
      report.broken.add(`life ${boot}, line ${cut.at}, ${how}: ${problem}`);
    }
  }

  const chosen = (at: number) => (isOpened(at) ? survivals(at, seeds) : []);
  for (const cut of cuts(recording, { first, survivals: chosen })) {
    const hash = imageHash(cut.image);
    if (known.has(hash) || !cut.image.has(FOLDER)) continue;
    known.add(hash);
    report.reboots += 1;
    const afterMs = report.reboots % 2 === 0 ? LATER_MS : SOON_MS;
    await open(cut, { sharing, boot: boot + 1, afterMs });
    if (cut.survived === EVERYTHING.name) {
      report.kills += 1;
      await open(cut, { sharing, boot, afterMs: LATER_MS });
    }
    if (report.reboots % 500 === 0) life.progress(`${report.reboots} reboots, line ${cut.at}`);
  }
}

/** What a cut in the middle of the work leaves. */
function midway(recording: readonly Recorded[], first: First): First {
  const middle = Math.floor(recording.length / 3);
  const drawn = (at: number) => (at === middle ? survivals(at, 1).slice(-1) : []);
  for (const cut of cuts(recording, { first, survivals: drawn })) return firstOf(cut);
  return first;
}
