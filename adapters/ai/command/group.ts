/** The end of a process group: asked first, and then not asked. */
import { type DurationMs, durationMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { CommandTimes } from "./process.ts";

/** How often a group that is to end is looked at. */
const LOOK_MS = durationMs(20);

/** What was killed is gone by then, or nobody asks for it: a container without an init keeps such for ever. */
const KILLED_MS = durationMs(1_000);

/** SIGTERM to all of the group, and SIGKILL to what is left of it after the grace; resolves when none is left. */
export async function endGroup(pid: number, { clock, graceMs }: CommandTimes): Promise<void> {
  if (!signaled(pid, "SIGTERM") || (await isGone(pid, graceMs, clock))) return;
  signaled(pid, "SIGKILL");
  await isGone(pid, KILLED_MS, clock);
}

async function isGone(pid: number, withinMs: DurationMs, clock: Clock): Promise<boolean> {
  const startedAt = clock.elapsed();
  while (signaled(pid, 0)) {
    if (clock.elapsed() - startedAt >= withinMs) return false;
    await clock.sleep(LOOK_MS);
  }
  return true;
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
