/**
 * Kills processes that work on a folder, hundreds of times, and then looks whether anything that they
 * had been promised is lost.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { POLITENESS_MS } from "../../adapters/storage/filesystem/leftovers.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { ContendedError } from "../../src/ports/faults.ts";
import type { Emails } from "../../src/services/emails.ts";

export type Sharing = "processes" | "exclusive";

export interface DrillReport {
  readonly kills: number;
  /** Promises made by the killed processes, by kind. */
  readonly told: Readonly<Record<string, number>>;
  readonly jobs: number;
  /** What was promised and is not so, in words. Empty: the drill was passed. */
  readonly broken: readonly string[];
  /** The longest that finishing one left-over job took, in ms. */
  readonly slowestMs: number;
}

interface Told {
  readonly by: string;
  readonly told: string;
  readonly key?: string;
  readonly token?: string;
  readonly to?: string;
  readonly created?: boolean;
}

const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));

/** A key must be usable again this long after its holder died (a lock is stale after 30 s). */
const STUCK_MS = 35_000;

export async function drill(
  kills: number,
  sharing: Sharing,
  progress: (done: number) => void = () => {},
): Promise<DrillReport> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-drill-"));
  const told: Told[] = [];
  const broken: string[] = [];
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
          progress(started);
        }
      }),
    );
    broken.push(...brokenPromises(directory, told));
    const slowestMs = await finishAll(directory, sharing, broken);
    broken.push(...brokenPromises(directory, told));
    broken.push(...(await leftOvers(directory, sharing)));
    const jobs = jobFiles(directory).length;
    return { kills: started, told: countTold(told), jobs, broken, slowestMs };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Life {
  readonly told: readonly Told[];
  readonly problem: string | null;
}

async function liveAndDie(life: {
  directory: string;
  sharing: Sharing;
  name: string;
}): Promise<Life> {
  const args = [WORKER, life.directory, life.sharing, life.name, "40"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const told: Told[] = [];
  const lines = createInterface({ input: child.stdout });
  let errors = "";
  child.stderr.on("data", (data: Buffer) => {
    errors += data.toString();
  });
  const begun = new Promise<void>((resolve) => {
    lines.on("line", (line) => {
      const one: Told = JSON.parse(line);
      if (one.told === "started") resolve();
      else told.push(one);
    });
    child.once("exit", () => resolve());
  });
  const ended = exitOf(child);
  await begun;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
  child.kill("SIGKILL");
  const signal = await ended;
  const problem =
    signal === "SIGKILL" ? null : `${life.name} ended by itself: ${errors.slice(0, 600)}`;
  return { told, problem };
}

function exitOf(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => {
    child.once("close", (_code, signal) => resolve(signal));
  });
}

function jobFiles(directory: string): string[] {
  return readdirSync(join(directory, "emails", "jobs"));
}

/** Read from the files themselves, not through the product. */
function brokenPromises(directory: string, told: readonly Told[]): string[] {
  const broken: string[] = [];
  const created = new Map<string, number>();
  const settled = new Map<string, string>();
  for (const { told: what, key = "", token = "", to = "", created: isNew } of told) {
    if (what === "enqueued" && isNew === true) created.set(key, (created.get(key) ?? 0) + 1);
    if (what === "settled" && to === "sent") settled.set(key, token);
    const job = jobOf(directory, key);
    if (job === null) broken.push(`${key}: ${what} was promised, but there is no such job`);
  }
  for (const [key, count] of created) {
    if (count > 1) broken.push(`${key}: ${count} processes were told that they created it`);
  }
  for (const key of settled.keys()) {
    if (jobOf(directory, key)?.state !== "sent") broken.push(`${key}: was promised as sent`);
  }
  return broken;
}

function jobOf(directory: string, key: string): { state: string } | null {
  try {
    const file = join(directory, "emails", "jobs", `${sha256Hex(key)}.json`);
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Brings every job that was left anywhere to its end; no key may resist for longer than STUCK_MS. */
async function finishAll(directory: string, sharing: Sharing, broken: string[]): Promise<number> {
  const holdfast = await createHoldfast({ storage: filesystemStorage({ directory, sharing }) });
  let slowestMs = 0;
  try {
    const { emails } = holdfast;
    const jobs = await emails.listJobs();
    for (const { id, reason } of jobs.corrupt) broken.push(`${id}: ${reason}`);
    for (const { logicalKey } of jobs) {
      const begun = Date.now();
      const state = await finish(emails, logicalKey);
      if (state !== "sent") broken.push(`${logicalKey}: stuck as ${state}`);
      slowestMs = Math.max(slowestMs, Date.now() - begun);
    }
    const due = await emails.acquireDueLeases({ durationMs: 1_000, limit: 100 });
    if (due.length > 0) broken.push(`${due.length} jobs were due although all were sent`);
  } finally {
    await holdfast.close();
  }
  return slowestMs;
}

async function finish(emails: Emails, key: string): Promise<string> {
  const begun = Date.now();
  for (;;) {
    const state = (await emails.readJob(key))?.state ?? "gone";
    if (state === "sent" || state === "gone" || Date.now() - begun > STUCK_MS) return state;
    try {
      await advance(emails, key, state);
    } catch (error) {
      // A process killed between making a lock and writing its name into it leaves one that is taken
      // over by its age.
      if (!(error instanceof ContendedError)) throw error;
    }
  }
}

async function advance(emails: Emails, key: string, state: string): Promise<void> {
  if (state === "pending") await emails.transition(key, ["pending"], "ready");
  if (state === "failed") await emails.requeue(key);
  const lease = await emails.acquireSendingLease(key, 5_000);
  if (lease !== null) await emails.transitionSending(lease, lease.leaseToken ?? "", "sent");
}

/**
 * What is still there after somebody opened the folder when the kills were long ago (protocols 7.2,
 * Leftovers). Sooner it may be: what is young could be somebody's who is alive.
 */
async function leftOvers(directory: string, sharing: Sharing): Promise<string[]> {
  const root = join(directory, "emails");
  const minutesAgo = new Date(Date.now() - 2 * POLITENESS_MS);
  for (const file of unrecorded(root)) utimesSync(file, minutesAgo, minutesAgo);
  const holdfast = await createHoldfast({ storage: filesystemStorage({ directory, sharing }) });
  await holdfast.emails.acquireDueLeases({ durationMs: 1_000, limit: 1 });
  await holdfast.close();
  return unrecorded(root).map((file) => `left behind: ${file}`);
}

function unrecorded(root: string): string[] {
  const places = [join(root, "locks"), join(root, "tmp")];
  return places.flatMap((place) => readdirSync(place).map((name) => join(place, name)));
}

function countTold(told: readonly Told[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { told: what } of told) counts[what] = (counts[what] ?? 0) + 1;
  return counts;
}
