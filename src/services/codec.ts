/** How a machine's state is kept in a record, and what becomes of what a later release added to it. */
import type { JsonObject } from "../core/json.ts";
import type { Due } from "../core/machine.ts";
import type { RecordBody } from "../store/header.ts";
import type { Stored } from "../store/store.ts";

export interface Codec<State> {
  /** Throws RecordCorruptError. */
  readonly load: (stored: Stored) => State;
  readonly save: (state: State) => RecordBody;
  readonly due: (state: State) => Due | null;
  /** The names beside a record's fields that this release knows. */
  readonly extras: ReadonlySet<string>;
  /** Whether it is what an erasure or a retirement leaves: nothing outlives that whose content is not known. */
  readonly isRemains: (state: State) => boolean;
}

/** For a record beside whose fields this release keeps nothing. */
export const NO_EXTRAS: ReadonlySet<string> = new Set();

/** Of what stands beside a record's fields that which `extras` names. */
export function knownExtra(extra: JsonObject, extras: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => extras.has(name)));
}

/**
 * The record of `state` in place of `base`. During a deploy an older process meets records of a newer one.
 * What a release adds without raising SCHEMA stands beside the fields and may be ignored, so it is passed
 * over when it is read and kept when the record is written.
 */
export function savedRecord<State>(
  codec: Codec<State>,
  state: State,
  base: Stored | null,
): RecordBody {
  const { fields, extra } = codec.save(state);
  if (base === null || codec.isRemains(state)) return { fields, extra };
  const added = Object.entries(base.extra).filter(([name]) => !codec.extras.has(name));
  return { fields, extra: { ...extra, ...Object.fromEntries(added) } };
}
