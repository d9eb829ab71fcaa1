/**
 * `due/rebuild.json`: how far a rebuild got, so that the next one goes on there. Written through the
 * fence: whoever lost the folder must not vouch for an index that others have not kept since.
 */
import { readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { StoreUnavailableError } from "../../../src/ports/faults.ts";
import { absentIs, type Disk } from "./disk.ts";
import type { RootPlace } from "./layout.ts";
import { type DueKept, parseDueKept, parseJson, statePlace } from "./root-state.ts";
import { runSteps, type Steps } from "./steps.ts";
import { dropTemp, quietly, renameTemp, tempPath, writeTemp } from "./temp-file.ts";

export interface Checkpoint {
  /** Never null: where there is no boot id, nothing is resumed. */
  readonly bootId: string;
  /** Where the entries found so far are. */
  readonly due: DueKept;
  /** The last key that is done. */
  readonly after: string;
}

export function readCheckpoint(root: RootPlace): Checkpoint | null {
  const bytes = absentIs(null, () => readFileSync(pathOf(root)));
  const value = bytes === null ? null : parseJson(bytes);
  if (value === null) return null;
  const due = parseDueKept(value);
  const bootId = value["bootId"];
  const after = value["after"];
  if (due === null || typeof bootId !== "string" || typeof after !== "string") return null;
  return { bootId, due, after };
}

/** `mayPublish`: the look at the folder's lock. Throws StoreUnavailableError when it says no. */
export function writeCheckpoint(
  root: RootPlace,
  checkpoint: Checkpoint,
  by: { readonly disk: Disk; readonly u: string; readonly mayPublish: () => Steps<boolean> },
): void {
  const temp = tempPath(statePlace(root), by.u, "upd");
  const bytes = Buffer.from(`${JSON.stringify(checkpoint, null, 2)}\n`);
  runSteps(writeTemp(by.disk, temp, bytes));
  const isOurs = runSteps(by.mayPublish());
  const outcome = isOurs ? runSteps(renameTemp(by.disk, temp, pathOf(root))) : "fenced";
  if (outcome === "done") return;
  runSteps(dropTemp(by.disk, temp));
  throw new StoreUnavailableError(`${pathOf(root)} was not replaced: somebody took the folder`);
}

/**
 * Whoever starts to work without going on from it has to remove it first: it would promise to a later
 * rebuild that everything up to `after` stands in an index that nobody has kept since.
 */
export function dropCheckpoint(root: RootPlace): void {
  quietly(() => unlinkSync(pathOf(root)));
}

function pathOf(root: RootPlace): string {
  return join(root.due, "rebuild.json");
}
