import { describe, expect, it } from "vitest";
import type { Converge } from "../../../src/machines/emails/commands.ts";
import { EMAIL_STATES } from "../../../src/machines/emails/record.ts";
import { applied, at, decide, ONE_DAY, SENDING, stored } from "./given.ts";

const HASH = "ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c";

const FIRST_IMPORT = {
  logicalKey: "first-import:owner@example.com",
  type: "first-import",
  requestedBy: "importer-1",
};

function converge(recordingId: string): Converge {
  return {
    kind: "converge",
    recipient: "owner@example.com",
    recordingId,
    requestedBy: "importer-2",
  };
}

describe("converging on a first import", () => {
  it("EMAIL-51 a new key becomes a pending job under the recipient's key", () => {
    const { job } = applied(null, converge("recording-1"), at(0));
    expect(job).toEqual({
      logicalKey: "first-import:owner@example.com",
      type: "first-import",
      state: "pending",
      recipient: "owner@example.com",
      recordingIds: ["recording-1"],
      requestedBy: "importer-2",
      attempts: 0,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      lastError: null,
      leaseUntil: null,
      leaseToken: null,
    });
  });

  it.each(["sent", "failed", "sending", "awaiting_ai", "ai_dispatched"] as const)(
    "EMAIL-52 a job in %s stays as it is",
    (state) => {
      const job = stored({ ...FIRST_IMPORT, state, ...(state === "sending" ? SENDING : {}) });
      expect(decide(job, converge("recording-2"), at(1))).toEqual({
        kind: "unchanged",
        state: job,
      });
    },
  );

  it.each(["pending", "ready", "cancelled"] as const)(
    "EMAIL-53 a job in %s with another recording begins anew under its old creation time",
    (state) => {
      const job = stored(
        {
          ...FIRST_IMPORT,
          state,
          recipient: "Owner@example.com",
          shareId: "share-1",
          attempts: 2,
          lastError: "timeout",
          readyAt: "2026-01-01T00:00:00.000Z",
          sendingAt: "2026-01-01T00:00:00.000Z",
          cancelledAt: "2026-01-01T00:00:00.000Z",
          failedAt: "2026-01-01T00:00:00.000Z",
        },
        { epoch: 2, lastSettlement: { tokenHash: HASH, to: "cancelled" } },
      );
      const next = applied(job, converge("recording-2"), at(60_000));
      expect(next).toEqual({
        kind: "live",
        job: {
          logicalKey: "first-import:owner@example.com",
          type: "first-import",
          state: "pending",
          recipient: "owner@example.com",
          recordingIds: ["recording-2"],
          shareId: "share-1",
          requestedBy: "importer-2",
          attempts: 0,
          createdAt: "2026-01-01T00:00:00.000Z",
          updatedAt: "2026-01-01T00:01:00.000Z",
          lastError: null,
          leaseUntil: null,
          leaseToken: null,
        },
        extra: { ...job.extra, epoch: 2, lastSettlement: null, generation: 1 },
      });
    },
  );

  it.each(EMAIL_STATES)("EMAIL-54 with the same recording a job in %s is left alone", (state) => {
    const job = stored({ ...FIRST_IMPORT, state, ...(state === "sending" ? SENDING : {}) });
    expect(decide(job, converge("recording-1"), at(1))).toEqual({ kind: "unchanged", state: job });
  });

  it("a job of another kind under that key is left alone", () => {
    const job = stored({ logicalKey: "first-import:owner@example.com" });
    expect(decide(job, converge("recording-2"), at(1))).toEqual({ kind: "unchanged", state: job });
  });

  it("a cancelled job that leaves by it is no longer on its way out", () => {
    const ready = stored({ ...FIRST_IMPORT, state: "ready" });
    const cancel = { kind: "transition", from: ["ready"], to: "cancelled" } as const;
    const cancelled = applied(ready, cancel, at(0), ONE_DAY);
    expect(cancelled.extra.retentionUntil).toBe("2026-01-02T00:00:00.000Z");
    const next = applied(cancelled, converge("recording-2"), at(1), ONE_DAY);
    expect(next.extra.retentionUntil).toBeNull();
  });

  it("a settlement of the earlier life is not answered in the new one", () => {
    const sending = stored({ ...FIRST_IMPORT, ...SENDING });
    const settle = { kind: "settle", leaseToken: "token-a", to: "cancelled" } as const;
    const pending = applied(applied(sending, settle, at(1)), converge("recording-2"), at(2));
    const cancel = { kind: "transition", from: ["pending"], to: "cancelled" } as const;
    expect(decide(applied(pending, cancel, at(3)), settle, at(4)).kind).toBe("reject");
  });
});
