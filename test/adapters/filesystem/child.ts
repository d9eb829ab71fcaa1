/** A process of its own for the tests: increments one record until it has done so often enough. */
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { key } from "../../../src/core/key.ts";
import { type Due, sameDue } from "../../../src/core/machine.ts";
import { epochMs } from "../../../src/core/time.ts";
import type { Backend, BackendRecord } from "../../../src/ports/backend.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { ContendedError } from "../../../src/ports/faults.ts";
import { systemRandom } from "../../../src/ports/random.ts";

const [, , directory = "", sharing = "", name = "", times = ""] = process.argv;

interface Counter {
  readonly count: number;
  readonly by: string;
  readonly due: Due;
}

const storage = filesystemStorage({
  directory,
  sharing: sharing === "exclusive" ? "exclusive" : "processes",
});
const backend = await storage.open({
  clock: systemClock(),
  random: systemRandom(),
  observe() {},
  dueOf: (_, body) => counterIn(body).due,
});
for (let done = 0; done < Number(times); ) {
  const count = await increment(backend);
  if (count === null) continue;
  done += 1;
  process.send?.(count);
}
// Not closed: nothing may keep the process alive, and nothing needs it to end well.
process.disconnect?.();

/** The count that was acknowledged, null: somebody else came first. */
async function increment(backend: Backend): Promise<number | null> {
  const id = key(name);
  const found = await backend.get(id);
  const before = found === null ? null : counterIn(found.body);
  const count = (before?.count ?? 0) + 1;
  const due: Due = { queue: "deliver", at: epochMs(1_000 + (count % 3)) };
  const next: Counter = { count, by: crypto.randomUUID(), due };
  try {
    const verdict = await put(backend, { found, before, next });
    return verdict ? count : null;
  } catch (error) {
    if (error instanceof ContendedError) return null;
    throw error;
  }
}

async function put(
  backend: Backend,
  change: { found: BackendRecord | null; before: Counter | null; next: Counter },
): Promise<boolean> {
  const { found, before, next } = change;
  const dueBefore = before?.due ?? null;
  const verdict = await backend.putIf(key(name), `${JSON.stringify(next)}\n`, {
    expected: found?.version ?? "absent",
    due: sameDue(dueBefore, next.due) ? dueBefore : next.due,
    dueBefore,
  });
  return verdict.kind === "stored";
}

function counterIn(body: string): Counter {
  return JSON.parse(body) as Counter;
}
