import { describe, expect, it } from "vitest";
import { durationMs } from "../../../src/core/time.ts";
import {
  ACCEPTED,
  accept,
  applied,
  at,
  DISPATCHING,
  decide,
  dispatch,
  IN_EVERY_STATE,
  OWNED,
  refused,
  stored,
  TERMINAL,
  TOKEN_HASH,
  UNKNOWN,
} from "./given.ts";

const OWN = stored(DISPATCHING, OWNED);
const release = (token: string) => ({ kind: "release", token }) as const;
const ORIGINALS = stored(DISPATCHING);
const unknown = (token: string | null) => ({ kind: "unknown", token }) as const;
const renew = (token: string) => ({ kind: "renew", token, leaseMs: durationMs(60_000) }) as const;

describe("dispatching", () => {
  it("RECEIPT-14 a prepared receipt stamps dispatchingAt and makes the token's holder its owner", () => {
    const next = applied(stored({}, { slot: "s" }), dispatch("token-a"), at(7));
    expect(next.receipt).toMatchObject({
      state: "dispatching",
      dispatchingAt: at(7),
      updatedAt: at(7),
    });
    expect(next.extra).toEqual({
      slot: "s",
      dispatch: { tokenHash: TOKEN_HASH, leaseUntil: at(60_007) },
      resolution: null,
      retentionUntil: null,
    });
  });

  it("protocols 6.2 rule 2 keeps no token that anybody could read", () => {
    expect(JSON.stringify(applied(stored(), dispatch("token-a"), at(7)))).not.toContain("token-a");
  });

  it("RECEIPT-14, RECEIPT-16 again changes nothing, whoever asks", () => {
    for (const token of ["token-a", "token-b"]) {
      expect(decide(OWN, dispatch(token), at(9))).toEqual({ kind: "unchanged", state: OWN });
    }
    expect(decide(OWN, dispatch("token-b"), at(999_999)).kind).toBe("unchanged");
  });

  it.each([
    ["accepted", ACCEPTED],
    ["terminal", TERMINAL],
    ["outcome-unknown", UNKNOWN],
  ])("RECEIPT-15 is refused on %s, naming the state", (state, fields) => {
    expect(decide(stored(fields), dispatch("token-a"))).toEqual(
      refused("invalid_receipt_state", state),
    );
  });

  it("RECEIPT-43 is not kept back by a clock that stepped back", () => {
    const next = applied(stored(), dispatch("token-a"), at(-5_000));
    expect(next.receipt).toMatchObject({ updatedAt: at(0), dispatchingAt: at(0) });
  });

  it("a lease that lasts no time is a bug of its caller", () => {
    const none = { ...dispatch("token-a"), leaseMs: durationMs(0) };
    expect(() => decide(stored(), none)).toThrow("a lease lasts");
  });
});

describe("renewing", () => {
  it("sets the end of the owner's lease, also after it ran out", () => {
    for (const now of [at(1_000), at(75_000), at(999_000)]) {
      const { extra } = applied(OWN, renew("token-a"), now);
      expect(extra.dispatch).toEqual({ tokenHash: TOKEN_HASH, leaseUntil: now + 60_000 });
    }
  });

  it("is refused to everybody else, and once the dispatch is over", () => {
    expect(decide(OWN, renew("token-b"))).toEqual(refused("dispatch_lost", "dispatching"));
    expect(decide(ORIGINALS, renew("token-a"))).toEqual(refused("dispatch_lost", "dispatching"));
    for (const fields of [ACCEPTED, TERMINAL, UNKNOWN]) {
      const state = stored(fields, OWNED);
      expect(decide(state, renew("token-a"))).toEqual(refused("dispatch_lost", fields.state));
    }
  });
});

