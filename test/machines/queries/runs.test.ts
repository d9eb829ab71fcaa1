import { describe, expect, it } from "vitest";
import { QUERY_STATUSES } from "../../../src/machines/queries/statuses.ts";
import {
  APPLIED_ALREADY,
  activity,
  answerReady,
  appended,
  at,
  became,
  CANCEL,
  chunk,
  complete,
  decide,
  FAIL,
  HEARTBEAT,
  INTERRUPT,
  jobIn,
  LINK,
  NOT_APPLIED,
  newJob,
  RUNNING,
  refused,
  running,
  START_RUN,
  starting,
  TOKEN_HASH,
} from "./given.ts";

const BY_HOLDER = [
  ...[HEARTBEAT, RUNNING, LINK, chunk("x"), activity("output", "x")],
  ...[answerReady("x"), complete("x"), FAIL, INTERRUPT],
];

describe("a run", () => {
  it("begins with the hash of its token, its lease, and no word of the token", () => {
    const event = appended(newJob(), START_RUN, at(1_000));
    expect(event).toEqual({ type: "starting", at: at(1_000), run: TOKEN_HASH, leaseMs: 60_000 });
  });

  it("names the exclusive folder whose process drives it", () => {
    expect(appended(newJob(), { ...START_RUN, owner: "boot-1" })).toMatchObject({
      owner: "boot-1",
    });
  });

  it("has one winner: the repeat of its start is told so again, any other is not applied", () => {
    for (const status of ["starting", "running", "answer_ready"] as const) {
      expect(decide(jobIn(status), START_RUN)).toEqual(APPLIED_ALREADY);
      expect(decide(jobIn(status), { ...START_RUN, token: "token-b" })).toEqual(NOT_APPLIED);
    }
  });

  it("that is over is not begun again by its own token", () => {
    expect(decide(jobIn("completed"), START_RUN)).toEqual(NOT_APPLIED);
  });

  it("of another generation is refused", () => {
    const start = { ...START_RUN, generation: 2 };
    expect(decide(newJob(), start)).toEqual(refused("query_job_generation_mismatch", newJob()));
    expect(decide(newJob(), { ...START_RUN, generation: null }).kind).toBe("append");
  });

  it("QUERY-83 waits while its session is held, to the millisecond", () => {
    const start = { ...START_RUN, heldUntil: at(5_000) };
    expect(decide(newJob(), start, at(4_999))).toEqual(
      refused("provider_orphan_fence", newJob(), { heldUntil: at(5_000), retryAfterMs: 1 }),
    );
    expect(decide(newJob(), start, at(5_000)).kind).toBe("append");
    // It is over whether it may start now.
    expect(decide(starting(), start, at(0))).toEqual(APPLIED_ALREADY);
  });
});

describe("whoever does not hold the run", () => {
  it("G2 writes nothing by another token, however long the holder was not heard of", () => {
    for (const status of ["accepted", "starting", "running", "answer_ready"] as const) {
      for (const command of BY_HOLDER) {
        const decision = decide(jobIn(status), { ...command, token: "token-b" }, at(10 ** 9));
        expect(decision).toEqual(refused("lease_lost", jobIn(status)));
      }
    }
  });

  it("writes nothing without a token, where there is a run", () => {
    for (const command of BY_HOLDER) {
      expect(decide(running(), { ...command, token: null })).toEqual(
        refused("lease_lost", running()),
      );
    }
  });

  it("G2 a lease that ran out is still its holder's", () => {
    expect(decide(running(), chunk("x"), at(10 ** 9)).kind).toBe("append");
  });

  it("without a run, and without a token, can fail and interrupt it, as in the original", () => {
    const results = BY_HOLDER.map((command) => [
      command.kind,
      decide(newJob(), { ...command, token: null }).kind,
    ]);
    expect(results.filter(([, kind]) => kind === "append")).toEqual([
      ["fail", "append"],
      ["interrupt", "append"],
    ]);
    expect(decide(newJob(), { ...LINK, token: null })).toEqual(NOT_APPLIED);
    expect(decide(newJob(), { ...HEARTBEAT, token: null })).toEqual(NOT_APPLIED);
  });
});

describe("after the end", () => {
  it("QUERY-32 the holder who ended it is told that nothing changed, any other that it lost", () => {
    for (const status of ["completed", "failed", "interrupted"] as const) {
      for (const command of BY_HOLDER) {
        expect(decide(jobIn(status), command)).toEqual(NOT_APPLIED);
        expect(decide(jobIn(status), { ...command, token: "token-b" })).toEqual(
          refused("lease_lost", jobIn(status)),
        );
      }
    }
  });

  it("the holder whose run was canceled by its reader lost it", () => {
    const job = became(running(), CANCEL);
    expect(decide(job, chunk("x"))).toEqual(refused("lease_lost", job));
  });

  it("QUERY-32 a caller without a token is told that nothing changed", () => {
    for (const status of ["completed", "failed", "canceled", "interrupted"] as const) {
      expect(decide(jobIn(status), { ...complete("x"), token: null })).toEqual(NOT_APPLIED);
    }
  });

  it("QUERY-34 of two terminals that race the second meets the first", () => {
    const job = became(running(), complete("x"));
    expect(decide(job, CANCEL)).toEqual(NOT_APPLIED);
    expect(decide(job, FAIL)).toEqual(NOT_APPLIED);
  });

  it("every status is tried in these tests", () => {
    expect(QUERY_STATUSES.map((status) => jobIn(status).head.status)).toEqual(QUERY_STATUSES);
  });
});
