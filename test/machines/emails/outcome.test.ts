import { describe, expect, it } from "vitest";
import { type DeliveryOutcome, settlementOf } from "../../../src/machines/emails/outcome.ts";

const RETRY = { maxAttempts: 3, unknown: "retry" } as const;
const FAIL = { maxAttempts: 3, unknown: "fail" } as const;

describe("what becomes of a delivery", () => {
  it.each<[DeliveryOutcome, number, typeof RETRY | typeof FAIL, object]>([
    [{ kind: "sent" }, 3, RETRY, { kind: "settle", to: "sent" }],
    [{ kind: "invalid" }, 3, RETRY, { kind: "settle", to: "cancelled" }],
    [{ kind: "retry", error: "busy" }, 1, RETRY, { to: "ready", lastError: "busy" }],
    [{ kind: "retry", error: "busy" }, 2, FAIL, { to: "ready", lastError: "busy" }],
    [{ kind: "retry", error: "busy" }, 3, RETRY, { to: "failed", lastError: "busy" }],
    [{ kind: "retry", error: "busy" }, 4, RETRY, { to: "failed", lastError: "busy" }],
    [{ kind: "permanent", error: "no such box" }, 1, RETRY, { to: "failed" }],
    [{ kind: "unprepared", error: "no data" }, 1, FAIL, { to: "ready", lastError: "no data" }],
    [{ kind: "unprepared", error: "no data" }, 3, RETRY, { to: "failed", lastError: "no data" }],
    [{ kind: "unknown", error: "reset" }, 1, RETRY, { to: "ready" }],
    [{ kind: "unknown", error: "reset" }, 3, RETRY, { to: "failed" }],
    [{ kind: "unknown", error: "reset" }, 1, FAIL, { to: "failed" }],
    [{ kind: "unavailable", error: "refused" }, 1, RETRY, { kind: "giveBack" }],
    [{ kind: "unavailable", error: "refused" }, 3, FAIL, { kind: "giveBack" }],
    [{ kind: "unbegun", error: "late" }, 3, FAIL, { kind: "giveBack", isAtOnce: true }],
  ])("%j at attempt %d of %j is %j", (outcome, attempts, kind, settlement) => {
    expect(settlementOf(outcome, attempts, kind)).toMatchObject(settlement);
  });

  it("an outcome that is not known says so in the last error", () => {
    const { lastError } = settlementOf({ kind: "unknown", error: "reset" }, 1, FAIL);
    expect(lastError).toBe("outcome unknown: reset");
  });

  it("a mailer that is not there is what the last error says", () => {
    const { lastError } = settlementOf({ kind: "unavailable", error: "refused" }, 1, RETRY);
    expect(lastError).toBe("mailer unavailable: refused");
  });

  it("what went well has no last error to tell", () => {
    for (const kind of ["sent", "invalid"] as const) {
      expect(settlementOf({ kind }, 1, RETRY)).not.toHaveProperty("lastError");
    }
  });

  it("EMAIL-80 the last error is cut to 4,000 characters", () => {
    const error = "x".repeat(5_000);
    for (const kind of ["retry", "permanent", "unknown", "unprepared", "unavailable"] as const) {
      expect(settlementOf({ kind, error }, 3, RETRY).lastError).toHaveLength(4_000);
    }
  });
});
