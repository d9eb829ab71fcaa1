import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { minutes } from "../../../src/core/time.ts";
import { admitted } from "../../../src/machines/queries/admission.ts";
import { dueOfRoot } from "../../../src/machines/queries/due.ts";
import type { QueryHead } from "../../../src/machines/queries/head.ts";
import { refreshed, renewed } from "../../../src/machines/queries/hint.ts";
import { RETENTION_MS } from "../../../src/machines/queries/limits.ts";
import {
  eraseRoot,
  isOver,
  jobsToRemove,
  markRetired,
  noteRemoved,
} from "../../../src/machines/queries/retention.ts";
import {
  jobOfGeneration,
  jobOfId,
  type LiveRoot,
  parseRoot,
  type QueryRoot,
  rootIdOf,
  rootRecord,
} from "../../../src/machines/queries/root.ts";
import { stuckQuery } from "../../../src/machines/queries/stuck.ts";
import {
  accepted,
  at,
  became,
  CANCEL,
  CLIENT_JOB_ID,
  chunk,
  JOB_ID,
  jobIn,
  LINK,
  NEXT_JOB_ID,
  newJob,
  newRoot,
  running,
  starting,
} from "./given.ts";

const WEEK_MS = 7 * 86_400_000;

function next(decision: { readonly kind: string; readonly next?: LiveRoot }): LiveRoot {
  if (decision.next === undefined) throw new Error(decision.kind);
  return decision.next;
}

const rootWith = (head: QueryHead): LiveRoot => next(refreshed(newRoot(), JOB_ID, head));
const canceled = (): LiveRoot => rootWith(became(newJob(), CANCEL).head);
const second = (root = canceled()): LiveRoot =>
  admitted(root, NEXT_JOB_ID, accepted({ generation: 2 }));

describe("a root as it is stored", () => {
  it("is read back as it was written, in every state of its job", () => {
    const half = became(running(), LINK, chunk("a\ud83d"));
    const roots: QueryRoot[] = [
      { kind: "void" },
      newRoot(),
      rootWith(half.head),
      rootWith(became(starting(), LINK).head),
      canceled(),
      second(next(markRetired(canceled(), at(WEEK_MS)))),
      next(eraseRoot(canceled(), null)),
    ];
    for (const root of roots) {
      expect(parseRoot(JSON.parse(JSON.stringify(rootRecord(root))))).toEqual({ ok: true, root });
    }
  });

  it("holds no prompt, no session's name and no token", () => {
    const text = JSON.stringify(rootRecord(rootWith(running().head)));
    expect(text).not.toMatch(/durable|token-a/);
  });

  it.each<[string, JsonObject]>([
    ["an unknown property", { more: 1 }],
    ["no generation", { gen: 0 }],
    ["another id", { jobId: "secret" }],
    ["a status that is none", { hint: { ...rootRecord(newRoot()), status: "secret" } }],
    ["a time that is none", { leaseUntil: "secret" }],
  ])("with %s is unreadable, and told without a value", (_name, fields) => {
    const parsed = parseRoot({ ...rootRecord(newRoot()), ...fields });
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });

  it("has a hash for a name, and tells its jobs by generation and id", () => {
    expect(rootIdOf(CLIENT_JOB_ID)).toMatch(/^[0-9a-f]{64}$/);
    const root = second();
    expect(jobOfGeneration(root, 2)).toMatchObject({ jobId: NEXT_JOB_ID, isRetired: false });
    expect(jobOfGeneration(root, 1)).toMatchObject({ jobId: JOB_ID });
    expect(jobOfGeneration(root, 3)).toBeNull();
    expect(jobOfId(root, JOB_ID)).toMatchObject({ gen: 1 });
    expect(jobOfId(root, CLIENT_JOB_ID)).toBeNull();
  });
});

