/** Lost replies and ill storages, as callers of the receipt service see them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import { durationMs } from "../../src/core/time.ts";
import { scopeIdOf } from "../../src/machines/receipts/key.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import { SENDS_MAX } from "../../src/store/limits.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import {
  codeOf,
  dispatched,
  ID,
  IN_STATE,
  LAPSE_MS,
  operation,
  prepared,
  RECORD,
  RESULT,
  START,
  terminal,
  unknown,
} from "./receipts/given.ts";

const LOST = ["lost_now", "lost_late", "lost_never"] as const;
type Lost = (typeof LOST)[number];

/** The first write of the receipt meets `fault`; `isBlind`: and nothing can be read after it. */
function atFirstWrite(fault: Lost, isBlind: boolean): FaultPlan {
  let isLost = false;
  return ({ kind, key }, when) => {
    if (isLost && isBlind && when === "before") return "unavailable";
    if (kind !== "put" || key !== RECORD || when === "after" || isLost) return null;
    isLost = true;
    return fault;
  };
}

interface Step {
  readonly name: string;
  readonly given: (receipts: Receipts) => Promise<unknown>;
  readonly call: (receipts: Receipts, token: string) => Promise<unknown>;
  readonly state: string;
}

const STEPS: readonly Step[] = [
  {
    name: "prepare",
    given: async () => {},
    call: (receipts) => prepared(receipts),
    state: "prepared",
  },
  {
    name: "dispatch",
    given: prepared,
    call: (receipts, dispatchToken) => receipts.dispatch(ID, { dispatchToken }),
    state: "dispatching",
  },
  {
    name: "markAccepted",
    given: withToken,
    call: (receipts, dispatchToken) => receipts.markAccepted(ID, RESULT, { dispatchToken }),
    state: "accepted",
  },
  {
    name: "markTerminal",
    given: IN_STATE.accepted,
    call: (receipts) => receipts.markTerminal(ID),
    state: "terminal",
  },
  {
    name: "markOutcomeUnknown",
    given: withToken,
    call: (receipts, dispatchToken) => receipts.markOutcomeUnknown(ID, { dispatchToken }),
    state: "outcome-unknown",
  },
  {
    name: "resolve",
    given: unknown,
    call: (receipts) => receipts.resolve(ID, { outcome: "abandoned", resolvedBy: "ann" }),
    state: "outcome-unknown",
  },
];

const TOKEN = "token-a";

async function withToken(receipts: Receipts): Promise<void> {
  await receipts.dispatch(await prepared(receipts), { dispatchToken: TOKEN });
}

