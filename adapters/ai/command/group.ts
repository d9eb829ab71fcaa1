/** The end of a process group: asked first, and then not asked. */
import { durationMs } from "../../../src/core/time.ts";
import type { CommandTimes } from "./process.ts";

/** How often a group that was asked to end is looked at. */
const LOOK_MS = durationMs(20);

/** SIGTERM to all of the group, and SIGKILL to what is left of it after the grace; done when none is left. */
export async function endGroup(pid: number, { clock, graceMs }: CommandTimes): Promise<void> {
  if (!signaled(pid, "SIGTERM")) return;
  const startedAt = clock.elapsed();
  while (clock.elapsed() - startedAt < graceMs) {
    await clock.sleep(LOOK_MS);
    if (!signaled(pid, 0)) return;
  }
  signaled(pid, "SIGKILL");
}

/** Whether there is one to signal. */
function signaled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    // None is left, or none that is ours to end.
    return false;
  }
}
