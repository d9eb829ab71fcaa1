import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/hash.ts";
import type { QueryEvent } from "../../../src/machines/queries/events.ts";
import { type PartBody, parsePart, partBody } from "../../../src/machines/queries/part.ts";
import { shownEvent } from "../../../src/machines/queries/public-event.ts";
import { QUERY_STATUSES } from "../../../src/machines/queries/statuses.ts";
import {
  ACKNOWLEDGE,
  accepted,
  activity,
  answerReady,
  appended,
  at,
  became,
  CLIENT_JOB_ID,
  chunk,
  complete,
  FAIL,
  INTERRUPT,
  JOB_ID,
  jobIn,
  LINK,
  RUNNING,
  running,
  START_RUN,
  starting,
  TOKEN_HASH,
} from "./given.ts";

const OWNER = { jobId: JOB_ID, clientJobId: CLIENT_JOB_ID, generation: 1 };

const part = (items: readonly unknown[], about: object = {}): PartBody =>
  JSON.parse(JSON.stringify({ about, items }));

describe("a part of a log", () => {
  it("is read back as it was written, with all that events can have", () => {
    const request = { reference: { query: "q", response: "r" }, model: "m", globalMsgNum: 3 };
    const events: QueryEvent[] = [
      accepted(request),
      { type: "starting", at: at(1), run: TOKEN_HASH, leaseMs: 1, owner: "boot-1" },
      appended(starting(), RUNNING),
      appended(starting(), LINK),
      appended(running(), chunk("a\ud83d")),
      appended(running(), chunk("x".repeat(128_001))),
      appended(running(), activity("status", "x".repeat(2_001))),
      appended(running(), activity("input", "x")),
      appended(running(), answerReady("answer")),
      appended(became(running(), chunk("a")), answerReady("a", { provider: "claude" })),
      appended(
        running(),
        complete("x", { outputImageStats: { published: 1, attached: 1, rejected: 0 } }),
      ),
      appended(running(), FAIL),
      appended(running(), { kind: "cancel", generation: 1 }),
      appended(became(running(), LINK), { ...INTERRUPT, fencedUntil: at(9) }),
      appended(jobIn("completed"), ACKNOWLEDGE),
    ];
    for (const requestId of [null, "call-1"]) {
      const body = JSON.parse(JSON.stringify(partBody({ events, requestId })));
      expect(parsePart(body)).toEqual({ ok: true, part: { events, requestId } });
    }
  });

  it("protocols 5.8 costs little more than its text", () => {
    const event = appended(running(), chunk("x".repeat(1_024)));
    const { about, items } = partBody({ events: [event], requestId: null });
    expect(JSON.stringify({ ...about, items }).length - 1_024).toBeLessThanOrEqual(64);
  });

  it.each([
    ["no events", part([])],
    ["an unknown property", part([{ type: "canceled", at: 1 }], { more: 1 })],
    ["an unknown event", part([{ type: "paused", at: 1 }])],
    ["an unknown property of an event", part([{ type: "canceled", at: 1, why: "secret" }])],
    ["a time that is none", part([{ type: "canceled", at: "secret" }])],
    ["half a pair in a delta", part([{ type: "chunk", at: 1, delta: "secret\ud83d" }])],
    ["a half that is none", part([{ type: "chunk", at: 1, delta: "", half: 65 }])],
    [
      "two forms of an answer",
      part([
        { type: "answer_ready", at: 1, answer: { text: "", sha256: TOKEN_HASH, textLength: 0 } },
      ]),
    ],
    ["no answer at the commit", part([{ type: "answer_ready", at: 1 }])],
    ["another number's request id", part([{ type: "canceled", at: 1 }], { requestId: 1 })],
  ])("with %s is unreadable, and told without a value", (_name, body) => {
    const parsed = parsePart(body);
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });
});

