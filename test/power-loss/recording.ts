/** Runs the workload in a process of its own, and reads what it did. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Sharing } from "./boots.ts";
import type { Image } from "./disk-model.ts";
import { materialise } from "./images.ts";
import { parseRecording, RECORDING_VARIABLE, type Recorded, ROOT_VARIABLE } from "./operations.ts";

/** The folder, below the directory that is recorded: its making is recorded, too. */
export const FOLDER = "data";

const RECORDER = new URL("./record.js", import.meta.url).href;
const WORKLOAD = fileURLToPath(new URL("./workload.js", import.meta.url));

/** `first`: what lies there already. `boot`: its number. */
export async function record(
  sharing: Sharing,
  boot: number,
  first: Image,
): Promise<readonly Recorded[]> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-power-"));
  const root = join(directory, "root");
  const recording = join(directory, "recording");
  try {
    mkdirSync(root);
    materialise(first, root);
    const env = {
      ...process.env,
      [ROOT_VARIABLE]: root,
      [RECORDING_VARIABLE]: recording,
      NODE_OPTIONS: `--import ${RECORDER}`,
    };
    const args = [WORKLOAD, join(root, FOLDER), sharing, String(boot)];
    await promisify(execFile)(process.execPath, args, { env });
    return parseRecording(readFileSync(recording, "utf8"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
