import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/hash.ts";
import type { QueryEvent } from "../../../src/machines/queries/events.ts";
import { foldHead, foldJob } from "../../../src/machines/queries/fold.ts";
import { snapshotOf } from "../../../src/machines/queries/snapshot.ts";
import {
  ACKNOWLEDGE,
  accepted,
  activity,
  answerReady,
  at,
  became,
  CLIENT_JOB_ID,
  chunk,
  complete,
  folded,
  JOB_ID,
  jobIn,
  LINK,
  newJob,
  RUNNING,
  running,
  START_RUN,
  TOKEN_HASH,
  TURN_ID,
} from "./given.ts";

const starting: QueryEvent = { type: "starting", at: at(1), run: TOKEN_HASH, leaseMs: 60_000 };
const ran: QueryEvent = { type: "running", at: at(2) };
const wrote = (delta: string): QueryEvent => ({ type: "chunk", at: at(3), delta });

function reasonOf(...events: readonly QueryEvent[]): string {
  const job = foldJob(null, JOB_ID, { first: 1, events });
  return job.ok ? "" : job.reason;
}

describe("a log that its machine would not have written", () => {
  it("QUERY-51 with a hole is told by the number that is missing", () => {
    const job = folded([accepted(), starting]);
    for (const first of [4, 2, 1]) {
      const run = { first, events: [ran] };
      expect(foldJob(job, JOB_ID, run)).toEqual({ ok: false, reason: "event 3 is missing" });
      expect(foldHead(job.head, run)).toEqual({ ok: false, reason: "event 3 is missing" });
    }
    expect(foldJob(null, JOB_ID, { first: 2, events: [starting] })).toEqual({
      ...{ ok: false, reason: "event 1 is missing" },
    });
  });

  it("QUERY-50 of another request than its fingerprint is not served", () => {
    const other = { ...accepted(), request: { ...accepted().request, query: "secret" } };
    expect(reasonOf(other)).toBe("the fingerprint is of another request");
  });

  it("protocols 5.8 of an answer that is not the text before it is never shown", () => {
    const ready = (textLength: number, text: string): QueryEvent => ({
      type: "answer_ready",
      at: at(4),
      answer: { textLength, sha256: sha256Hex(text) },
    });
    const before = [accepted(), starting, ran, wrote("secret")];
    expect(reasonOf(...before, ready(6, "secret"))).toBe("");
    const reason = "event 5: the answer is not the text before it";
    expect(reasonOf(...before, ready(6, "sacred"))).toBe(reason);
    expect(reasonOf(...before, ready(5, "secret"))).toBe(reason);
  });

  it("with text after its end, or more than may be", () => {
    const cut: QueryEvent = { type: "chunk", at: at(3), delta: "x", truncated: true };
    const before = [accepted(), starting, ran];
    expect(reasonOf(...before, cut, wrote(""))).toBe("event 5: more text after its end");
    const long = wrote("x".repeat(70_000));
    expect(reasonOf(...before, long, long)).toBe("event 5: the text is too long");
  });

  it("without an event is none", () => {
    expect(foldJob(null, JOB_ID, { first: 1, events: [] }).ok).toBe(false);
  });
});

describe("the fold of a log", () => {
  it("is the same however its events are parted", () => {
    const events = [accepted(), starting, ran, wrote("a"), wrote("b")];
    const whole = folded(events);
    let job = null;
    for (const [index, event] of events.entries()) {
      const next = foldJob(job, JOB_ID, { first: index + 1, events: [event] });
      if (!next.ok) throw new Error(next.reason);
      job = next.state;
    }
    expect(job).toEqual(whole);
  });

  it("protocols 5.2 of the head goes on from a hint, without the text", () => {
    const job = became(running(), chunk("answer"), LINK);
    const hint = job.head;
    const run = { first: hint.seq + 1, events: [{ ...wrote("more"), at: at(9) }] };
    const whole = foldJob(job, JOB_ID, run);
    expect(foldHead(hint, run)).toEqual({ ok: true, state: whole.ok && whole.state.head });
  });
});

describe("the snapshot of a job", () => {
  const fields = {
    ...{ query: "secret", reference: { query: "secret", response: "secret" } },
    ...{ model: "m", effort: "e", messageEra: "era", handoffCode: "h", globalMsgNum: 3 },
  };

  it("QUERY-1 of an accepted one has what semantics C1 says, and no more", () => {
    expect(snapshotOf(newJob(fields))).toEqual({
      schemaVersion: 1,
      jobId: JOB_ID,
      clientJobId: CLIENT_JOB_ID,
      generation: 1,
      turnId: TURN_ID,
      requestFingerprint: newJob(fields).fingerprint,
      status: "accepted",
      eventSeq: 1,
      oldestEventSeq: 1,
      sessionId: "session-durable-1",
      requestedModel: "m",
      effort: "e",
      messageEra: "era",
      globalMsgNum: 3,
      handoffCode: "h",
      attachments: [],
      partialText: "",
      partialTruncated: false,
      activity: [],
      acceptedAt: "2026-07-01T00:00:00.000Z",
      updatedAt: "2026-07-01T00:00:00.000Z",
      // QUERY-54.
      retentionUntil: "2026-07-08T00:00:00.000Z",
    });
  });

  it("of one that went through everything has every field", () => {
    const job = became(
      newJob(fields),
      START_RUN,
      { ...RUNNING, linkage: { provider: "claude", claudeRunId: "run-1" } },
      LINK,
      activity("input", "x"),
      activity("input", "x"),
      chunk("answer"),
      answerReady("answer"),
      complete("answer", { outputImageStats: { published: 1, attached: 1, rejected: 0 } }),
      ACKNOWLEDGE,
    );
    const time = "2026-07-01T00:00:01.000Z";
    expect(snapshotOf(job)).toMatchObject({
      ...{ status: "completed", eventSeq: 10, partialText: "answer", response: "answer" },
      responseTruncated: false,
      outputImageStats: { published: 1, attached: 1, rejected: 0 },
      activity: [{ eventSeq: 6, at: time, kind: "input", text: "x", repeatCount: 2 }],
      ...{ startedAt: time, answerReadyAt: time, providerOwnershipConfirmedAt: time },
      ...{ completedAt: time, acknowledgedAt: time, provider: "claude", claudeRunId: "run-1" },
    });
  });

  it("QUERY-13 of no status tells what was asked, nor the run's token", () => {
    const job = became(newJob(fields), START_RUN, RUNNING, complete("answer"));
    for (const one of [newJob(fields), job, jobIn("interrupted")]) {
      expect(JSON.stringify(snapshotOf(one))).not.toMatch(new RegExp(`secret|${TOKEN_HASH}`));
    }
  });

  it("QUERY-65 is a copy", () => {
    const ref = {
      ...{ id: `m_${"a".repeat(24)}`, kind: "user_photo", mime: "image/png", width: 1, height: 1 },
      createdAt: "2026-07-01T00:00:00Z",
    };
    const job = became(newJob({ attachments: [ref] }), START_RUN, RUNNING, activity("input", "x"));
    const snapshot = snapshotOf(job);
    Object.assign(snapshot.attachments[0] ?? {}, { id: "changed" });
    Object.assign(snapshot.activity[0] ?? {}, { text: "changed" });
    Object.assign(snapshot, { status: "changed" });
    expect(JSON.stringify(snapshotOf(job))).not.toContain("changed");
  });
});
