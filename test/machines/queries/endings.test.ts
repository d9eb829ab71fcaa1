import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/hash.ts";
import { minutes } from "../../../src/core/time.ts";
import type { QueryCommand } from "../../../src/machines/queries/commands.ts";
import { lapsesAt } from "../../../src/machines/queries/endings.ts";
import { snapshotOf } from "../../../src/machines/queries/snapshot.ts";
import {
  ACKNOWLEDGE,
  answerReady,
  appended,
  at,
  became,
  CANCEL,
  chunk,
  complete,
  decide,
  FAIL,
  INTERRUPT,
  jobIn,
  LINK,
  NOT_APPLIED,
  newJob,
  RECOVER,
  RULES,
  RUNNING,
  refused,
  running,
  START_RUN,
  starting,
} from "./given.ts";

/** Running, driven by the process that had the folder `owner`. */
const DRIVEN = { ...START_RUN, owner: "owner" } as const;
const driven = (...commands: readonly QueryCommand[]) =>
  became(newJob(), DRIVEN, RUNNING, ...commands);

const WIDEST = "\uffff".repeat(128_000);
const REF = {
  id: `m_${"a".repeat(24)}`,
  kind: "generated_visual",
  mime: "image/png",
  width: 1,
  height: 1,
  createdAt: "2026-07-01T00:00:00Z",
};

describe("the answer", () => {
  it("QUERY-25 is committed from starting and running, with its time, text and linkage", () => {
    for (const job of [starting(), running()]) {
      const ready = became(job, answerReady("answer", { resolvedModel: "m" }));
      expect(snapshotOf(ready)).toMatchObject({
        status: "answer_ready",
        partialText: "answer",
        partialTruncated: false,
        resolvedModel: "m",
        answerReadyAt: "2026-07-01T00:00:01.000Z",
      });
      expect(snapshotOf(ready)).not.toHaveProperty("response");
    }
  });

  it("protocols 5.8 is not written again where the chunks add up to it", () => {
    const job = became(running(), chunk("ans"), chunk("wer"));
    const known = { textLength: 6, sha256: sha256Hex("answer") };
    expect(appended(job, answerReady("answer"))).toMatchObject({ answer: known });
    expect(appended(job, complete("answer"))).toMatchObject({ answer: known });
    const completed = appended(became(job, answerReady("answer")), complete("answer"));
    expect(completed).toEqual({ type: "completed", at: at(1_000), byRun: true });
  });

  it("protocols 5.8 that differs is written whole, once", () => {
    const job = became(running(), chunk("draft"));
    expect(appended(job, answerReady("answer"))).toMatchObject({ answer: { text: "answer" } });
    const ready = became(job, answerReady("answer"));
    expect(appended(ready, complete("answer"))).not.toHaveProperty("answer");
    expect(became(ready, complete("other")).text).toBe("other");
  });

  it("QUERY-37 of 128,000 of the widest characters is whole; one more is cut and flagged", () => {
    const job = became(running(), answerReady(WIDEST), complete(WIDEST));
    expect(snapshotOf(job)).toMatchObject({ response: WIDEST, responseTruncated: false });
    const cut = became(running(), complete(`${WIDEST}x`));
    expect(snapshotOf(cut)).toMatchObject({ response: WIDEST, responseTruncated: true });
  });

  it("is mended where it holds half a pair, and cut inside none", () => {
    expect(became(running(), complete("a\ud83d")).text).toBe("a\ufffd");
    const cut = became(running(), complete(`${"x".repeat(127_999)}😀`));
    expect(cut.text).toBe("x".repeat(127_999));
    expect(cut.head.text.isTruncated).toBe(true);
  });

  it("of chunks that were cut stays flagged when it is committed and completed", () => {
    const job = became(running(), chunk("x".repeat(128_001)));
    const done = became(job, answerReady("x".repeat(128_000)), complete("x".repeat(128_001)));
    expect(snapshotOf(done)).toMatchObject({ partialTruncated: true, responseTruncated: true });
    expect(
      appended(became(job, answerReady("x".repeat(128_000))), complete("x".repeat(128_001))),
    ).not.toHaveProperty("answer");
  });

  it("protocols 5.2 is asked for where the log was folded from a hint, unless there is none", () => {
    const { head, generation } = became(running(), chunk("answer"));
    for (const command of [answerReady("answer"), complete("answer")]) {
      expect(decide({ generation, head, text: null }, command)).toEqual({
        kind: "reject",
        rejection: { kind: "text_needed" },
      });
      const silent = { generation, head: running().head, text: null };
      expect(decide(silent, command).kind).toBe("append");
    }
  });

  it("protocols 4.3 that is ready needs no text to be completed by whoever recovers it", () => {
    const { head, generation } = driven(chunk("answer"), answerReady("answer"));
    const recover = { ...RECOVER, owner: "next" };
    expect(decide({ generation, head, text: null }, recover, at(9_000))).toEqual({
      kind: "append",
      event: { type: "completed", at: at(9_000) },
    });
  });
});

