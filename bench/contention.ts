/** Callers of one key at the same time: how many conditional puts does each success cost? */
import { memoryStorage } from "../adapters/storage/memory.ts";
import { createHoldfast } from "../src/holdfast.ts";
import type { Storage } from "../src/ports/backend.ts";
import { table } from "./measure.ts";

const CALLERS = 16;

export async function contentionTable(): Promise<string> {
  const updates = await countedUpdates();
  const race = await countedRace();
  return table(
    ["16 callers of one key", "succeeded", "conditional puts"],
    [
      ["each needs one update of it (extend the lease)", String(updates.won), String(updates.puts)],
      ["all want the same lease", String(race.won), String(race.puts)],
    ],
  );
}

interface Counted {
  readonly won: number;
  readonly puts: number;
}

/** The storage with its puts counted. */
function counting(storage: Storage): { storage: Storage; puts: () => number } {
  let puts = 0;
  return {
    puts: () => puts,
    storage: {
      async open(context) {
        const backend = await storage.open(context);
        return {
          ...backend,
          putIf(...call) {
            puts += 1;
            return backend.putIf(...call);
          },
        };
      },
    },
  };
}

const PAYLOAD = { type: "first-view", recipient: "ann@example.com", recordingIds: ["one"] };

async function countedUpdates(): Promise<Counted> {
  const { storage, puts } = counting(memoryStorage());
  const { emails } = await createHoldfast({ storage });
  await emails.enqueue("one", PAYLOAD);
  await emails.transition("one", ["pending"], "ready");
  const lease = await emails.acquireSendingLease("one", 60_000);
  const before = puts();
  const extended = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) =>
      emails.extendSendingLease("one", lease?.leaseToken ?? "", 60_000 + n),
    ),
  );
  return { won: extended.filter((job) => job !== null).length, puts: puts() - before };
}

async function countedRace(): Promise<Counted> {
  const { storage, puts } = counting(memoryStorage());
  const { emails } = await createHoldfast({ storage });
  await emails.enqueue("one", PAYLOAD);
  await emails.transition("one", ["pending"], "ready");
  const before = puts();
  const leases = await Promise.all(
    Array.from({ length: CALLERS }, () => emails.acquireSendingLease("one", 60_000)),
  );
  return { won: leases.filter((job) => job !== null).length, puts: puts() - before };
}
