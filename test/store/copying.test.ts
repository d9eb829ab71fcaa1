/** One record on its way to another storage: what a second or late try must not do (protocols 3). */
import { describe, expect, it } from "vitest";
import { type MemoryOperation, memoryStorage } from "../../adapters/storage/memory.ts";
import { writeId } from "../../src/core/ids.ts";
import { key } from "../../src/core/key.ts";
import { type EpochMs, epochMs, minutes } from "../../src/core/time.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { type CarriedRecord, type CopyVerdict, copyRecord } from "../../src/store/copying.ts";
import { createStore } from "../../src/store/store.ts";

const KEY = key("things/records/a");
const START = 1_800_000_000_000;
const DUE = epochMs(START + 1_000);

const W = writeId(new Uint8Array(12).fill(7));

/** The third version of its record. */
const RECORD: CarriedRecord = {
  key: KEY,
  fields: { text: "a" },
  extra: { epoch: 1 },
  header: {
    schema: 1,
    v: 3,
    w: W,
    recent: [writeId(new Uint8Array(12).fill(5)), writeId(new Uint8Array(12).fill(6)), W],
    marker: null,
    due: { queue: "deliver", at: DUE },
    isVoid: false,
  },
};

function setUp() {
  const storage = memoryStorage({ dueIndex: "markers" });
  let now = START;
  const clock = { now: () => epochMs(now), elapsed: () => 0, sleep: async () => {} };
  const deps = { clock, random: systemRandom(), observe: () => {}, foreignDue: () => null };
  const open = (from: Storage = storage) => from.open({ ...deps, dueOf: () => null });

  const store = async () => createStore({ ...deps, backend: await open(), tenant: null });

  async function copy(from?: Storage): Promise<CopyVerdict> {
    const backend = await open(from);
    const deadlineAt = epochMs(now + 1_000);
    return copyRecord({ ...deps, backend, isDryRun: false }, RECORD, deadlineAt);
  }

  /** Whether the record is found when it is due; whatever else is in the index is mended. */
  async function isFound(at: EpochMs = DUE): Promise<boolean> {
    now = Math.max(now, at);
    const opened = await store();
    const options = { until: at, cursor: null, limit: 100 };
    const { entries } = await opened.due("deliver", options);
    const confirmed = await Promise.all(entries.map((entry) => opened.confirmDue(entry)));
    return confirmed.filter((stored) => stored?.key === KEY).length === 1;
  }

  const advance = (ms: number): void => {
    now += ms;
  };
  return { storage, store, copy, isFound, advance };
}

const isMarker = ({ key: name }: MemoryOperation): boolean => name.startsWith("due/");
const isRecordPut = (operation: MemoryOperation): boolean =>
  operation.kind === "put" && !isMarker(operation);

describe("a record that is copied", () => {
  it("gets its marker first, so that it is found by a sweep from its first moment", async () => {
    const { storage, copy, isFound } = setUp();
    const written: string[] = [];
    storage.watch((name) => written.push(name));
    expect(await copy()).toEqual({ kind: "copied" });
    expect(written.map((name) => name === KEY)).toEqual([false, true]);
    expect(await isFound()).toBe(true);
  });

  it("has a marker also when an earlier try lands after a later one gave up", async () => {
    const { storage, copy, isFound } = setUp();
    const late = storage.withFaults((operation, when) =>
      when === "before" && isRecordPut(operation) ? "lost_late" : null,
    );
    await expect(copy(late)).rejects.toMatchObject({ code: "outcome_unknown" });
    const busy = storage.withFaults((operation) => (isRecordPut(operation) ? "throttled" : null));
    await expect(copy(busy)).rejects.toMatchObject({ code: "throttled" });
    storage.applyLate();
    expect(await isFound()).toBe(true);
  });

  it("by two at once is there once, with the marker that it names", async () => {
    const { storage, copy, isFound } = setUp();
    const verdicts = await Promise.all([copy(), copy(), copy()]);
    expect(verdicts).toEqual(Array(3).fill({ kind: "copied" }));
    const [name, ...others] = [...storage.bodies().keys()].filter((one) => one.startsWith("due/"));
    expect(others).toEqual([]);
    expect(JSON.parse(storage.bodies().get(KEY) ?? "").holdfast.marker).toBe(name);
    expect(await isFound()).toBe(true);
  });

  it("replaces the void that a sweep put in the place of a try that stopped half-way", async () => {
    const { storage, copy, isFound, advance, store } = setUp();
    const dying = storage.withFaults((operation) =>
      isRecordPut(operation) ? "unavailable" : null,
    );
    await expect(copy(dying)).rejects.toMatchObject({ code: "outcome_unknown" });
    advance(minutes(5));
    expect(await isFound()).toBe(false);
    expect(JSON.parse(storage.bodies().get(KEY) ?? "").holdfast.void).toBe(true);
    expect(await copy()).toEqual({ kind: "copied" });
    expect(await (await store()).get(KEY)).toMatchObject({ fields: { text: "a" } });
    expect(await isFound()).toBe(true);
  });

  it("that was moved on with the marker kept loses it to no later copy", async () => {
    const { storage, copy, isFound, store } = setUp();
    await copy();
    const opened = await store();
    const stored = await opened.get(KEY);
    if (stored === null) throw new Error("not there");
    const at = epochMs(DUE + 5_000);
    const put = { expected: stored, due: { queue: "deliver", at }, deadlineAt: at } as const;
    await opened.put(KEY, { fields: { text: "b" }, extra: {} }, put);
    const before = storage.bodies();
    expect(await copy()).toEqual({ kind: "present" });
    expect(storage.bodies()).toEqual(before);
    expect(await isFound(at)).toBe(true);
  });

  it("keeps its history, so that its writers still find their writes (protocols 1.1)", async () => {
    const { copy, store } = setUp();
    await copy();
    const { v, w, recent, due } = (await (await store()).get(KEY))?.header ?? RECORD.header;
    expect({ v, w, recent, due }).toEqual({
      v: 3,
      w: W,
      recent: RECORD.header.recent,
      due: RECORD.header.due,
    });
  });
});
