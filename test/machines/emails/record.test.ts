import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/core/json.ts";
import { defineEmailKind, emailKinds } from "../../../src/machines/emails/kinds.ts";
import {
  EMAIL_STATES,
  emailRecord,
  jobIdOf,
  parseEmailRecord,
  validLogicalKey,
} from "../../../src/machines/emails/record.ts";
import { KINDS, record, SENDING, TWO_CLIPS } from "./given.ts";

const HASH = "ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c";

function reason(fields: JsonObject, extra: JsonObject = {}): string | null {
  const read = parseEmailRecord({ ...record(), ...fields }, extra, KINDS);
  return read.ok ? null : read.reason;
}

describe("the identity of a job", () => {
  it("is the SHA-256 of the logical key and nothing else (golden vectors)", () => {
    expect(jobIdOf("first-view:share-1")).toBe(HASH);
    expect(jobIdOf("transactional-email-config")).toBe(
      "7f8fe9e52fae8871720cbbe547a68248f8925d1ca6a44314ce91e7f37253d3ad",
    );
  });

  it("is that of the key exactly as passed: spaces make another one", () => {
    expect(jobIdOf(" first-view:share-1")).not.toBe(HASH);
  });

  it("can be given itself", () => {
    expect(jobIdOf(`sha256:${HASH}`)).toBe(HASH);
  });

  it("is hashed from what only resembles an id", () => {
    const text = `sha256:${HASH.toUpperCase()}`;
    expect(jobIdOf(text)).not.toBe(HASH.toUpperCase());
    expect(jobIdOf(text)).toMatch(/^[0-9a-f]{64}$/);
    expect(jobIdOf(`sha256:${HASH}0`)).not.toContain(HASH);
  });
});

describe("a logical key", () => {
  it("EMAIL-5 is trimmed, and refused when empty or blank", () => {
    expect(validLogicalKey("  a b\n")).toEqual({ ok: true, key: "a b" });
    for (const text of ["", "   ", "\n\t"]) {
      expect(validLogicalKey(text)).toEqual({ ok: false, message: "must not be empty or blank" });
    }
  });

  it("has at most 1,024 bytes in UTF-8, counted after trimming", () => {
    expect(validLogicalKey(` ${"a".repeat(1_024)} `).ok).toBe(true);
    expect(validLogicalKey("é".repeat(512)).ok).toBe(true);
    expect(validLogicalKey("a".repeat(1_025))).toEqual({
      ok: false,
      message: "must be at most 1024 bytes in UTF-8",
    });
    expect(validLogicalKey(`${"é".repeat(512)}a`).ok).toBe(false);
  });

  it.each(["a\u0000b", "a\ud800", "\udc00", `sha256:${HASH}`, ` sha256:${HASH} `])(
    "must not be %j",
    (text) => {
      expect(validLogicalKey(text).ok).toBe(false);
    },
  );

  it("may look like an id that is none", () => {
    expect(validLogicalKey(`sha256:${HASH.toUpperCase()}`).ok).toBe(true);
    expect(validLogicalKey("sha256:abc").ok).toBe(true);
  });

  it.each([undefined, null, 7, {}])("must be a string, not %j", (value) => {
    expect(validLogicalKey(value)).toEqual({ ok: false, message: "must be a string" });
  });
});

