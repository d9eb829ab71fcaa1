import { describe, expect, it } from "vitest";
import { emailInputs } from "../../../src/machines/emails/inputs.ts";

describe("a lease duration", () => {
  it.each([0, -1, 1.5, 86_400_001, Number.NaN, Number.POSITIVE_INFINITY, "1000", null])(
    "EMAIL-40 is not %j",
    (value) => {
      expect(emailInputs.leaseMs.safeParse(value).success).toBe(false);
    },
  );

  it.each([1, 86_400_000])("EMAIL-40 may be %d", (value) => {
    expect(emailInputs.leaseMs.parse(value)).toBe(value);
  });
});

describe("a claimant", () => {
  it("EMAIL-28 EMAIL-32 is trimmed and lower-cased before it is checked", () => {
    expect(emailInputs.claimant.parse("  Ann@Example.COM\n")).toBe("ann@example.com");
  });

  it.each(["", "ann", "ann@", "a b@example.com", 7, null])("EMAIL-30 is not %j", (value) => {
    expect(emailInputs.claimant.safeParse(value).success).toBe(false);
  });

  it("has at most 320 characters", () => {
    expect(emailInputs.claimant.safeParse(`${"a".repeat(308)}@example.com`).success).toBe(true);
    expect(emailInputs.claimant.safeParse(`${"a".repeat(309)}@example.com`).success).toBe(false);
  });
});

describe("a token", () => {
  it("EMAIL-48 is trimmed and not empty", () => {
    expect(emailInputs.token.parse(" token-a ")).toBe("token-a");
    for (const value of ["", "  ", undefined, "t".repeat(257)]) {
      expect(emailInputs.token.safeParse(value).success).toBe(false);
    }
    expect(emailInputs.token.parse("t".repeat(256))).toHaveLength(256);
  });
});

describe("a request id", () => {
  it.each(["", "a b", "ä", "a\n", "r".repeat(129)])("is not %j", (value) => {
    expect(emailInputs.requestId.safeParse(value).success).toBe(false);
  });

  it.each(["!", "~", "r".repeat(128)])("may be %j", (value) => {
    expect(emailInputs.requestId.parse(value)).toBe(value);
  });
});

describe("texts", () => {
  it("EMAIL-24 a last error has at most 4,000 characters, or is null", () => {
    expect(emailInputs.lastError.safeParse("e".repeat(4_000)).success).toBe(true);
    expect(emailInputs.lastError.safeParse("e".repeat(4_001)).success).toBe(false);
    expect(emailInputs.lastError.parse(null)).toBeNull();
  });

  it("EMAIL-24 a summary has at most 20,000 characters", () => {
    expect(emailInputs.generatedSummary.safeParse("s".repeat(20_000)).success).toBe(true);
    expect(emailInputs.generatedSummary.safeParse("s".repeat(20_001)).success).toBe(false);
  });
});

describe("instants", () => {
  it.each(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123+05:30"])("may be %j", (value) => {
    expect(emailInputs.notBefore.parse(value)).toBe(value);
    expect(emailInputs.staleBefore.parse(value)).toBe(value);
  });

  it.each(["2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z", "1969-12-31T23:59:59Z", 0])(
    "are not %j",
    (value) => {
      expect(emailInputs.notBefore.safeParse(value).success).toBe(false);
      expect(emailInputs.staleBefore.safeParse(value).success).toBe(false);
    },
  );
});

describe("the rest", () => {
  it("a limit is 1 to 100", () => {
    for (const value of [0, 101, 1.5]) {
      expect(emailInputs.limit.safeParse(value).success).toBe(false);
    }
    expect([emailInputs.limit.parse(1), emailInputs.limit.parse(100)]).toEqual([1, 100]);
  });

  it("EMAIL-58 a cursor is null or whole, and nothing else", () => {
    const cursor = { createdAt: "2026-01-01T00:00:00Z", id: "row-1" };
    expect(emailInputs.cursor.parse(cursor)).toEqual(cursor);
    expect(emailInputs.cursor.parse(null)).toBeNull();
    for (const bad of [
      {},
      { ...cursor, id: "" },
      { ...cursor, createdAt: "x" },
      { ...cursor, more: 1 },
    ]) {
      expect(emailInputs.cursor.safeParse(bad).success).toBe(false);
    }
  });

  it("EMAIL-58 the legacy cursor cannot be named", () => {
    expect(emailInputs.cursorName.safeParse("reconciliationCursor").success).toBe(false);
    expect(emailInputs.cursorName.parse("reminderCursor")).toBe("reminderCursor");
  });

  it("expected states are at least one", () => {
    expect(emailInputs.from.safeParse([]).success).toBe(false);
    expect(emailInputs.from.parse(["pending", "sending"])).toEqual(["pending", "sending"]);
  });

  it("a job begins pending or awaiting_ai, and is settled to four states", () => {
    expect(emailInputs.initialState.safeParse("ready").success).toBe(false);
    expect(emailInputs.settleTo.safeParse("pending").success).toBe(false);
    expect(emailInputs.settleTo.parse("sent")).toBe("sent");
  });

  it("a first import's recipient is normalised as its key is", () => {
    expect(emailInputs.firstImportRecipient.parse(" Ann@Example.com ")).toBe("ann@example.com");
  });
});