describe("the hint of a root", () => {
  it("moves on, never back, and never to another job's log", () => {
    const root = rootWith(running().head);
    expect(root.hint).toEqual(running().head);
    expect(refreshed(root, JOB_ID, starting().head)).toEqual({ kind: "unchanged", state: root });
    expect(refreshed(root, NEXT_JOB_ID, became(running(), LINK).head).kind).toBe("unchanged");
    expect(refreshed(root, JOB_ID, running().head).kind).toBe("unchanged");
  });

  it("protocols 4.5 counts parts as renewal, and ends the lease with the run", () => {
    const head = running().head;
    expect(rootWith(head).leaseUntil).toBe(head.updatedAt + 60_000);
    const longer = next(renewed(rootWith(head), JOB_ID, head, at(500_000)));
    const wrote = refreshed(longer, JOB_ID, became(running(), chunk("x")).head);
    expect(next(wrote).leaseUntil).toBe(at(500_000));
    expect(rootWith(jobIn("completed").head).leaseUntil).toBeNull();
    expect(newRoot().leaseUntil).toBeNull();
  });

  it("a heartbeat sets the lease, also to an earlier end, but of no other job and none that ended", () => {
    const root = rootWith(running().head);
    expect(next(renewed(root, JOB_ID, running().head, at(2_000))).leaseUntil).toBe(at(2_000));
    expect(renewed(root, NEXT_JOB_ID, running().head, at(2_000)).kind).toBe("unchanged");
    expect(renewed(root, JOB_ID, jobIn("completed").head, at(2_000)).kind).toBe("unchanged");
    const ended = rootWith(jobIn("completed").head);
    expect(renewed(ended, JOB_ID, running().head, at(2_000)).kind).toBe("unchanged");
  });

  it("a heartbeat that knows less of the log than the root keeps the run, and what the root knows", () => {
    const root = rootWith(running().head);
    const after = next(renewed(root, JOB_ID, starting().head, at(500_000)));
    expect(after).toEqual({ ...root, leaseUntil: at(500_000) });
  });
});

describe("the due time of a root", () => {
  const due = (ms: number) => ({ queue: "attend", at: at(ms) });

  it("protocols 4.3 is the admission while accepted, the lease under way, then the retention", () => {
    expect(dueOfRoot(newRoot())).toEqual(due(0));
    for (const status of ["starting", "running", "answer_ready"] as const) {
      expect(dueOfRoot(rootWith(jobIn(status).head))).toEqual(due(61_000));
    }
    for (const status of ["completed", "failed", "canceled", "interrupted"] as const) {
      expect(dueOfRoot(rootWith(jobIn(status).head))).toEqual(due(WEEK_MS));
    }
  });

  it("is the earliest of all generations", () => {
    const root = rootWith(jobIn("completed").head);
    const late = { ...second(root), retentionUntil: at(2 * WEEK_MS) };
    expect(dueOfRoot({ ...late, hint: jobIn("canceled").head })).toEqual(due(WEEK_MS));
    expect(dueOfRoot(late)).toEqual(due(0));
  });

  it("is at once while a log is to be removed, and none when nothing is left", () => {
    const marked = next(markRetired(canceled(), at(WEEK_MS)));
    expect(dueOfRoot(marked)).toEqual(due(0));
    expect(dueOfRoot(next(noteRemoved(marked, [JOB_ID])))).toBeNull();
    const late = { ...second(), hint: jobIn("canceled").head, retentionUntil: at(2 * WEEK_MS) };
    expect(dueOfRoot(late)).toEqual(due(WEEK_MS));
    expect(dueOfRoot(next(markRetired(late, at(WEEK_MS))))).toEqual(due(0));
    expect(dueOfRoot({ kind: "void" })).toBeNull();
  });

  it("is at once of a run whose lease the root does not know", () => {
    expect(dueOfRoot({ ...newRoot(), hint: running().head })).toEqual(due(0));
  });
});