describe("an outcome that nobody knows", () => {
  it("RECEIPT-22 is told by the owner at once, and stamps outcomeUnknownAt", () => {
    const next = applied(OWN, unknown("token-a"), at(7));
    expect(next.receipt).toMatchObject({ state: "outcome-unknown", outcomeUnknownAt: at(7) });
    expect(next.extra).toEqual(OWN.extra);
  });

  it("RECEIPT-22 again changes nothing", () => {
    const state = stored(UNKNOWN, OWNED);
    expect(decide(state, unknown(null), at(9))).toEqual({ kind: "unchanged", state });
  });

  it.each([
    ["prepared", {}],
    ["accepted", ACCEPTED],
    ["terminal", TERMINAL],
  ])("RECEIPT-22 is refused on %s", (state, fields) => {
    expect(decide(stored(fields), unknown(null))).toEqual(refused("invalid_receipt_state", state));
  });

  it("protocols 6.2 rule 5 is not told by others while the dispatch lives, lease and margin", () => {
    for (const token of [null, "token-b"]) {
      expect(decide(OWN, unknown(token), at(89_999))).toEqual(
        refused("dispatch_lost", "dispatching"),
      );
      expect(applied(OWN, unknown(token), at(90_000)).receipt.state).toBe("outcome-unknown");
    }
  });
});

describe("recovery", () => {
  it("RECEIPT-27 leaves a dispatch alone until its lease and the margin have passed", () => {
    expect(decide(OWN, { kind: "recover" }, at(89_999))).toEqual(
      refused("dispatch_live", "dispatching"),
    );
    expect(applied(OWN, { kind: "recover" }, at(90_000)).receipt.state).toBe("outcome-unknown");
  });

  it("protocols 6.2 rule 9 gives a dispatch of an original a minute from dispatchingAt, and no margin", () => {
    const touched = stored({ ...DISPATCHING, updatedAt: at(5) });
    expect(applied(touched, { kind: "recover" }, at(60_000)).receipt.updatedAt).toBe(at(60_000));
    expect(decide(ORIGINALS, { kind: "recover" }, at(59_999)).kind).toBe("reject");
    expect(applied(ORIGINALS, { kind: "recover" }, at(60_000)).receipt).toMatchObject({
      state: "outcome-unknown",
      outcomeUnknownAt: at(60_000),
    });
  });

  it("RECEIPT-25, RECEIPT-26 touches no other state, and nothing the second time", () => {
    for (const fields of IN_EVERY_STATE) {
      if (fields["state"] === "dispatching") continue;
      expect(decide(stored(fields), { kind: "recover" }, at(999_999))).toEqual(
        refused("invalid_receipt_state", String(fields["state"])),
      );
    }
  });
});

describe("giving a dispatch back", () => {
  it("makes the receipt what it was before, for whoever comes next", () => {
    const dispatched = applied(stored({}, { slot: "s" }), dispatch("token-a"), at(7));
    const back = applied(dispatched, release("token-a"), at(9));
    expect(back.receipt).toEqual({ ...stored().receipt, updatedAt: at(9) });
    expect(back.extra).toEqual({
      ...{ slot: "s", dispatch: null, resolution: null, retentionUntil: at(86_400_009) },
    });
    const next = applied(back, dispatch("token-b"), at(10));
    // What the one before still says is nobody's.
    for (const late of [release("token-a"), renew("token-a"), accept("token-a")]) {
      expect(decide(next, late)).toEqual(refused("dispatch_lost", "dispatching", at(10)));
    }
  });

  it("is the owner's alone, and only while it is dispatching", () => {
    expect(decide(OWN, release("token-b"))).toEqual(refused("dispatch_lost", "dispatching"));
    expect(decide(ORIGINALS, release("token-a"))).toEqual(refused("dispatch_lost", "dispatching"));
    for (const fields of IN_EVERY_STATE) {
      if (fields["state"] === "dispatching") continue;
      const decision = decide(stored(fields, OWNED), release("token-a"));
      expect(decision).toEqual(refused("dispatch_lost", String(fields["state"])));
    }
  });
});
