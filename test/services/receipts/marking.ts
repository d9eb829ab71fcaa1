import { describe, expect, it } from "vitest";
import {
  OperationReceiptContractError,
  OperationReceiptNotOwnedError,
  OperationReceiptStoreError,
} from "../../../src/services/receipt-errors.ts";
import type { PrepareRequest } from "../../../src/services/receipt-input.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  accepted,
  codeOf,
  DAY,
  dispatched,
  ID,
  IN_STATE,
  LAPSE_MS,
  OTHER_RESULT,
  originals,
  prepared,
  RECORD,
  RESULT,
  START,
  terminal,
  unknown,
} from "./given.ts";

const OTHER: PrepareRequest = { ...START, operationId: "operation-2" };

const HTTP_REQUEST: PrepareRequest = {
  ...{ tool: "http", action: "request", operationId: "request-1" },
  payload: {},
};

export function describeMarking(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

  describe("dispatching", () => {
    it("RECEIPT-14 markDispatching stamps the receipt, and its repeat is no owner", async () => {
      const receipt = await prepared(receipts());
      bench().clock.advance(5);
      const first = await receipts().markDispatching(receipt);
      expect(first).toMatchObject({ state: "dispatching", dispatchingAt: bench().clock.now() });
      bench().clock.advance(5);
      const again = await receipts()
        .markDispatching(ID)
        .catch((error: unknown) => error);
      expect(again).toBeInstanceOf(OperationReceiptNotOwnedError);
      expect(again).toMatchObject({ code: "dispatch_lost", state: "dispatching" });
      expect(await receipts().get(ID)).toEqual(first);
    });

    it("RECEIPT-14 dispatch tells its owner again, by the token, with the same times", async () => {
      const first = await dispatched(receipts());
      bench().clock.advance(5_000);
      const { dispatchToken } = first;
      const other = (await bench().another()).holdfast.receipts;
      expect(await other.dispatch(ID, { dispatchToken })).toEqual(first);
      expect(await other.dispatch(ID)).toEqual({
        ...{ receipt: first.receipt, owned: false, dispatchToken: null },
      });
    });

    it("RECEIPT-16 of many at once exactly one is told that it owns the dispatch", async () => {
      await prepared(receipts());
      const others = await Promise.all([1, 2, 3].map(() => bench().another()));
      const answers = await Promise.all(
        [bench(), ...others].flatMap(({ holdfast }) => [
          holdfast.receipts.dispatch(ID),
          holdfast.receipts.dispatch(ID),
        ]),
      );
      expect(answers.filter(({ owned }) => owned)).toHaveLength(1);
      expect(answers.filter(({ dispatchToken }) => dispatchToken !== null)).toHaveLength(1);
    });

    it.each(["accepted", "terminal", "outcome-unknown"] as const)(
      "RECEIPT-15 is refused on %s, naming the state",
      async (state) => {
        const receipt = await IN_STATE[state](receipts());
        const error = await receipts()
          .markDispatching(ID)
          .catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(OperationReceiptStoreError);
        expect(error).toMatchObject({ code: "invalid_receipt_state", state });
        expect((error as Error).message).toContain(state);
        expect(await receipts().get(ID)).toEqual(receipt);
      },
    );

    it.each([0, 86_400_001, 1.5, "60000"])("has no lease of %j", async (leaseMs) => {
      const options = { leaseMs: leaseMs as number };
      await prepared(receipts());
      for (const call of [
        () => receipts().dispatch(ID, options),
        () => receipts().markDispatching(ID, options),
        () => receipts().renewDispatch(ID, leaseMs as number),
      ]) {
        expect(await codeOf(call())).toBe("invalid_request");
      }
    });

    it.each([1, 86_400_000])("has a lease of %i", async (leaseMs) => {
      await prepared(receipts());
      await receipts().markDispatching(ID, { leaseMs });
      bench().clock.advance(leaseMs + LAPSE_MS - 60_001);
      expect((await receipts().recoverInterrupted()).recovered).toBe(0);
      bench().clock.advance(1);
      expect((await receipts().recoverInterrupted()).recovered).toBe(1);
    });

    it("has a token of 1 to 256 characters", async () => {
      await prepared(receipts());
      for (const dispatchToken of ["", "t".repeat(257), null]) {
        const options = { dispatchToken: dispatchToken as string };
        expect(await codeOf(receipts().dispatch(ID, options))).toBe("invalid_request");
      }
      expect((await receipts().dispatch(ID, { dispatchToken: "t".repeat(256) })).owned).toBe(true);
    });

    it("RECEIPT-24 every mark on a missing receipt says that there is none", async () => {
      const id = "a".repeat(64);
      const calls = [
        () => receipts().markDispatching(id),
        () => receipts().dispatch(id),
        () => receipts().renewDispatch(id, 60_000),
        () => receipts().markAccepted(id, RESULT),
        () => receipts().markTerminal(id),
        () => receipts().markOutcomeUnknown(id),
        () => receipts().resolve(id, { outcome: "abandoned", resolvedBy: "ann" }),
        () => receipts().erase(id),
      ];
      for (const call of calls) expect(await codeOf(call())).toBe("receipt_not_found");
      expect(await receipts().get(id)).toBeUndefined();
    });

    it("RECEIPT-48 an id that is none is refused before it becomes a path", async () => {
      for (const id of ["../up", "", ID.toUpperCase(), `${ID}0`, null]) {
        expect(await codeOf(receipts().get(id as string))).toBe("invalid_request");
        await expect(receipts().markTerminal(id as string)).rejects.toMatchObject({
          code: "invalid_request",
          errors: [{ path: "id", message: expect.stringContaining("64 lower-case hex digits") }],
        });
      }
    });
  });

  describe("accepting", () => {
    it("RECEIPT-17, RECEIPT-21 the owner's result stands, and is made terminal", async () => {
      const { receipt } = await dispatched(receipts());
      const done = await receipts().markAccepted(receipt, RESULT);
      expect(done).toMatchObject({ state: "accepted", result: RESULT });
      bench().clock.advance(5);
      expect(await receipts().markAccepted(ID, RESULT)).toEqual(done);
      const over = await receipts().markTerminal(ID);
      expect(over).toMatchObject({ state: "terminal", result: RESULT });
      bench().clock.advance(5);
      expect(await receipts().markTerminal(ID)).toEqual(over);
    });

    it("RECEIPT-18 another result is a conflict, and changes nothing", async () => {
      const receipt = await accepted(receipts());
      expect(await codeOf(receipts().markAccepted(ID, OTHER_RESULT))).toBe(
        "operation_receipt_conflict",
      );
      expect(await receipts().get(ID)).toEqual(receipt);
    });

    it("RECEIPT-19 is refused on prepared and terminal", async () => {
      const receipt = await prepared(receipts());
      expect(await codeOf(receipts().markAccepted(receipt, RESULT))).toBe("invalid_receipt_state");
      await terminal(receipts());
      expect(await codeOf(receipts().markAccepted(ID, RESULT))).toBe("invalid_receipt_state");
    });

    it("RECEIPT-20 a result that is none is refused, and nothing written", async () => {
      const { receipt, dispatchToken } = await dispatched(receipts());
      for (const result of [{ ...RESULT, text: "x" }, { ok: 1 }, null, () => {}]) {
        for (const ref of [receipt, ID]) {
          await expect(receipts().markAccepted(ref, result, { dispatchToken })).rejects.toThrow(
            OperationReceiptContractError,
          );
        }
      }
      expect(await receipts().get(ID)).toEqual(receipt);
    });

    it("RECEIPT-20 what no operation can result in is refused before any lookup", async () => {
      const { holdfast, traffic } = await bench().another();
      const missing = "a".repeat(64);
      const before = traffic.reads;
      for (const result of [() => {}, "x".repeat(65_535)]) {
        expect(await codeOf(holdfast.receipts.markAccepted(missing, result))).toBe(
          "invalid_request",
        );
        const happened = { outcome: "happened", result, resolvedBy: "ann" } as const;
        expect(await codeOf(holdfast.receipts.resolve(missing, happened))).toBe("invalid_request");
      }
      expect(traffic.reads).toBe(before);
      // Which operation it is of is not known, and some could result in it.
      expect(await codeOf(holdfast.receipts.markAccepted(missing, { ok: 1 }))).toBe(
        "receipt_not_found",
      );
    });

    it("RECEIPT-20 a larger result is for the operation that takes it to refuse", async () => {
      const { receipt, dispatchToken } = await dispatched(receipts(), HTTP_REQUEST);
      const data = "x".repeat(70_000);
      const result = { status: 200, headers: [], body: { encoding: "text", data } };
      const done = await receipts().markAccepted(receipt.id, result, { dispatchToken });
      expect(done.result).toEqual(result);
    });

    it("G2 another instance knows no token, and is refused", async () => {
      const { dispatchToken } = await dispatched(receipts());
      const other = (await bench().another()).holdfast.receipts;
      expect(await codeOf(other.markAccepted(ID, RESULT))).toBe("dispatch_lost");
      expect(await codeOf(other.renewDispatch(ID, 60_000))).toBe("dispatch_lost");
      expect((await other.renewDispatch(ID, 1, { dispatchToken })).state).toBe("dispatching");
      const done = await other.markAccepted(ID, RESULT, { dispatchToken });
      expect(done.state).toBe("accepted");
    });

    it("protocols 6.2 rule 9 a dispatch of an original is accepted without a token", async () => {
      await bench().plant(RECORD, originals({ state: "dispatching", dispatchingAt: 1 }));
      expect((await receipts().dispatch(ID)).owned).toBe(false);
      expect((await receipts().markAccepted(ID, RESULT)).state).toBe("accepted");
    });
  });

  describe("an outcome that nobody knows", () => {
    it("RECEIPT-22 is stamped, and its repeat changes nothing", async () => {
      const receipt = await unknown(receipts());
      expect(receipt).toMatchObject({ outcomeUnknownAt: bench().clock.now() });
      bench().clock.advance(5);
      expect(await receipts().markOutcomeUnknown(ID)).toEqual(receipt);
    });

    it("protocols 6.2 rule 5 is told by others only when the dispatch has lapsed", async () => {
      await dispatched(receipts());
      const other = (await bench().another()).holdfast.receipts;
      bench().clock.advance(LAPSE_MS - 1);
      expect(await codeOf(other.markOutcomeUnknown(ID))).toBe("dispatch_lost");
      bench().clock.advance(1);
      expect((await other.markOutcomeUnknown(ID)).state).toBe("outcome-unknown");
    });

    it("is filled by the owner's late truth", async () => {
      const { dispatchToken } = await dispatched(receipts());
      bench().clock.advance(LAPSE_MS);
      await receipts().recoverInterrupted();
      expect(await receipts().markAccepted(ID, RESULT, { dispatchToken })).toMatchObject({
        state: "accepted",
        result: RESULT,
      });
    });

    it("RECEIPT-43 no clock that stepped back is in the way", async () => {
      await prepared(receipts());
      bench().clock.advance(-5_000);
      await terminal(receipts());
      expect(await receipts().get(ID)).toMatchObject({ state: "terminal" });
    });
  });

  describe("resolving", () => {
    const answer = { outcome: "did_not_happen", resolvedBy: "ann", note: "asked" } as const;

    it("adds what a person said, once and for ever", async () => {
      await unknown(receipts());
      const resolved = await receipts().resolve(ID, answer);
      expect(resolved).toMatchObject({
        state: "outcome-unknown",
        resolution: { ...answer, resolvedAt: bench().clock.now() },
      });
      expect(await receipts().resolve(resolved, answer)).toEqual(resolved);
      // Somebody else who says the same is told what stands, by whom and why.
      const agreeing = { ...answer, resolvedBy: "bob", note: "asked, too" };
      expect(await receipts().resolve(ID, agreeing)).toEqual(resolved);
      const other = receipts().resolve(ID, { outcome: "abandoned", resolvedBy: "ann" });
      expect(await codeOf(other)).toBe("already_resolved");
    });

    it("of many at once the first wins, and all others are told what stands", async () => {
      await unknown(receipts());
      const others = await Promise.all([1, 2].map(() => bench().another()));
      const ends = await Promise.allSettled(
        [bench(), ...others].map(({ holdfast }, n) =>
          holdfast.receipts.resolve(ID, {
            outcome: "happened",
            result: { ...RESULT, data: { taskId: `task-${n}` } },
            resolvedBy: `person-${n}`,
          }),
        ),
      );
      const won = ends.filter(({ status }) => status === "fulfilled");
      expect(won).toHaveLength(1);
      const { resolution } = (await receipts().get(ID)) ?? {};
      for (const end of ends) {
        if (end.status === "rejected") {
          expect(end.reason).toMatchObject({ code: "already_resolved", resolution });
        }
      }
    });

    it("happened needs a result of the operation, the others none", async () => {
      await unknown(receipts());
      const by = { resolvedBy: "ann" };
      for (const bad of [
        { outcome: "happened", ...by },
        { outcome: "happened", result: { ok: 1 }, ...by },
        { outcome: "abandoned", result: RESULT, ...by },
        { outcome: "other", ...by },
        { outcome: "abandoned" },
      ]) {
        expect(await codeOf(receipts().resolve(ID, bad as typeof answer))).toBe("invalid_request");
      }
      const { resolution } = await receipts().resolve(ID, {
        ...{ outcome: "happened", result: RESULT, ...by },
      });
      expect(resolution).toMatchObject({ outcome: "happened", result: RESULT });
    });

    it("is refused for what is wrong in it before any lookup", async () => {
      const missing = "a".repeat(64);
      const happened = { outcome: "happened", result: RESULT } as const;
      for (const bad of [
        { ...happened, resolvedBy: "" },
        { ...happened, resolvedBy: "a".repeat(257) },
        { ...happened, resolvedBy: "a\u0000" },
        { ...happened, resolvedBy: "ann", note: "n".repeat(1_001) },
        { ...happened, resolvedBy: "ann", note: "\ud800" },
      ]) {
        expect(await codeOf(receipts().resolve(missing, bad))).toBe("invalid_request");
      }
      const longest = { resolvedBy: "a".repeat(256), note: "n".repeat(1_000) };
      expect(await codeOf(receipts().resolve(missing, { ...happened, ...longest }))).toBe(
        "receipt_not_found",
      );
    });

    it("protocols 6.2 rule 4 waits for a dispatch that may live", async () => {
      await dispatched(receipts());
      bench().clock.advance(LAPSE_MS - 1);
      expect(await codeOf(receipts().resolve(ID, answer))).toBe("dispatch_live");
      bench().clock.advance(1);
      expect(await codeOf(receipts().resolve(ID, answer))).toBe("invalid_receipt_state");
    });

    it("a late report that says the same is kept, and contradicts nothing", async () => {
      const { dispatchToken } = await dispatched(receipts());
      await receipts().markOutcomeUnknown(ID);
      expect(await receipts().notes(ID)).toEqual([]);
      await receipts().resolve(ID, { outcome: "happened", result: RESULT, resolvedBy: "ann" });
      const late = receipts().markAccepted(ID, RESULT, { dispatchToken });
      expect(await codeOf(late)).toBe("already_resolved");
      expect(await receipts().notes(ID)).toMatchObject([{ kind: "confirmation", result: RESULT }]);
      expect(bench().observed.get("receipt.contradiction")).toBeUndefined();
    });

    it("notes that cannot be read are an error", async () => {
      await unknown(receipts());
      await bench().plant(`receipts/notes/${ID}`, "{}");
      expect(await codeOf(receipts().notes(ID))).toBe("record_corrupt");
    });

    it("a late report is refused, kept as a note once, counted, and changes nothing", async () => {
      const { dispatchToken } = await dispatched(receipts());
      await receipts().markOutcomeUnknown(ID);
      const resolved = await receipts().resolve(ID, answer);
      const late = () => receipts().markAccepted(ID, RESULT, { dispatchToken });
      expect(await codeOf(late())).toBe("already_resolved");
      expect(bench().observed.get("receipt.contradiction")).toBe(1);
      expect(await codeOf(late())).toBe("already_resolved");
      expect(await receipts().get(ID)).toEqual(resolved);
      const at = bench().clock.now();
      expect(await receipts().notes(ID)).toEqual([{ at, kind: "contradiction", result: RESULT }]);
      expect(bench().observed.get("receipt.contradiction")).toBe(1);
      const stranger = (await bench().another()).holdfast.receipts;
      expect(await codeOf(stranger.markAccepted(ID, RESULT))).toBe("dispatch_lost");
      expect(await receipts().notes(ID)).toHaveLength(1);
    });
  });

  describe("what is counted", () => {
    it("RECEIPT-33 each replay, each conflict, and an unknown outcome once", async () => {
      const { holdfast, observed } = await bench().another();
      const own = holdfast.receipts;
      await own.prepare(START);
      await own.prepare(START);
      await codeOf(own.prepare({ ...START, payload: 1 }));
      const { dispatchToken } = await dispatched(own);
      await own.markOutcomeUnknown(ID);
      await own.markOutcomeUnknown(ID);
      await own.markAccepted(ID, RESULT, { dispatchToken });
      await codeOf(own.markAccepted(ID, OTHER_RESULT));
      await codeOf(own.markAccepted(ID, OTHER_RESULT, { dispatchToken: "another" }));
      await own.prepare(OTHER);
      const other = await own.prepare(OTHER);
      await own.markDispatching(other.receipt);
      await codeOf(own.renewDispatch(other.receipt.id, 1, { dispatchToken: "another" }));
      await own.markOutcomeUnknown(other.receipt.id);
      await own.resolve(other.receipt.id, { outcome: "abandoned", resolvedBy: "ann" });
      await own.erase(other.receipt.id);
      await own.erase(other.receipt.id);
      bench().clock.advance(31 * DAY);
      await own.retireExpired(10);
      await own.retireExpired(10);
      const receiptCounts = [...observed].filter(([name]) => name.startsWith("receipt."));
      expect(Object.fromEntries(receiptCounts)).toEqual({
        "receipt.prepared": 2,
        "receipt.replay": 3,
        "receipt.conflict": 3,
        "receipt.dispatched": 2,
        "receipt.dispatch_lost": 1,
        "receipt.outcome-unknown": 2,
        "receipt.accepted": 1,
        "receipt.resolved": 1,
        "receipt.erased": 1,
        "receipt.retired": 1,
      });
    });
  });
}