describe("an event as it is shown", () => {
  const shown = (event: QueryEvent) => shownEvent(OWNER, 7, event);

  it("QUERY-13 tells whose it is, and nothing of what was asked", () => {
    const event = shown(
      accepted({ query: "secret", reference: { query: "secret", response: "secret" } }),
    );
    expect(event).toEqual({
      ...{ type: "accepted", eventSeq: 7, ...OWNER, status: "accepted" },
      at: "2026-07-01T00:00:00.000Z",
      data: {},
    });
  });

  it("tells the status after it by itself, wherever a reader begins", () => {
    for (const job of [starting(), running()]) {
      for (const command of [LINK, chunk("x"), activity("status", "x"), activity("gap", "x")]) {
        expect(shown(appended(job, command)).status).toBe(job.head.status);
      }
    }
    for (const status of QUERY_STATUSES) {
      const job = jobIn(status);
      if (!["completed", "failed", "canceled", "interrupted"].includes(status)) continue;
      expect(shown(appended(job, ACKNOWLEDGE)).status).toBe(status);
    }
  });

  it.each<[string, QueryEvent, string, object]>([
    ["a start", appended(jobIn("accepted"), START_RUN), "starting", {}],
    [
      "running",
      appended(starting(), { ...RUNNING, linkage: { provider: "codex" } }),
      "running",
      { provider: "codex", startedAt: "2026-07-01T00:00:01.000Z" },
    ],
    [
      "a linkage",
      appended(running(), LINK),
      "running",
      { claudeRunId: "run-1", providerOwnershipConfirmedAt: "2026-07-01T00:00:01.000Z" },
    ],
    ["a chunk", appended(running(), chunk("x")), "chunk", { text: "x" }],
    [
      "the last chunk",
      appended(running(), chunk("x", true)),
      "chunk",
      { text: "x", partialTruncated: true },
    ],
    [
      "a status",
      appended(running(), activity("status", "x")),
      "tool_status",
      { kind: "status", text: "x" },
    ],
    [
      "a line",
      appended(running(), activity("gap", "x")),
      "activity_line",
      { kind: "gap", text: "x" },
    ],
    [
      "the commit of what was streamed",
      appended(became(running(), chunk("x")), answerReady("x")),
      "answer_ready",
      { textLength: 1, sha256: sha256Hex("x") },
    ],
    [
      "the commit of another text",
      appended(running(), answerReady("x")),
      "answer_ready",
      { partialText: "x" },
    ],
    [
      "the completion after it",
      appended(jobIn("answer_ready"), complete("answer")),
      "completed",
      {},
    ],
    [
      "a completion without it",
      appended(
        running(),
        complete("x", { outputImageStats: { published: 1, attached: 0, rejected: 0 } }),
      ),
      "completed",
      { response: "x", outputImageStats: { published: 1, attached: 0, rejected: 0 } },
    ],
    [
      "a failure",
      appended(running(), FAIL),
      "failed",
      { error: { code: "provider_down", message: "it is down" } },
    ],
    [
      "a cancel",
      appended(running(), { kind: "cancel", generation: 1 }),
      "canceled",
      { error: { code: "canceled", message: "The query was canceled." } },
    ],
    [
      "an interruption",
      appended(became(running(), LINK), { ...INTERRUPT, reason: "r", fencedUntil: at(1_260_000) }),
      "interrupted",
      {
        error: { code: "interrupted", message: "r", retryable: true },
        orphanFenceUntil: "2026-07-01T00:21:00.000Z",
      },
    ],
    [
      "an acknowledgement",
      appended(jobIn("completed"), ACKNOWLEDGE),
      "acknowledged",
      { acknowledgedAt: "2026-07-01T00:00:01.000Z" },
    ],
  ])("has the original's names: %s", (_name, event, type, data) => {
    expect(shown(event)).toMatchObject({ type, data });
    expect(Object.keys(shown(event).data).sort()).toEqual(Object.keys(data).sort());
  });

  it("QUERY-21 a delta over 16,000 characters is stored whole, shown cut and flagged", () => {
    const delta = `${"x".repeat(15_999)}😀`;
    const job = became(running(), chunk(delta));
    expect(job.text).toBe(delta);
    expect(shown(appended(running(), chunk(delta))).data).toEqual({
      text: "x".repeat(15_999),
      deltaTruncated: true,
    });
  });
});
