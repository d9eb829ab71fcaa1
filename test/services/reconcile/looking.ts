/** Dry runs, and passes over several tenants. */
import { describe, expect, it } from "vitest";
import type { Emails } from "../../../src/services/emails.ts";
import type { CurrentBench } from "../emails/bench.ts";
import {
  awaiting,
  claimed,
  FIRST_VIEW,
  lease,
  MESSAGE,
  ready,
  settled,
  times,
} from "../emails/given.ts";
import { codes, counted, cursor, found, mailing, outbox, paged, readyMessage } from "./given.ts";

export function describeDryRuns(bench: CurrentBench): void {
  describe("a dry run", () => {
    it("of nothing writes nothing, not even the configuration", async () => {
      const { holdfast, traffic } = await mailing(bench());
      expect(counted(await holdfast.reconcile({ dryRun: true }))).toEqual({});
      expect(traffic.puts).toBe(0);
      expect(await bench().contents()).toEqual(new Map());
    });

    it("tells what a pass would do, and changes nothing", async () => {
      const jobs = [found(1), found(2), found(3, "nobody"), {} as never];
      const app = { sources: [paged([{ jobs, next: cursor(4) }])] };
      const { emails, holdfast, box, observed } = await mailing(bench(), app, {
        limits: { emailRetentionMs: 60_000 },
      });
      await settled(emails, "sent");
      await emails.enqueue("order-1", MESSAGE);
      await emails.enqueue("view", FIRST_VIEW);
      await awaiting(emails, "waits");
      await claimed(emails, "claimed");
      await ready(emails, "other");
      await readyMessage(emails, "hello");
      await readyMessage(emails, "exhausted");
      for (const _ of times(3, String)) {
        await lease(emails, "exhausted", 1);
        bench().clock.advance(1);
      }
      bench().clock.advance(30 * 60_000);
      const before = await bench().contents();
      if (observed instanceof Map) observed.clear();
      const report = await holdfast.reconcile({ dryRun: true });
      expect(counted(report)).toEqual({
        discovered: 4,
        enqueued: 1,
        promoted: 2,
        retired: 1,
        stale: 1,
        // Of those that would be made ready one would be sent, and one is of a kind that nobody prepares.
        skipped: 3,
        sent: 2,
        failed: 1,
      });
      expect([codes(report), report.hasMore]).toEqual([["source_invalid_job"], true]);
      expect(await bench().contents()).toEqual(before);
      expect(box.delivered).toEqual([]);
      expect(observed.size).toBe(0);
    });

    it("without a mailer tells of no delivery", async () => {
      const { emails, holdfast } = bench();
      await readyMessage(emails, "hello");
      expect(counted(await holdfast.reconcile({ dryRun: true }))).toEqual({});
    });

    it("looks at one page, and tells that there is more", async () => {
      const { emails, holdfast } = bench();
      await Promise.all(times(120, (n) => emails.enqueue(`job-${n}`, FIRST_VIEW)));
      const report = await holdfast.reconcile({ dryRun: true });
      expect([counted(report), report.hasMore]).toEqual([{ promoted: 100 }, true]);
    });
  });
}

export function describeTenantsInTurn(bench: CurrentBench): void {
  describe("tenants", () => {
    it("of a pass are the default one and those that are named, each by itself", async () => {
      const { holdfast, emails, box } = await mailing(bench());
      for (const id of [null, "acme", "globex", "other"]) {
        const { emails: own } = id === null ? { emails } : holdfast.tenant(id);
        await own.enqueue(`of-${id}`, MESSAGE);
      }
      const report = await holdfast.reconcile({ tenants: ["acme", "globex", "acme"] });
      expect(counted(report)).toEqual({ promoted: 3, sent: 3 });
      expect(box.keys().filter((key) => !key.startsWith("sha256:"))).toEqual(["of-null"]);
      expect(counted(await holdfast.tenant("other").reconcile())).toEqual({ promoted: 1, sent: 1 });
    });

    it("never share an idempotency key, whatever their logical keys look like", async () => {
      const { holdfast, emails, box } = await mailing(bench());
      await emails.enqueue("acme/welcome", MESSAGE);
      for (const id of ["acme", "globex"])
        await holdfast.tenant(id).emails.enqueue("welcome", MESSAGE);
      await holdfast.reconcile({ tenants: ["acme", "globex"] });
      expect(box.keys()).toContain("acme/welcome");
      expect(new Set(box.keys()).size).toBe(3);
    });

    it("each have the first turn, when there is not time for all of them", async () => {
      const box = outbox(() => {
        bench().clock.elapse(15_000);
        return { kind: "sent", id: null };
      });
      const { holdfast, emails } = await mailing(bench(), {}, { box, atOnce: 1 });
      const tenants = ["acme", "globex"];
      for (const id of [null, ...tenants]) {
        const { emails: own } = id === null ? { emails } : holdfast.tenant(id);
        for (const n of times(5, String)) await readyMessage(own, `${id}-${n}`);
      }
      const reports = [];
      for (const _ of times(3, String)) reports.push(await holdfast.reconcile({ tenants }));
      expect(reports.map(counted)).toEqual(times(3, () => ({ sent: 1 })));
      expect(reports.every(({ hasMore }) => hasMore)).toBe(true);
      const all = [emails, ...tenants.map((id) => holdfast.tenant(id).emails)];
      expect(await Promise.all(all.map(countSent))).toEqual([1, 1, 1]);
    });

    it("that ask for themselves, or only look, do not move the turn of all", async () => {
      const box = outbox(() => {
        bench().clock.elapse(15_000);
        return { kind: "sent", id: null };
      });
      const { holdfast, emails } = await mailing(bench(), {}, { box, atOnce: 1 });
      const acme = holdfast.tenant("acme");
      for (const n of times(6, String)) {
        await readyMessage(emails, `mine-${n}`);
        await readyMessage(acme.emails, `theirs-${n}`);
      }
      for (const _ of times(2, String)) {
        await holdfast.reconcile({ tenants: ["acme"] });
        await acme.reconcile();
        await holdfast.reconcile({ tenants: ["acme"], dryRun: true });
      }
      expect(box.keys().filter((key) => key.startsWith("mine"))).toHaveLength(1);
    });

    it("that have an unreadable configuration keep no other from its pass, nor their own jobs", async () => {
      const { holdfast, emails, box } = await mailing(bench());
      const acme = holdfast.tenant("acme");
      await emails.ensureEnabledAt();
      const config = [...(await bench().contents()).keys()].find((key) => key.includes("config"));
      await bench().plant(config ?? "", '{"enabledAt":"yesterday"}');
      await emails.enqueue("hello", MESSAGE);
      await acme.emails.enqueue("of-acme", MESSAGE);
      const report = await holdfast.reconcile({ tenants: ["acme"] });
      expect(report.failures).toMatchObject([
        { machine: "emails", tenant: null, id: "config", code: "record_corrupt" },
      ]);
      expect(box.keys()).toHaveLength(2);
    });
  });
}

async function countSent(emails: Emails): Promise<number> {
  return (await emails.listJobs()).filter(({ state }) => state === "sent").length;
}
