import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { EmailCommand } from "../../../src/machines/emails/commands.ts";
import { dueOfEmail } from "../../../src/machines/emails/due.ts";
import {
  type EmailState,
  emailRecord,
  type LiveEmail,
  parseEmailRecord,
} from "../../../src/machines/emails/record.ts";
import { decide, KINDS, ONE_DAY } from "./given.ts";
import { history, type Step } from "./histories.ts";

/** What asks for something that can be seen to be so already. */
const REPEATABLE: ReadonlySet<EmailCommand["kind"]> = new Set([
  ...(["enqueue", "converge", "settle", "giveBack", "retire", "erase"] as const),
]);

function always(holds: (step: Step) => void): void {
  fc.assert(
    fc.property(history, (steps) => {
      for (const step of steps) holds(step);
    }),
    { numRuns: 500 },
  );
}

function live(state: EmailState | null): LiveEmail | null {
  return state?.kind === "live" ? state : null;
}

describe("whatever is asked of a job, in whatever order", () => {
  it("the histories of these tests reach every state, and both tombstones", () => {
    const reached = new Set<string>();
    for (const steps of fc.sample(history, { seed: 1, numRuns: 1_000 })) {
      for (const { after } of steps) {
        if (after !== null) reached.add(after.kind === "live" ? after.job.state : after.kind);
      }
    }
    expect([...reached].sort()).toEqual([
      ...["ai_dispatched", "awaiting_ai", "cancelled", "erased", "expired", "failed", "pending"],
      ...["ready", "sending", "sent"],
    ]);
  });

  it("it has a lease exactly while it is sending", () => {
    always(({ after }) => {
      const job = live(after)?.job;
      if (job === undefined) return;
      const sending = job.state === "sending";
      expect([job.leaseToken !== null, job.leaseUntil !== null]).toEqual([sending, sending]);
    });
  });

  it("what belongs to a lease, a claim or a retention goes with it", () => {
    always(({ after }) => {
      const email = live(after);
      if (email === null) return;
      const { state } = email.job;
      if (email.extra.requestId !== null) expect(state).toBe("sending");
      if (email.extra.claimToken !== null) expect(state).toBe("ai_dispatched");
      const retained = state === "sent" || state === "cancelled";
      expect(email.extra.retentionUntil !== null).toBe(retained);
    });
  });

  it("G4 sent changes into a tombstone only, and is sent in that, too", () => {
    always(({ before, after }) => {
      if (before?.job.state !== "sent" || after === before) return;
      expect([after?.kind === "live", after?.job.state]).toEqual([false, "sent"]);
    });
  });

  it("tombstones come from retiring and erasing only, and change by erasing only", () => {
    always(({ before, command, after }) => {
      if (after === before) return;
      if (after?.kind === "expired")
        expect([command.kind, before?.kind]).toEqual(["retire", "live"]);
      if (after?.kind === "erased") expect(command.kind).toBe("erase");
      if (before?.kind === "expired") expect(after?.kind).toBe("erased");
      expect(before?.kind).not.toBe("erased");
    });
  });

  it("erasing is refused while the job is leased and at no other time", () => {
    always(({ before, command, decision }) => {
      if (command.kind !== "erase" || before === null) return;
      expect(decision.kind === "reject").toBe(before.job.state === "sending");
    });
  });

  it("what was erased keeps none of the job's words", () => {
    always(({ after }) => {
      if (after?.kind !== "erased") return;
      expect(JSON.stringify(emailRecord(after))).not.toMatch(/key-1|@|"r\d"|token|refused|text/);
    });
  });

  it("G4 failed leaves by requeue and cancelled by convergence only", () => {
    always(({ before, command, after }) => {
      if (live(before)?.job.state === "failed" && live(after) !== null && after !== before) {
        expect([command.kind, after?.job.state]).toEqual(["requeue", "pending"]);
      }
      if (live(before)?.job.state === "cancelled" && live(after) !== null && after !== before) {
        expect([command.kind, after?.job.state]).toEqual(["converge", "pending"]);
      }
    });
  });

  it("the epoch grows by one with every new lease token, and never otherwise", () => {
    always(({ before, after }) => {
      const [one, other] = [live(before), live(after)];
      if (one === null || other === null) return;
      const token = other.job.leaseToken;
      const acquired = token !== null && token !== one.job.leaseToken;
      expect(other.extra.epoch - one.extra.epoch).toBe(acquired ? 1 : 0);
    });
  });

  it("at most one settlement is accepted in an epoch, and from the holder of that epoch", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const settled = new Set<number>();
        for (const { before, command, decision } of steps) {
          const email = live(before);
          if (command.kind !== "settle" && command.kind !== "giveBack") continue;
          if (decision.kind !== "apply" || email === null) continue;
          expect(command.leaseToken).toBe(email.job.leaseToken);
          expect(settled.has(email.extra.epoch)).toBe(false);
          settled.add(email.extra.epoch);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("G2 a token that is not the current one changes nothing", () => {
    always(({ before, command, decision }) => {
      const { kind } = command;
      if (kind !== "settle" && kind !== "giveBack" && kind !== "extend") return;
      if (live(before)?.job.leaseToken === command.leaseToken) return;
      expect(decision.kind).not.toBe("apply");
    });
  });

  it("G2 a claim token that is not the current one changes nothing", () => {
    always(({ before, command, decision }) => {
      if (command.kind !== "completeClaim" && command.kind !== "releaseClaim") return;
      if (command.claimToken === null) return;
      if (live(before)?.extra.claimToken === command.claimToken) return;
      expect(decision.kind).toBe("reject");
    });
  });

  it("a lease is taken from its holder at its end at the earliest", () => {
    always(({ before, command, now, decision }) => {
      const until = live(before)?.job.leaseUntil ?? null;
      if (command.kind !== "acquire" && command.kind !== "acquireDue") return;
      if (until === null || Date.parse(until) <= now) return;
      expect(decision.kind).not.toBe("apply");
    });
  });

  it("attempts never count more than the acquisitions, and begin anew with a new life", () => {
    always(({ after }) => {
      const email = live(after);
      if (email === null) return;
      expect(email.job.attempts).toBeLessThanOrEqual(email.extra.epoch);
      if (email.job.state === "pending") expect(email.job.attempts).toBe(0);
    });
  });

  it("G3 the same request again, at once, is not carried out twice", () => {
    always(({ command, now, decision }) => {
      if (decision.kind !== "apply") return;
      const again = decide(decision.next, command, now, ONE_DAY);
      const marked = command.kind === "acquire" && command.requestId !== null;
      if (marked || REPEATABLE.has(command.kind)) {
        expect(again).toEqual({ kind: "unchanged", state: decision.next });
      } else if (command.kind !== "extend" && command.kind !== "reclaim") {
        expect([command.kind, again.kind]).toEqual([command.kind, "reject"]);
      }
    });
  });

  it("an answer without a change is the stored job itself", () => {
    always(({ before, decision }) => {
      if (decision.kind === "unchanged") expect(decision.state).toBe(before);
    });
  });

  it("every change is told by updatedAt, but for retiring, which keeps it", () => {
    always(({ before, now, decision }) => {
      if (decision.kind !== "apply") return;
      const { kind, job } = decision.next;
      if (kind === "expired") expect(job.updatedAt).toBe(before?.job.updatedAt);
      else expect(Date.parse(job.updatedAt)).toBe(now);
    });
  });

  it("its record is read back as it was written", () => {
    always(({ after }) => {
      if (after === null) return;
      const written: { fields: JsonObject; extra: JsonObject } = JSON.parse(
        JSON.stringify(emailRecord(after)),
      );
      expect(parseEmailRecord(written.fields, written.extra, KINDS)).toEqual({
        ok: true,
        state: after,
      });
    });
  });

  it("it is due in the queue of its state, and nowhere when it is over", () => {
    const queues: Readonly<Record<string, string>> = {
      pending: "attend",
      awaiting_ai: "attend",
      ai_dispatched: "attend",
      ready: "deliver",
      sending: "deliver",
      sent: "attend",
      cancelled: "attend",
      failed: "stuck",
    };
    always(({ after }) => {
      if (after === null) return;
      const isStuck = after.job.type === "two-clips" && after.job.state === "pending";
      const queue = isStuck ? "stuck" : queues[after.job.state];
      expect(dueOfEmail(after, KINDS)?.queue ?? null).toBe(after.kind === "live" ? queue : null);
    });
  });
});
