import { describe, expect, it } from "vitest";
import { assert } from "../../../src/core/assert.ts";
import {
  addNote,
  dueOfNotes,
  lateReport,
  type NotesState,
  notesRecord,
  parseNotes,
} from "../../../src/machines/receipts/notes.ts";
import { at, ID, RESULT } from "./given.ts";

const NO = { outcome: "did_not_happen", resolvedAt: at(0), resolvedBy: "ann" } as const;

function added(state: NotesState | null, result: string, ms = 1): NotesState {
  const next = addNote(state, ID, lateReport(result, NO, at(ms)));
  assert(next !== null, "not added");
  return next;
}

describe("a report that came after the resolution (protocols 6.2)", () => {
  it("confirms it, or contradicts it", () => {
    const yes = { ...NO, outcome: "happened", result: RESULT } as const;
    expect(lateReport(RESULT, yes, at(1)).kind).toBe("confirmation");
    expect(lateReport({ ok: false }, yes, at(1)).kind).toBe("contradiction");
    expect(lateReport(RESULT, NO, at(1)).kind).toBe("contradiction");
    // No result is none that a person said had happened.
    expect(lateReport(null, NO, at(1)).kind).toBe("contradiction");
  });

  it("is kept once, and up to eight different ones are", () => {
    let state = added(null, "r0");
    expect(addNote(state, ID, lateReport("r0", NO, at(9)))).toBeNull();
    for (let n = 1; n < 8; n += 1) state = added(state, `r${n}`);
    expect(state.notes).toHaveLength(8);
    // Of another one its hash is kept, so that it is known again.
    const more = added(state, "r8");
    expect([more.notes, more.beyond]).toEqual([state.notes, [lateReport("r8", NO, at(9)).hash]]);
    expect(addNote(more, ID, lateReport("r8", NO, at(9)))).toBeNull();
    expect(parseNotes(notesRecord(more))).toEqual({ ok: true, state: more });
  });

  it("is kept without its result when there is no room for that", () => {
    const large = added(added(null, "x".repeat(60_000)), "y".repeat(60_000));
    expect(large.notes.map(({ result }) => result !== undefined)).toEqual([true, false]);
    // It is known again all the same.
    expect(addNote(large, ID, lateReport("y".repeat(60_000), NO, at(9)))).toBeNull();
  });

  it("of null is like any other, and not like one that was left out", () => {
    const large = added(added(null, "x".repeat(60_000)), "y".repeat(60_000));
    const report = lateReport(null, NO, at(9));
    const next = addNote(large, ID, report);
    expect(next?.notes).toHaveLength(3);
    expect(addNote(next, ID, report)).toBeNull();
  });

  it("waits for a person since the first contradiction, until the receipt is retired", () => {
    const state = added(added(null, "r0", 5), "r1", 9);
    expect(dueOfNotes(state)).toEqual({ queue: "stuck", at: at(5) });
    expect(dueOfNotes({ ...state, isClosed: true })).toBeNull();
    const late = lateReport("r2", NO, at(10));
    expect(addNote({ ...state, isClosed: true }, ID, late)).toBeNull();
    const yes = { ...NO, outcome: "happened", result: 1 } as const;
    const note = lateReport(1, yes, at(1));
    expect(dueOfNotes({ ...state, notes: [note] })).toBeNull();
  });

  it("is read as it was written", () => {
    const state = added(null, "r0");
    expect(parseNotes(notesRecord(state))).toEqual({ ok: true, state });
    const { result: _result, ...short } = lateReport(1, NO, at(1));
    const closed = { id: ID, notes: [short], isClosed: true };
    expect(parseNotes(closed)).toEqual({ ok: true, state: closed });
    for (const bad of [
      { ...notesRecord(state), more: 1 },
      { ...notesRecord(state), notes: [{ ...short, more: 1 }] },
      { ...notesRecord(state), notes: [{ ...short, kind: "rumour" }] },
    ]) {
      expect(parseNotes(bad)).toMatchObject({ ok: false, reason: expect.any(String) });
    }
  });
});
