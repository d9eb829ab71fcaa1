import { describe, expect, it } from "vitest";
import {
  ACCEPTED,
  accept,
  applied,
  at,
  conflict,
  DISPATCHING,
  decide,
  IN_EVERY_STATE,
  OWNED,
  RESULT,
  refused,
  resolve,
  stored,
  TERMINAL,
  UNKNOWN,
} from "./given.ts";

const OTHER = { ok: true, status: "succeeded", data: { taskId: "task-2" } };
const OWN = stored(DISPATCHING, OWNED);
const LOST = stored(UNKNOWN, OWNED);
const RESOLVED = applied(LOST, resolve("did_not_happen"), at(1));

describe("accepting", () => {
  it("RECEIPT-17 stores the result and stamps acceptedAt; the same again changes nothing", () => {
    const next = applied(OWN, accept("token-a"), at(7));
    expect(next.receipt).toMatchObject({ state: "accepted", acceptedAt: at(7), result: RESULT });
    expect(decide(next, accept("token-a"), at(9))).toEqual({ kind: "unchanged", state: next });
    const { ok, ...rest } = RESULT;
    expect(decide(next, accept("token-a", { ...rest, ok }), at(9)).kind).toBe("unchanged");
  });

  it("RECEIPT-18 another result is a conflict, and tells no more than whose it is", () => {
    expect(decide(stored(ACCEPTED, OWNED), accept("token-a", OTHER))).toEqual(conflict("result"));
  });

  it("RECEIPT-18 a result that differs in its requestId alone is another", () => {
    const one = applied(stored(DISPATCHING, OWNED), accept("token-a", { requestId: 1 }), at(1));
    expect(decide(one, accept("token-a", { requestId: 1 })).kind).toBe("unchanged");
    expect(decide(one, accept("token-a", { requestId: 2 }))).toEqual(conflict("result"));
  });

  it.each([
    ["prepared", {}],
    ["terminal", TERMINAL],
  ])("RECEIPT-19 is refused on %s", (state, fields) => {
    expect(decide(stored(fields), accept("token-a"))).toEqual(
      refused("invalid_receipt_state", state),
    );
  });

  it("G2 is refused to everybody but the owner", () => {
    for (const token of [null, "token-b"]) {
      expect(decide(OWN, accept(token))).toEqual(refused("dispatch_lost", "dispatching"));
      expect(decide(LOST, accept(token))).toEqual(refused("dispatch_lost", "outcome-unknown"));
    }
  });

  it("is taken from the owner after its lease, too", () => {
    expect(applied(OWN, accept("token-a"), at(9_999_999)).receipt.state).toBe("accepted");
  });

  it("RECEIPT-19 a dispatch of an original is accepted from dispatching only, and without a token", () => {
    const theirs = stored(DISPATCHING);
    expect(applied(theirs, accept(null), at(1)).receipt.state).toBe("accepted");
    expect(decide(theirs, accept("token-a"))).toEqual(refused("dispatch_lost", "dispatching"));
    expect(decide(stored(UNKNOWN), accept(null))).toEqual(
      refused("invalid_receipt_state", "outcome-unknown"),
    );
  });

  it("goes on to terminal in the same write when it is final, and says the same again", () => {
    const final = { ...accept("token-a"), isFinal: true };
    const next = applied(OWN, final, at(7));
    expect(next.receipt).toMatchObject({ state: "terminal", acceptedAt: at(7), terminalAt: at(7) });
    expect(decide(next, final, at(9))).toEqual({ kind: "unchanged", state: next });
    expect(decide(next, { ...final, result: OTHER })).toEqual(conflict("result"));
    expect(applied(stored(ACCEPTED, OWNED), final, at(8)).receipt.terminalAt).toBe(at(8));
  });

  it("RECEIPT-43 is not kept back by a clock that stepped back", () => {
    expect(applied(OWN, accept("token-a"), at(-99)).receipt.acceptedAt).toBe(at(0));
  });
});

