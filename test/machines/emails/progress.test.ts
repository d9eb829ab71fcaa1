import { describe, expect, it } from "vitest";
import {
  decideConfigState,
  type EmailConfigState,
  NO_PROGRESS,
  parseProgress,
  progressRecord,
  sourceCursor,
} from "../../../src/machines/emails/progress.ts";
import { at } from "./given.ts";

const CONFIG = { enabledAt: "2026-01-01T00:00:00.000Z" };
const CURSOR = { createdAt: "2026-01-02T00:00:00.000Z", id: "row-1" };
const PLACE = { sweep: "here", tail: null };

const state = (progress = NO_PROGRESS): EmailConfigState => ({ config: CONFIG, progress });

const setSource = (name: string, cursor: typeof CURSOR | null = CURSOR, known = [name]) =>
  ({ kind: "setSourceCursor", name, cursor, known }) as const;

function progressAfter(before: EmailConfigState, command: ReturnType<typeof setSource>) {
  const decision = decideConfigState(before, command, at(0));
  return decision.kind === "apply" ? decision.next.progress : decision.kind;
}

describe("how far passes have come", () => {
  it("is not written while there is nothing to remember", () => {
    expect(progressRecord(NO_PROGRESS)).toEqual({});
    expect(parseProgress({})).toEqual({ ok: true, progress: NO_PROGRESS });
  });

  it("is read back as it was written", () => {
    const progress = { sources: { orders: CURSOR }, places: { attend: PLACE } };
    expect(parseProgress(progressRecord(progress))).toEqual({ ok: true, progress });
  });

  it.each([
    [{ colour: "red" }, "holdfast: colour: unknown property"],
    [{ sources: { orders: { id: "x" } } }, "holdfast: sources.orders.createdAt: invalid_type"],
    [{ places: { stuck: PLACE } }, "holdfast: places.stuck: unknown property"],
    [{ places: { attend: { sweep: "" } } }, "holdfast: places.attend.sweep: too_small"],
    [{ places: { attend: { ...PLACE, sweep: "x".repeat(4_097) } } }, "too_big"],
  ])("%j is unreadable", (extra, reason) => {
    const parsed = parseProgress(extra as never);
    expect(parsed).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });
});

describe("the record as a whole", () => {
  it("is made by ensureEnabledAt, and keeps its progress under every other command", () => {
    const made = decideConfigState(null, { kind: "ensureEnabledAt" }, at(0));
    expect(made).toEqual({ kind: "apply", next: state() });
    const before = state({ sources: { orders: CURSOR }, places: { attend: PLACE } });
    const command = { kind: "setCursor", name: "reminderCursor", cursor: CURSOR } as const;
    const after = decideConfigState(before, command, at(0));
    expect(after).toEqual({
      kind: "apply",
      next: { ...before, config: { ...CONFIG, reminderCursor: CURSOR } },
    });
    const again = decideConfigState(before, { kind: "ensureEnabledAt" }, at(9));
    expect(again).toEqual({ kind: "unchanged", state: before });
  });

  it("has no progress before it is there", () => {
    expect(decideConfigState(null, setSource("orders"), at(0))).toEqual({
      kind: "reject",
      rejection: { kind: "config_not_found" },
    });
  });
});

describe("the cursor of a source", () => {
  it("is set, and taken away by null", () => {
    const set = progressAfter(state(), setSource("orders"));
    expect(set).toEqual({ sources: { orders: CURSOR }, places: {} });
    expect(progressAfter(state(set as never), setSource("orders", null))).toEqual(NO_PROGRESS);
  });

  it("is not written again as it is", () => {
    const before = state({ sources: { orders: CURSOR }, places: {} });
    expect(progressAfter(before, setSource("orders", { ...CURSOR }))).toBe("unchanged");
    expect(progressAfter(before, setSource("others", null))).toBe("unchanged");
  });

  it("goes when the application does not have its source any more", () => {
    const before = state({ sources: { gone: CURSOR, orders: CURSOR }, places: {} });
    const after = progressAfter(before, setSource("others", CURSOR, ["others", "orders"]));
    expect(after).toMatchObject({ sources: { orders: CURSOR, others: CURSOR } });
    expect(after).not.toHaveProperty("sources.gone");
  });

  it("of a source called like what every object has is its own", () => {
    expect(sourceCursor(NO_PROGRESS, "constructor")).toBeNull();
    const set = progressAfter(state(), setSource("constructor"));
    expect(set).toEqual({ sources: { constructor: CURSOR }, places: {} });
  });
});

describe("the place in a queue", () => {
  const set = (before: EmailConfigState, place: typeof PLACE | null) =>
    decideConfigState(before, { kind: "setPlace", queue: "attend", place }, at(0));

  it("is set beside that of another queue, and taken away by null", () => {
    const before = state({ sources: {}, places: { deliver: PLACE } });
    const both = { ...NO_PROGRESS, places: { deliver: PLACE, attend: PLACE } };
    expect(set(before, PLACE)).toEqual({ kind: "apply", next: state(both) });
    expect(set(state(both), null)).toEqual({ kind: "apply", next: before });
  });

  it("is not written again as it is", () => {
    const before = state({ sources: {}, places: { attend: PLACE } });
    expect(set(before, { ...PLACE })).toEqual({ kind: "unchanged", state: before });
    expect(set(state(), null)).toEqual({ kind: "unchanged", state: state() });
  });
});
