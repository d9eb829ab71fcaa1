import { describe, expect, it } from "vitest";
import { admitted, recognise, refusalOf } from "../../../src/machines/queries/admission.ts";
import { fenceIdOf } from "../../../src/machines/queries/fence.ts";
import { refreshed } from "../../../src/machines/queries/hint.ts";
import { HISTORY_MAX } from "../../../src/machines/queries/limits.ts";
import { eraseRoot, markRetired } from "../../../src/machines/queries/retention.ts";
import type { LiveRoot } from "../../../src/machines/queries/root.ts";
import {
  accepted,
  at,
  became,
  CANCEL,
  CLIENT_JOB_ID,
  JOB_ID,
  NEXT_JOB_ID,
  newJob,
  newRoot,
} from "./given.ts";

const FREE = { isLatestOver: true, heldUntil: null };
const { fingerprint } = accepted();
const WEEK_MS = 7 * 86_400_000;

/** The root after its job was canceled, as a refresh notes it. */
function overRoot(): LiveRoot {
  const decision = refreshed(newRoot(), JOB_ID, became(newJob(), CANCEL).head);
  if (decision.kind !== "apply") throw new Error(decision.kind);
  return decision.next;
}

/** And after it was marked as retired. */
function retiredRoot(): LiveRoot {
  const decision = markRetired(overRoot(), at(WEEK_MS));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  return decision.next;
}

const rejected = (kind: string) => ({ kind: "reject", rejection: { kind } });

describe("an admission that the root alone answers", () => {
  it("QUERY-2 of the same request is the existing job, latest or past", () => {
    const next = admitted(overRoot(), NEXT_JOB_ID, accepted({ generation: 2 }));
    expect(recognise(newRoot(), { generation: 1, fingerprint }, at(0))).toEqual({
      ...{ kind: "existing", jobId: JOB_ID },
    });
    expect(recognise(next, { generation: 1, fingerprint }, at(0))).toEqual({
      ...{ kind: "existing", jobId: JOB_ID },
    });
    const second = { generation: 2, fingerprint: accepted({ generation: 2 }).fingerprint };
    expect(recognise(next, second, at(0))).toEqual({ kind: "existing", jobId: NEXT_JOB_ID });
  });

  it("QUERY-4 of another request under the same identity is refused, and tells nothing", () => {
    const other = { generation: 1, fingerprint: accepted({ query: "other" }).fingerprint };
    expect(recognise(newRoot(), other, at(0))).toEqual(rejected("job_identity_conflict"));
    // Also when that job is over.
    expect(recognise(retiredRoot(), other, at(WEEK_MS))).toEqual(rejected("job_identity_conflict"));
  });

  it("QUERY-54 of a job that is retired, or past its retention, is out of order", () => {
    const same = { generation: 1, fingerprint };
    expect(recognise(overRoot(), same, at(WEEK_MS - 1))).toMatchObject({ kind: "existing" });
    expect(recognise(overRoot(), same, at(WEEK_MS))).toEqual(
      rejected("job_generation_out_of_order"),
    );
    expect(recognise(retiredRoot(), same, at(0))).toEqual(rejected("job_generation_out_of_order"));
    const next = admitted(overRoot(), NEXT_JOB_ID, accepted({ generation: 2 }));
    expect(recognise(next, same, at(WEEK_MS))).toEqual(rejected("job_generation_out_of_order"));
    // One that has not ended is not over, however old.
    expect(recognise(newRoot(), same, at(WEEK_MS))).toMatchObject({ kind: "existing" });
  });

  it("of an erased client job is refused for ever, whatever the generation", () => {
    const erased = eraseRoot(overRoot(), null);
    if (erased.kind !== "apply") throw new Error(erased.kind);
    for (const generation of [1, 2]) {
      expect(recognise(erased.next, { generation, fingerprint }, at(0))).toEqual(
        rejected("erased"),
      );
    }
  });

  it("of what the root does not name needs the other reads", () => {
    for (const root of [null, { kind: "void" } as const, newRoot()]) {
      expect(recognise(root, { generation: 2, fingerprint }, at(0))).toEqual({ kind: "unknown" });
    }
  });
});

