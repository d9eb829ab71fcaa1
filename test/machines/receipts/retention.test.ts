import { describe, expect, it } from "vitest";
import { dueOfReceipt } from "../../../src/machines/receipts/due.ts";
import { scopeIdOf } from "../../../src/machines/receipts/key.ts";
import { stuckReceipt } from "../../../src/machines/receipts/stuck.ts";
import {
  ACCEPTED,
  accept,
  applied,
  at,
  became,
  conflict,
  DISPATCHING,
  decide,
  dispatch,
  FOR_EVER,
  HASH,
  ID,
  IN_EVERY_STATE,
  OTHER_HASH,
  OWNED,
  PREPARE,
  RULES,
  readBack,
  refused,
  resolve,
  stored,
  TERMINAL,
  UNKNOWN,
} from "./given.ts";

const DAY = 86_400_000;
const RETIRE = { kind: "retire", slot: "fresh" } as const;
const OLD = stored(TERMINAL, { ...OWNED, retentionUntil: at(DAY) });

describe("a receipt past its retention", () => {
  it("RECEIPT-49 is over by the clock, before anybody retired it", () => {
    expect(decide(OLD, PREPARE, at(DAY - 1)).kind).toBe("unchanged");
    const over = {
      kind: "reject",
      rejection: {
        kind: "operation_expired",
        state: "terminal",
        updatedAt: at(0),
        outcome: "completed",
        erased: false,
      },
    };
    for (const command of [PREPARE, dispatch("t"), { kind: "complete" }, { kind: "recover" }]) {
      expect(decide(OLD, command as typeof PREPARE, at(DAY))).toEqual(over);
    }
  });

  it("RECEIPT-49 leaves a tombstone with its hash, outcome and place, and nothing of its key", () => {
    const tombstone = became(OLD, RETIRE, at(DAY));
    expect(tombstone).toEqual({
      kind: "retired",
      receipt: {
        version: 1,
        id: ID,
        payloadHash: HASH,
        state: "terminal",
        createdAt: at(0),
        updatedAt: at(DAY),
      },
      outcome: "completed",
      erased: false,
      slot: "slot-1",
      freed: false,
      scope: scopeIdOf("workspace"),
    });
    expect(decide(tombstone, PREPARE, at(DAY))).toMatchObject({
      rejection: { kind: "operation_expired", outcome: "completed" },
    });
    expect(decide(tombstone, { ...PREPARE, payloadHashes: [OTHER_HASH] }, at(DAY))).toEqual(
      conflict("payload"),
    );
    expect(decide(tombstone, RETIRE, at(DAY)).kind).toBe("unchanged");
  });

  it("is retired in every state whose outcome is known", () => {
    const resolved = applied(stored(UNKNOWN, OWNED), resolve("abandoned"), at(0));
    for (const [state, outcome] of [
      [applied(null, PREPARE, at(0)), "not_started"],
      [applied(stored(DISPATCHING), accept(null), at(0)), "completed"],
      [resolved, "abandoned"],
    ] as const) {
      expect(became(state, RETIRE, at(DAY))).toMatchObject({ kind: "retired", outcome });
    }
  });

  it("is never retired while its outcome is open, or not yet", () => {
    for (const fields of [DISPATCHING, UNKNOWN]) {
      expect(decide(stored(fields, OWNED), RETIRE, at(99 * DAY))).toEqual(
        refused("invalid_receipt_state", fields.state),
      );
      expect(decide(stored(fields), RETIRE, at(99 * DAY))).toEqual(
        refused("invalid_receipt_state", fields.state),
      );
    }
    expect(decide(OLD, RETIRE, at(DAY - 1)).kind).toBe("reject");
    const kept = applied(stored(ACCEPTED), { kind: "complete" }, at(0), FOR_EVER);
    expect(decide(kept, RETIRE, at(99 * DAY), FOR_EVER).kind).toBe("reject");
  });

  it("never counted, has no place to give back", () => {
    const uncounted = stored(TERMINAL, { slot: null, retentionUntil: at(1) });
    expect(became(uncounted, RETIRE, at(1))).toMatchObject({ slot: null, freed: true });
  });

  it("its place is given back once", () => {
    const freed = became(became(OLD, RETIRE, at(DAY)), { kind: "free" }, at(DAY));
    expect(freed).toMatchObject({ kind: "retired", freed: true });
    expect(decide(freed, { kind: "free" })).toEqual({ kind: "unchanged", state: freed });
  });
});

