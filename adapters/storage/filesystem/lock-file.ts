/** What stands in a lock, and whether its owner can still be alive (protocols 7.1, 7.2). */
import { readFileSync, readlinkSync } from "node:fs";
import { isJsonObject, type JsonValue } from "../../../src/core/json.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import type { AgedFile } from "./disk.ts";

/** `LOCK_STALE_MS` of protocols 0: strictly older is stale. Saves work; no safety rests on it. */
export const LOCK_STALE_MS = 30_000;

/**
 * The same for a lock of ours that nobody's name is in: that lasts from one system call to the next, or
 * for good where its maker was killed in between, or the power failed before the name was on the disk. An
 * original's is empty too, but has a second link.
 */
const UNNAMED_STALE_MS = 2_000;

/** One process during one boot. */
export interface ProcessMark {
  readonly pid: number;
  /** Ticks after boot at which the process began; null where the system does not tell. */
  readonly startedAt: number | null;
  /** Null where the system has none: then nothing is known about the dead. */
  readonly bootId: string | null;
  /** The space in which its pid counts, such as a container's; null where the system has none. */
  readonly pidNamespace: string | null;
}

export interface LockContent {
  /** Who holds it: fresh for every acquisition. Empty between creation and writing. */
  readonly u: string;
  /** Null in an original's lock, which is empty, and in a damaged one. */
  readonly owner: ProcessMark | null;
  /** Of `folder.lock`: where the owner serves HTTP, and since when it has the folder. */
  readonly address: string | null;
  readonly since: EpochMs | null;
  /** Of `folder.lock`: what lets its reader in at `address`. Belongs into no message. */
  readonly secret: string | null;
  /** Of `folder.lock`: held only for the moment in which a dead owner is cleared away. */
  readonly isClearing: boolean;
}

export interface FolderFields {
  readonly address: string | null;
  readonly secret: string | null;
  readonly since: EpochMs;
  readonly isClearing: boolean;
}

/** First line `u`, second line what helps others to judge. Only `u` is ever compared. */
export function lockText(u: string, owner: ProcessMark, fields: FolderFields | null): string {
  return `${u}\n${JSON.stringify({ ...owner, ...fields })}\n`;
}

/** Never throws: what cannot be read is nobody's, and judged by age alone. */
export function parseLock(bytes: Uint8Array): LockContent {
  const [u = "", second = ""] = Buffer.from(bytes).toString("utf8").split("\n");
  const fields = parseObject(second);
  const pid = fields["pid"];
  const isOwner = typeof pid === "number" && Number.isSafeInteger(pid) && pid > 0;
  return {
    u,
    owner: isOwner
      ? {
          pid,
          startedAt: numberOr(fields["startedAt"]),
          bootId: textOr(fields["bootId"]),
          pidNamespace: textOr(fields["pidNamespace"]),
        }
      : null,
    address: textOr(fields["address"]),
    secret: textOr(fields["secret"]),
    since: numberOr(fields["since"]) as EpochMs | null,
    isClearing: fields["isClearing"] === true,
  };
}

/** The `u` of a lock file, null when there is none. */
export function holderIn(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : parseLock(bytes).u;
}

/** Whether a lock may be taken over: by its age, or because its owner is known dead. */
export function isStaleLock(file: AgedFile, now: EpochMs, self: ProcessMark): boolean {
  const { owner } = parseLock(file.bytes);
  const isUnnamed = owner === null && file.links === 1;
  if (now - file.modifiedAt > (isUnnamed ? UNNAMED_STALE_MS : LOCK_STALE_MS)) return true;
  return owner !== null && isKnownDead(owner, self);
}

/**
 * Whether `owner` runs no more: it ran before the machine booted, or its pid is gone or another's. A
 * wrong answer costs the owner one write, never a record: the fence does not rest on it (7.3).
 */
export function isKnownDead(owner: ProcessMark, self: ProcessMark): boolean {
  if (owner.bootId === null || self.bootId === null) return false;
  if (owner.bootId !== self.bootId) return true;
  // A pid of another container says nothing about the processes of this one.
  if (owner.pidNamespace !== self.pidNamespace) return false;
  if (!pidExists(owner.pid)) return true;
  const running = processStatus(owner.pid);
  // A process that ended but was not waited for still has its pid, and writes nothing any more.
  if (running !== null && (running.state === "Z" || running.state === "X")) return true;
  return owner.startedAt !== null && running !== null && running.startedAt !== owner.startedAt;
}

export function thisProcess(): ProcessMark {
  return {
    pid: process.pid,
    startedAt: processStatus(process.pid)?.startedAt ?? null,
    bootId: readBootId(),
    pidNamespace: readPidNamespace(),
  };
}

function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not being allowed to signal it proves that it is there.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Fields 3 (state) and 22 (start time) of /proc/<pid>/stat; null where there is none. */
function processStatus(pid: number): { state: string; startedAt: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Field 2 is the command in parentheses and may hold anything, so fields count from its end.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: Number(fields[19]) };
  } catch {
    return null;
  }
}

function readBootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return null;
  }
}

/** Names the space in which pids count; null where the system has no such spaces. */
function readPidNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

function parseObject(text: string): { readonly [name: string]: JsonValue } {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function numberOr(value: JsonValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}

function textOr(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
