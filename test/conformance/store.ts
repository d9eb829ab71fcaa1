/**
 * What every storage must do, run on the Store over an adapter's Backend. Exported, so that an adapter
 * written elsewhere runs the same cases: `describeStore("mine", async () => ({ open, destroy }))`.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeDue } from "./due.ts";
import { describeFaults } from "./faults.ts";
import { type Bench, type Fixture, openBench, testKey } from "./fixture.ts";
import { describeLimits } from "./limits.ts";
import { describeListing } from "./listing.ts";
import { describeLog } from "./log.ts";
import { body, countOf, deadline, increment } from "./steps.ts";

export type { Fixture } from "./fixture.ts";

/** `open` gives a fresh, isolated, empty fixture for each case. There are no capability flags. */
export function describeStore(name: string, open: () => Promise<Fixture>): void {
  describe(`store on ${name}`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await openBench(await open());
    });
    afterEach(() => bench.close());
    const current = (): Bench => bench;

    describeConditions(current);
    describeInstances(current);
    describeDue(current);
    describeFaults(current);
    describeListing(current);
    describeLimits(current);
    describeLog(current);
  });
}

function describeConditions(bench: () => Bench): void {
  it("creates a record once: a second creation is a conflict and the first body survives", async () => {
    const store = bench().store();
    const first = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
    const second = await store.put(testKey("a"), body(2), deadline(bench(), "absent"));
    expect(first.kind).toBe("stored");
    expect(second).toMatchObject({ kind: "conflict", current: { fields: { count: 1 } } });
    expect(await store.get(testKey("a"))).toMatchObject({ fields: { count: 1 } });
  });

  it("answers null for what is not there", async () => {
    expect(await bench().store().get(testKey("never"))).toBeNull();
  });

  it("replaces the expected version, and counts it", async () => {
    const store = bench().store();
    const first = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
    if (first.kind !== "stored") throw new Error("not stored");
    const second = await store.put(testKey("a"), body(2), deadline(bench(), first.stored));
    expect(second).toMatchObject({ kind: "stored", stored: { header: { v: 2 } } });
    const read = await store.get(testKey("a"));
    expect(read).toMatchObject({ fields: { count: 2 }, header: { v: 2 } });
    expect(read?.version).toBe(second.kind === "stored" ? second.stored.version : null);
  });

  it("refuses a stale replacement and leaves the record as it is", async () => {
    const store = bench().store();
    const first = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
    if (first.kind !== "stored") throw new Error("not stored");
    await store.put(testKey("a"), body(2), deadline(bench(), first.stored));
    const stale = await store.put(testKey("a"), body(3), deadline(bench(), first.stored));
    expect(stale).toMatchObject({ kind: "conflict", current: { fields: { count: 2 } } });
    expect(await store.get(testKey("a"))).toMatchObject({ fields: { count: 2 } });
  });

  it("tells a plain refusal from an unknown outcome, however often others wrote since", async () => {
    const store = bench().store();
    const first = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
    if (first.kind !== "stored") throw new Error("not stored");
    for (let n = 0; n < 12; n += 1) await increment(bench(), store, testKey("a"));
    const stale = await store.put(testKey("a"), body(0), deadline(bench(), first.stored));
    expect(stale).toMatchObject({ kind: "conflict", current: { fields: { count: 13 } } });
    const again = await store.put(testKey("a"), body(0), deadline(bench(), "absent"));
    expect(again).toMatchObject({ kind: "conflict", current: { fields: { count: 13 } } });
  });

  it("refuses to replace what is absent", async () => {
    const { backend } = bench();
    const made = await backend.putIf(testKey("a"), '{"x":1}', {
      expected: "absent",
      due: null,
      dueBefore: null,
    });
    if (made.kind !== "stored") throw new Error("not stored");
    const verdict = await backend.putIf(testKey("b"), '{"x":2}', {
      expected: made.version,
      due: null,
      dueBefore: null,
    });
    expect(verdict.kind).toBe("refused");
    expect(await backend.get(testKey("b"))).toBeNull();
  });

  it("gives no two writes of the same content one version, so that an older handle stays stale", async () => {
    const store = bench().store();
    const first = await store.put(testKey("a"), body(1), deadline(bench(), "absent"));
    if (first.kind !== "stored") throw new Error("not stored");
    const same = await store.put(testKey("a"), body(1), deadline(bench(), first.stored));
    if (same.kind !== "stored") throw new Error("not stored");
    const other = await store.put(testKey("b"), body(1), deadline(bench(), "absent"));
    if (other.kind !== "stored") throw new Error("not stored");
    const versions = [first, same, other].map(({ stored }) => stored.version);
    expect(new Set(versions).size).toBe(3);
    const stale = await store.put(testKey("a"), body(9), deadline(bench(), first.stored));
    expect(stale.kind).toBe("conflict");
  });

  it("lets exactly one of eight racing creators win", async () => {
    const store = bench().store();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        store.put(testKey("race"), body(n), deadline(bench(), "absent")),
      ),
    );
    const winners = results.filter((result) => result.kind === "stored");
    expect(winners).toHaveLength(1);
    const [winner] = winners;
    if (winner?.kind !== "stored") throw new Error("no winner");
    expect(await store.get(testKey("race"))).toMatchObject({ fields: winner.stored.fields });
  });

  it("keeps a record that cannot be read, and says which", async () => {
    const { backend } = bench();
    const condition = { expected: "absent", due: null, dueBefore: null } as const;
    await backend.putIf(testKey("broken"), "not json", condition);
    const store = bench().store();
    await expect(store.get(testKey("broken"))).rejects.toMatchObject({ code: "record_corrupt" });
    await expect(
      store.put(testKey("broken"), body(1), deadline(bench(), "absent")),
    ).rejects.toMatchObject({ code: "record_corrupt" });
    expect((await backend.get(testKey("broken")))?.body).toBe("not json");
    const due = { queue: "attend", at: bench().clock.now() } as const;
    const attempt = store.put(testKey("broken"), body(1), { ...deadline(bench(), "absent"), due });
    await expect(attempt).rejects.toMatchObject({ code: "record_corrupt" });
    expect((await backend.list("things/", null, 10)).entries.map(({ key }) => key)).toEqual([
      testKey("broken"),
    ]);
  });

  it("refuses a record of a newer release by name", async () => {
    const { backend } = bench();
    const condition = { expected: "absent", due: null, dueBefore: null } as const;
    await backend.putIf(testKey("newer"), '{"holdfast":{"schema":2}}', condition);
    await expect(bench().store().get(testKey("newer"))).rejects.toThrow(/newer release.*schema 2/);
  });
}

