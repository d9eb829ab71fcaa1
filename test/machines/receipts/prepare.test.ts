import { describe, expect, it } from "vitest";
import { durationMs } from "../../../src/core/time.ts";
import {
  applied,
  at,
  conflict,
  decide,
  FOR_EVER,
  HASH,
  ID,
  IN_EVERY_STATE,
  KEY,
  OTHER_HASH,
  OWNED,
  PREPARE,
  stored,
  TOKEN_HASH,
} from "./given.ts";

const OWN = { token: "token-a", leaseMs: durationMs(60_000) };

describe("preparing", () => {
  it("RECEIPT-1 a new operation stamps all three times alike", () => {
    expect(applied(null, PREPARE, at(5))).toEqual({
      kind: "live",
      receipt: {
        version: 1,
        id: ID,
        ...KEY,
        payloadHash: HASH,
        state: "prepared",
        createdAt: at(5),
        updatedAt: at(5),
        preparedAt: at(5),
      },
      extra: { slot: null, dispatch: null, resolution: null, retentionUntil: at(86_400_005) },
    });
    expect(applied(null, PREPARE, at(5), FOR_EVER).extra.retentionUntil).toBeNull();
  });

  it("RECEIPT-2 again with the same payload changes nothing, in any state", () => {
    for (const fields of IN_EVERY_STATE) {
      const state = stored(fields, OWNED);
      expect(decide(state, PREPARE, at(999))).toEqual({ kind: "unchanged", state });
    }
  });

  it("RECEIPT-3 again with another payload is a conflict, in any state, that tells no more than whose it is", () => {
    for (const fields of IN_EVERY_STATE) {
      const command = { ...PREPARE, payloadHashes: [OTHER_HASH] } as const;
      expect(decide(stored(fields), command)).toEqual(conflict("payload"));
    }
  });

  it("semantics B1 knows the payload by the hash that the original gave it", () => {
    const command = { ...PREPARE, payloadHashes: [OTHER_HASH, HASH] } as const;
    expect(decide(stored(), command).kind).toBe("unchanged");
    expect(applied(null, command, at(0)).receipt.payloadHash).toBe(OTHER_HASH);
  });
});

describe("preparing and dispatching in one", () => {
  const both = { ...PREPARE, dispatch: OWN };

  it("is dispatched from the start where nothing was", () => {
    const { receipt, extra } = applied(null, both, at(5));
    expect(receipt).toMatchObject({
      state: "dispatching",
      preparedAt: at(5),
      dispatchingAt: at(5),
    });
    expect(extra).toMatchObject({
      dispatch: { tokenHash: TOKEN_HASH, leaseUntil: at(60_005) },
      retentionUntil: null,
    });
  });

  it("goes on with what was only prepared", () => {
    const { receipt } = applied(stored(), both, at(5));
    expect(receipt).toMatchObject({ state: "dispatching", createdAt: at(0), dispatchingAt: at(5) });
  });

  it("RECEIPT-36 leaves everything else as it is, also a live dispatch", () => {
    for (const fields of IN_EVERY_STATE.slice(1)) {
      expect(decide(stored(fields, OWNED), both).kind).toBe("unchanged");
    }
  });

  it("RECEIPT-41 is refused with another payload", () => {
    expect(decide(stored(), { ...both, payloadHashes: [OTHER_HASH] })).toEqual(conflict("payload"));
  });
});

describe("a place in the scope (protocols 6.1)", () => {
  const reserved = { ...PREPARE, reservation: { nonce: "mine", over: null } };
  const needed = (over: string | null) => ({
    kind: "reject",
    rejection: { kind: "place_needed", over },
  });

  it("is asked for where a receipt would be created, and nowhere else", () => {
    const command = { ...PREPARE, reservation: "needed" } as const;
    expect(decide(null, command)).toEqual(needed(null));
    expect(decide({ kind: "void", id: ID, mark: "older" }, command)).toEqual(needed("older"));
    expect(decide(stored(), command).kind).toBe("unchanged");
  });

  it("is kept in the receipt that was created with it", () => {
    expect(applied(null, reserved, at(0)).extra.slot).toBe("mine");
  });

  it("is gone when a void receipt came in between", () => {
    const none = { kind: "void", id: ID, mark: "mine" } as const;
    expect(decide(none, reserved)).toEqual(needed("mine"));
  });

  it("stands when the void receipt was there before", () => {
    const none = { kind: "void", id: ID, mark: "older" } as const;
    const over = { ...PREPARE, reservation: { nonce: "mine", over: "older" } };
    expect(applied(none, over, at(0)).extra.slot).toBe("mine");
    expect(decide({ ...none, mark: "newer" }, over)).toEqual(needed("newer"));
  });

  it("need not be had where nothing is counted, so a void receipt is in nobody's way", () => {
    const none = { kind: "void", id: ID, mark: "older" } as const;
    expect(applied(none, PREPARE, at(0)).extra.slot).toBeNull();
  });

  it("a void receipt keeps away what was created, and is replaced by whoever has seen it", () => {
    const command = { kind: "void", id: ID, mark: "m", over: "older" } as const;
    const created = stored({}, { slot: "n" });
    expect(decide(created, command)).toEqual({ kind: "unchanged", state: created });
    const none = { kind: "void", id: ID, mark: "m" } as const;
    expect(decide(null, { ...command, over: null })).toEqual({ kind: "apply", next: none });
    expect(decide({ ...none, mark: "older" }, command)).toEqual({ kind: "apply", next: none });
    expect(decide(none, command)).toEqual({ kind: "unchanged", state: none });
  });

  it("a mark that was replaced never comes back", () => {
    const newer = { kind: "void", id: ID, mark: "newer" } as const;
    for (const over of [null, "older"]) {
      const late = { kind: "void", id: ID, mark: "late", over } as const;
      expect(decide(newer, late)).toEqual({ kind: "unchanged", state: newer });
    }
  });
});
