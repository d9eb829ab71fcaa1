import { describe, expect, it } from "vitest";
import type { QueryJob } from "../../../src/machines/queries/fold.ts";
import { snapshotOf } from "../../../src/machines/queries/snapshot.ts";
import {
  APPLIED_ALREADY,
  activity,
  answerReady,
  appended,
  at,
  became,
  chunk,
  decide,
  LINK,
  NOT_APPLIED,
  newJob,
  RUNNING,
  running,
  START_RUN,
  starting,
} from "./given.ts";

const link = (linkage: unknown) => ({ ...LINK, linkage });

describe("running and linkage", () => {
  it("QUERY-18 running sets startedAt and linkage; later linkage keeps it", () => {
    const job = became(starting(), { ...RUNNING, linkage: { provider: "codex", codexRunId: "r" } });
    const startedAt = job.startedAt;
    const later = decide(job, link({ codexThreadId: "t" }), at(90_000));
    expect(later).toMatchObject({ kind: "append", event: { type: "linkage", at: at(90_000) } });
    const linked = became(job, link({ codexThreadId: "t" }));
    expect(linked.startedAt).toBe(startedAt);
    expect(linked.linkage).toEqual({ provider: "codex", codexRunId: "r", codexThreadId: "t" });
  });

  it("QUERY-19 linkage confirms ownership and keeps the status, whatever it says", () => {
    for (const [job, status] of [
      [starting(), "starting"],
      [running(), "running"],
    ] as const) {
      const linked = became(job, link(null));
      expect(linked.head).toMatchObject({ status, isOwned: true });
      expect(snapshotOf(linked).providerOwnershipConfirmedAt).toBe("2026-07-01T00:00:01.000Z");
      expect(linked.linkage).toEqual(job.linkage);
    }
  });

  it("a run id alone confirms nothing", () => {
    const job = became(starting(), { ...RUNNING, linkage: { claudeRunId: "r" } });
    expect(job.head.isOwned).toBe(false);
  });

  it("QUERY-20 an unknown provider and what is no text are dropped, ids redacted and cut", () => {
    const linkage = {
      provider: "someone",
      resolvedModel: "m".repeat(65),
      cliSessionId: "/home/ann/session",
      claudeRunId: "r".repeat(257),
      codexRunId: 3,
      codexThreadId: " ",
      apiKey: "secret",
    };
    expect(became(running(), link(linkage)).linkage).toEqual({
      resolvedModel: "m".repeat(64),
      cliSessionId: "[path]",
      claudeRunId: "r".repeat(256),
    });
  });

  it.each([null, undefined, 1, "text", []])("a linkage that is %j says nothing", (linkage) => {
    expect(appended(starting(), { ...RUNNING, linkage })).toEqual({
      type: "running",
      at: at(1_000),
    });
  });
});

