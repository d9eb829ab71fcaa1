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
    expect(addNote(state, ID, lateReport("r8", NO, at(9)))).toBeNull();
  });

  it("is kept without its result when there is no room for that", () => {
    const large = added(added(null, "x".repeat(60_000)), "y".repeat(60_000));
    expect(large.notes.map(({ result }) => result !== undefined)).toEqual([true, false]);
  });

  it("waits for a person since the first contradiction, until the receipt is retired", () => {
    const state = added(added(null, "r0", 5), "r1", 9);
    expect(dueOfNotes(state)).toEqual({ queue: "stuck", at: at(5) });
    expect(dueOfNotes({ ...state, isClosed: true })).toBeNull();
    const late = lateReport("r2", NO, at(10));
    expect(addNote({ ...state, isClosed: true }, ID, late)).toBeNull();
    const note = { at: at(1), kind: "confirmation", result: 1 } as const;
    expect(dueOfNotes({ ...state, notes: [note] })).toBeNull();
  });

  it("is read as it was written", () => {
    const state = added(null, "r0");
    expect(parseNotes(notesRecord(state))).toEqual({ ok: true, state });
    const short = { id: ID, notes: [{ at: at(1), kind: "confirmation" }], isClosed: true };
    expect(parseNotes(short)).toEqual({ ok: true, state: short });
    for (const bad of [
      { ...notesRecord(state), more: 1 },
      { ...notesRecord(state), notes: [{ at: at(1), kind: "confirmation", more: 1 }] },
      { ...notesRecord(state), notes: [{ at: at(1), kind: "rumour" }] },
    ]) {
      expect(parseNotes(bad)).toMatchObject({ ok: false, reason: expect.any(String) });
    }
  });
});
