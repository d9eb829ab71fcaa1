/** What a recorded process did to its folder, and what it was told meanwhile: one line of JSON each. */
import type { Key } from "../../src/core/key.ts";
import type { Version } from "../../src/ports/backend.ts";

/**
 * One call that changes the folder or makes it durable. Paths are relative to the recorded directory,
 * which is the empty one. `open`: of a file to be written, or of a directory. An fsync has a beginning and
 * an end, both with its number; what was done before its beginning is durable at its end.
 */
export type DiskOperation =
  | { readonly op: "open"; readonly path: string; readonly fd: number; readonly creates: boolean }
  | { readonly op: "write"; readonly fd: number; readonly base64: string }
  | { readonly op: "truncate"; readonly fd: number; readonly size: number }
  | { readonly op: "sync"; readonly fd: number; readonly n: number }
  | { readonly op: "synced"; readonly n: number }
  | { readonly op: "close"; readonly fd: number }
  | { readonly op: "link" | "rename"; readonly from: string; readonly to: string }
  | { readonly op: "mkdir" | "rmdir" | "unlink"; readonly path: string };

/**
 * What passed between the process and its storage. `put` and `remove` are about to be called; what came
 * of them is told with the same number. `shown`: a read answered with this version.
 */
export type Told =
  | {
      readonly told: "put";
      readonly n: number;
      readonly key: Key;
      readonly expected: "absent" | Version;
      readonly version: Version;
    }
  | { readonly told: "remove"; readonly n: number; readonly key: Key }
  | { readonly told: "stored" | "removed" | "refused"; readonly n: number; readonly key: Key }
  | { readonly told: "shown"; readonly key: Key; readonly version: Version };

export type Recorded = DiskOperation | Told;

export function parseRecording(text: string): readonly Recorded[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Recorded => JSON.parse(line));
}

/** The variables that name the recorded directory and the file of the recording to a process. */
export const ROOT_VARIABLE = "POWER_LOSS_ROOT";
export const RECORDING_VARIABLE = "POWER_LOSS_RECORDING";
