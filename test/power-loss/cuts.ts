/** Goes through a recording and cuts the power after every call of it. */

import { recordPlace } from "../../adapters/storage/filesystem/layout.ts";
import type { Key } from "../../src/core/key.ts";
import type { Version } from "../../src/ports/backend.ts";
import { type Image, modelDisk, type Survival } from "./disk-model.ts";
import { hashOf } from "./images.ts";
import type { Recorded } from "./operations.ts";
import { type Promised, promises } from "./promises.ts";
import { FOLDER } from "./recording.ts";

export interface Cut {
  /** How many lines of the recording came before it. */
  readonly at: number;
  /** The name of what survived it. */
  readonly survived: string;
  readonly image: Image;
  readonly promised: Promised;
}

/** What a recorded process found. */
export interface First {
  readonly image: Image;
  readonly records: ReadonlyMap<Key, Version>;
}

export interface CutOptions {
  /** Nothing, if it is left out. */
  readonly first?: First;
  /** Which survivals are looked at behind so many lines. */
  survivals(at: number): Iterable<Survival>;
}

/** A cut is good until the next one is asked for. */
export function* cuts(recording: readonly Recorded[], options: CutOptions): Generator<Cut> {
  const disk = modelDisk(options.first?.image);
  const promised = promises(options.first?.records);
  for (const [index, recorded] of recording.entries()) {
    if ("told" in recorded) promised.hear(recorded);
    else disk.apply(recorded);
    for (const survival of options.survivals(index + 1)) {
      yield { at: index + 1, survived: survival.name, image: disk.image(survival), promised };
    }
  }
}

/** What of the promises does not hold in the files themselves, in words. */
export function* brokenIn({ image, promised }: Cut): Generator<string> {
  for (const key of promised.keys()) {
    const problem = promised.problem(key, versionIn(image, key));
    if (problem !== null) yield problem;
  }
}

function versionIn(image: Image, key: Key): Version | null {
  const found = image.get(pathOf(key));
  return found === undefined || found === null ? null : (hashOf(found.bytes) as Version);
}

const paths = new Map<Key, string>();

/** The file of a record, relative to the recorded directory. */
export function pathOf(key: Key): string {
  const known = paths.get(key);
  if (known !== undefined) return known;
  const { file } = recordPlace({ directory: `/${FOLDER}`, external: {} }, key);
  paths.set(key, file.slice(1));
  return file.slice(1);
}

/** What the next process finds, if this is what the power left. */
export function firstOf({ image, promised }: Cut): First {
  const records = new Map<Key, Version>();
  for (const key of promised.keys()) {
    const version = versionIn(image, key);
    if (version !== null) records.set(key, version);
  }
  return { image, records };
}
