/** The traces of protocols 3.4: each was a lost due time in a store that lacked the rule named. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { key } from "../../src/core/key.ts";
import { durationMs, type EpochMs, epochMs } from "../../src/core/time.ts";
import type { Backend, PutVerdict, Storage } from "../../src/ports/backend.ts";
import {
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { createStore, type Store, type Stored } from "../../src/store/store.ts";

const KEY = key("things/records/a");
const START = 1_800_000_000_000;
const DUE = { queue: "attend", at: epochMs(START + 1_000) } as const;

interface Paused {
  readonly store: Store;
  /** Lets the paused put of the record go on. */
  readonly resume: () => void;
  /** Resolves when the marker is written and the record's put waits. */
  readonly atRecord: Promise<void>;
}

function setUp() {
  const storage = memoryStorage({ dueIndex: "markers" });
  let now = START;
  const slept: number[] = [];
  const clock = {
    now: () => epochMs(now),
    elapsed: () => now,
    sleep: async (ms: number) => {
      slept.push(ms);
    },
  };
  const deps = { clock, random: systemRandom(), observe: () => {}, foreignDue: () => null };
  const open = (from: Storage = storage): Promise<Backend> =>
    from.open({ ...deps, dueOf: () => null });
  const storeOn = (backend: Backend): Store => createStore({ ...deps, backend, tenant: null });

  async function paused(): Promise<Paused> {
    const backend = await open();
    let resume = (): void => {};
    let arrive = (): void => {};
    const gate = new Promise<void>((resolve) => (resume = resolve));
    const atRecord = new Promise<void>((resolve) => (arrive = resolve));
    const store = storeOn({
      ...backend,
      async putIf(name, body, condition) {
        if (body !== "") {
          arrive();
          await gate;
        }
        return backend.putIf(name, body, condition);
      },
    });
    return { store, resume, atRecord };
  }

  /** Where putting a marker throws what `faultOf` says of that send, counted from 1, or is done. */
  async function failing(faultOf: (sends: number) => Error | null) {
    const backend = await open();
    let sends = 0;
    const store = storeOn({
      ...backend,
      async putIf(name, body, condition) {
        if (body === "") {
          sends += 1;
          const fault = faultOf(sends);
          if (fault !== null) throw fault;
        }
        return backend.putIf(name, body, condition);
      },
    });
    return { store, sent: () => sends };
  }

  /** A store to which no record is shown, and every replacement refused. */
  async function blind(): Promise<Store> {
    const refused: PutVerdict = { kind: "refused", current: null };
    return storeOn({ ...(await open()), get: async () => null, putIf: async () => refused });
  }

  /** Where no request for the record is answered, and its puts are carried out by `applyLate`. */
  async function unanswered(): Promise<Store> {
    const lost = storage.withFaults(({ key: name }) => (name === KEY ? "lost_late" : null));
    return storeOn(await open(lost));
  }

  const markers = (): string[] =>
    [...storage.bodies().keys()].filter((name) => name.startsWith("due/"));
  return {
    storage,
    store: async () => storeOn(await open()),
    paused,
    failing,
    slept,
    blind,
    unanswered,
    markers,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

const put = (store: Store, at: number | null, expected: "absent" | Stored, count = 1) =>
  store.put(
    KEY,
    { fields: { count }, extra: {} },
    {
      expected,
      due: at === null ? null : { queue: "attend", at: epochMs(at) },
      deadlineAt: epochMs(START + 10_000_000),
    },
  );

async function stored(result: ReturnType<typeof put>): Promise<Stored> {
  const settled = await result;
  if (settled.kind !== "stored") throw new Error("not stored");
  return settled.stored;
}

/** One pass over everything that is due; the records that really are. */
async function sweep(store: Store, until: number): Promise<Stored[]> {
  const page = await store.due("attend", {
    until: until as EpochMs,
    cursor: null,
    limit: 100,
  });
  const found: Stored[] = [];
  for (const entry of page.entries) {
    const record = await store.confirmDue(entry);
    if (record !== null) found.push(record);
  }
  return found;
}

describe("due markers", () => {
  it("unique names: the clean-up of an older write does not take a newer one's marker", async () => {
    const world = setUp();
    const store = await world.store();
    const first = await stored(put(store, START + 1_000, "absent"));
    const second = await stored(put(store, null, first));
    const third = await stored(put(store, START + 1_000, second));
    expect(third.header.marker).not.toBe(first.header.marker);
    world.advance(2_000);
    expect(await sweep(store, START + 2_000)).toHaveLength(1);
  });

  it("base-gone rule: a sweep between marker and record leaves a record that can be found", async () => {
    const world = setUp();
    const store = await world.store();
    const slow = await world.paused();
    const creation = put(slow.store, START + 1_000, "absent");
    await slow.atRecord;
    world.advance(30_000);
    expect(await sweep(store, START + 30_000)).toEqual([]);
    slow.resume();
    expect((await creation).kind).toBe("stored");
    expect(await sweep(store, START + 30_000)).toHaveLength(1);
  });

  it("move on before removing: a creator that slept too long is refused once, and creates all the same", async () => {
    const world = setUp();
    const store = await world.store();
    const slow = await world.paused();
    const creation = put(slow.store, START + 1_000, "absent");
    await slow.atRecord;
    world.advance(90_000);
    expect(await sweep(store, START + 90_000)).toEqual([]);
    expect(world.markers()).toEqual([]);
    expect(await store.get(KEY)).toBeNull();
    slow.resume();
    expect((await creation).kind).toBe("stored");
    expect(await sweep(store, START + 90_000)).toHaveLength(1);
    expect(world.markers()).toHaveLength(1);
  });

  it("move on before removing: an update that slept too long conflicts instead of losing its due time", async () => {
    const world = setUp();
    const store = await world.store();
    const first = await stored(put(store, null, "absent"));
    const slow = await world.paused();
    const update = put(slow.store, START + 1_000, first, 2);
    await slow.atRecord;
    world.advance(90_000);
    await sweep(store, START + 90_000);
    slow.resume();
    expect(await update).toMatchObject({ kind: "conflict", current: { fields: { count: 1 } } });
    expect(world.markers()).toEqual([]);
  });

  it("a writer that died after its marker leaves nothing behind for good", async () => {
    const world = setUp();
    const store = await world.store();
    const dead = await world.paused();
    void put(dead.store, START + 1_000, "absent");
    await dead.atRecord;
    world.advance(90_000);
    await sweep(store, START + 90_000);
    expect(world.markers()).toEqual([]);
    expect(await sweep(store, START + 90_000)).toEqual([]);
    expect(await put(store, START + 5_000, "absent")).toMatchObject({ kind: "stored" });
  });

  it("postponement keeps the early marker and writes none; the sweep re-indexes it", async () => {
    const world = setUp();
    const store = await world.store();
    const first = await stored(put(store, START + 1_000, "absent"));
    const putsBefore = world.storage.putCount();
    const later = await stored(put(store, START + 500_000, first));
    expect(world.storage.putCount() - putsBefore).toBe(1);
    expect(later.header.marker).toBe(first.header.marker);
    world.advance(2_000);
    expect(await sweep(store, START + 2_000)).toEqual([]);
    expect(world.markers()).toEqual([expect.stringContaining(`/${START + 500_000}/`)]);
    world.advance(600_000);
    expect(await sweep(store, START + 600_000)).toHaveLength(1);
  });

  it("a change of queue writes a new marker although the time is later", async () => {
    const world = setUp();
    const store = await world.store();
    const first = await stored(put(store, START + 1_000, "absent"));
    const moved = await store.put(
      KEY,
      { fields: {}, extra: {} },
      {
        expected: first,
        due: { queue: "stuck", at: epochMs(START + 2_000) },
        deadlineAt: epochMs(START + 10_000_000),
      },
    );
    expect(moved.kind).toBe("stored");
    expect(world.markers()).toHaveLength(1);
    expect(world.markers()[0]).toContain("due/stuck/");
  });

  it("the record is not started while its marker has no acknowledgement", async () => {
    const { storage, failing } = setUp();
    const { store } = await failing(() => new StoreUnavailableError("no answer"));
    await expect(put(store, START + 1_000, "absent")).rejects.toMatchObject({
      code: "unavailable",
      isNotWritten: true,
      message: "the due marker could not be written: no answer",
    });
    expect(storage.bodies().size).toBe(0);
  });

  it.each([
    new MisconfiguredError("there is no such bucket"),
    new RecordTooLargeError("too large"),
    new StoreUnavailableError("cannot be reached", { isNotWritten: true }),
  ])(
    "$name that tells of a marker what is definite comes as it is, after one send",
    async (fault) => {
      const { storage, failing } = setUp();
      const { store, sent } = await failing(() => fault);
      await expect(put(store, START + 1_000, "absent")).rejects.toBe(fault);
      expect({ sent: sent(), stored: storage.bodies().size }).toEqual({ sent: 1, stored: 0 });
    },
  );

  it("the marker of a write that may land yet stays, and leads to the record then (protocols 3.1, 5)", async () => {
    const world = setUp();
    const unanswered = await world.unanswered();
    await expect(put(unanswered, START + 1_000, "absent")).rejects.toBeInstanceOf(
      OutcomeUnknownError,
    );
    world.storage.applyLate();
    world.advance(2_000);
    expect(await sweep(await world.store(), START + 2_000)).toHaveLength(1);
  });

  it("a marker that is refused for load is sent again after as long as the storage asks for", async () => {
    const { slept, failing } = setUp();
    const busy = new StoreThrottledError("slow down", durationMs(700));
    const { store, sent } = await failing((sends) => (sends <= 2 ? busy : null));
    expect(await put(store, START + 1_000, "absent")).toMatchObject({ kind: "stored" });
    expect({ sent: sent(), slept }).toEqual({ sent: 3, slept: [700, 700] });
    const refused = await failing(() => busy);
    await expect(put(refused.store, START + 1_000, "absent")).rejects.toBe(busy);
  });

  it("a marker is not sent again when the caller's time is up before the pause is", async () => {
    const { slept, failing } = setUp();
    const { store, sent } = await failing(() => new StoreThrottledError("no", durationMs(60_000)));
    const inTime = { expected: "absent", due: DUE, deadlineAt: epochMs(START + 59_000) } as const;
    const late = store.put(KEY, { fields: {}, extra: {} }, inTime);
    await expect(late).rejects.toBeInstanceOf(StoreThrottledError);
    expect({ sent: sent(), slept }).toEqual({ sent: 1, slept: [] });
  });

  it("the marker of a record that is not shown is kept, and told: records are never removed", async () => {
    const world = setUp();
    const store = await world.store();
    const first = await stored(put(store, START + 5_000, "absent"));
    await stored(put(store, START + 1_000, first));
    const blind = await world.blind();
    world.advance(120_000);
    await expect(sweep(blind, START + 2_000)).rejects.toBeInstanceOf(RecordCorruptError);
    expect(await sweep(store, START + 2_000)).toHaveLength(1);
  });

  it("a replacement where nothing is found is of unknown outcome, also when refused (protocols 1.1, 5e)", async () => {
    const world = setUp();
    const first = await stored(put(await world.store(), null, "absent"));
    const blind = await world.blind();
    await expect(put(blind, null, first)).rejects.toBeInstanceOf(OutcomeUnknownError);
  });
});
