/**
 * Write protocols are generators: each `yield` names the storage step that comes next. Production runs
 * one to its end; tests run several in every order, and stop some for ever (protocols, head).
 */

export type Step =
  | "lock.create"
  | "lock.write"
  | "lock.close"
  | "lock.look"
  | "lock.check"
  | "lock.unlink"
  | "take.create"
  | "take.write"
  | "take.close"
  | "take.rename"
  | "folder.check"
  | "root.check"
  | "temps.list"
  | "temp.clear"
  | "temp.create"
  | "temp.write"
  | "temp.sync"
  | "temp.synced"
  | "temp.close"
  | "temp.unlink"
  | "record.look"
  | "record.read"
  | "record.rename"
  | "record.link"
  | "record.unlink"
  | "directory.sync"
  | "directory.synced"
  | "marker.find"
  | "marker.create"
  | "marker.unlink"
  | "pause";

export type Steps<Result> = Generator<Step, Result, void>;

/** Runs a protocol without letting go between its steps. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}