describe("completion", () => {
  it("QUERY-26 merges attachments, those of the request first, each once, five together", () => {
    const ref = (digit: string) => ({ ...REF, id: `m_${digit.repeat(24)}` });
    const job = newJob({ attachmentRefs: [ref("1"), ref("2"), ref("1")] });
    const attachments = [ref("2"), { id: "bad" }, ref("3"), ref("4"), ref("5"), ref("6")];
    const done = became(job, START_RUN, complete("x", { attachments }));
    expect(done.attachments.map(({ id }) => id[2])).toEqual(["1", "2", "3", "4", "5"]);
  });

  it.each([
    [{ published: 3, attached: 2, rejected: 1 }, true],
    [{ published: 1_000, attached: 0, rejected: 0 }, true],
    [{ published: 3, attached: 2, rejected: 2 }, false],
    [{ published: 1_001, attached: 0, rejected: 0 }, false],
    [{ published: 1, attached: 0.5, rejected: 0 }, false],
    [{ published: 1, attached: -1, rejected: 0 }, false],
    [{ published: 1 }, false],
    ["many", false],
  ])("QUERY-26 of the stats %j keeps them: %s", (outputImageStats, isKept) => {
    const snapshot = snapshotOf(became(running(), complete("x", { outputImageStats })));
    expect(snapshot.outputImageStats).toEqual(isKept ? outputImageStats : undefined);
  });

  it("QUERY-27 is what a failure after the commit comes to, without an error", () => {
    const job = became(jobIn("answer_ready"), FAIL);
    expect(snapshotOf(job)).toMatchObject({ status: "completed", response: "answer" });
    expect(snapshotOf(job)).not.toHaveProperty("error");
  });
});

describe("a failure", () => {
  it("QUERY-27 is shown with a normal error, without credentials and paths", () => {
    const error = {
      code: "rate_limited",
      message: "Bearer abcdefghijkl at /home/ann/x was refused",
      retryable: true,
      retryAfterMs: 10.2,
      stack: "secret",
    };
    expect(became(running(), { ...FAIL, error }).error).toEqual({
      code: "rate_limited",
      message: "[redacted] at [path] was refused",
      retryable: true,
      retryAfterMs: 11,
    });
  });

  it.each([
    [undefined, {}],
    [null, {}],
    [{ code: "no spaces", message: 3, retryable: "yes", retryAfterMs: Number.NaN }, {}],
    [{ code: "c".repeat(81), retryAfterMs: -5 }, { retryAfterMs: 0 }],
  ])("QUERY-27 of %j is shown with fallbacks", (error, fields) => {
    expect(became(running(), { ...FAIL, error }).error).toEqual({
      code: "provider_failed",
      message: "The provider gave no reason.",
      ...fields,
    });
  });
});

describe("a cancel", () => {
  it("QUERY-28 of another generation is refused, and changes nothing", () => {
    for (const job of [running(), jobIn("completed")]) {
      expect(decide(job, { ...CANCEL, generation: 2 })).toEqual(
        refused("query_job_generation_mismatch", job),
      );
    }
  });

  it("QUERY-28 ends a job that has not ended, once", () => {
    for (const status of ["accepted", "starting", "running"] as const) {
      const job = became(jobIn(status), CANCEL);
      expect(snapshotOf(job)).toMatchObject({ status: "canceled", error: { code: "canceled" } });
      expect(decide(job, CANCEL)).toEqual(NOT_APPLIED);
    }
  });

  it("QUERY-29 comes too late once the answer is ready, which then completes", () => {
    const job = jobIn("answer_ready");
    expect(decide(job, CANCEL)).toEqual(refused("query_job_answer_committing", job));
    expect(became(job, complete("answer")).head.status).toBe("completed");
  });
});

describe("an interruption", () => {
  it("QUERY-30 completes what is committed, and ends all else to be asked for again", () => {
    expect(became(jobIn("answer_ready"), INTERRUPT).head.status).toBe("completed");
    expect(became(running(), { ...INTERRUPT, reason: "shut down, /tmp/x" }).error).toEqual({
      code: "interrupted",
      message: "shut down, [path]",
      retryable: true,
    });
  });

  it("QUERY-31 before the provider is ours holds no session, even with a run id", () => {
    const job = became(starting(), {
      kind: "running",
      token: "token-a",
      linkage: { claudeRunId: "r" },
    });
    expect(became(job, INTERRUPT).orphanFenceUntil).toBeNull();
    const fenced = { ...INTERRUPT, fencedUntil: at(5_000) };
    expect(became(job, fenced).orphanFenceUntil).toBeNull();
  });

  it("QUERY-31 after it asks for the session to be held for 21 minutes, and says until when", () => {
    const job = driven(LINK);
    const until = at(1_260_000);
    for (const command of [INTERRUPT, { ...RECOVER, owner: "next" }]) {
      expect(decide(job, command, at(0))).toEqual({
        kind: "reject",
        rejection: { kind: "fence_needed", until },
      });
      expect(became(job, { ...command, fencedUntil: until }).orphanFenceUntil).toBe(until);
    }
  });
});

