/** A mailer that is not there: nothing of a mail is tried, so no mail loses an attempt for it. */
import { describe, expect, it } from "vitest";
import type { Log } from "../../../src/ports/log.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { times } from "../emails/given.ts";
import { codes, counted, mailing, outbox, readyMessage } from "./given.ts";

const AWAY = { kind: "retry", error: "connect ECONNREFUSED", isUnavailable: true } as const;

export function describeOutages(bench: CurrentBench): void {
  describe("an outage of the mailer", () => {
    it("of ten passes leaves all jobs ready with no attempt, and they are sent after it", async () => {
      const { emails, holdfast, box } = await mailing(bench(), {}, { box: outbox(() => AWAY) });
      await Promise.all(times(12, (n) => readyMessage(emails, `job-${n}`)));
      for (const _ of times(10, String)) {
        const report = await holdfast.reconcile();
        expect([counted(report), codes(report)]).toEqual([{}, ["mailer_unavailable"]]);
        bench().clock.advance(60_000);
      }
      for (const job of await emails.listJobs()) {
        expect(job).toMatchObject({ state: "ready", attempts: 0 });
      }
      box.answer = () => ({ kind: "sent", id: null });
      expect(counted(await holdfast.reconcile())).toEqual({ sent: 12 });
      const jobs = await emails.listJobs();
      expect(jobs.map(({ state, attempts }) => [state, attempts])).toEqual(
        times(12, () => ["sent", 1]),
      );
    });

    it("is told to the operator in its own words, but for addresses", async () => {
      const lines: unknown[] = [];
      const log: Log = (...line) => void lines.push(line);
      const error = "mx.example.com: 451 4.3.0 <jobs@example.com>: no room";
      const box = outbox(() => ({ kind: "retry", error, isUnavailable: true }));
      const { emails, holdfast } = await mailing(bench(), {}, { box, log, atOnce: 1 });
      await Promise.all(times(5, (n) => readyMessage(emails, `job-${n}`)));
      const report = await holdfast.reconcile();
      const detail = "mx.example.com: 451 4.3.0 <(address)>: no room";
      expect(lines).toEqual([
        [
          "warn",
          "pass failure",
          { machine: "emails", tenant: null, id: "mailer", code: "mailer_unavailable", detail },
        ],
        ["warn", "pass", { failures: 1, codes: "mailer_unavailable 1", hasMore: false }],
      ]);
      expect(JSON.stringify(report)).not.toContain("no room");
      const health = await holdfast.http({ open: true }).request("http://localhost/v1/health");
      expect(await health.json()).toMatchObject({ emails: { counters: { mailerUnavailable: 1 } } });
    });

    it("is certain after three results in a row: the rest is not even leased", async () => {
      const box = outbox(() => AWAY);
      const { emails, holdfast, traffic } = await mailing(bench(), {}, { box, atOnce: 1 });
      await Promise.all(times(40, (n) => readyMessage(emails, `job-${n}`)));
      const before = traffic.puts;
      const report = await holdfast.reconcile();
      expect(box.delivered).toHaveLength(3);
      // The configuration, and for each of the three its lease and the end of it.
      expect(traffic.puts - before).toBe(7);
      expect(report.failures).toMatchObject([
        { machine: "emails", tenant: null, id: "mailer", code: "mailer_unavailable", count: 1 },
      ]);
    });

    it("stops no more than what is on its way already, with several at once", async () => {
      const { emails, holdfast, box } = await mailing(bench(), {}, { box: outbox(() => AWAY) });
      await Promise.all(times(40, (n) => readyMessage(emails, `job-${n}`)));
      await holdfast.reconcile();
      expect(box.delivered.length).toBeLessThanOrEqual(3 + 8);
    });

    it("is no reason for another pass at once", async () => {
      const box = outbox(() => AWAY);
      const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
      await Promise.all(times(8, (n) => readyMessage(emails, `job-${n}`)));
      expect((await holdfast.reconcile()).hasMore).toBe(false);
    });

    it("is told once, counted once, and each lease that was given back is counted", async () => {
      const box = outbox(() => AWAY);
      const { emails, holdfast, observed } = await mailing(bench(), {}, { box, atOnce: 1 });
      await Promise.all(times(8, (n) => readyMessage(emails, `job-${n}`)));
      const report = await holdfast.reconcile();
      expect([counted(report), codes(report)]).toEqual([{}, ["mailer_unavailable"]]);
      expect(observed.get("email.mailer_unavailable")).toBe(1);
      expect(observed.get("email.given_back")).toBe(3);
      expect(observed.get("email.settled")).toBeUndefined();
    });

    it("gives a job back as it was: due 60,000 ms later, with an error that says why", async () => {
      const { emails, holdfast, box } = await mailing(bench(), {}, { box: outbox(() => AWAY) });
      const { clock } = bench();
      const job = await readyMessage(emails, "hello");
      clock.advance(5_000);
      await holdfast.reconcile();
      expect(await emails.readJob("hello")).toEqual({
        ...job,
        sendingAt: bench().at(5_000),
        updatedAt: bench().at(5_000),
        lastError: "mailer unavailable: connect ECONNREFUSED",
      });
      clock.advance(59_999);
      await holdfast.reconcile();
      expect(box.delivered).toHaveLength(1);
      clock.advance(1);
      await holdfast.reconcile();
      expect(box.delivered).toHaveLength(2);
    });

    it("costs no attempt of a job that has lost some already", async () => {
      const { emails, holdfast, box } = await mailing(bench());
      await readyMessage(emails, "hello");
      const answers = [
        { kind: "retry", error: "busy" },
        AWAY,
        AWAY,
        { kind: "retry", error: "busy" },
      ];
      box.answer = () => answers[box.delivered.length - 1] ?? { kind: "retry", error: "busy" };
      const attempts: unknown[] = [];
      for (const _ of times(4, String)) {
        await holdfast.reconcile();
        attempts.push((await emails.readJob("hello"))?.attempts);
        bench().clock.advance(60_000);
      }
      expect(attempts).toEqual([1, 1, 1, 2]);
    });

    it("is none where one connection is turned away and the next is taken", async () => {
      const box = outbox(() =>
        box.delivered.length % 3 === 0 ? { kind: "sent", id: null } : AWAY,
      );
      const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
      await Promise.all(times(9, (n) => readyMessage(emails, `job-${n}`)));
      const report = await holdfast.reconcile();
      expect([counted(report), codes(report)]).toEqual([{ sent: 3 }, ["mailer_unavailable"]]);
      expect([box.delivered.length, report.hasMore]).toEqual([9, false]);
    });

    it("is none where a mail was not begun: its job is as it was, and due at once", async () => {
      const unbegun = { kind: "retry", error: "no turn", isUnbegun: true };
      const box = outbox(() => unbegun);
      const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
      await Promise.all(times(5, (n) => readyMessage(emails, `job-${n}`)));
      const report = await holdfast.reconcile();
      expect([counted(report), codes(report), report.hasMore]).toEqual([{}, [], true]);
      expect(box.delivered).toHaveLength(5);
      expect(await emails.readJob("job-0")).toMatchObject({
        state: "ready",
        attempts: 0,
        lastError: "not begun: no turn",
      });
      box.answer = () => ({ kind: "sent", id: null });
      expect(counted(await holdfast.reconcile())).toEqual({ sent: 5 });
    });

    it("is none where a mailer says so of what the pass itself has ended", async () => {
      const abort = new AbortController();
      const box = outbox(() => {
        abort.abort();
        return AWAY;
      });
      const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
      await readyMessage(emails, "hello");
      const report = await holdfast.reconcile({ signal: abort.signal });
      expect([counted(report), codes(report), report.hasMore]).toEqual([{}, [], true]);
    });

    it("that two tenants met is one for all of a pass, and keeps none from what else there is to do", async () => {
      const box = outbox(() => AWAY);
      const { emails, holdfast } = await mailing(bench(), {}, { box, atOnce: 1 });
      const acme = holdfast.tenant("acme");
      const beta = holdfast.tenant("beta");
      for (const own of [emails, acme.emails, beta.emails]) {
        await Promise.all(times(5, (n) => readyMessage(own, `job-${n}`)));
      }
      const message = { type: "message", recipient: "a@example.com", subject: "s", text: "t" };
      await emails.enqueue("new", message);
      await acme.emails.enqueue("new", message);
      await beta.emails.enqueue("new", message);
      const report = await holdfast.reconcile({ tenants: ["acme", "beta"] });
      const told = ["mailer_unavailable", "mailer_unavailable"];
      expect([counted(report), codes(report)]).toEqual([{ promoted: 3 }, told]);
      // Three to know, and one to agree; the third tenant's are not even leased.
      expect([box.delivered.length, report.hasMore]).toEqual([4, false]);
    });
  });
}