describe("a receipt of an original, however old", () => {
  it("RECEIPT-50 is served as it is; its retention begins when it is found by its age", () => {
    const theirs = stored(TERMINAL);
    expect(decide(theirs, PREPARE, at(999 * DAY)).kind).toBe("unchanged");
    expect(decide(theirs, RETIRE, at(DAY - 1)).kind).toBe("reject");
    expect(became(theirs, RETIRE, at(DAY))).toMatchObject({ kind: "live" });
    const begun = became(theirs, RETIRE, at(5 * DAY));
    expect(begun).toEqual({ ...theirs, extra: { ...theirs.extra, retentionUntil: at(6 * DAY) } });
    expect(became(begun, RETIRE, at(6 * DAY))).toMatchObject({ slot: "fresh", freed: false });
    expect(decide(theirs, RETIRE, at(99 * DAY), FOR_EVER).kind).toBe("reject");
  });
});

describe("erasing", () => {
  const ERASE = { kind: "erase", slot: "fresh" } as const;

  it("is told of what was erased, by the tombstone as it is stored, and of nothing else", () => {
    for (const [command, erased] of [
      [ERASE, true],
      [RETIRE, false],
    ] as const) {
      const tombstone = became(OLD, command, at(DAY));
      expect(readBack(tombstone)).toEqual(tombstone);
      expect(decide(tombstone, PREPARE, at(DAY))).toMatchObject({ rejection: { erased } });
      expect(became(tombstone, { kind: "free" }, at(DAY))).toMatchObject({ erased });
    }
  });

  it("leaves a tombstone at once, in every state but dispatching", () => {
    for (const fields of IN_EVERY_STATE) {
      const decision = decide(stored(fields, OWNED), ERASE, at(1));
      if (fields["state"] === "dispatching") {
        expect(decision).toEqual(refused("in_use", "dispatching"));
      } else expect(decision).toMatchObject({ kind: "apply", next: { kind: "retired" } });
    }
    expect(became(stored(UNKNOWN), ERASE, at(1))).toMatchObject({ outcome: "unknown" });
    expect(decide(null, ERASE)).toMatchObject({ rejection: { kind: "receipt_not_found" } });
  });
});

describe("when a receipt needs attention (design 2.2)", () => {
  const due = (...[fields, extra]: Parameters<typeof stored>) =>
    dueOfReceipt(stored(fields, extra), RULES);

  it("a dispatch does when it lapses", () => {
    expect(due(DISPATCHING, OWNED)).toEqual({ queue: "attend", at: at(90_000) });
    expect(due(DISPATCHING)).toEqual({ queue: "attend", at: at(60_000) });
  });

  it("an unknown outcome waits for a person, since it is unknown", () => {
    expect(due({ ...UNKNOWN, updatedAt: at(5) }, OWNED)).toEqual({ queue: "stuck", at: at(0) });
  });

  it("one that is finished, resolved or only prepared does at the end of its retention", () => {
    for (const fields of [{}, ACCEPTED, TERMINAL]) {
      expect(due(fields, { retentionUntil: at(5) })).toEqual({ queue: "attend", at: at(5) });
      expect(due(fields, { retentionUntil: null })).toBeNull();
      expect(due(fields)).toEqual({ queue: "attend", at: at(DAY) });
    }
    const resolved = applied(stored(UNKNOWN, OWNED), resolve("abandoned"), at(7));
    expect(dueOfReceipt(resolved, RULES)).toEqual({ queue: "attend", at: at(DAY + 7) });
  });

  it("a tombstone does until its place is given back", () => {
    const tombstone = became(OLD, RETIRE, at(DAY));
    expect(dueOfReceipt(tombstone, RULES)).toEqual({ queue: "attend", at: at(DAY) });
    expect(dueOfReceipt(became(tombstone, { kind: "free" }, at(DAY)), RULES)).toBeNull();
    expect(dueOfReceipt({ kind: "void", id: ID, mark: "m" }, RULES)).toBeNull();
  });
});

describe("what is stuck", () => {
  it("is an unknown outcome until it is resolved, told without a word of its content", () => {
    const lost = stored({ ...UNKNOWN, updatedAt: at(5) }, OWNED);
    expect(stuckReceipt(lost)).toEqual({
      since: at(0),
      why: "its side effect was begun, and nobody told what came of it",
      action: "find out whether it happened, then resolve it",
    });
    expect(stuckReceipt(applied(lost, resolve("abandoned"), at(1)))).toBeNull();
    for (const fields of IN_EVERY_STATE.slice(0, 4))
      expect(stuckReceipt(stored(fields))).toBeNull();
    expect(stuckReceipt(became(OLD, RETIRE, at(DAY)))).toBeNull();
    expect(stuckReceipt({ kind: "void", id: ID, mark: "n" })).toBeNull();
  });
});
