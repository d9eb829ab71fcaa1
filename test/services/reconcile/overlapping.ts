/** Passes beside each other, and passes that were cut off: none is in another's way. */
import { describe, expect, it } from "vitest";
import type { CurrentBench } from "../emails/bench.ts";
import { FIRST_VIEW, lease, MESSAGE, times } from "../emails/given.ts";
import { codes, counted, cursor, found, mailing, onePage, outbox, readyMessage } from "./given.ts";

export function describeOverlapping(bench: CurrentBench): void {
  describe("overlapping passes", () => {
    it("of two instances send every mail once, and find every job once", async () => {
      const box = outbox();
      const jobs = times(30, found);
      const source = () => onePage(jobs, cursor(29));
      const [one, two] = [
        await mailing(bench(), { sources: [source()] }, { box }),
        await mailing(bench(), { sources: [source()] }, { box }),
      ];
      await Promise.all(times(30, (n) => one.emails.enqueue(`job-${n}`, MESSAGE)));
      const reports = await Promise.all([one.holdfast.reconcile(), two.holdfast.reconcile()]);
      await one.holdfast.reconcile();
      expect(new Set(box.keys()).size).toBe(60);
      expect(box.delivered).toHaveLength(60);
      const sum = (name: "enqueued" | "promoted") =>
        reports.reduce((total, { emails }) => total + emails[name], 0);
      expect(sum("enqueued")).toBe(30);
      expect(sum("promoted")).toBeLessThanOrEqual(60);
      expect(reports.flatMap(codes)).toEqual([]);
      const states = (await one.emails.listJobs()).map(({ state, attempts }) => [state, attempts]);
      expect(states).toEqual(times(60, () => ["sent", 1]));
    });

    it("of one instance send every mail once, too", async () => {
      const { emails, holdfast, box } = await mailing(bench());
      await Promise.all(times(30, (n) => readyMessage(emails, `job-${n}`)));
      await Promise.all(times(4, () => holdfast.reconcile()));
      expect(box.keys().sort()).toEqual(times(30, (n) => `job-${n}`).sort());
    });

    it("leave a job alone while somebody's lease of it stands", async () => {
      const { emails, holdfast, box, clock } = { ...bench(), ...(await mailing(bench())) };
      await readyMessage(emails, "hello");
      const held = await lease(bench().emails, "hello", 120_000);
      clock.advance(119_999);
      expect(counted(await holdfast.reconcile())).toEqual({});
      expect(await emails.readJob("hello")).toEqual({ ...held });
      clock.advance(1);
      expect(counted(await holdfast.reconcile())).toEqual({ sent: 1 });
      expect(box.delivered).toHaveLength(1);
    });
  });

  describe("a pass that was killed", () => {
    it("between lease and settlement is gone on with after the lease", async () => {
      const killed = await mailing(bench());
      await readyMessage(killed.emails, "hello");
      killed.interference.afterPut = async (key) => {
        if (!key.includes("jobs")) return;
        killed.interference.isBlind = true;
        killed.interference.beforePut = async () => {
          throw new Error("killed");
        };
        throw new Error("killed");
      };
      expect(codes(await killed.holdfast.reconcile())).not.toEqual([]);
      expect(killed.box.delivered).toEqual([]);
      const next = await mailing(bench());
      expect(counted(await next.holdfast.reconcile())).toEqual({});
      bench().clock.advance(120_000);
      expect(counted(await next.holdfast.reconcile())).toEqual({ sent: 1 });
      expect((await next.emails.readJob("hello"))?.attempts).toBe(2);
    });

    it("at any write of it leaves what the next ones bring to its end", async () => {
      for (let dieAt = 1; dieAt <= 12; dieAt += 1) {
        const tenant = `run-${dieAt}`;
        const source = () => onePage([found(1), found(2)], cursor(2));
        const killed = await mailing(bench(), { sources: [source()] });
        await killed.holdfast.tenant(tenant).emails.enqueue("view", FIRST_VIEW);
        let puts = 0;
        killed.interference.beforePut = async () => {
          puts += 1;
          if (puts < dieAt) return;
          killed.interference.isBlind = true;
          throw new Error("killed");
        };
        await killed.holdfast.tenant(tenant).reconcile();
        bench().clock.advance(120_000);
        const next = await mailing(bench(), { sources: [source()] });
        const { emails, reconcile } = next.holdfast.tenant(tenant);
        await reconcile();
        bench().clock.advance(120_000);
        await reconcile();
        const states = (await emails.listJobs()).map(({ logicalKey, state }) => [
          logicalKey,
          state,
        ]);
        expect(new Map(states as [string, string][]), `died at put ${dieAt}`).toEqual(
          new Map([
            ["view", "ready"],
            ["order-1", "sent"],
            ["order-2", "sent"],
          ]),
        );
      }
    });
  });
}
