import { describe, expect, it } from "vitest";
import { EMAIL_STATES, type EmailState } from "../../../src/machines/emails/record.ts";
import { isExpired, liveEmail } from "../../../src/machines/emails/retention.ts";
import {
  applied,
  at,
  decide,
  LIVE_COMMANDS,
  ONE_DAY,
  refused,
  SENDING,
  SETTLE,
  stored,
} from "./given.ts";

/** Sent at the beginning of 2026 and kept for a day. */
const sent = applied(stored(SENDING), SETTLE, at(0), ONE_DAY);

const tombstone: EmailState = {
  kind: "expired",
  job: {
    logicalKey: "first-view:share-1",
    type: "first-view",
    state: "sent",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    sendingAt: "2026-01-01T00:00:00.000Z",
    sentAt: "2026-01-01T00:00:00.000Z",
  },
};

describe("when retention begins", () => {
  it("with sent and cancelled, from that instant", () => {
    expect(sent.extra.retentionUntil).toBe("2026-01-02T00:00:00.000Z");
    const cancel = { kind: "transition", from: ["pending"], to: "cancelled" } as const;
    const cancelled = applied(stored(), cancel, at(1), ONE_DAY);
    expect(cancelled.extra.retentionUntil).toBe("2026-01-02T00:00:00.001Z");
  });

  it("not with failed: what is stuck stays", () => {
    const fail = { kind: "transition", from: ["pending"], to: "failed" } as const;
    expect(applied(stored(), fail, at(1), ONE_DAY).extra.retentionUntil).toBeNull();
  });

  it("never where nothing is retired", () => {
    expect(applied(stored(SENDING), SETTLE, at(0)).extra.retentionUntil).toBeNull();
  });
});

describe("a job past its retention", () => {
  it("is over at that very instant, before any tombstone", () => {
    expect([isExpired(sent, at(86_399_999)), isExpired(sent, at(86_400_000))]).toEqual([
      false,
      true,
    ]);
    expect([liveEmail(sent, at(86_399_999)), liveEmail(sent, at(86_400_000))]).toEqual([
      sent,
      null,
    ]);
  });

  it.each(LIVE_COMMANDS)("answers job_expired to $kind", (command) => {
    for (const state of [sent, tombstone]) {
      expect(decide(state, command, at(86_400_000), ONE_DAY)).toEqual(
        refused("job_expired", "sent"),
      );
    }
  });

  it("one millisecond earlier a repeat of its settlement is still answered", () => {
    expect(decide(sent, SETTLE, at(86_399_999), ONE_DAY).kind).toBe("unchanged");
  });
});

describe("retiring", () => {
  it("leaves identity, state and times", () => {
    const job = stored({
      ...SENDING,
      shareId: "share-1",
      generatedSummary: "secret",
      lastError: "secret",
    });
    const over = applied(job, SETTLE, at(0), ONE_DAY);
    expect(decide(over, { kind: "retire" }, at(86_400_000), ONE_DAY)).toEqual({
      kind: "apply",
      next: tombstone,
    });
  });

  it("keeps every state timestamp there is", () => {
    const stamps = {
      aiDispatchedAt: "2026-01-01T00:00:01.000Z",
      readyAt: "2026-01-01T00:00:02.000Z",
      sendingAt: "2026-01-01T00:00:03.000Z",
      sentAt: "2026-01-01T00:00:04.000Z",
      cancelledAt: "2026-01-01T00:00:05.000Z",
      failedAt: "2026-01-01T00:00:06.000Z",
    };
    const job = stored(
      { state: "cancelled", ...stamps },
      { retentionUntil: "2026-01-02T00:00:00.000Z" },
    );
    const decision = decide(job, { kind: "retire" }, at(86_400_000));
    expect(decision.kind === "apply" && decision.next.job).toMatchObject(stamps);
  });

  it("is refused before the time has come, and for what is not to be retired", () => {
    expect(decide(sent, { kind: "retire" }, at(86_399_999), ONE_DAY)).toEqual(
      refused("state_mismatch", "sent"),
    );
    for (const state of EMAIL_STATES.filter((name) => name !== "sending")) {
      expect(decide(stored({ state }), { kind: "retire" }, at(9e11), ONE_DAY)).toEqual(
        refused("state_mismatch", state),
      );
    }
  });

  it("a second time changes nothing", () => {
    expect(decide(tombstone, { kind: "retire" }, at(86_400_000), ONE_DAY)).toEqual({
      kind: "unchanged",
      state: tombstone,
    });
  });
});
