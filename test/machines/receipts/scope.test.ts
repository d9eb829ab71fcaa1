import { describe, expect, it } from "vitest";
import { scopeIdOf } from "../../../src/machines/receipts/key.ts";
import type { LiveReceipt, RetiredReceipt } from "../../../src/machines/receipts/record.ts";
import {
  changeScope,
  countedAnew,
  EMPTY_SCOPE,
  givePlaceBack,
  isRemembered,
  PENDING_MAX,
  parseScope,
  placeOf,
  type ScopeChange,
  type ScopeState,
  scopeRecord,
  stalePending,
} from "../../../src/machines/receipts/scope.ts";
import { at, ID, stored } from "./given.ts";

const NOTHING: ScopeChange = {
  ...{ kept: [], givenBack: [], released: [], forgotten: [], reserved: [] },
};

function reserve(scope: ScopeState, nonces: readonly string[], limit: number) {
  const reserved = nonces.map((nonce) => ({ nonce, id: ID }));
  return changeScope(scope, { ...NOTHING, reserved }, limit, at(0));
}

function settled(scope: ScopeState, change: Partial<ScopeChange>): ScopeState {
  return changeScope(scope, { ...NOTHING, ...change }, 9, at(0)).next;
}

describe("the places of a scope (protocols 6.1)", () => {
  it("RECEIPT-10 are granted in order until there are no more", () => {
    const { next, granted, isFull } = reserve(EMPTY_SCOPE, ["a", "b", "c"], 2);
    expect([next.used, [...granted], isFull]).toEqual([2, ["a", "b"], true]);
    expect(next.pend).toEqual({ a: { id: ID, at: at(0) }, b: { id: ID, at: at(0) } });
  });

  it("stay taken when the receipt was created, and are free again when it never will be", () => {
    const { next } = reserve(EMPTY_SCOPE, ["a", "b"], 9);
    expect(settled(next, { kept: ["a"] })).toMatchObject({ used: 2, pend: { b: {} } });
    expect(settled(next, { givenBack: ["a"] })).toMatchObject({ used: 1, pend: { b: {} } });
  });

  it("a reservation that is settled already changes nothing more", () => {
    const { next } = reserve(EMPTY_SCOPE, ["a"], 9);
    const back = settled(next, { givenBack: ["a"] });
    expect(settled(back, { givenBack: ["a"] })).toEqual(back);
    expect(settled(settled(next, { kept: ["a"] }), { givenBack: ["a"] }).used).toBe(1);
  });

  it("that were given back of other receipts stay noted, whatever else changes", () => {
    const scope = { used: 3, pend: {}, out: { x: ID, y: ID } };
    expect(reserve(scope, ["a"], 9).next.out).toEqual({ x: ID, y: ID });
    expect(settled(scope, { forgotten: ["x"] }).out).toEqual({ y: ID });
    expect(givePlaceBack(scope, "a", ID)?.out).toEqual({ x: ID, y: ID, a: ID });
    expect(givePlaceBack({ ...scope, pend: { b: { id: ID, at: at(0) } } }, "a", ID)?.pend).toEqual({
      b: { id: ID, at: at(0) },
    });
  });

  it("what is given back in a change can be had in the same one", () => {
    const { next } = reserve(EMPTY_SCOPE, ["a"], 1);
    const change = { ...NOTHING, givenBack: ["a"], reserved: [{ nonce: "b", id: ID }] };
    const verdict = changeScope(next, change, 1, at(0));
    expect([[...verdict.granted], verdict.next.used]).toEqual([["b"], 1]);
  });

  it("are not granted without an entry to remember them by, and that is not full", () => {
    const many = Array.from({ length: PENDING_MAX + 1 }, (_, n) => `n${n}`);
    const { granted, isFull } = reserve(EMPTY_SCOPE, many, 1_000);
    expect([granted.size, isFull]).toEqual([PENDING_MAX, false]);
  });

  it("of a retired receipt are given back once", () => {
    const scope = { ...EMPTY_SCOPE, used: 2 };
    const freed = givePlaceBack(scope, "a", ID);
    expect(freed).toEqual({ used: 1, pend: {}, out: { a: ID } });
    expect(givePlaceBack(freed ?? scope, "a", ID)).toBeNull();
    expect(settled(freed ?? scope, { forgotten: ["a"] })).toEqual({ used: 1, pend: {}, out: {} });
  });

  it("given back settle the reservation, too", () => {
    const { next } = reserve(EMPTY_SCOPE, ["a"], 9);
    expect(givePlaceBack(next, "a", ID)).toEqual({ used: 0, pend: {}, out: { a: ID } });
  });

  it("are not given back while there is no room to say so", () => {
    const out = Object.fromEntries(Array.from({ length: PENDING_MAX }, (_, n) => [`n${n}`, ID]));
    expect(givePlaceBack({ used: 9, pend: {}, out }, "a", ID)).toBeNull();
  });

  it("reservations are stale from an instant on", () => {
    const scope = { ...EMPTY_SCOPE, pend: { a: { id: ID, at: at(5) }, b: { id: ID, at: at(6) } } };
    expect(stalePending(scope, at(5)).map(([nonce]) => nonce)).toEqual(["a"]);
  });

  it("are read as they were written, and nothing else is", () => {
    const { next } = reserve(EMPTY_SCOPE, ["a"], 9);
    expect(parseScope(scopeRecord(next))).toEqual({ ok: true, scope: next });
    expect(parseScope(scopeRecord(EMPTY_SCOPE))).toEqual({ ok: true, scope: EMPTY_SCOPE });
    for (const bad of [
      { used: -1 },
      { more: 1 },
      { pend: { "a/b": { id: ID, at: at(0) } } },
      { pend: { a: { id: ID, at: at(0), more: 1 } } },
      { out: { "": ID } },
      { out: { a: "x" } },
    ]) {
      expect(parseScope({ ...scopeRecord(next), ...bad })).toMatchObject({
        ...{ ok: false, reason: expect.any(String) },
      });
    }
  });
});

describe("a place that is held", () => {
  const prepared = stored();
  const scope = scopeIdOf(prepared.receipt.workspaceId);
  const live = (slot: string | null | undefined): LiveReceipt => ({
    ...prepared,
    extra: { ...prepared.extra, slot },
  });
  const tombstone = (slot: string | null, freed: boolean): RetiredReceipt => ({
    ...{ kind: "retired", outcome: "completed", erased: false, slot, freed, scope: "s" },
    receipt: prepared.receipt,
  });

  it("is a live receipt's that was counted, and its tombstone's until it is given back", () => {
    expect(placeOf(live("a"))).toEqual({ scope, slot: "a" });
    expect(placeOf(live(undefined))).toEqual({ scope, slot: null });
    expect(placeOf(live(null))).toBeNull();
    expect(placeOf(tombstone("a", false))).toEqual({ scope: "s", slot: "a" });
    expect(placeOf(tombstone("a", true))).toBeNull();
    expect(placeOf(tombstone(null, true))).toBeNull();
    expect(placeOf({ kind: "void", id: ID, mark: "a" })).toBeNull();
  });

  it("protocols 6.1 is counted once: by its reservation, or beside it, or not where it was given back", () => {
    const pend = { a: { id: ID, at: at(0) } };
    const known: ScopeState = { used: 9, pend, out: { b: ID } };
    const remembered = ["a", "b", "c", null].map((slot) => isRemembered(known, { scope, slot }));
    expect(remembered).toEqual([true, true, false, false]);
    expect(countedAnew(known, 3)).toEqual({ ...known, used: 4 });
  });
});