describe("a recovery", () => {
  it("QUERY-45 leaves a run alone whose lease has time left, by the root or by what it wrote", () => {
    const job = running();
    const lapsed = job.head.updatedAt + 60_000;
    expect(lapsesAt(job.head, null)).toBe(lapsed);
    expect(lapsesAt(job.head, at(500_000))).toBe(at(500_000));
    const recover = { ...RECOVER, leaseUntil: at(10) };
    expect(decide(job, recover, at(60_999))).toEqual(NOT_APPLIED);
    expect(decide(job, { ...RECOVER, leaseUntil: at(70_000) }, at(61_000))).toEqual(NOT_APPLIED);
    expect(decide(job, recover, at(61_000))).toMatchObject({
      kind: "append",
      event: { type: "interrupted", reason: "Whoever ran this query was not heard of any more." },
    });
  });

  it("G7 of a folder's previous owner does not wait for the lease", () => {
    expect(decide(driven(), { ...RECOVER, owner: "next" }, at(1_000))).toMatchObject({
      event: { reason: "The server that ran this query was restarted." },
    });
  });

  it("G7 waits for the lease of every other run: of nobody's, its own, and where many may write", () => {
    for (const [job, owner] of [
      [running(), "next"],
      [driven(), "owner"],
      [driven(), null],
    ] as const) {
      expect(decide(job, { ...RECOVER, owner }, at(1_000))).toEqual(NOT_APPLIED);
    }
  });

  it("QUERY-43 completes what is committed with linkage and era kept", () => {
    const job = newJob({ messageEra: "era" });
    const ready = became(job, DRIVEN, chunk("x"), answerReady("x", { resolvedModel: "m" }));
    const done = became(ready, { ...RECOVER, owner: "next" });
    expect(snapshotOf(done)).toMatchObject({
      ...{ status: "completed", response: "x", resolvedModel: "m", messageEra: "era" },
    });
  });

  it("leaves an accepted job alone, unless the deployment says after how long it gives up", () => {
    const recover = { ...RECOVER, owner: "next" };
    expect(decide(newJob(), recover, at(10 ** 9))).toEqual(NOT_APPLIED);
    const rules = { ...RULES, admissionTimeoutMs: minutes(5) };
    expect(decide(newJob(), recover, at(299_999), rules)).toEqual(NOT_APPLIED);
    expect(decide(newJob(), recover, at(300_000), rules)).toMatchObject({
      event: { type: "interrupted", reason: "Nobody started this query in time." },
    });
  });

  it("of a job that has ended changes nothing", () => {
    for (const status of ["completed", "failed", "canceled", "interrupted"] as const) {
      expect(decide(jobIn(status), { ...RECOVER, owner: "next" }, at(10 ** 9))).toEqual(
        NOT_APPLIED,
      );
    }
  });

  it("takes the run from its holder, who is told so", () => {
    const job = became(driven(), { ...RECOVER, owner: "next" });
    expect(decide(job, chunk("x"))).toEqual(refused("lease_lost", job));
  });
});

describe("an acknowledgement", () => {
  it("QUERY-33 of a job that has not ended is refused", () => {
    for (const status of ["accepted", "starting", "running", "answer_ready"] as const) {
      expect(decide(jobIn(status), ACKNOWLEDGE)).toEqual(
        refused("query_job_not_terminal", jobIn(status)),
      );
    }
  });

  it("QUERY-33 is one event after the end, and again is not applied", () => {
    for (const status of ["completed", "failed", "canceled", "interrupted"] as const) {
      const job = became(jobIn(status), ACKNOWLEDGE);
      expect(snapshotOf(job)).toMatchObject({ status, acknowledgedAt: "2026-07-01T00:00:01.000Z" });
      expect(decide(job, ACKNOWLEDGE)).toEqual(NOT_APPLIED);
    }
  });

  it("QUERY-35 of another generation is refused", () => {
    const job = jobIn("completed");
    expect(decide(job, { ...ACKNOWLEDGE, generation: 2 })).toEqual(
      refused("query_job_generation_mismatch", job),
    );
  });
});
