import { describe, expect, it } from "vitest";
import type { QueryCommand } from "../../../src/machines/queries/commands.ts";
import type { QueryEvent } from "../../../src/machines/queries/events.ts";
import { foldHead, foldJob } from "../../../src/machines/queries/fold.ts";
import {
  isTerminal,
  QUERY_STATUSES,
  type QueryStatus,
} from "../../../src/machines/queries/statuses.ts";
import {
  ACKNOWLEDGE,
  accepted,
  activity,
  answerReady,
  at,
  became,
  CANCEL,
  chunk,
  complete,
  decide,
  FAIL,
  HEARTBEAT,
  INTERRUPT,
  JOB_ID,
  jobIn,
  LINK,
  RUNNING,
  START_RUN,
  starting,
  TOKEN_HASH,
} from "./given.ts";

type Outcome = QueryStatus | "same" | "no" | "lease_lost" | "query_job_answer_committing";

/** What becomes of a job, by its status, when its holder asks. `no`: not applied. */
const TABLE: readonly (readonly [name: string, command: QueryCommand, outcomes: Outcome[]])[] = [
  // From: accepted, starting, running, answer_ready, completed, failed, canceled, interrupted.
  [
    "start",
    { ...START_RUN, token: "token-b" },
    ["starting", "no", "no", "no", "no", "no", "no", "no"],
  ],
  ["running", RUNNING, ["lease_lost", "running", "no", "no", "no", "no", "lease_lost", "no"]],
  ["linkage", LINK, ["lease_lost", "same", "same", "no", "no", "no", "lease_lost", "no"]],
  ["chunk", chunk("x"), ["lease_lost", "same", "same", "no", "no", "no", "lease_lost", "no"]],
  [
    "status",
    activity("status", "x"),
    ["lease_lost", "same", "same", "no", "no", "no", "lease_lost", "no"],
  ],
  [
    "input",
    activity("input", "x"),
    ["lease_lost", "same", "same", "no", "no", "no", "lease_lost", "no"],
  ],
  [
    "answer_ready",
    answerReady("x"),
    ["lease_lost", "answer_ready", "answer_ready", "no", "no", "no", "lease_lost", "no"],
  ],
  [
    "complete",
    complete("x"),
    ["lease_lost", "completed", "completed", "completed", "no", "no", "lease_lost", "no"],
  ],
  ["fail", FAIL, ["lease_lost", "failed", "failed", "completed", "no", "no", "lease_lost", "no"]],
  [
    "interrupt",
    INTERRUPT,
    ["lease_lost", "interrupted", "interrupted", "completed", "no", "no", "lease_lost", "no"],
  ],
  [
    "cancel",
    CANCEL,
    ["canceled", "canceled", "canceled", "query_job_answer_committing", "no", "no", "no", "no"],
  ],
];

describe("every command in every status", () => {
  for (const [name, command, outcomes] of TABLE) {
    for (const [index, status] of QUERY_STATUSES.entries()) {
      const outcome = outcomes[index];
      it(`QUERY-16 ${name} by the holder, ${status} → ${outcome}`, () => {
        const job = jobIn(status);
        const decision = decide(job, command);
        switch (decision.kind) {
          case "unchanged":
            expect(outcome).toBe("no");
            break;
          case "reject":
            expect(decision.rejection).toMatchObject({ kind: outcome, status });
            break;
          case "append":
            expect(became(job, command).head.status).toBe(outcome === "same" ? status : outcome);
        }
      });
    }
  }

  it("QUERY-17 each that is applied raises the number by one, and the time", () => {
    for (const [, command] of TABLE) {
      for (const status of QUERY_STATUSES) {
        const job = jobIn(status);
        if (decide(job, command, at(5_000)).kind !== "append") continue;
        const next = became(job, command);
        expect(next.head.seq).toBe(job.head.seq + 1);
        expect(next.head.updatedAt).toBeGreaterThanOrEqual(job.head.updatedAt);
      }
    }
  });

  it("a clock that stepped back does not turn the log around", () => {
    const job = became(starting(), RUNNING);
    const decision = decide(job, chunk("x"), at(0));
    expect(decision).toMatchObject({ kind: "append", event: { at: job.head.updatedAt } });
  });

  it("a heartbeat of the holder is applied while the run is not over, and writes nothing", () => {
    for (const status of ["starting", "running", "answer_ready"] as const) {
      expect(decide(jobIn(status), HEARTBEAT)).toEqual({ kind: "unchanged", isApplied: true });
    }
    expect(decide(jobIn("completed"), HEARTBEAT)).toEqual({ kind: "unchanged", isApplied: false });
    expect(decide(jobIn("accepted"), HEARTBEAT)).toMatchObject({ kind: "reject" });
  });
});