describe("chunks", () => {
  const textOf = (job: QueryJob) => [job.text, job.head.text.isTruncated];

  it("QUERY-21 add up to the text, in starting too", () => {
    const job = became(starting(), chunk("a"), RUNNING, chunk("b"), chunk("c"));
    expect(textOf(job)).toEqual(["abc", false]);
    expect(appended(starting(), chunk("a"))).toEqual({
      ...{ type: "chunk", at: at(1_000), early: true, delta: "a" },
    });
  });

  it("QUERY-21 end at 128,000 characters, flagged; what comes after is taken and not written", () => {
    const full = became(running(), chunk("x".repeat(127_999)), chunk("yz"));
    expect(full.text).toHaveLength(128_000);
    expect(full.text.endsWith("xy")).toBe(true);
    expect(full.head.text.isTruncated).toBe(true);
    expect(decide(full, chunk("more"))).toEqual(APPLIED_ALREADY);
  });

  it("QUERY-21 exactly 128,000 characters are whole", () => {
    const full = became(running(), chunk("x".repeat(128_000)));
    expect(textOf(full)).toEqual(["x".repeat(128_000), false]);
    expect(decide(full, chunk(""))).toEqual(APPLIED_ALREADY);
    expect(appended(full, chunk("y"))).toMatchObject({ delta: "", truncated: true });
  });

  it("a pair that would be parted by the end is left out whole", () => {
    const full = became(running(), chunk("x".repeat(127_999)), chunk("😀"));
    expect(full.text).toBe("x".repeat(127_999));
    expect(full.head.text.isTruncated).toBe(true);
    // What would fit in the room that is left is not of that place.
    expect(decide(full, chunk("y"))).toEqual(APPLIED_ALREADY);
  });

  it("one that its caller cut is the last, flagged", () => {
    const job = became(running(), chunk("a", true));
    expect(textOf(job)).toEqual(["a", true]);
    // Half a pair at its end will never be whole.
    expect(appended(running(), chunk("a\ud83d", true))).not.toHaveProperty("half");
    expect(decide(job, chunk("b"))).toEqual(APPLIED_ALREADY);
  });

  it("half a pair at the end is joined with the next, wherever that is decided", () => {
    const job = became(running(), chunk("a\ud83d"));
    expect(textOf(job)).toEqual(["a", false]);
    const headOnly = { generation: 1, head: job.head, text: null };
    expect(decide(headOnly, chunk("\ude00b"))).toMatchObject({
      event: { delta: "😀b" },
    });
    expect(textOf(became(job, chunk("\ude00b")))).toEqual(["a😀b", false]);
  });

  it("half a pair alone is kept, and again is no other", () => {
    const job = became(running(), chunk("\ud83d"));
    expect(job.text).toBe("");
    expect(decide(job, chunk(""))).toEqual(APPLIED_ALREADY);
    expect(textOf(became(job, chunk("\ud83d"), chunk("\ude00")))).toEqual(["\ufffd😀", false]);
  });

  it("half a pair that no other half follows is U+FFFD", () => {
    expect(became(running(), chunk("\ud83d"), chunk("a\ude00b")).text).toBe("\ufffda\ufffdb");
  });

  it("an empty one is taken and not written", () => {
    expect(decide(running(), chunk(""))).toEqual(APPLIED_ALREADY);
  });

  it("QUERY-22 none changes the text once the answer is ready", () => {
    const job = became(running(), chunk("a"), answerReady("a"));
    expect(decide(job, chunk("b"))).toEqual(NOT_APPLIED);
  });
});

describe("activities", () => {
  it("QUERY-23 the same twice in a row is one, counted, with the later number and time", () => {
    const job = became(
      running(),
      ...["a", "a", "a", "b", "a"].map((text) => activity("input", text)),
    );
    expect(
      job.activity.map(({ eventSeq, text, repeatCount }) => [eventSeq, text, repeatCount]),
    ).toEqual([
      [6, "a", 3],
      [7, "b", undefined],
      [8, "a", undefined],
    ]);
  });

  it("QUERY-23 of another kind is another", () => {
    const job = became(running(), activity("input", "a"), activity("output", "a"));
    expect(job.activity.map(({ kind }) => kind)).toEqual(["input", "output"]);
  });

  it("QUERY-23 the latest 64 are kept", () => {
    const texts = Array.from({ length: 70 }, (_, index) => activity("output", `line ${index}`));
    const job = became(running(), ...texts);
    expect(job.activity).toHaveLength(64);
    expect(job.activity[0]?.text).toBe("line 6");
  });

  it("a status is an event of its own, all else are lines", () => {
    const events = (["status", "input", "output", "gap"] as const).map((kind) =>
      appended(running(), activity(kind, "x")),
    );
    expect(events).toMatchObject([
      { type: "tool_status" },
      { type: "activity_line", kind: "input" },
      { type: "activity_line", kind: "output" },
      { type: "activity_line", kind: "gap" },
    ]);
  });

  it("QUERY-24 a text is redacted, cut to 2,000 and flagged, or a placeholder", () => {
    expect(appended(running(), activity("input", "cat /home/ann/.env"))).toMatchObject({
      text: "cat [path]",
    });
    const long = appended(running(), activity("input", "x".repeat(2_001)));
    expect(long).toMatchObject({ text: "x".repeat(2_000), truncated: true });
    expect(appended(running(), activity("input", " \u0000 "))).toMatchObject({ text: "(no text)" });
  });

  it("before the start there are none", () => {
    expect(decide(newJob(), { ...activity("input", "x"), token: null })).toEqual(NOT_APPLIED);
    expect(became(newJob(), START_RUN).activity).toEqual([]);
  });
});
