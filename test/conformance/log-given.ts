/** What the cases of event logs share. */
import type { JsonArray } from "../../src/core/json.ts";
import type { Key } from "../../src/core/key.ts";
import { after, type EpochMs, seconds } from "../../src/core/time.ts";
import type { Backend } from "../../src/ports/backend.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { type Log, type LogPart, type Logs, openLogs } from "../../src/store/log.ts";
import { logRoot } from "../../src/store/log-keys.ts";
import { type Bench, type FaultyBackend, faultyBackend, type PutFault } from "./fixture.ts";

export const JOB = "0b0e1c1c-3a4e-4a7e-9f5d-0a1b2c3d4e5f";
export const OTHER_JOB = "1c1f2d2d-4b5f-4b8f-8a6e-1b2c3d4e5f60";
export const LOG = `${logRoot(null)}/${JOB}`;

/** A log, behind a backend that can fail and that notes what is asked of it. */
export interface LogBench {
  readonly logs: Logs;
  readonly log: Log;
  readonly backend: FaultyBackend;
  /** `put 000000000001`, `get b/<w>/0`, in order; the write id is left out. */
  readonly asked: string[];
}

export function openLogBench(
  bench: Bench,
  tenant: string | null = null,
  jobId: string = JOB,
): LogBench {
  const asked: string[] = [];
  const name = (key: Key): string => key.replace(/^.*\/log\/[^/]+\//, "").replace(/\/.+\//, "/w/");
  const noting: Backend = {
    ...bench.backend,
    get(key) {
      asked.push(`get ${name(key)}`);
      return bench.backend.get(key);
    },
    putIf(key, body, condition) {
      asked.push(`put ${name(key)}`);
      return bench.backend.putIf(key, body, condition);
    },
    list(prefix, cursor, limit) {
      asked.push("list");
      return bench.backend.list(prefix, cursor, limit);
    },
    remove(key) {
      asked.push(`remove ${name(key)}`);
      return bench.backend.remove(key);
    },
  };
  const backend = faultyBackend(noting);
  const deps = { backend, clock: bench.clock, random: systemRandom(), observe: () => {} };
  const logs = openLogs(deps, logRoot(tenant));
  return { logs, log: logs.open(jobId), backend, asked };
}

/** The next puts of parts, or of continuations, meet `faults`, first come first served. */
export function failPuts(
  backend: FaultyBackend,
  kind: "part" | "continuation",
  faults: readonly PutFault[],
): void {
  const { putIf } = backend;
  const coming = [...faults];
  backend.putIf = (name, body, condition) => {
    const isMeant = name.includes("/b/") === (kind === "continuation");
    const fault = isMeant ? coming.shift() : undefined;
    if (fault !== undefined) backend.plan.push(fault);
    return putIf(name, body, condition);
  };
}

export function soon({ clock }: Bench): EpochMs {
  return after(clock.now(), seconds(20));
}

/** Appends parts one after another, from `first` on; the number after their end. */
export async function fill(
  bench: Bench,
  log: Log,
  { first = 1, parts }: { readonly first?: number; readonly parts: readonly JsonArray[] },
): Promise<number> {
  let next = first;
  for (const items of parts) {
    await log.draft({ about: {}, items }).create(next, soon(bench));
    next += items.length;
  }
  return next;
}

export async function collect(parts: AsyncIterable<LogPart>): Promise<readonly LogPart[]> {
  const all: LogPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** The numbers that parts begin and end with, `!` for an incomplete one. */
export async function spans(parts: AsyncIterable<LogPart>): Promise<readonly string[]> {
  const all = await collect(parts);
  return all.map(({ kind, first, last }) => `${first}-${last}${kind === "whole" ? "" : "!"}`);
}

/** The names below a job's log, the write ids of continuations left out. */
export async function names({ backend }: Bench, log = LOG): Promise<readonly string[]> {
  const page = await backend.list(`${log}/`, null, 1_000);
  return page.entries.map(({ key }) => key.slice(log.length + 1).replace(/\/.+\//, "/w/"));
}

/** Items of which a part needs two continuations, of every kind of character. */
export function largeItems(): JsonArray {
  const kinds = [
    "plain ",
    '"quoted" ',
    "back\\slash ",
    "ümlaut ",
    "漢字 ",
    "\u{1f600} ",
    "\u0001 ",
  ];
  return kinds.map((kind) => ({ text: kind.repeat(5_000) }));
}
