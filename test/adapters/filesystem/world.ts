/** A real folder that is put back into a first state for every schedule. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namesIn, nodeDisk } from "../../../adapters/storage/filesystem/disk.ts";
import type { Attempt } from "../../../adapters/storage/filesystem/key-lock.ts";
import { type RecordPlace, recordPlace } from "../../../adapters/storage/filesystem/layout.ts";
import { lockText } from "../../../adapters/storage/filesystem/lock-file.ts";
import { versionOf } from "../../../adapters/storage/filesystem/record-bytes.ts";
import { key } from "../../../src/core/key.ts";
import type { Version } from "../../../src/ports/backend.ts";
import type { Hands } from "./explorer.ts";

export interface World {
  readonly directory: string;
  /** The record that everybody writes. */
  readonly place: RecordPlace;
  /** Empties the folder; `files` are its first content, by absolute path. */
  reset(files: Readonly<Record<string, string>>): void;
  snapshot(): string;
  /** Null: there is no such file. */
  text(path: string): string | null;
  remove(): void;
}

export const PROCESS = { pid: 1, startedAt: 1, bootId: "boot", pidNamespace: "pid:[1]" };

const ID = "5e".repeat(32);

export function createWorld(): World {
  // Nothing here is about the disk itself, and memory is many times faster.
  const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = mkdtempSync(join(parent, "holdfast-explorer-"));
  const place = recordPlace({ directory, external: {} }, key(`emails/jobs/${ID}`));
  const { root } = place;
  const disk = nodeDisk();
  const bucket = join(root.due, "deliver", "00000000");
  for (const path of [place.directory, root.locks, root.temps, bucket]) {
    mkdirSync(path, { recursive: true });
  }

  /** Everything lies in one of these; a walk would cost most of a schedule's time. */
  const directories = [place.directory, root.locks, root.temps, bucket];
  const singles = [root.state, root.folderLock];

  function files(): readonly string[] {
    const inside = directories.flatMap((path) =>
      namesIn(path)
        .toSorted()
        .map((name) => join(path, name)),
    );
    const takes = namesIn(directory).filter((name) => name.endsWith(".take"));
    const top = [...singles, ...takes.map((name) => join(directory, name))];
    return [...inside, ...top.filter((path) => existsSync(path))];
  }

  function text(path: string): string | null {
    const bytes = disk.read(path);
    return bytes === null ? null : Buffer.from(bytes).toString("latin1");
  }

  return {
    directory,
    place,
    reset(content) {
      for (const path of files()) unlinkSync(path);
      for (const [path, body] of Object.entries(content)) writeFileSync(path, body);
    },
    snapshot: () =>
      files()
        .map((path) => `${path}=${text(path)}`)
        .join(";"),
    text,
    remove: () => rmSync(directory, { recursive: true }),
  };
}

/** A UUID that everybody recognises: `aaaaaaaa-aaaa-…`. `letter` is a hexadecimal digit. */
export function uOf(letter: string): string {
  return [8, 4, 4, 4, 12].map((length) => letter.repeat(length)).join("-");
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

export function versionOfText(text: string): Version {
  return versionOf(bytesOf(text));
}

/** An attempt of the actor whose `u` is made of `letter`; whether a lock is stale is a free choice. */
export function attemptOf(world: World, hands: Hands, letter: string): Attempt {
  const u = uOf(letter);
  return {
    disk: hands.disk,
    place: world.place,
    u,
    lockText: lockText(u, PROCESS, null),
    isStale: () => hands.choose(),
  };
}

/** For those who come later, when everybody before them is dead. */
export function lateAttempt(world: World, letter: string): Attempt {
  const disk = { ...nodeDisk(), sync() {}, syncDirectory() {} };
  return attemptOf(world, { disk, choose: () => true }, letter);
}
