/** Recordings as they would be of an adapter with a mistake: the drill has to find each of them. */
import type { Key } from "../../src/core/key.ts";
import type { Version } from "../../src/ports/backend.ts";
import { pathOf } from "./cuts.ts";
import type { Recorded } from "./operations.ts";

/** The same, where files and directories at these paths are never synced. */
export function withoutSyncs(recording: readonly Recorded[], isIt: RegExp): readonly Recorded[] {
  return withPaths(recording)
    .filter(({ line, path }) => !(isSync(line) && isIt.test(path)))
    .map(({ line }) => line);
}

/** The same, where a temp is synced, and closed, only after it was given a record's name. */
export function withLateSyncs(recording: readonly Recorded[]): readonly Recorded[] {
  const held = new Map<string, Recorded[]>();
  return withPaths(recording).flatMap(({ line, path }) => {
    const isHeld = isSync(line) || ("op" in line && line.op === "close");
    if (isHeld && path.includes("/tmp/")) {
      held.set(path, [...(held.get(path) ?? []), line]);
      return [];
    }
    if (!("op" in line && (line.op === "link" || line.op === "rename"))) return [line];
    return [line, ...(held.get(line.from) ?? [])];
  });
}

/** The same, where readers are shown each record as soon as it has its name. */
export function withEarlyReaders(recording: readonly Recorded[]): readonly Recorded[] {
  const latest = new Map<string, { readonly key: Key; readonly version: Version }>();
  return recording.flatMap((line): readonly Recorded[] => {
    if ("told" in line && line.told === "put") latest.set(pathOf(line.key), line);
    if (!("op" in line && (line.op === "link" || line.op === "rename"))) return [line];
    const put = latest.get(line.to);
    if (put === undefined) return [line];
    return [line, { told: "shown", key: put.key, version: put.version }];
  });
}

/**
 * The same, where what is due is entered into the index only after the record is acknowledged; and behind
 * which lines it is lacking. Markers are files, an index is one that grows.
 */
export function withLateDue(recording: readonly Recorded[]): {
  readonly recording: readonly Recorded[];
  readonly lacking: readonly number[];
} {
  const made: Recorded[] = [];
  const lacking: number[] = [];
  const held: Recorded[] = [];
  for (const { line, path } of withPaths(recording)) {
    const isMarker = /\/due\/\w+\/\d+\//.test(path) && "op" in line && line.op === "open";
    const isIndex = /\/due\/index-[^/]*\.log$/.test(path) && "op" in line;
    const isStored = "told" in line && line.told === "stored";
    if (isMarker || (isIndex && line.op === "write")) {
      held.push(line);
      continue;
    }
    if (isIndex && line.op === "close") made.push(...held.splice(0));
    made.push(line);
    if (!isStored || held.length === 0) continue;
    lacking.push(made.length);
    made.push(...held.splice(0));
  }
  return { recording: made, lacking };
}

function isSync(line: Recorded): boolean {
  return "op" in line && (line.op === "sync" || line.op === "synced");
}

/** Each line with the path of the open file that it is about, and a descriptor that no other file has. */
function withPaths(
  recording: readonly Recorded[],
): readonly { readonly line: Recorded; readonly path: string }[] {
  const open = new Map<number, { readonly path: string; readonly fd: number }>();
  const syncs = new Map<number, string>();
  return recording.map((line, index) => {
    if (!("op" in line)) return { line, path: "" };
    if (line.op === "open") open.set(line.fd, { path: line.path, fd: index });
    if (line.op === "synced") return { line, path: syncs.get(line.n) ?? "" };
    if (!("fd" in line)) return { line, path: "" };
    const { path = "", fd = line.fd } = open.get(line.fd) ?? {};
    if (line.op === "sync") syncs.set(line.n, path);
    return { line: { ...line, fd }, path };
  });
}
