/** Replies that get lost on a real socket: no false conflict, no false success, nothing twice. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { dynamodbStorage } from "../../../adapters/storage/dynamodb/index.ts";
import { after, seconds } from "../../../src/core/time.ts";
import type { Backend } from "../../../src/ports/backend.ts";
import { OutcomeUnknownError, StoreUnavailableError } from "../../../src/ports/faults.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { createStore, type Store } from "../../../src/store/store.ts";
import { testClock, testKey } from "../../conformance/fixture.ts";
import { body } from "../../conformance/steps.ts";
import type { Loss, Plan } from "../../fakes/dynamodb-front.ts";
import { ACCESS, contextOf, openedBackend, sharedFront } from "./given.ts";

const ABSENT = { expected: "absent", due: null, dueBefore: null } as const;

const front = sharedFront();

/** Its waits between two sends are short. */
function storeOn(backend: Backend): { store: Store; create(id: string, count: number): Creation } {
  const clock = testClock();
  const quiet = { random: systemRandom(), observe: () => {}, foreignDue: () => null };
  const store = createStore({ backend, clock, ...quiet, tenant: null });
  return {
    store,
    create: (id, count) => {
      const deadlineAt = after(clock.now(), seconds(20));
      return store.put(testKey(id), body(count), { expected: "absent", due: null, deadlineAt });
    },
  };
}

type Creation = ReturnType<Store["put"]>;

/** Loses the reply of the next write of a record. */
function losingOne(loss: Loss): Plan {
  let isLost = false;
  return (operation) => {
    if (operation !== "PutItem" || isLost) return null;
    isLost = true;
    return loss;
  };
}

const LOSSES: readonly Loss[] = (["now", "late", "never"] as const).flatMap((applied) =>
  (["reset", "error"] as const).map((seen) => ({ applied, seen })),
);

describe("a lost reply", () => {
  it.each(LOSSES)(
    "of a write that is applied $applied, seen as $seen, is no verdict",
    async (loss) => {
      const { backend } = await openedBackend(front());
      front().setPlan(losingOne(loss));
      const sent = backend.putIf(testKey("a"), "{}", ABSENT);
      await expect(sent).rejects.toBeInstanceOf(StoreUnavailableError);
      await expect(sent).rejects.toMatchObject({ isNotWritten: false });
      expect(front().takeCounts()).toEqual({ PutItem: 1 });
      await front().applyLate();
      await backend.close();
    },
  );

  it("of one write in three leaves one winner of every race, told so, stored once", async () => {
    const { backend } = await openedBackend(front());
    let writes = 0;
    front().setPlan((operation) => {
      if (operation !== "PutItem") return null;
      writes += 1;
      return writes % 10 < 3 ? (LOSSES[writes % LOSSES.length] ?? null) : null;
    });
    const [one, other] = [storeOn(backend), storeOn(backend)];
    const ids = Array.from({ length: 200 }, (_, n) => `race-${n}`);
    const races: (readonly [string, Awaited<Creation>, Awaited<Creation>])[] = [];
    for (let start = 0; start < ids.length; start += 20) {
      const some = ids.slice(start, start + 20).map(async (id) => {
        const results = await Promise.all([one.create(id, 1), other.create(id, 2)]);
        return [id, ...results] as const;
      });
      races.push(...(await Promise.all(some)));
    }
    front().setPlan(null);
    await front().applyLate();
    for (const [id, ...results] of races) {
      expect(results.map(({ kind }) => kind).sort()).toEqual(["conflict", "stored"]);
      const count = results[0].kind === "stored" ? 1 : 2;
      const stored = { header: { v: 1 }, fields: { count } };
      expect(await one.store.get(testKey(id))).toMatchObject(stored);
    }
    await backend.close();
  });

  it("of a client that resends by itself makes no refusal of what it stored", async () => {
    const { table, backend: quiet } = await openedBackend(front());
    const client = new DynamoDBClient({ ...ACCESS, endpoint: front().endpoint, maxAttempts: 3 });
    const backend = await dynamodbStorage({ table, client }).open(contextOf());
    front().takeCounts();
    front().setPlan(losingOne({ applied: "now", seen: "reset" }));
    const sent = backend.putIf(testKey("a"), "{}", ABSENT);
    await expect(sent).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(sent).rejects.toMatchObject({ isNotWritten: false });
    expect(front().takeCounts()).toEqual({ PutItem: 2 });
    front().setPlan(losingOne({ applied: "now", seen: "reset" }));
    expect((await storeOn(backend).create("b", 1)).kind).toBe("stored");
    await Promise.all([backend.close(), quiet.close()]);
    client.destroy();
  });

  it("is given up after a time, also in the middle of an answer, and found by reading back", async () => {
    const { backend } = await openedBackend(front());
    const { store, create } = storeOn(backend);
    front().setPlan(losingOne({ applied: "now", seen: "half" }));
    const half = create("half", 1);
    await once("PutItem");
    front().setPlan(losingOne({ applied: "now", seen: "silence" }));
    const silence = create("silence", 2);
    for (const creation of [half, silence]) expect((await creation).kind).toBe("stored");
    expect(await store.get(testKey("half"))).toMatchObject({ header: { v: 1 } });
    await backend.close();
  });

  it("that cannot be read back is an unknown outcome", async () => {
    const { backend } = await openedBackend(front());
    const lose = losingOne({ applied: "now", seen: "reset" });
    front().setPlan((operation, input) =>
      operation === "GetItem"
        ? { status: 400, type: "AccessDeniedException" }
        : lose(operation, input),
    );
    await expect(storeOn(backend).create("a", 1)).rejects.toBeInstanceOf(OutcomeUnknownError);
    await backend.close();
  });
});

/** Waits until the front has met `operation`. */
async function once(operation: string): Promise<void> {
  while (front().takeCounts()[operation] === undefined) await new Promise(setImmediate);
}