describe("every event after every status", () => {
  const answer = { text: "x" };
  const EVENTS: readonly (readonly [event: QueryEvent, from: readonly QueryStatus[]])[] = [
    [accepted(), []],
    [{ type: "starting", at: at(9), run: TOKEN_HASH, leaseMs: 1 }, ["accepted"]],
    [{ type: "running", at: at(9) }, ["starting"]],
    [{ type: "linkage", at: at(9), linkage: {} }, ["running"]],
    [{ type: "linkage", at: at(9), linkage: {}, early: true }, ["starting"]],
    [{ type: "chunk", at: at(9), delta: "x" }, ["running"]],
    [{ type: "chunk", at: at(9), delta: "x", early: true }, ["starting"]],
    [{ type: "tool_status", at: at(9), text: "x" }, ["running"]],
    [{ type: "tool_status", at: at(9), text: "x", early: true }, ["starting"]],
    [{ type: "activity_line", at: at(9), kind: "gap", text: "x" }, ["running"]],
    [{ type: "answer_ready", at: at(9), answer }, ["starting", "running"]],
    [{ type: "completed", at: at(9), answer }, ["starting", "running", "answer_ready"]],
    [{ type: "completed", at: at(9) }, ["answer_ready"]],
    [
      { type: "failed", at: at(9), error: { code: "c", message: "m" } },
      ["accepted", "starting", "running"],
    ],
    [{ type: "canceled", at: at(9) }, ["accepted", "starting", "running"]],
    [{ type: "interrupted", at: at(9), reason: "r" }, ["accepted", "starting", "running"]],
    [{ type: "acknowledged", at: at(9), status: "completed" }, ["completed"]],
    [{ type: "acknowledged", at: at(9), status: "failed" }, ["failed"]],
  ];

  for (const [event, from] of EVENTS) {
    const { at: _at, ...shown } = event;
    const name = event.type === "accepted" ? "accepted" : JSON.stringify(shown);
    it(`${name} follows ${from.length === 0 ? "nothing" : from.join(", ")}, and is corruption elsewhere`, () => {
      for (const status of QUERY_STATUSES) {
        const job = jobIn(status);
        const run = { first: job.head.seq + 1, events: [event] };
        const whole = foldJob(job, JOB_ID, run);
        const head = foldHead(job.head, run);
        expect([status, whole.ok, head.ok]).toEqual([
          status,
          from.includes(status),
          from.includes(status),
        ]);
        if (whole.ok && head.ok) expect(whole.state.head).toEqual(head.state);
        else if (!head.ok)
          expect(head.reason).toBe(`event ${job.head.seq + 1}: ${event.type} in status ${status}`);
      }
    });
  }

  it("only accepted begins a log", () => {
    for (const [event] of EVENTS) {
      const isFirst = event.type === "accepted";
      expect(foldHead(null, { first: 1, events: [event] }).ok).toBe(isFirst);
    }
  });

  it("nothing follows an acknowledgement", () => {
    for (const status of QUERY_STATUSES.filter(isTerminal)) {
      const job = became(jobIn(status), ACKNOWLEDGE);
      for (const [event] of EVENTS) {
        expect(foldHead(job.head, { first: job.head.seq + 1, events: [event] }).ok).toBe(false);
      }
    }
  });
});
