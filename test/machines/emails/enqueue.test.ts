import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineEmailKind, emailKinds } from "../../../src/machines/emails/kinds.ts";
import { EMAIL_STATES } from "../../../src/machines/emails/record.ts";
import { applied, at, decide, FIRST_VIEW, payload, SENDING, stored } from "./given.ts";

const enqueue = {
  kind: "enqueue",
  logicalKey: "first-view:share-1",
  payload: FIRST_VIEW,
  initialState: "pending",
  notBefore: null,
  onPayloadMismatch: "return",
} as const;

const other = payload({
  type: "first-view",
  recipient: "owner@example.com",
  recordingIds: ["recording-2"],
});

describe("enqueue", () => {
  it("EMAIL-1 a new job is pending, without attempts, error and lease, made and changed now", () => {
    expect(decide(null, enqueue, at(5))).toEqual({
      kind: "apply",
      next: {
        kind: "live",
        job: {
          logicalKey: "first-view:share-1",
          type: "first-view",
          state: "pending",
          recipient: "owner@example.com",
          recordingIds: ["recording-1"],
          attempts: 0,
          createdAt: "2026-01-01T00:00:00.005Z",
          updatedAt: "2026-01-01T00:00:00.005Z",
          lastError: null,
          leaseUntil: null,
          leaseToken: null,
        },
        extra: {
          epoch: 0,
          requestId: null,
          lastSettlement: null,
          claimToken: null,
          notBefore: null,
          generation: 0,
          retentionUntil: null,
        },
      },
    });
  });

  it("EMAIL-2 a job can begin in awaiting_ai", () => {
    const next = applied(null, { ...enqueue, initialState: "awaiting_ai" }, at(0));
    expect(next.job.state).toBe("awaiting_ai");
  });

  it("keeps the instant before which it must not be delivered", () => {
    const next = applied(null, { ...enqueue, notBefore: at(1_500) }, at(0));
    expect(next.extra.notBefore).toBe("2026-01-01T00:00:01.500Z");
  });

  it("EMAIL-4 a second enqueue answers the stored job, whatever it brings", () => {
    const job = applied(null, enqueue, at(0));
    for (const state of EMAIL_STATES) {
      const found = state === "pending" ? job : stored(state === "sending" ? SENDING : { state });
      const again = { ...enqueue, payload: other, initialState: "awaiting_ai" } as const;
      expect(decide(found, again, at(9))).toEqual({ kind: "unchanged", state: found });
    }
  });

  it("another payload is a conflict for who asks, and the refusal shows nothing stored", () => {
    const asking = { ...enqueue, payload: other, onPayloadMismatch: "conflict" } as const;
    expect(decide(stored(), asking, at(0))).toEqual({
      kind: "reject",
      rejection: { kind: "job_payload_conflict" },
    });
  });

  it.each([
    ["recipient", { ...FIRST_VIEW, recipient: "Owner@example.com" }],
    ["type", { ...FIRST_VIEW, type: "unviewed-reminder" }],
    ["an additional field", { ...FIRST_VIEW, shareId: "share-1" }],
  ])("a payload that differs in %s is another one", (_, raw) => {
    const asking = { ...enqueue, payload: payload(raw), onPayloadMismatch: "conflict" } as const;
    expect(decide(stored(), asking, at(0)).kind).toBe("reject");
  });

  it("a payload that lacks a stored field is another one", () => {
    const asking = { ...enqueue, onPayloadMismatch: "conflict" } as const;
    expect(decide(stored({ requestedBy: "someone" }), asking, at(0)).kind).toBe("reject");
  });

  it("the same payload is no conflict, in whatever order and state", () => {
    const sent = stored({ state: "sent", attempts: 2, lastError: "once", generatedSummary: "x" });
    const asking = { ...enqueue, onPayloadMismatch: "conflict" } as const;
    expect(decide(sent, asking, at(0))).toEqual({ kind: "unchanged", state: sent });
    const message = payload({
      type: "message",
      recipient: "a@example.com",
      subject: "Hi",
      text: "Hello",
      headers: { "X-A": "1", "X-B": "2" },
    });
    const same = payload({
      headers: { "X-B": "2", "X-A": "1" },
      text: "Hello",
      subject: "Hi",
      recipient: "a@example.com",
      type: "message",
    });
    const job = applied(null, { ...enqueue, payload: message }, at(0));
    expect(decide(job, { ...asking, payload: same }, at(1)).kind).toBe("unchanged");
  });

  it("headers that differ in one value are another payload", () => {
    const message = (value: string) =>
      payload({
        type: "message",
        recipient: "a@example.com",
        subject: "Hi",
        text: "Hello",
        headers: { "X-A": value },
      });
    const job = applied(null, { ...enqueue, payload: message("1") }, at(0));
    const asking = { ...enqueue, payload: message("2"), onPayloadMismatch: "conflict" } as const;
    expect(decide(job, asking, at(1)).kind).toBe("reject");
  });

  it("a list that goes on longer is another payload", () => {
    const kinds = emailKinds([
      defineEmailKind({ name: "digest", payload: z.object({ topics: z.array(z.string()) }) }),
    ]);
    const rules = { kinds, retentionMs: null };
    const digest = (...topics: readonly string[]) => ({
      ...enqueue,
      payload: { type: "digest", recipient: "owner@example.com", topics },
      onPayloadMismatch: "conflict" as const,
    });
    const job = applied(null, digest("boats"), at(0), rules);
    expect(decide(job, digest("boats", "trains"), at(1), rules).kind).toBe("reject");
    expect(decide(job, digest("boats"), at(1), rules).kind).toBe("unchanged");
  });
});
