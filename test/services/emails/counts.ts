/** What the `observe` hook is told: what happened, how often, and nothing about whom. */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "./bench.ts";
import { asLeased, FIRST_VIEW, KEY, lease, leased, ready } from "./given.ts";

export function describeCounts(bench: CurrentBench): void {
  describe("counts", () => {
    it("new and known keys are counted apart", async () => {
      const { emails, observed } = bench();
      await emails.enqueue("a", FIRST_VIEW);
      await emails.enqueue("a", FIRST_VIEW);
      await emails.enqueueBatch([
        { logicalKey: "a", payload: FIRST_VIEW },
        { logicalKey: "b", payload: FIRST_VIEW },
        { logicalKey: "", payload: FIRST_VIEW },
      ]);
      expect([observed.get("email.enqueued"), observed.get("email.duplicate")]).toEqual([2, 2]);
    });

    it("a lease is counted when it is taken, not when its request is repeated", async () => {
      const { emails, observed } = bench();
      await ready(emails);
      for (let calls = 0; calls < 3; calls += 1) {
        await emails.acquireSendingLease(KEY, 60_000, { requestId: "request-1" });
      }
      expect(observed.get("email.leased")).toBe(1);
    });

    it("the leases of a batch are counted together", async () => {
      const { emails, observed } = bench();
      for (const key of ["a", "b", "c"]) await ready(emails, key);
      await emails.acquireDueLeases({ durationMs: 60_000, limit: 2 });
      expect(observed.get("email.leased")).toBe(2);
    });

    it("a settlement is counted once, however often it is repeated", async () => {
      const { emails, observed } = bench();
      const { leaseToken } = await leased(emails);
      for (let calls = 0; calls < 3; calls += 1) {
        await emails.transitionSending(KEY, leaseToken, "sent");
      }
      expect(observed.get("email.settled")).toBe(1);
      expect(observed.get("email.lease_lost")).toBeUndefined();
    });

    it("every refusal of a superseded holder is counted", async () => {
      const { emails, clock, observed } = bench();
      const { leaseToken } = await leased(emails);
      clock.advance(60_000);
      asLeased(await lease(emails));
      await emails.transitionSending(KEY, leaseToken, "sent");
      await emails.extendSendingLease(KEY, leaseToken, 1_000);
      expect(observed.get("email.lease_lost")).toBe(2);
    });

    it("a job that is not there is no lost lease", async () => {
      const { emails, observed } = bench();
      await emails.transitionSending("nobody", "token-a", "sent");
      expect(observed.get("email.lease_lost")).toBeUndefined();
    });

    it("a hook that throws changes nothing", async () => {
      const observe = () => {
        throw new Error("counting failed");
      };
      const { emails } = await bench().another({ observe });
      const { leaseToken } = await leased(emails);
      expect((await emails.transitionSending(KEY, leaseToken, "sent"))?.state).toBe("sent");
    });
  });
}
