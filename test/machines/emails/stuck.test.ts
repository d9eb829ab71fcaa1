/** What a person is told of a job that waits for one. */
import { describe, expect, it } from "vitest";
import { settlementOf } from "../../../src/machines/emails/outcome.ts";
import { stuckEmail } from "../../../src/machines/emails/stuck.ts";
import { at, KINDS, stored, TWO_CLIPS } from "./given.ts";

const NOW = at(3_600_000);
const FAILED = { state: "failed", failedAt: "2026-01-01T00:00:10.000Z" };
const RULES = { maxAttempts: 3, unknown: "retry" } as const;

const told = (fields: object) => stuckEmail(stored({ ...FAILED, ...fields }), NOW, KINDS);

describe("a failed job", () => {
  it.each([
    ["used up its attempts", 3, "no such data", /3 attempts, all that it has/, /mend the cause/],
    ["was refused for good", 1, "no such mailbox", /1 attempt of 3: it was refused/, /is mended/],
    [
      "ran out of leases",
      3,
      "every attempt ended without a report",
      /died, hung/,
      /became of them/,
    ],
    [
      "was no mail",
      3,
      "invalid content: subject",
      /rendered is no mail/,
      /mend the kind's prepare/,
    ],
  ])("that %s tells so, and what to do", (_, attempts, lastError, why, action) => {
    expect(told({ attempts, lastError })).toEqual({
      since: at(10_000),
      why: expect.stringMatching(why),
      action: expect.stringMatching(action),
    });
  });

  it("that may have been sent says so before it is requeued, as it was settled", () => {
    const { lastError } = settlementOf({ kind: "unknown", error: "reset" }, 3, RULES);
    const stuck = told({ attempts: 3, lastError });
    expect(stuck?.why).toContain("may have sent it");
    expect(stuck?.action).toContain("ask the mail provider");
  });

  it("is told without anything of its last error", () => {
    for (const lastError of ["ann@example.com bounced", "outcome unknown: ann@example.com"]) {
      expect(JSON.stringify(told({ attempts: 3, lastError }))).not.toContain("ann@");
    }
  });
});

describe("a job that waits", () => {
  it("for a text that nobody will bring tells how it goes on", () => {
    expect(stuckEmail(stored({ ...TWO_CLIPS, state: "pending" }), NOW, KINDS)).toMatchObject({
      action: expect.stringContaining("awaiting_ai"),
    });
  });

  it("for its time or for a worker needs nobody", () => {
    expect(stuckEmail(stored(), NOW, KINDS)).toBeNull();
    expect(stuckEmail(stored({ state: "ready" }), NOW, KINDS)).toBeNull();
  });
});
