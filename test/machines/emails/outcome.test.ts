import { describe, expect, it } from "vitest";
import { type DeliveryOutcome, settlementOf } from "../../../src/machines/emails/outcome.ts";

const RETRY = { maxAttempts: 3, unknown: "retry" } as const;
const FAIL = { maxAttempts: 3, unknown: "fail" } as const;

describe("what becomes of a delivery", () => {
  it.each<[DeliveryOutcome, number, typeof RETRY | typeof FAIL, object]>([
    [{ kind: "sent" }, 3, RETRY, { to: "sent", lastError: null }],
    [{ kind: "invalid" }, 3, RETRY, { to: "cancelled", lastError: null }],
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
  ])("%j at attempt %d of %j is %j", (outcome, attempts, kind, settlement) => {
    expect(settlementOf(outcome, attempts, kind)).toMatchObject(settlement);
  });

  it("an outcome that is not known says so in the last error", () => {
    const { lastError } = settlementOf({ kind: "unknown", error: "reset" }, 1, FAIL);
    expect(lastError).toBe("outcome unknown: reset");
  });

  it("EMAIL-80 the last error is cut to 4,000 characters", () => {
    const error = "x".repeat(5_000);
    for (const kind of ["retry", "permanent", "unknown", "unprepared"] as const) {
      expect(settlementOf({ kind, error }, 3, RETRY).lastError).toHaveLength(4_000);
    }
  });
});