describe("the retention of a job", () => {
  it("QUERY-54 ends 7 days after the admission, to the millisecond, once it has ended", () => {
    expect(RETENTION_MS).toBe(minutes(7 * 24 * 60));
    const job = became(newJob(), CANCEL);
    expect(isOver(job, at(WEEK_MS - 1))).toBe(false);
    expect(isOver(job, at(WEEK_MS))).toBe(true);
    expect(isOver(running(), at(10 * WEEK_MS))).toBe(false);
  });

  it("protocols 5.4 is marked before anything is removed, and noted after", () => {
    expect(markRetired(canceled(), at(WEEK_MS - 1)).kind).toBe("unchanged");
    expect(jobsToRemove(canceled())).toEqual([]);
    const marked = next(markRetired(canceled(), at(WEEK_MS)));
    expect(marked).toMatchObject({ retirement: "removing" });
    expect(jobsToRemove(marked)).toEqual([JOB_ID]);
    expect(markRetired(marked, at(WEEK_MS)).kind).toBe("unchanged");
    const removed = next(noteRemoved(marked, [JOB_ID]));
    expect(removed).toMatchObject({ retirement: "removed", gen: 1, jobId: JOB_ID });
    expect(jobsToRemove(removed)).toEqual([]);
  });

  it("of a past generation ends on its own, and its entry leaves when nothing is left", () => {
    const root = { ...second(), retentionUntil: at(2 * WEEK_MS) };
    const marked = next(markRetired(root, at(WEEK_MS)));
    expect(marked).toMatchObject({ retirement: null, history: [{ isRetired: true }] });
    expect(jobsToRemove(marked)).toEqual([JOB_ID]);
    expect(next(noteRemoved(marked, [JOB_ID])).history).toEqual([]);
  });

  it("is not noted as removed without the mark", () => {
    expect(noteRemoved(second(), [JOB_ID, NEXT_JOB_ID]).kind).toBe("unchanged");
  });

  it("does not begin for one that has not ended", () => {
    expect(markRetired(newRoot(), at(10 * WEEK_MS)).kind).toBe("unchanged");
  });
});

describe("an erasure", () => {
  it("is refused while the latest generation has not ended", () => {
    expect(eraseRoot(newRoot(), newRoot().hint)).toEqual({
      kind: "reject",
      rejection: { kind: "in_use" },
    });
  });

  it("keeps ids and hashes, and marks every log for removal at once", () => {
    const root = { ...second(), hint: jobIn("canceled").head };
    const erased = next(eraseRoot(root, null));
    expect(erased).toMatchObject({ clientJobId: null, gen: 2, fingerprint: root.fingerprint });
    expect(jobsToRemove(erased)).toEqual([NEXT_JOB_ID, JOB_ID]);
    expect(dueOfRoot(erased)).toEqual({ queue: "attend", at: at(0) });
    expect(eraseRoot(erased, null)).toEqual({ kind: "unchanged", state: erased });
  });

  it("of what is removed already removes nothing again", () => {
    const removed = { ...canceled(), retirement: "removed" as const };
    expect(jobsToRemove(next(eraseRoot(removed, null)))).toEqual([]);
  });
});

describe("a job that is stuck", () => {
  it("is one whose lease has lapsed, told without its content", () => {
    const root = rootWith(running().head);
    expect(stuckQuery(root, at(60_999))).toBeNull();
    expect(stuckQuery(root, at(61_000))).toMatchObject({ since: at(61_000) });
    const ready = rootWith(jobIn("answer_ready").head);
    expect(stuckQuery(ready, at(61_000))?.action).toContain("completes");
  });

  it("is none that waits to be started, has ended, or is not kept", () => {
    const gone = next(markRetired(canceled(), at(WEEK_MS)));
    for (const root of [newRoot(), canceled(), gone, { kind: "void" } as const]) {
      expect(stuckQuery(root, at(10 * WEEK_MS))).toBeNull();
    }
  });
});