function describeInstances(bench: () => Bench): void {
  it("shows a write at once to every instance on the same data", async () => {
    const one = bench().store();
    const other = bench().store({ backend: await bench().another() });
    for (let count = 1; count <= 10; count += 1) {
      await increment(bench(), count % 2 === 0 ? one : other, testKey("shared"));
      expect(await one.get(testKey("shared"))).toMatchObject({ fields: { count } });
      expect(await other.get(testKey("shared"))).toMatchObject({ fields: { count } });
    }
  });

  it("loses no increment when two instances and eight writers race for one record", async () => {
    const stores = [bench().store(), bench().store({ backend: await bench().another() })];
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 12; n += 1) {
          const store = stores[writer % 2];
          if (store !== undefined) await increment(bench(), store, testKey("counter"));
        }
      }),
    );
    expect(await countOf(bench().store(), testKey("counter"))).toBe(96);
  });

  it("keeps tenants apart in reads, lists and due pages", async () => {
    const due = { queue: "attend", at: bench().clock.now() } as const;
    const tenants = [undefined, "acme", "acme-2"];
    for (const [n, tenant] of tenants.entries()) {
      const store = bench().store(tenant === undefined ? {} : { tenant });
      await store.put(testKey("same"), body(n), { ...deadline(bench(), "absent"), due });
    }
    for (const [n, tenant] of tenants.entries()) {
      const store = bench().store(tenant === undefined ? {} : { tenant });
      expect(await store.get(testKey("same"))).toMatchObject({
        key: testKey("same"),
        fields: { count: n },
      });
      const listed = await store.list("things/records/", null, 10);
      expect(listed.records.map((record) => record.fields["count"])).toEqual([n]);
      const page = await store.due("attend", { until: due.at, cursor: null, limit: 10 });
      expect(page.entries).toHaveLength(1);
      const [entry] = page.entries;
      expect(entry && (await store.confirmDue(entry))).toMatchObject({ fields: { count: n } });
    }
  });
}
