/**
 * `holdfast.json` of a root: the format, the boot during which its due index was whole, and where that
 * index is (protocols 7.6, step 9). It is replaced like a record, through `tmp/` and the fence, since
 * two who disagree about it would lose sight of waiting records.
 */
import { join } from "node:path";
import { sha256Hex } from "../../../src/core/hash.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import type { Key } from "../../../src/core/key.ts";
import type { Version } from "../../../src/ports/backend.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { Disk } from "./disk.ts";
import type { RecordPlace, RootPlace } from "./layout.ts";
import { versionOf } from "./record-bytes.ts";

/** What this code writes; it reads no later one. */
export const FOLDER_FORMAT = 1;

/** `markers`: files in `due/` (processes). `index`: a file in `due/` (exclusive). */
export type DueKept = "markers" | { readonly index: string };

export interface RootState {
  readonly bootId: string | null;
  readonly due: DueKept;
}

export interface FoundRootState {
  /** Null: there is none, or none that can be read; the index is rebuilt then. */
  readonly state: RootState | null;
  /** Whether a file lies there at all, and which. */
  readonly version: Version | null;
  readonly stamp: string | null;
}

/** In the place of a boot id: the due index is not whole, whatever the boot. */
export const NO_BOOT = "";

const INDEX_NAME = /^index-[0-9a-f-]{36}\.log$/;

/** Throws MisconfiguredError when a later version of this code wrote it. */
export function readRootState(disk: Disk, root: RootPlace): FoundRootState {
  for (;;) {
    const stamp = disk.stamp(root.state);
    const bytes = disk.read(root.state);
    // Replaced between the two: what was read may be the one or the other.
    if (disk.stamp(root.state) !== stamp) continue;
    if (bytes === null) return { state: null, version: null, stamp };
    return { state: parseState(root.state, bytes), version: versionOf(bytes), stamp };
  }
}

export function rootStateBytes(state: RootState): Uint8Array {
  const body = { format: FOLDER_FORMAT, bootId: state.bootId, due: state.due };
  return Buffer.from(`${JSON.stringify(body, null, 2)}\n`);
}

/** The state as a record: its lock is also held by who rebuilds or converts the due index. */
export function statePlace(root: RootPlace): RecordPlace {
  const name = `${root.root}/holdfast` as Key;
  const id = sha256Hex(name);
  return {
    key: name,
    root,
    id,
    file: root.state,
    directory: root.directory,
    isLasting: true,
    lock: join(root.locks, `${id}.lock`),
  };
}

/** Throws MisconfiguredError, naming the file and its format. Null: no JSON object. */
export function parseFormat(file: string, bytes: Uint8Array): JsonObject | null {
  const value = parseJson(bytes);
  if (value === null) return null;
  const format = value["format"];
  if (typeof format === "number" && format > FOLDER_FORMAT) {
    throw new MisconfiguredError(
      `${file} has format ${format}, and this version of holdfast reads up to ${FOLDER_FORMAT}: ` +
        "use the version that wrote it, or a later one",
    );
  }
  return value;
}

function parseState(file: string, bytes: Uint8Array): RootState | null {
  const value = parseFormat(file, bytes);
  if (value === null || value["format"] !== FOLDER_FORMAT) return null;
  const bootId = value["bootId"];
  const due = parseDueKept(value);
  if (due === null || (bootId !== null && typeof bootId !== "string")) return null;
  return { bootId, due };
}

/** Also of `due/rebuild.json`. */
export function parseDueKept(value: JsonObject): DueKept | null {
  const due = value["due"];
  if (due === "markers") return due;
  const index = isJsonObject(due) ? due["index"] : null;
  return typeof index === "string" && isIndexName(index) ? { index } : null;
}

export function isIndexName(name: string): boolean {
  return INDEX_NAME.test(name);
}

export function parseJson(bytes: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