describe("reading a stored job", () => {
  it("an original record has no extras: all are at their defaults", () => {
    const read = parseEmailRecord(record(), {}, KINDS);
    expect(read).toEqual({
      ok: true,
      state: {
        kind: "live",
        job: {
          logicalKey: "first-view:share-1",
          type: "first-view",
          state: "pending",
          recipient: "owner@example.com",
          recordingIds: ["recording-1"],
          attempts: 0,
          createdAt: "2026-01-01T00:00:00.000Z",
          updatedAt: "2026-01-01T00:00:00.000Z",
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

  it("every field of the original is read", () => {
    const full = {
      ...TWO_CLIPS,
      ...SENDING,
      shareId: "share-1",
      requestedBy: "someone",
      generatedSummary: "Both are about boats.",
      aiDispatchedAt: "2026-01-01T00:00:00Z",
      aiClaimedBy: "owner@example.com",
      readyAt: "2026-01-01T01:00:00+01:00",
      sentAt: "2026-01-01T00:00:00.000Z",
      cancelledAt: "2026-01-01T00:00:00.123456Z",
      failedAt: "2026-01-01T00:00:00.000Z",
      lastError: "timeout",
    };
    const read = parseEmailRecord({ ...record(), ...full }, {}, KINDS);
    expect(read.ok && read.state.job).toEqual({ ...record(), ...full });
  });

  it("what is stored is served as it is, also where an input would be trimmed", () => {
    const read = parseEmailRecord({ ...record(), shareId: " s " }, {}, KINDS);
    expect(read.ok && read.state.kind === "live" && read.state.job.shareId).toBe(" s ");
  });

  it("EMAIL-12 a missing field makes it unreadable", () => {
    for (const name of Object.keys(record())) {
      const { [name]: left, ...fields } = record();
      const read = parseEmailRecord(fields, {}, KINDS);
      expect([name, left !== undefined, read.ok]).toEqual([name, true, false]);
    }
  });

  it.each<[string, JsonObject, string]>([
    ["an unknown field", { bcc: "x@example.com" }, "bcc: unknown property"],
    ["a state of its own", { state: "lost" }, "state: invalid_value"],
    ["a recipient with a space", { recipient: " a@example.com" }, "recipient: invalid_format"],
    ["a fraction of an attempt", { attempts: 0.5 }, "attempts: invalid_type"],
    ["fewer than no attempts", { attempts: -1 }, "attempts: too_small"],
    ["a date without time", { createdAt: "2026-01-01" }, "createdAt: invalid_format"],
    ["a time without zone", { updatedAt: "2026-01-01T00:00:00" }, "updatedAt: invalid_format"],
    ["a stamp that is null", { readyAt: null }, "readyAt: invalid_type"],
    ["a blank key", { logicalKey: " " }, "logicalKey: custom"],
    ["two recordings", { recordingIds: ["a", "b"] }, "recordingIds: too_big"],
    [
      "a summary over the bound",
      { generatedSummary: "s".repeat(20_001) },
      "generatedSummary: too_big",
    ],
    ["an error over the bound", { lastError: "e".repeat(4_001) }, "lastError: too_big"],
    ["a claimant that is no address", { aiClaimedBy: "me" }, "aiClaimedBy: invalid_format"],
    ["an unknown kind", { type: "newsletter" }, "type: this kind of email is not registered"],
  ])("EMAIL-12 %s makes it unreadable", (_, fields, expected) => {
    expect(reason(fields)).toBe(expected);
  });

  it("EMAIL-12 an instant before 1970 makes it unreadable", () => {
    expect(reason({ createdAt: "1969-12-31T23:59:59.999Z" })).toBe("createdAt: custom");
  });

  it("EMAIL-12 the lease fields are both set while sending, and both null otherwise", () => {
    const lease = { leaseUntil: "2026-01-01T00:01:00.000Z", leaseToken: "token-a" };
    const none = { leaseUntil: null, leaseToken: null };
    const unreadable = "leaseUntil, leaseToken: set exactly while sending";
    for (const state of EMAIL_STATES) {
      const sending = state === "sending";
      expect(reason({ state, ...lease })).toBe(sending ? null : unreadable);
      expect(reason({ state, ...none })).toBe(sending ? unreadable : null);
      expect(reason({ state, ...lease, leaseToken: null })).toBe(unreadable);
      expect(reason({ state, ...lease, leaseUntil: null })).toBe(unreadable);
    }
    expect(reason({ ...SENDING, leaseToken: "" })).toBe("leaseToken: too_small");
  });

  it.each<[JsonObject, string]>([
    [{ epoch: -1 }, "holdfast: epoch: too_small"],
    [{ requestId: 7 }, "holdfast: requestId: invalid_type"],
    [{ notBefore: "soon" }, "holdfast: notBefore: invalid_format"],
    [{ lastSettlement: { tokenHash: HASH } }, "holdfast: lastSettlement.to: invalid_value"],
    [
      { lastSettlement: { tokenHash: "x", to: "sent" } },
      "holdfast: lastSettlement.tokenHash: invalid_format",
    ],
    [{ colour: "red" }, "holdfast: colour: unknown property"],
  ])("extras %j make it unreadable", (extra, expected) => {
    expect(reason({}, extra)).toBe(expected);
  });

  it("a reason shows paths and no values, whatever a kind's own messages say", () => {
    const payload = z.object({
      plan: z
        .string()
        .refine((text) => text === "free", { error: (issue) => `not ${issue.input}` }),
    });
    const kinds = emailKinds([defineEmailKind({ name: "welcome", payload })]);
    const { recordingIds, ...fields } = record();
    const read = parseEmailRecord({ ...fields, type: "welcome", plan: "SECRET" }, {}, kinds);
    expect([recordingIds, read]).toEqual([["recording-1"], { ok: false, reason: "plan: custom" }]);
  });
});

describe("writing a job", () => {
  it("is the inverse of reading, in the order of the original's fields", () => {
    const fields = {
      logicalKey: "two-clips:owner@example.com",
      type: "two-clips",
      state: "sending",
      recipient: "owner@example.com",
      recordingIds: ["recording-1", "recording-2"],
      shareId: "share-1",
      requestedBy: "someone",
      generatedSummary: "Both are about boats.",
      attempts: 1,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      aiDispatchedAt: "2026-01-01T00:00:00.000Z",
      aiClaimedBy: "owner@example.com",
      readyAt: "2026-01-01T00:00:00.000Z",
      sendingAt: "2026-01-01T00:00:00.000Z",
      lastError: null,
      leaseUntil: "2026-01-01T00:01:00.000Z",
      leaseToken: "token-a",
    };
    const extra = {
      epoch: 3,
      requestId: "request-1",
      lastSettlement: { tokenHash: HASH, to: "ready" },
      notBefore: "2026-01-02T00:00:00.000Z",
    };
    const shuffled = Object.fromEntries(Object.entries(fields).reverse());
    const read = parseEmailRecord(shuffled, extra, KINDS);
    expect(read.ok).toBe(true);
    const written = read.ok ? emailRecord(read.state) : null;
    expect(JSON.stringify(written)).toBe(JSON.stringify({ fields, extra }));
  });

  it("an original record is written back without extras", () => {
    const read = parseEmailRecord(record(), {}, KINDS);
    expect(read.ok && emailRecord(read.state)).toEqual({ fields: record(), extra: {} });
  });

  it("the fields of an own kind stand flat after the shared ones", () => {
    const kinds = emailKinds([
      defineEmailKind({ name: "welcome", payload: z.object({ plan: z.string(), seats: z.int() }) }),
    ]);
    const { recordingIds, ...fields } = record();
    const read = parseEmailRecord({ seats: 3, plan: "pro", ...fields, type: "welcome" }, {}, kinds);
    expect(recordingIds).toBeDefined();
    expect(read.ok && Object.keys(emailRecord(read.state).fields).slice(0, 7)).toEqual([
      ...["logicalKey", "type", "state", "recipient", "seats", "plan", "attempts"],
    ]);
    expect(read.ok && read.state.kind === "live" && read.state.job["seats"]).toBe(3);
  });
});

describe("a tombstone", () => {
  const fields = {
    logicalKey: "first-view:share-1",
    type: "first-view",
    state: "sent",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:02:00.000Z",
    readyAt: "2026-01-01T00:01:00.000Z",
    sentAt: "2026-01-01T00:02:00.000Z",
  };

  it("is read and written back", () => {
    const read = parseEmailRecord(fields, { expired: true }, KINDS);
    expect(read).toEqual({ ok: true, state: { kind: "expired", job: fields } });
    expect(read.ok && emailRecord(read.state)).toEqual({ fields, extra: { expired: true } });
  });

  it("needs no registered kind", () => {
    expect(parseEmailRecord({ ...fields, type: "gone" }, { expired: true }, KINDS).ok).toBe(true);
  });

  it("holds nothing else", () => {
    const more = { ...fields, recipient: "owner@example.com" };
    expect(parseEmailRecord(more, { expired: true }, KINDS)).toEqual({
      ok: false,
      reason: "recipient: unknown property",
    });
    expect(parseEmailRecord(fields, { expired: true, epoch: 1 }, KINDS).ok).toBe(false);
  });

  it("is not taken for a live job, nor a live job for it", () => {
    expect(parseEmailRecord(fields, {}, KINDS).ok).toBe(false);
    expect(parseEmailRecord(record(), { expired: true }, KINDS).ok).toBe(false);
  });
});
