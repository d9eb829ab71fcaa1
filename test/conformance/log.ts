/** Parts of an event log: created once, in order, recognised after a lost reply. */
import { describe, expect, it } from "vitest";
import { after, seconds } from "../../src/core/time.ts";
import { RecordTooLargeError } from "../../src/ports/faults.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { BODY_BYTES_MAX } from "../../src/store/limits.ts";
import { type Log, openLog } from "../../src/store/log.ts";
import { type Bench, type FaultyBackend, faultyBackend } from "./fixture.ts";

function open(bench: Bench): { log: Log; backend: FaultyBackend } {
  const backend = faultyBackend(bench.backend);
  const deps = { backend, clock: bench.clock, random: systemRandom(), observe: () => {} };
  return { log: openLog(deps, "things/log/0b0e1c1c-3a4e-4a7e-9f5d-0a1b2c3d4e5f"), backend };
}

export function describeLog(bench: () => Bench): void {
  const soon = () => after(bench().clock.now(), seconds(20));

  describe("log parts", () => {
    it("gives a place in the log to exactly one of eight writers", async () => {
      const { log } = open(bench());
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, writer) => log.create(1, { writer }, soon())),
      );
      expect(results.filter((result) => result === "created")).toHaveLength(1);
      expect(await log.get(1)).toEqual({ first: 1, body: { writer: results.indexOf("created") } });
    });

    it("lists parts in the order of their numbers", async () => {
      const { log } = open(bench());
      for (const first of [1, 4, 9, 10, 11, 100, 1_000]) await log.create(first, { first }, soon());
      const firstPage = await log.list(null, 4);
      const rest = await log.list(firstPage.cursor, 100);
      expect([...firstPage.firsts, ...rest.firsts]).toEqual([1, 4, 9, 10, 11, 100, 1_000]);
      expect(await log.get(5)).toBeNull();
    });

    for (const fault of ["lost_now", "lost_late", "lost_never", "refused"] as const) {
      it(`a part whose reply is ${fault} is created once`, async () => {
        const { log, backend } = open(bench());
        backend.plan.push(fault);
        expect(await log.create(1, { text: "mine" }, soon())).toBe("created");
        await backend.applyLate();
        expect(await log.create(1, { text: "other" }, soon())).toBe("taken");
        expect(await log.get(1)).toEqual({ first: 1, body: { text: "mine" } });
      });
    }

    it("refuses a part over the limit before anything is written", async () => {
      const { log } = open(bench());
      await expect(
        log.create(1, { text: "x".repeat(BODY_BYTES_MAX) }, soon()),
      ).rejects.toBeInstanceOf(RecordTooLargeError);
      expect(await log.get(1)).toBeNull();
    });

    it("removes a part for good", async () => {
      const { log } = open(bench());
      await log.create(1, {}, soon());
      await log.remove(1);
      expect(await log.get(1)).toBeNull();
      expect((await log.list(null, 10)).firsts).toEqual([]);
    });
  });
}
