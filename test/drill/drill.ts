/**
 * Kills processes that work on a folder, any number of times, at random and behind named calls, and then
 * looks whether anything that they had been promised is lost.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { POLITENESS_MS } from "../../adapters/storage/filesystem/leftovers.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { systemClock } from "../../src/ports/clock.ts";
import {
  ABSENT,
  BOUNDARIES,
  BOUNDARY_VARIABLE,
  type BoundaryName,
  PASSES_VARIABLE,
} from "./boundaries.ts";
import { emailDrill } from "./emails.ts";
import { queryDrill } from "./queries.ts";
import { allReceipts, receiptDrill, WORKSPACE } from "./receipts.ts";
import { pick, type Told } from "./told.ts";

export type Sharing = "processes" | "exclusive";

export interface DrillReport {
  readonly kills: number;
  /** Of them, those behind a named call, by its name; all others came at any time. */
  readonly boundaries: Readonly<Record<string, number>>;
  /** Promises made by the killed processes, by machine and kind. */
  readonly told: Readonly<Record<string, number>>;
  /** What was promised and is not so, in words. Empty: the drill was passed. */
  readonly broken: readonly string[];
}

const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
const DIE = new URL("./die.js", import.meta.url).href;

const MACHINES = [emailDrill, receiptDrill, queryDrill];
const ROOTS = ["emails", "receipts", "queries"];

/** By then every lease of the killed is over: those of dispatches with their margin. */
const LONG_AFTER_MS = 120_000;

export async function drill(
  kills: number,
  sharing: Sharing,
  progress: (done: number) => void = () => {},
): Promise<DrillReport> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-drill-"));
  const told: Told[] = [];
  const broken: string[] = [];
  const boundaries: string[] = [];
  try {
    let started = 0;
    const lanes = sharing === "exclusive" ? 1 : 3;
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (started < kills) {
          started += 1;
          const life = await liveAndDie({ directory, sharing, name: `p${started}` });
          told.push(...life.told);
          if (life.problem !== null) broken.push(life.problem);
          if (life.boundary !== null) boundaries.push(life.boundary);
          progress(started);
        }
      }),
    );
    broken.push(...(await brokenIn(directory, sharing, told)));
    broken.push(...(await leftOvers(directory, sharing)));
    return { kills: started, boundaries: counted(boundaries), told: countedTold(told), broken };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Life {
  readonly told: readonly Told[];
  /** The boundary at which it ended; null: it was killed at random. */
  readonly boundary: BoundaryName | null;
  readonly problem: string | null;
}

async function liveAndDie(life: {
  readonly directory: string;
  readonly sharing: Sharing;
  readonly name: string;
}): Promise<Life> {
  const boundary = pick(2) === 0 ? someBoundary(life.sharing) : null;
  const child = spawn(process.execPath, [WORKER, life.directory, life.sharing, life.name], {
    stdio: ["ignore", "pipe", "pipe"],
    env: boundary === null ? process.env : boundaryEnvironment(boundary),
  });
  const told: Told[] = [];
  let errors = "";
  let isKilledByUs = false;
  child.stderr.on("data", (data: Buffer) => {
    errors += data.toString();
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("close", (_code, signal) => resolve(signal));
  });
  const begun = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "started") resolve();
      else told.push(JSON.parse(line));
    });
    child.once("exit", () => resolve());
  });
  await begun;
  const patienceMs = boundary === null ? Math.random() * 600 : 3_000;
  const timer = setTimeout(() => {
    isKilledByUs = true;
    child.kill("SIGKILL");
  }, patienceMs);
  const signal = await ended;
  clearTimeout(timer);
  const problem =
    signal === "SIGKILL" ? null : `${life.name} ended by itself: ${errors.slice(0, 600)}`;
  return { told, boundary: isKilledByUs ? null : boundary, problem };
}

function someBoundary(sharing: Sharing): BoundaryName | null {
  const names = (Object.keys(BOUNDARIES) as BoundaryName[]).filter(
    (name) => !ABSENT[sharing].includes(name),
  );
  return names[pick(names.length)] ?? null;
}