describe("an admission of a new generation", () => {
  it("QUERY-1 over nothing, or over a void root, becomes a job", () => {
    expect(refusalOf(null, 1, FREE, at(0))).toBeNull();
    expect(refusalOf({ kind: "void" }, 1, FREE, at(0))).toBeNull();
    expect(admitted({ kind: "void" }, JOB_ID, accepted())).toEqual(newRoot());
    expect(newRoot()).toMatchObject({
      ...{ kind: "live", clientJobId: CLIENT_JOB_ID, gen: 1, jobId: JOB_ID, fingerprint },
      ...{ acceptedAt: at(0), retentionUntil: at(WEEK_MS), leaseUntil: null, history: [] },
      fenceId: fenceIdOf("session-durable-1"),
      hint: { seq: 1, status: "accepted" },
    });
  });

  it("QUERY-5 while the latest has not ended is refused", () => {
    const facts = { isLatestOver: false, heldUntil: null };
    expect(refusalOf(newRoot(), 2, facts, at(0))).toEqual({ kind: "job_generation_active" });
  });

  it("QUERY-7 while its session is held is refused with what remains, at that instant no more", () => {
    const facts = { isLatestOver: true, heldUntil: at(5_000) };
    expect(refusalOf(null, 1, facts, at(4_000))).toEqual({
      ...{ kind: "provider_orphan_fence", heldUntil: at(5_000), retryAfterMs: 1_000 },
    });
    expect(refusalOf(null, 1, facts, at(5_000))).toBeNull();
  });

  it("QUERY-6 that is not higher is out of order; a higher one may skip numbers", () => {
    const root = admitted(overRoot(), NEXT_JOB_ID, accepted({ generation: 5 }));
    for (const generation of [2, 4]) {
      expect(refusalOf(root, generation, FREE, at(0))).toEqual({
        kind: "job_generation_out_of_order",
      });
    }
    expect(refusalOf(root, 9, FREE, at(0))).toBeNull();
  });

  it("QUERY-9 is refused in the original's order: active, held, out of order", () => {
    const held = at(5_000);
    const root = overRoot();
    expect(refusalOf(root, 1, { isLatestOver: false, heldUntil: held }, at(0))?.kind).toBe(
      "job_generation_active",
    );
    expect(refusalOf(root, 1, { isLatestOver: true, heldUntil: held }, at(0))?.kind).toBe(
      "provider_orphan_fence",
    );
    expect(refusalOf(root, 1, FREE, at(0))?.kind).toBe("job_generation_out_of_order");
  });

  it("puts the one before into the history, with its own end of retention", () => {
    const root = admitted(overRoot(), NEXT_JOB_ID, accepted({ generation: 2 }));
    expect(root.history).toEqual([
      { gen: 1, jobId: JOB_ID, fingerprint, retentionUntil: at(WEEK_MS), isRetired: false },
    ]);
    expect(root).toMatchObject({ gen: 2, jobId: NEXT_JOB_ID, hint: { seq: 1 }, leaseUntil: null });
  });

  it("keeps one that is retired in the history until its log is gone", () => {
    const next = accepted({ generation: 2 });
    expect(admitted(retiredRoot(), NEXT_JOB_ID, next).history).toMatchObject([{ isRetired: true }]);
    const removed = { ...retiredRoot(), retirement: "removed" as const };
    expect(admitted(removed, NEXT_JOB_ID, next).history).toEqual([]);
  });

  it("protocols 4.1 is refused when 64 earlier ones are kept", () => {
    const [past] = admitted(overRoot(), NEXT_JOB_ID, accepted({ generation: 2 })).history;
    if (past === undefined) throw new Error("no history");
    const filled = (count: number): LiveRoot => ({
      ...overRoot(),
      history: Array.from({ length: count }, () => past),
    });
    expect(refusalOf(filled(HISTORY_MAX - 1), 2, FREE, at(0))).toBeNull();
    expect(refusalOf(filled(HISTORY_MAX), 2, FREE, at(0))).toEqual({ kind: "job_history_full" });
    // One that left nothing needs no entry.
    const removed = { ...filled(HISTORY_MAX), retirement: "removed" as const };
    expect(refusalOf(removed, 2, FREE, at(0))).toBeNull();
  });
});
