import { describe, expect, it } from "vitest";
import { dueOfEmail } from "../../../src/machines/emails/due.ts";
import {
  EMAIL_STATES,
  type EmailState,
  emailRecord,
  parseEmailRecord,
} from "../../../src/machines/emails/record.ts";
import { isExpired, liveEmail } from "../../../src/machines/emails/retention.ts";
import {
  applied,
  at,
  decide,
  KINDS,
  LIVE_COMMANDS,
  ONE_DAY,
  record,
  refused,
  SENDING,
  SETTLE,
  stored,
} from "./given.ts";

const ERASE = { kind: "erase" } as const;

const erased: EmailState = {
  kind: "erased",
  job: {
    type: "first-view",
    state: "failed",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:09.000Z",
    failedAt: "2026-01-01T00:00:01.000Z",
  },
};

const STAMPS = {
  aiDispatchedAt: "2026-01-01T00:00:01.000Z",
  readyAt: "2026-01-01T00:00:02.000Z",
  sendingAt: "2026-01-01T00:00:03.000Z",
  sentAt: "2026-01-01T00:00:04.000Z",
  cancelledAt: "2026-01-01T00:00:05.000Z",
  failedAt: "2026-01-01T00:00:06.000Z",
};

describe("erasing a job", () => {
  it("leaves its kind, its state and its times, the latest of which is now", () => {
    const full = stored(
      {
        state: "failed",
        failedAt: "2026-01-01T00:00:01.000Z",
        shareId: "share-1",
        requestedBy: "someone",
        generatedSummary: "secret",
        aiClaimedBy: "writer@example.com",
        lastError: "secret",
        attempts: 2,
      },
      {
        epoch: 2,
        lastSettlement: { tokenHash: "0".repeat(64), to: "failed" },
        notBefore: "2026-01-02T00:00:00.000Z",
      },
    );
    expect(decide(full, ERASE, at(9_000))).toEqual({ kind: "apply", next: erased });
  });

  it("keeps every state timestamp there is", () => {
    const decision = decide(stored({ state: "cancelled", ...STAMPS }), ERASE, at(9_000));
    expect(decision.kind === "apply" && decision.next.job).toEqual({
      type: "first-view",
      state: "cancelled",
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:09.000Z",
      ...STAMPS,
    });
  });

  it.each(EMAIL_STATES.filter((state) => state !== "sending"))("can be done while %s", (state) => {
    expect(decide(stored({ state }), ERASE, at(0))).toMatchObject({
      kind: "apply",
      next: { kind: "erased", job: { state } },
    });
  });

  it("is refused while it is leased, also when that lease ran out", () => {
    for (const now of [at(0), at(59_999), at(60_000), at(9e9)]) {
      expect(decide(stored(SENDING), ERASE, now)).toEqual(refused("in_use", "sending"));
    }
  });

  it("takes the key from a job past its retention, with and without a tombstone", () => {
    const sent = applied(stored(SENDING), SETTLE, at(0), ONE_DAY);
    const retired = decide(sent, { kind: "retire" }, at(86_400_000), ONE_DAY);
    const tombstone = retired.kind === "apply" ? retired.next : null;
    expect(tombstone?.kind).toBe("expired");
    for (const over of [sent, tombstone]) {
      expect(decide(over, ERASE, at(86_400_001), ONE_DAY)).toEqual({
        kind: "apply",
        next: {
          kind: "erased",
          job: {
            type: "first-view",
            state: "sent",
            createdAt: "2026-01-01T00:00:00.000Z",
            updatedAt: "2026-01-02T00:00:00.001Z",
            sendingAt: "2026-01-01T00:00:00.000Z",
            sentAt: "2026-01-01T00:00:00.000Z",
          },
        },
      });
    }
  });

  it("a second time changes nothing, however much later", () => {
    expect(decide(erased, ERASE, at(9e9))).toEqual({ kind: "unchanged", state: erased });
  });

  it("finds nothing where there is no job", () => {
    expect(decide(null, ERASE, at(0))).toEqual({
      kind: "reject",
      rejection: { kind: "job_not_found" },
    });
  });
});

describe("an erased job", () => {
  it.each(LIVE_COMMANDS)("answers erased to $kind", (command) => {
    expect(decide(erased, command, at(9e9), ONE_DAY)).toEqual(
      refused("erased", "failed", "2026-01-01T00:00:09.000Z"),
    );
  });

  it("stays as it is when it is retired", () => {
    const decision = decide(erased, { kind: "retire" }, at(9e9), ONE_DAY);
    expect(decision).toEqual({ kind: "unchanged", state: erased });
  });

  it("is over", () => {
    expect([isExpired(erased, at(0)), liveEmail(erased, at(0))]).toEqual([true, null]);
  });

  it.each(EMAIL_STATES)("is never due, though it was %s", (state) => {
    expect(dueOfEmail({ kind: "erased", job: { ...erased.job, state } }, KINDS)).toBeNull();
  });
});

describe("the record of an erased job", () => {
  const fields = {
    type: "first-view",
    state: "failed",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:09.000Z",
    failedAt: "2026-01-01T00:00:01.000Z",
  };

  it("is read, and written back in the order of the original's fields", () => {
    const shuffled = Object.fromEntries(Object.entries(fields).reverse());
    const read = parseEmailRecord(shuffled, { erased: true }, KINDS);
    expect(read).toEqual({ ok: true, state: erased });
    const written = read.ok ? emailRecord(read.state) : null;
    expect(JSON.stringify(written)).toBe(JSON.stringify({ fields, extra: { erased: true } }));
  });

  it("needs no registered kind", () => {
    expect(parseEmailRecord({ ...fields, type: "gone" }, { erased: true }, KINDS).ok).toBe(true);
  });

  it.each(["logicalKey", "recipient", "recordingIds", "lastError", "leaseToken", "aiClaimedBy"])(
    "holds no %s",
    (name) => {
      const more = { ...fields, [name]: record()[name] ?? null };
      expect(parseEmailRecord(more, { erased: true }, KINDS)).toEqual({
        ok: false,
        reason: `${name}: unknown property`,
      });
    },
  );

  it("holds no other extras, not even those of a job past its retention", () => {
    for (const more of [{ epoch: 1 }, { expired: true }, { colour: "red" }]) {
      expect(parseEmailRecord(fields, { erased: true, ...more }, KINDS)).toEqual({
        ok: false,
        reason: "holdfast: a tombstone keeps nothing else",
      });
    }
  });

  it("lacks nothing of what it keeps", () => {
    for (const name of ["type", "state", "createdAt", "updatedAt"]) {
      const less = Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name));
      expect(parseEmailRecord(less, { erased: true }, KINDS).ok).toBe(false);
    }
  });

  it("is taken neither for a live job nor for one past its retention, nor they for it", () => {
    const expired = { ...fields, logicalKey: "first-view:share-1" };
    expect(parseEmailRecord(fields, {}, KINDS).ok).toBe(false);
    expect(parseEmailRecord(fields, { expired: true }, KINDS).ok).toBe(false);
    expect(parseEmailRecord(record(), { erased: true }, KINDS).ok).toBe(false);
    expect(parseEmailRecord(expired, { erased: true }, KINDS).ok).toBe(false);
    expect(parseEmailRecord(record(), { erased: false }, KINDS).ok).toBe(false);
  });
});
