import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { dueOfEmail } from "../../../src/machines/emails/due.ts";
import { at, KINDS, SENDING, stored, TWO_CLIPS } from "./given.ts";

const UPDATED = { updatedAt: "2026-01-01T00:00:10.000Z" };
const READY = { ...UPDATED, state: "ready", readyAt: "2026-01-01T00:00:05.000Z" };

function due(fields: JsonObject, extra: JsonObject = {}) {
  return dueOfEmail(stored(fields, extra), KINDS);
}

describe("when a job needs attention", () => {
  it("EMAIL-76 pending: at once, to be promoted; notBefore does not delay that", () => {
    expect(due(UPDATED)).toEqual({ queue: "attend", at: at(10_000) });
    expect(due(UPDATED, { notBefore: "2026-02-01T00:00:00.000Z" })).toEqual({
      queue: "attend",
      at: at(10_000),
    });
  });

  it("EMAIL-76 pending of a kind that waits for AI: by nobody, so somebody has to see it", () => {
    expect(due({ ...TWO_CLIPS, ...UPDATED })).toEqual({ queue: "stuck", at: at(10_000) });
  });

  it("awaiting_ai: since its creation, so that the longest waiting comes first", () => {
    expect(due({ ...TWO_CLIPS, ...UPDATED, state: "awaiting_ai" })).toEqual({
      queue: "attend",
      at: at(0),
    });
  });

  it("EMAIL-78 ai_dispatched: when the claim is 30 minutes old", () => {
    const fields = { ...TWO_CLIPS, ...UPDATED, state: "ai_dispatched" };
    expect(due({ ...fields, aiDispatchedAt: "2026-01-01T00:00:07.000Z" })).toEqual({
      queue: "attend",
      at: at(1_807_000),
    });
    expect(due(fields)).toEqual({ queue: "attend", at: at(1_810_000) });
  });

  it.each([
    [0, 5_000],
    [1, 65_000],
    [2, 125_000],
    [3, 245_000],
    [11, 61_445_000],
  ])("EMAIL-79 ready after %d attempts: %d ms into the year, exactly", (attempts, ms) => {
    expect(due({ ...READY, attempts })).toEqual({ queue: "deliver", at: at(ms) });
  });

  it("ready without a stamp: from its last change", () => {
    expect(due({ ...UPDATED, state: "ready" })).toEqual({ queue: "deliver", at: at(10_000) });
  });

  it("ready: not before notBefore, and not before its back-off", () => {
    const notBefore = "2026-01-01T00:01:00.000Z";
    expect(due(READY, { notBefore })).toEqual({ queue: "deliver", at: at(60_000) });
    expect(due({ ...READY, attempts: 1 }, { notBefore })).toEqual({
      queue: "deliver",
      at: at(65_000),
    });
  });

  it.each([33, 34, 60, 2_000, Number.MAX_SAFE_INTEGER])(
    "ready after %d attempts: at the end of the calendar, not beyond",
    (attempts) => {
      expect(due({ ...READY, attempts })).toEqual({ queue: "deliver", at: 9_999_999_999_999 });
    },
  );

  it("sending: when the lease ends", () => {
    expect(due(SENDING)).toEqual({ queue: "deliver", at: at(60_000) });
  });

  it("failed: stuck since it failed", () => {
    const fields = { ...UPDATED, state: "failed" };
    expect(due({ ...fields, failedAt: "2026-01-01T00:00:03.000Z" })).toEqual({
      queue: "stuck",
      at: at(3_000),
    });
    expect(due(fields)).toEqual({ queue: "stuck", at: at(10_000) });
  });

  it.each(["sent", "cancelled"])("%s: at the end of its retention, if it has one", (state) => {
    expect(due({ state })).toBeNull();
    expect(due({ state }, { retentionUntil: "2026-01-02T00:00:00.000Z" })).toEqual({
      queue: "attend",
      at: at(86_400_000),
    });
  });

  it("a tombstone: never", () => {
    const job = {
      logicalKey: "k",
      type: "first-view",
      state: "sent",
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    } as const;
    expect(dueOfEmail({ kind: "expired", job }, KINDS)).toBeNull();
  });

  it("instants with an offset count as what they are", () => {
    const fields = { ...READY, readyAt: "2026-01-01T01:00:05+01:00" };
    expect(due(fields)).toEqual({ queue: "deliver", at: at(5_000) });
  });
});