function boundaryEnvironment(boundary: BoundaryName): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_OPTIONS: `--import ${DIE}`,
    [BOUNDARY_VARIABLE]: boundary,
    [PASSES_VARIABLE]: String(boundary === "record removed" ? pick(5) : pick(60)),
  };
}

/** Looks at all that was promised, brings what was left to its end, and looks again. */
async function brokenIn(
  directory: string,
  sharing: Sharing,
  told: readonly Told[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  const look = async (holdfast: Holdfast): Promise<void> => {
    for (const machine of MACHINES) broken.push(...(await machine.broken(holdfast, told)));
  };
  const holdfast = await reopened(directory, sharing, {});
  try {
    await look(holdfast);
    await passes(holdfast, broken);
    for (const machine of MACHINES) broken.push(...(await machine.finish(holdfast)));
    await look(holdfast);
    const { size } = (await allReceipts(holdfast.receipts)).found;
    await holdfast.close();
    broken.push(...(await miscounted(directory, sharing, size)));
  } finally {
    await holdfast.close();
  }
  return broken;
}

/** As long as there is more to do. */
async function passes({ reconcile }: Holdfast, broken: string[]): Promise<void> {
  for (;;) {
    const { failures, hasMore } = await reconcile();
    broken.push(
      ...failures.map(({ machine, id, code }) => `a pass over ${machine}: ${id} ${code}`),
    );
    if (!hasMore || failures.length > 0) return;
  }
}

/** Whether a workspace that holds `count` receipts takes exactly one more, where that is its capacity. */
async function miscounted(
  directory: string,
  sharing: Sharing,
  count: number,
): Promise<readonly string[]> {
  const holdfast = await reopened(directory, sharing, { receiptCapacity: count + 1 });
  const prepare = (operationId: string) =>
    holdfast.receipts.prepare({ workspaceId: WORKSPACE, operationId, payload: {} }).then(
      () => "taken",
      (error: { readonly code?: string }) => error.code ?? String(error),
    );
  try {
    const answers = [await prepare("the-last-one"), await prepare("one-too-many")];
    const isExact = answers.join() === "taken,operation_receipt_capacity";
    return isExact ? [] : [`of ${count} receipts and room for one two were ${answers.join()}`];
  } finally {
    await holdfast.close();
  }
}

function reopened(
  directory: string,
  sharing: Sharing,
  limits: { readonly receiptCapacity?: number },
): Promise<Holdfast> {
  const clock = { ...systemClock(), now: () => epochMs(Date.now() + LONG_AFTER_MS) };
  const storage = filesystemStorage({ directory, sharing });
  return createHoldfast({ storage, clock, limits: { receiptCapacity: 65_536, ...limits } });
}

/**
 * What is still there after somebody opened the folder when the kills were long ago (protocols 7.2,
 * Leftovers). Sooner it may be: what is young could be somebody's who is alive.
 */
async function leftOvers(directory: string, sharing: Sharing): Promise<string[]> {
  const roots = ROOTS.map((root) => join(directory, root));
  const minutesAgo = new Date(Date.now() - 2 * POLITENESS_MS);
  for (const file of roots.flatMap(unrecorded)) utimesSync(file, minutesAgo, minutesAgo);
  const holdfast = await createHoldfast({ storage: filesystemStorage({ directory, sharing }) });
  await holdfast.emails.acquireDueLeases({ durationMs: 1_000, limit: 1 });
  await holdfast.close();
  return roots.flatMap(unrecorded).map((file) => `left behind: ${file}`);
}

function unrecorded(root: string): string[] {
  const places = [join(root, "locks"), join(root, "tmp")];
  return places.flatMap((place) => readdirSync(place).map((name) => join(place, name)));
}

function countedTold(told: readonly Told[]): Record<string, number> {
  return counted(told.map(({ machine, told: what }) => `${machine} ${what}`));
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
