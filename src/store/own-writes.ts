/**
 * What became of a write whose reply was lost or refused: read the record and look for our write id
 * (protocols 1.1, step 5). The order of the questions matters; 1.3 there has the counterexamples.
 */
import type { WriteId } from "../core/ids.ts";
import type { Version } from "../ports/backend.ts";
import type { Header } from "./header.ts";

/**
 * `stored`: ours is the current version. `superseded`: ours was stored and others wrote on top.
 * `not_landed`: what we expected still stands, so the same write may be sent again, and an earlier copy
 * may still land. `refused`: definitely not stored, and a late copy of it is dead. `unknowable`: the
 * evidence is gone.
 */
export type Standing = "stored" | "superseded" | "not_landed" | "refused" | "unknowable";

export interface Write {
  readonly w: WriteId;
  readonly expected: "absent" | Version;
  /** `v` of the version that was expected; 0 for absent and for an original's file. */
  readonly expectedV: number;
}

export function standingOf(
  write: Write,
  found: { readonly version: Version; readonly header: Header } | null,
): Standing {
  if (found === null) return write.expected === "absent" ? "not_landed" : "unknowable";
  const { header } = found;
  if (header.w === write.w) return "stored";
  if (found.version === write.expected) return "not_landed";
  // A file without header where we expected something else was there before any write of ours: ours
  // would have left a header, and the originals never run beside us.
  if (header.w === null) return "refused";
  const successor = header.recent.length - (header.v - write.expectedV);
  const winner = successor < 0 ? undefined : header.recent[successor];
  if (winner === undefined) return "unknowable";
  return winner === write.w ? "superseded" : "refused";
}
