/** Replies that are lost, by the thousand and by kind: never a false conflict, never a false success. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { s3Storage } from "../../../adapters/storage/s3/index.ts";
import { type Key, key } from "../../../src/core/key.ts";
import { after, minutes } from "../../../src/core/time.ts";
import type { Backend } from "../../../src/ports/backend.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { createStore, type Store } from "../../../src/store/store.ts";
import { errorAnswer, type FakeFault, type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { clientOn, openOn, storageOn } from "./fixture.ts";

/** Sleeps are over at once: the pauses between sends are not what is looked at. */
const clock: Clock = { ...systemClock(), sleep: async () => {} };

const CREATES = 1_000;
const AT_ONCE = 16;

let fake: FakeS3;
let backend: Backend;
let store: Store;
beforeEach(async () => {
  fake = await fakeS3();
  backend = await openOn(storageOn(fake));
  store = storeOn(backend);
});
afterEach(async () => {
  await backend.close();
  await fake.close();
});

function storeOn(one: Backend): Store {
  const random = systemRandom();
  const quiet = { observe: () => {}, foreignDue: () => null, tenant: null };
  return createStore({ backend: one, clock, random, ...quiet });
}

function options(due: "due" | "not_due" = "not_due") {
  return {
    expected: "absent",
    due: due === "due" ? ({ queue: "deliver", at: clock.now() } as const) : null,
    deadlineAt: after(clock.now(), minutes(1)),
  } as const;
}

const body = (by: string) => ({ fields: { by }, extra: {} });

/** Runs `each` for every number below `count`, a few at a time. */
async function forEach(count: number, each: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await each(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
}

describe("lost replies", () => {
  it(`cloud-facts B1 of ${CREATES} creations with 30 % lost replies each is told as stored, once`, async () => {
    const faults: readonly FakeFault[] = ["apply_then_reset", "apply_then_500", "never", "late"];
    let draws = 0;
    let lost = 0;
    fake.faultOf = ({ operation }) => {
      if (operation !== "put") return null;
      draws += 1;
      // Three of every ten, of each kind in turn.
      if (draws % 10 > 2) return null;
      lost += 1;
      return faults[lost % faults.length] ?? null;
    };
    const told = new Map<Key, string>();
    await forEach(CREATES, async (n) => {
      const name = key(`things/records/${n}`);
      const result = await store.put(name, body(`writer ${n}`), options());
      told.set(name, result.kind);
    });
    fake.applyLate();
    const wrong = [...told].filter(([, kind]) => kind !== "stored");
    expect(wrong).toEqual([]);
    expect(fake.objects.size).toBe(CREATES);
    expect(lost).toBeGreaterThan(CREATES * 0.3);
    for (const name of told.keys()) {
      const n = name.split("/").at(-1);
      const stored = JSON.parse(fake.objects.get(name)?.body ?? "null");
      expect(stored).toMatchObject({ by: `writer ${n}`, holdfast: { v: 1 } });
    }
  }, 60_000);

  it("of two that create one key under lost replies, exactly one is told that it is stored", async () => {
    const other = await openOn(storageOn(fake));
    const faults = [
      "apply_then_reset",
      null,
      "never",
      null,
      "late",
      null,
      "apply_then_500",
    ] as const;
    let draws = 0;
    fake.faultOf = ({ operation }) => {
      if (operation !== "put") return null;
      draws += 1;
      return faults[draws % faults.length] ?? null;
    };
    await forEach(200, async (n) => {
      const name = key(`things/records/${n}`);
      const results = await Promise.all([
        store.put(name, body("one"), options()),
        storeOn(other).put(name, body("other"), options()),
      ]);
      expect(results.map(({ kind }) => kind).sort()).toEqual(["conflict", "stored"]);
      const winner = results[0].kind === "stored" ? "one" : "other";
      expect(JSON.parse(fake.objects.get(name)?.body ?? "null")).toMatchObject({ by: winner });
    });
    fake.applyLate();
    expect(fake.objects.size).toBe(200);
    await other.close();
  });

  it("no increment is lost or made twice when eight writers replace one record under lost replies", async () => {
    const other = storeOn(backend);
    const name = key("things/records/counter");
    const faults = [
      "apply_then_reset",
      null,
      "never",
      null,
      null,
      "late",
      null,
      "apply_then_500",
    ] as const;
    let draws = 0;
    fake.faultOf = ({ operation }) => {
      if (operation !== "put") return null;
      draws += 1;
      return faults[draws % faults.length] ?? null;
    };
    const increment = async (one: Store): Promise<void> => {
      for (;;) {
        const stored = await one.get(name);
        const count = Number(stored?.fields["count"] ?? 0) + 1;
        const record = { fields: { count }, extra: {} };
        const { deadlineAt } = options();
        const put = { expected: stored ?? ("absent" as const), due: null, deadlineAt };
        if ((await one.put(name, record, put)).kind === "stored") return;
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 10; n += 1) await increment(writer % 2 === 0 ? store : other);
      }),
    );
    fake.faultOf = () => null;
    fake.applyLate();
    expect(await store.get(name)).toMatchObject({ fields: { count: 80 }, header: { v: 80 } });
  });

  for (const fault of [
    "apply_then_reset",
    "apply_then_500",
    "apply_then_hang",
    "late",
    "never",
  ] as const) {
    it(`a creation with a due time under ${fault} is stored, with its one marker`, async () => {
      const own = await openOn(
        s3Storage({ bucket: fake.bucket, client: clientOn(fake, { requestTimeout: 200 }) }),
      );
      // Of the marker, then of the record.
      let failures = 2;
      const seen = new Set<string>();
      fake.faultOf = ({ operation, key: name }) => {
        if (operation !== "put" || seen.has(name) || failures === 0) return null;
        failures -= 1;
        seen.add(name);
        return fault;
      };
      const name = key("things/records/a");
      const result = await storeOn(own).put(name, body("one"), options("due"));
      fake.faultOf = () => null;
      fake.applyLate();
      expect(result.kind).toBe("stored");
      expect(failures).toBe(0);
      const marker = JSON.parse(fake.objects.get(name)?.body ?? "null").holdfast.marker;
      expect([...fake.objects.keys()].sort()).toEqual([marker, name].sort());
      await own.close();
    });
  }
});

describe("409", () => {
  it("once, and then success, is a success that nobody notices", async () => {
    let conflicts = 1;
    fake.faultOf = ({ operation }) => {
      if (operation !== "put" || conflicts === 0) return null;
      conflicts -= 1;
      return { answer: errorAnswer(409, "ConditionalRequestConflict") };
    };
    const result = await store.put(key("things/records/a"), body("one"), options());
    expect(result.kind).toBe("stored");
  });

  it("for a marker is not taken for written", async () => {
    fake.faultOf = ({ operation }) =>
      operation === "put" ? { answer: errorAnswer(409, "OperationAborted") } : null;
    await expect(
      store.put(key("things/records/a"), body("one"), options("due")),
    ).rejects.toMatchObject({ code: "contended" });
    expect(fake.objects.size).toBe(0);
  });

  it("from a store that answers it to everybody who comes second is a conflict", async () => {
    await store.put(key("things/records/a"), body("one"), options());
    fake.faultOf = ({ operation, headers, key: name }) =>
      operation === "put" && headers["if-none-match"] === "*" && fake.objects.has(name)
        ? { answer: errorAnswer(409, "OperationAborted") }
        : null;
    const second = await store.put(key("things/records/a"), body("other"), options());
    expect(second).toMatchObject({ kind: "conflict", current: { fields: { by: "one" } } });
  });
});