for (const dueIndex of ["native", "markers"] as const) {
  describe(`receipts on a failing storage (due index: ${dueIndex})`, () => {
    let storage: MemoryStorage;
    let bench: Bench;

    beforeEach(async () => {
      storage = memoryStorage({ dueIndex });
      bench = await openBench({
        storage,
        plant: async (key, body) => storage.plant(key, body),
        destroy: async () => {},
      });
    });
    afterEach(() => bench.close());

    const receipts = () => bench.holdfast.receipts;
    const failing = async (plan: FaultPlan, limits = {}): Promise<Receipts> =>
      (await bench.another({ storage: storage.withFaults(plan), limits })).holdfast.receipts;

    for (const { name, given, call, state } of STEPS) {
      it.each(LOST)(`G3 ${name} with the fault %s is done once, and answered`, async (fault) => {
        await given(receipts());
        await call(await failing(atFirstWrite(fault, false)), TOKEN);
        const receipt = await receipts().get(ID);
        expect(receipt?.state).toBe(state);
        storage.applyLate();
        expect(await receipts().get(ID)).toEqual(receipt);
      });

      it(`RECEIPT-35 ${name} is stored when its process ends right after its write`, async () => {
        await given(receipts());
        const ending = await failing(atFirstWrite("lost_now", true));
        expect(await codeOf(call(ending, TOKEN))).toBe("outcome_unknown");
        expect(await receipts().get(ID)).toMatchObject({ state });
      });

      it.each(LOST)(
        `G3 ${name} with the fault %s and no look is told as unknown, and its repeat does no harm`,
        async (fault) => {
          await given(receipts());
          const blind = await failing(atFirstWrite(fault, true));
          expect(await codeOf(call(blind, TOKEN))).toBe("outcome_unknown");
          await call(receipts(), TOKEN);
          const receipt = await receipts().get(ID);
          expect(receipt?.state).toBe(state);
          storage.applyLate();
          expect(await receipts().get(ID)).toEqual(receipt);
        },
      );
    }

    it.each(LOST)(
      "G3 a new receipt whose reply was lost (%s) is answered as created",
      async (fault) => {
        const { created } = await (await failing(atFirstWrite(fault, false))).prepare(START);
        expect(created).toBe(true);
      },
    );

    it.each(LOST)(
      "protocols 6.1 a reservation with the fault %s is counted once",
      async (fault) => {
        const limits = { receiptCapacity: 2 };
        let isLost = false;
        const scoped = await failing(({ kind, key }, when) => {
          const isScope = /receipts\/scopes\/(?!due)/.test(key) && kind === "put";
          if (isLost || !isScope || when === "after") return null;
          isLost = true;
          return fault;
        }, limits);
        await scoped.prepare(START);
        storage.applyLate();
        const other = (await bench.another({ limits })).holdfast.receipts;
        await other.prepare({ ...START, operationId: "o-2" });
        const third = other.prepare({ ...START, operationId: "o-3" });
        expect(await codeOf(third)).toBe("operation_receipt_capacity");
      },
    );

    it("protocols 6.1 a reservation that could not be written leaves those before it noted", async () => {
      const scopeKey = `receipts/scopes/${scopeIdOf("workspace")}`;
      let left = 0;
      const limits = { receiptCapacity: 9 };
      const ill = await failing(({ kind, key }, when) => {
        if (kind !== "put" || key !== scopeKey || when === "after" || left === 0) return null;
        left -= 1;
        return "throttled";
      }, limits);
      await ill.prepare(operation("o-1"));
      left = SENDS_MAX;
      expect(await codeOf(ill.prepare(operation("o-2")))).toBe("throttled");
      await ill.prepare(operation("o-3"));
      const scope: unknown = JSON.parse(storage.bodies().get(scopeKey) ?? "{}");
      const { payload, ...third } = operation("o-3");
      const o3 = await receipts().get(third);
      expect(scope).toMatchObject({ used: 2 });
      const { pend } = scope as { readonly pend: Record<string, { readonly id: string }> };
      expect(Object.values(pend).map(({ id }) => id)).toEqual([o3?.id]);
    });

    it("protocols 6.1 a place that others give back between two reads is given back once", async () => {
      const limits = { receiptCapacity: 9 };
      const other = (await bench.another({ limits })).holdfast.receipts;
      await prepared(other, operation("o-2"));
      await terminal(other);
      let isRetired = false;
      let isGivenBack = false;
      const slow = await failing(async ({ kind, key }, when) => {
        if (when === "before") return null;
        if (kind === "put" && key === RECORD) isRetired = true;
        if (kind !== "get" || !isRetired || isGivenBack) return null;
        isGivenBack = true;
        await other.retireExpired(10);
        return null;
      }, limits);
      await slow.erase(ID);
      expect(isGivenBack).toBe(true);
      const scope = storage.bodies().get(`receipts/scopes/${scopeIdOf("workspace")}`);
      expect(JSON.parse(scope ?? "{}")).toMatchObject({ used: 1, out: {} });
    });

    it("protocols 6.1 counting what an original left is asked for again after it failed", async () => {
      let isDown = true;
      const limits = { receiptCapacity: 9 };
      const ill = await failing(
        ({ kind }) => (isDown && kind === "list" ? "unavailable" : null),
        limits,
      );
      expect(await codeOf(ill.prepare(START))).toBe("unavailable");
      isDown = false;
      expect((await ill.prepare(START)).created).toBe(true);
    });

    it("protocols 6.1 while what an original left is being counted, nothing is prepared", async () => {
      let counted = (): void => {};
      let isCounting = false;
      const slow = await failing(
        async ({ kind }, when) => {
          if (kind !== "list" || when === "after") return null;
          isCounting = true;
          await new Promise<void>((resolve) => {
            counted = resolve;
          });
          return null;
        },
        { receiptCapacity: 9 },
      );
      const early = slow.prepare(START).catch((error: unknown) => error);
      while (!isCounting) await bench.clock.sleep(durationMs(1));
      bench.clock.elapse(15_000);
      expect(await early).toMatchObject({ code: "unavailable", isNotWritten: true });
      const waiting = slow.prepare(START);
      counted();
      expect((await waiting).created).toBe(true);
    });

    describe("once", () => {
      const { payload, ...key } = START;

      it.each(LOST)("runs the side effect once when the first reply is lost: %s", async (fault) => {
        let runs = 0;
        const effect = () => {
          runs += 1;
          return RESULT;
        };
        const ill = await failing(atFirstWrite(fault, false));
        await ill.once(key, payload, effect);
        storage.applyLate();
        expect((await receipts().once(key, payload, effect)).result).toEqual(RESULT);
        expect(runs).toBe(1);
      });

      it.each(["lost_now", "lost_late"] as const)(
        "learns that it owns the dispatch when its reply and the look for it were lost: %s",
        async (fault) => {
          // Of the receipt: the write, the look for it, and, while it still lands late, the next try.
          const faults = [fault, "unavailable"] as const;
          let met = 0;
          const ill = await failing((operation, when) => {
            const isWrite = operation.kind === "put" || met > 0;
            if (when === "after" || operation.key !== RECORD || !isWrite) return null;
            met += 1;
            if (met > faults.length) storage.applyLate();
            return faults[met - 1] ?? null;
          });
          expect((await ill.once(key, payload, () => RESULT)).replayed).toBe(false);
        },
      );

      it("does not run it when it cannot be known who owns the dispatch", async () => {
        let runs = 0;
        const ill = await failing(atFirstWrite("lost_now", true));
        const effect = () => {
          runs += 1;
          return RESULT;
        };
        expect(await codeOf(ill.once(key, payload, effect))).toBe("outcome_unknown");
        expect(runs).toBe(0);
        // Nobody has the token any more, so it lapses.
        bench.clock.advance(LAPSE_MS);
        expect(await codeOf(receipts().once(key, payload, effect))).toBe(
          "operation_outcome_unknown",
        );
        expect(runs).toBe(0);
      });

      it("protocols 6.1 runs also where the count cannot be told that its receipt was created", async () => {
        const { holdfast, interference, observed } = await bench.another({
          limits: { receiptCapacity: 1_000 },
        });
        // So many at once that what is noted must be noted at once.
        interference.beforePut = async (name) => {
          const isKeeping = (observed.get("receipt.dispatched") ?? 0) > 0;
          if (isKeeping && name.startsWith("receipts/scopes/"))
            throw new MisconfiguredError("expired");
          await bench.clock.sleep(durationMs(1));
        };
        const all = Array.from({ length: 64 }, (_, n) =>
          holdfast.receipts.once({ ...key, operationId: `many-${n}` }, 1, () => RESULT),
        );
        const ends = await Promise.all(all.map(codeOf));
        expect(ends).not.toContain("operation_outcome_unknown");
        const { receipts: found } = await receipts().list(null, 100);
        expect(found.filter(({ state }) => state !== "terminal")).toEqual([]);
        interference.beforePut = async () => {};
        await holdfast.receipts.once({ ...key, operationId: "last" }, 1, () => RESULT);
        const scope = storage.bodies().get(`receipts/scopes/${scopeIdOf("workspace")}`);
        const { used, pend } = JSON.parse(scope ?? "{}");
        // All that were created were noted with the next write.
        expect([used, Object.keys(pend).length]).toEqual([found.length + 1, 1]);
      });

      /** The first write of the receipt meets `fault`, and nothing of it can be read until `end`. */
      const blindly = (fault: Lost): { readonly plan: FaultPlan; end(): void } => {
        const inner = atFirstWrite(fault, true);
        let isOver = false;
        return {
          plan: (operation, when) => {
            const isMet = !isOver && operation.key === RECORD;
            return isMet ? inner(operation, when) : null;
          },
          end: () => {
            isOver = true;
          },
        };
      };

      it("protocols 6.2 rule 8 a call with another payload costs nobody the dispatch that was never begun", async () => {
        const { plan, end } = blindly("lost_now");
        const ill = await failing(plan);
        expect(await codeOf(ill.once(key, payload, () => RESULT))).toBe("outcome_unknown");
        end();
        const other = ill.once(key, { prompt: "another" }, () => RESULT);
        expect(await codeOf(other)).toBe("operation_receipt_conflict");
        expect((await ill.once(key, payload, () => RESULT)).replayed).toBe(false);
      });

      it("protocols 6.2 rule 8 nor does a full workspace, while the dispatch is on its way", async () => {
        const { plan, end } = blindly("lost_late");
        const ill = await failing(plan, { receiptCapacity: 1 });
        expect(await codeOf(ill.once(key, payload, () => RESULT))).toBe("outcome_unknown");
        end();
        const full = ill.once(key, payload, () => RESULT);
        expect(await codeOf(full)).toBe("operation_receipt_capacity");
        storage.applyLate();
        expect((await ill.once(key, payload, () => RESULT)).replayed).toBe(false);
      });

      it("is told that the outcome is unknown when it cannot be stored, and it is not run again", async () => {
        let isDown = false;
        let runs = 0;
        const ill = await failing((_operation, when) =>
          isDown && when === "before" ? "unavailable" : null,
        );
        const effect = () => {
          runs += 1;
          isDown = true;
          return RESULT;
        };
        expect(await codeOf(ill.once(key, payload, effect))).toBe("operation_outcome_unknown");
        isDown = false;
        bench.clock.advance(LAPSE_MS);
        const again = receipts().once(key, payload, effect);
        expect(await codeOf(again)).toBe("operation_outcome_unknown");
        expect(runs).toBe(1);
      });

      it("has its outcome stored when the storage was away for a moment", async () => {
        let failures = 2;
        const ill = await failing(({ kind, key: name }, when) => {
          if (kind !== "put" || name !== RECORD || when === "after" || failures === 0) return null;
          if (!storage.bodies().has(RECORD)) return null;
          failures -= 1;
          return "unavailable";
        });
        expect((await ill.once(key, payload, () => RESULT)).receipt.state).toBe("terminal");
      });

      /** The first `count` writes of the receipt that is there already are refused. */
      const refusing = (count: number): FaultPlan => {
        let left = count;
        return ({ kind, key: name }, when) => {
          const isWrite = kind === "put" && name === RECORD && storage.bodies().has(RECORD);
          if (!isWrite || when === "after" || left === 0) return null;
          left -= 1;
          return "unavailable";
        };
      };

      it("has its outcome told five times, with every send that a write may have", async () => {
        const ill = await failing(refusing(4 * SENDS_MAX));
        expect((await ill.once(key, payload, () => RESULT)).receipt.state).toBe("terminal");
      });

      it("is told that it is unknown after that, and its receipt says so", async () => {
        const ill = await failing(refusing(5 * SENDS_MAX));
        const end = ill.once(key, payload, () => RESULT);
        expect(await codeOf(end)).toBe("operation_outcome_unknown");
        expect((await receipts().get(ID))?.state).toBe("outcome-unknown");
      });

      /** A caller that is called off while its dispatch is written, and whose release is refused `count` times. */
      const calledOff = async (count: number) => {
        const abort = new AbortController();
        let isBegun = false;
        const refuse = refusing(count);
        const ill = await failing(async (operation, when) => {
          const isWritten =
            operation.kind === "put" && operation.key === RECORD && when === "after";
          if (isWritten && !isBegun) {
            isBegun = true;
            abort.abort(new Error("enough"));
            return null;
          }
          return refuse(operation, when);
        });
        const { signal } = abort;
        const end = codeOf(ill.once(key, payload, () => RESULT, { signal }));
        while (!isBegun) await bench.clock.sleep(durationMs(1));
        return { ill, end };
      };

      it("protocols 6.2 a dispatch that was not begun is given back three times, with every send", async () => {
        const { end } = await calledOff(2 * SENDS_MAX);
        await end;
        expect((await receipts().get(ID))?.state).toBe("prepared");
      });

      it("protocols 6.2 one that could not be given back is taken up by who waits in the same service", async () => {
        const { ill, end } = await calledOff(3 * SENDS_MAX);
        const waiting = ill.once(key, payload, () => RESULT);
        await end;
        expect((await waiting).replayed).toBe(false);
      });

      it("protocols 6.2 a renewal that fails is made up for by the next one", async () => {
        const ill = await failing(refusing(SENDS_MAX));
        let end = (): void => {};
        const running = ill.once(key, payload, async () => {
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          return RESULT;
        });
        const lease = () => /"leaseUntil": ?(\d+)/.exec(storage.bodies().get(RECORD) ?? "")?.[1];
        while (lease() === undefined) await bench.clock.sleep(durationMs(1));
        const before = Number(lease());
        bench.clock.advance(20_000);
        while (Number(lease()) === before) {
          bench.clock.elapse(20_000);
          await bench.clock.sleep(durationMs(4));
        }
        expect(Number(lease()) - before).toBe(20_000);
        end();
        await running;
      });

      it("is not run where nothing can be read, which is told as it is", async () => {
        let runs = 0;
        const ill = await failing(() => "unavailable", { receiptCapacity: 9 });
        const effect = () => {
          runs += 1;
          return RESULT;
        };
        expect(await codeOf(ill.once(key, payload, effect))).toBe("unavailable");
        expect(runs).toBe(0);
      });

      it("protocols 6.2 does not run what was taken for lost before its owner knew that it is one", async () => {
        let runs = 0;
        let met = 0;
        const ill = await failing(async ({ kind, key: name }, when) => {
          if (name !== RECORD || when === "after" || (met === 0 && kind !== "put")) return null;
          met += 1;
          if (met === 1) return "lost_now";
          if (met > 2) return null;
          bench.clock.advance(LAPSE_MS);
          await receipts().recoverInterrupted();
          return "unavailable";
        });
        const end = ill.once(key, payload, () => {
          runs += 1;
          return RESULT;
        });
        expect(await codeOf(end)).toBe("operation_outcome_unknown");
        expect([runs, met > 2]).toEqual([0, true]);
      });

      it("is told that it is not known, whatever stands in the way of asking again who owns the dispatch", async () => {
        let met = 0;
        const ill = await failing(({ kind, key: name }, when) => {
          if (name !== RECORD || when === "after" || (met === 0 && kind !== "put")) return null;
          met += 1;
          if (met === 1) return "lost_never";
          if (met === 2) storage.plant(RECORD, "{}");
          return met === 2 ? "unavailable" : null;
        });
        expect(await codeOf(ill.once(key, payload, () => RESULT))).toBe("outcome_unknown");
      });

      it("keeps the owner's truth when it was taken for lost while it ran", async () => {
        const owner = (await bench.another()).holdfast.receipts;
        const end = owner.once(key, payload, async () => {
          bench.clock.advance(LAPSE_MS);
          await receipts().recoverInterrupted();
          expect((await receipts().get(ID))?.state).toBe("outcome-unknown");
          return RESULT;
        });
        expect((await end).receipt).toMatchObject({ state: "terminal", result: RESULT });
      });

      it("keeps a person's answer, and the owner is never told that what it ran did not happen", async () => {
        const owner = (await bench.another()).holdfast.receipts;
        const end = owner.once(key, payload, async () => {
          bench.clock.advance(LAPSE_MS);
          await receipts().recoverInterrupted();
          await receipts().resolve(ID, { outcome: "did_not_happen", resolvedBy: "ann" });
          return RESULT;
        });
        await expect(end).rejects.toMatchObject({
          ...{ code: "operation_outcome_unknown", receiptId: ID, returned: RESULT },
          cause: { code: "already_resolved", resolution: { outcome: "did_not_happen" } },
        });
        expect(await receipts().notes(ID)).toMatchObject([{ kind: "contradiction" }]);
      });

      it("is answered where others found out its very result while it ran", async () => {
        const owner = (await bench.another()).holdfast.receipts;
        const end = owner.once(key, payload, async () => {
          bench.clock.advance(LAPSE_MS);
          await receipts().recoverInterrupted();
          await receipts().resolve(ID, { outcome: "happened", result: RESULT, resolvedBy: "ann" });
          return RESULT;
        });
        expect(await end).toMatchObject({
          ...{ result: RESULT, replayed: false },
          receipt: { id: ID, resolution: { outcome: "happened", resolvedBy: "ann" } },
        });
      });

      it.each([
        ["a while", 2, "nothing was thrown"],
        ["good", Number.POSITIVE_INFINITY, "operation_outcome_unknown"],
      ])(
        "tells what it ran as unknown at worst when credentials run out for %s",
        async (_name, times, end) => {
          const { holdfast, interference } = await bench.another();
          let left = times;
          const call = holdfast.receipts.once(key, payload, () => {
            interference.beforePut = async () => {
              left -= 1;
              if (left >= 0) throw new MisconfiguredError("the token has expired");
            };
            return RESULT;
          });
          expect(await codeOf(call)).toBe(end);
        },
      );

      it("tells what its side effect threw also when credentials ran out meanwhile", async () => {
        const { holdfast, interference } = await bench.another();
        const cause = new Error("socket hang up");
        const call = holdfast.receipts.once(key, payload, () => {
          interference.beforePut = () => Promise.reject(new MisconfiguredError("expired"));
          throw cause;
        });
        await expect(call).rejects.toMatchObject({ code: "operation_outcome_unknown", cause });
      });

      it("goes on renewing its dispatch after a renewal that credentials kept from the storage", async () => {
        const { holdfast, interference } = await bench.another();
        let end = (): void => {};
        const call = holdfast.receipts.once(key, payload, () => {
          let renewals = 0;
          interference.beforePut = async () => {
            renewals += 1;
            if (renewals === 1) throw new MisconfiguredError("the token has expired");
            end();
          };
          return new Promise<typeof RESULT>((resolve) => {
            end = () => resolve(RESULT);
          });
        });
        const ticking = setInterval(() => bench.clock.elapse(20_000), 1);
        expect((await call).result).toEqual(RESULT);
        clearInterval(ticking);
      });

      it("a dispatch that is not known stays so when the next look is kept from the storage", async () => {
        const { holdfast, interference } = await bench.another();
        interference.afterPut = async () => {
          interference.isBlind = true;
          interference.beforePut = () => Promise.reject(new MisconfiguredError("expired"));
          throw new Error("the reply was lost");
        };
        const call = holdfast.receipts.once(key, payload, () => RESULT);
        expect(await codeOf(call)).toBe("outcome_unknown");
      });
    });

    it("G6 a storage that cannot be read is told as unavailable", async () => {
      await dispatched(receipts());
      const ill = await failing(() => "unavailable");
      for (const call of [
        () => ill.get(ID),
        () => ill.list(),
        () => ill.markTerminal(ID),
        () => ill.recoverInterrupted(),
      ]) {
        expect(await codeOf(call())).toBe("unavailable");
      }
    });
  });
}