describe("late truth (protocols 6.2)", () => {
  it("fills an unknown outcome, as long as nobody resolved it", () => {
    const next = applied(LOST, accept("token-a"), at(7));
    expect(next.receipt).toMatchObject({ state: "accepted", result: RESULT, acceptedAt: at(7) });
  });

  it("does not replace a person's answer, which is told", () => {
    expect(decide(RESOLVED, accept("token-a"), at(9))).toEqual({
      kind: "reject",
      rejection: {
        kind: "already_resolved",
        state: "outcome-unknown",
        updatedAt: at(1),
        resolution: { outcome: "did_not_happen", resolvedAt: at(1), resolvedBy: "ann" },
      },
    });
  });
});

describe("completing", () => {
  it("RECEIPT-21 keeps the result and stamps terminalAt; again changes nothing", () => {
    const next = applied(stored(ACCEPTED, OWNED), { kind: "complete" }, at(7));
    expect(next.receipt).toMatchObject({ state: "terminal", result: RESULT, terminalAt: at(7) });
    expect(decide(next, { kind: "complete" }, at(9))).toEqual({ kind: "unchanged", state: next });
  });

  it("RECEIPT-21 is refused from any other state", () => {
    for (const fields of IN_EVERY_STATE) {
      if (fields["state"] === "accepted" || fields["state"] === "terminal") continue;
      expect(decide(stored(fields), { kind: "complete" })).toEqual(
        refused("invalid_receipt_state", String(fields["state"])),
      );
    }
  });
});

describe("resolving", () => {
  it.each(["happened", "did_not_happen", "abandoned"] as const)(
    "adds %s, with who and when, and leaves the state",
    (outcome) => {
      const next = applied(LOST, { ...resolve(outcome), note: "asked the bank" }, at(7));
      expect(next.receipt).toEqual({ ...LOST.receipt, updatedAt: at(7) });
      expect(next.extra.resolution).toEqual({
        outcome,
        ...(outcome === "happened" ? { result: RESULT } : {}),
        resolvedAt: at(7),
        resolvedBy: "ann",
        note: "asked the bank",
      });
      expect(next.extra.retentionUntil).toBe(at(86_400_007));
    },
  );

  it("the same is that answer, whoever repeats it; any other is refused with what stands", () => {
    for (const same of [resolve("did_not_happen"), resolve("did_not_happen", "bob")]) {
      expect(decide(RESOLVED, same, at(9))).toEqual({ kind: "unchanged", state: RESOLVED });
    }
    expect(decide(RESOLVED, resolve("abandoned"), at(9))).toMatchObject({
      rejection: {
        ...{ kind: "already_resolved", state: "outcome-unknown", updatedAt: at(1) },
        resolution: { outcome: "did_not_happen" },
      },
    });
    const happened = applied(LOST, resolve("happened"), at(1));
    expect(decide(happened, resolve("happened"), at(9))).toEqual({
      kind: "unchanged",
      state: happened,
    });
    expect(decide(happened, resolve("happened", "ann", OTHER)).kind).toBe("reject");
  });

  it("takes null for what happened as it takes any result", () => {
    const next = applied(LOST, resolve("happened", "ann", null), at(7));
    expect(next.extra.resolution).toMatchObject({ outcome: "happened", result: null });
    expect(decide(next, resolve("happened", "ann", null), at(9)).kind).toBe("unchanged");
    expect(decide(next, resolve("happened", "ann", OTHER), at(9)).kind).toBe("reject");
  });

  it("waits for lease and margin, and then for the recovery", () => {
    expect(decide(OWN, resolve("abandoned"), at(89_999))).toEqual(
      refused("dispatch_live", "dispatching"),
    );
    expect(decide(OWN, resolve("abandoned"), at(90_000))).toEqual(
      refused("invalid_receipt_state", "dispatching"),
    );
  });

  it("RECEIPT-23 is for unknown outcomes only", () => {
    for (const fields of [{}, ACCEPTED, TERMINAL]) {
      expect(decide(stored(fields), resolve("abandoned")).kind).toBe("reject");
    }
  });
});
