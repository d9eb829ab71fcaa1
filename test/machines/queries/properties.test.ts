/** Laws of the query machine over histories of arbitrary commands. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs, epochMs, minutes } from "../../../src/core/time.ts";
import type {
  QueryCommand,
  QueryDecision,
  QueryRules,
} from "../../../src/machines/queries/commands.ts";
import type { QueryEvent } from "../../../src/machines/queries/events.ts";
import { foldHead, foldJob, type QueryJob } from "../../../src/machines/queries/fold.ts";
import { advanceHead, type QueryHead } from "../../../src/machines/queries/head.ts";
import { parsePart, partBody } from "../../../src/machines/queries/part.ts";
import { shownEvent } from "../../../src/machines/queries/public-event.ts";
import { snapshotOf } from "../../../src/machines/queries/snapshot.ts";
import { isTerminal, QUERY_STATUSES } from "../../../src/machines/queries/statuses.ts";
import { accepted, at, CLIENT_JOB_ID, decide, folded, JOB_ID, newJob } from "./given.ts";

interface Step {
  readonly command: QueryCommand;
  readonly before: QueryJob;
  readonly decision: QueryDecision;
  readonly after: QueryJob;
}

interface History {
  readonly steps: readonly Step[];
  readonly events: readonly QueryEvent[];
  readonly job: QueryJob;
}

const RULES: QueryRules = { retentionMs: minutes(60), admissionTimeoutMs: durationMs(100_000) };

const token = fc.constantFrom("token-a", "token-a", "token-a", "token-b", null);
const text = fc.oneof(
  fc
    .array(fc.constantFrom("a", "bc", "😀", "\ud83d", "\ude00", "\uffff", "\u0000", " "), {
      maxLength: 6,
    })
    .map((list) => list.join("")),
  fc.constantFrom("x".repeat(127_999), "y".repeat(64_000), `${"z".repeat(16_000)}😀`),
);
const linkage = fc.oneof(
  fc.constant(undefined),
  fc.record({ provider: fc.constantFrom("claude", "other"), claudeRunId: text }),
  fc.anything(),
);
const fence = fc.constantFrom(null, at(2_000_000));
const generation = fc.constantFrom(1, 1, 1, 2);

const command: fc.Arbitrary<QueryCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("start" as const),
      generation: fc.constantFrom(1, 1, 1, null, 2),
      token: fc.constantFrom("token-a", "token-a", "token-b"),
      leaseMs: fc.constant(durationMs(60_000)),
      owner: fc.constantFrom(null, "boot-1"),
      heldUntil: fc.constantFrom(null, null, at(20_000)),
    }),
  },
  fc.record({ kind: fc.constant("heartbeat" as const), token }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("running" as const), token, linkage }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("linkage" as const), token, linkage }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("chunk" as const),
      token,
      delta: text,
      isTruncated: fc.constantFrom(false, false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("activity" as const),
      token,
      activity: fc.constantFrom("status" as const, "input" as const, "gap" as const),
      text,
    }),
  },
  fc.record({ kind: fc.constant("answer_ready" as const), token, text, linkage }),
  fc.record({
    kind: fc.constant("complete" as const),
    token,
    text,
    attachments: fc.anything(),
    outputImageStats: fc.anything(),
    linkage,
  }),
  fc.record({ kind: fc.constant("fail" as const), token, error: fc.anything() }),
  fc.record({ kind: fc.constant("cancel" as const), generation }),
  fc.record({
    kind: fc.constant("interrupt" as const),
    token,
    reason: fc.option(text),
    fencedUntil: fence,
  }),
  fc.record({
    kind: fc.constant("recover" as const),
    leaseUntil: fc.constantFrom(null, at(70_000)),
    owner: fc.constantFrom(null, "owner", "next"),
    fencedUntil: fence,
  }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("acknowledge" as const), generation }) },
);

/** The answer as the job holds it, asked for again: what a runner does that streamed all of it. */
const resaid = fc.constantFrom("answer_ready" as const, "complete" as const);

/** Steps of up to two minutes, some of them back. */
const elapsed = fc.constantFrom(0, 1, 1_000, 30_000, 120_000, -5_000);

const history: fc.Arbitrary<History> = fc
  .array(fc.tuple(fc.oneof({ weight: 9, arbitrary: command }, resaid), elapsed), {
    minLength: 5,
    maxLength: 30,
  })
  .map((list) => {
    const events: QueryEvent[] = [accepted()];
    const steps: Step[] = [];
    let job = newJob();
    let ms = 10_000;
    for (const [given, by] of list) {
      ms += by;
      const one = typeof given === "string" ? said(given, job) : given;
      const decision = decide(job, one, at(ms), RULES);
      const before = job;
      if (decision.kind === "append") {
        const run = { first: job.head.seq + 1, events: [decision.event] };
        const next = foldJob(job, JOB_ID, run);
        if (!next.ok) throw new Error(`${next.reason}: ${JSON.stringify(one)}`);
        job = next.state;
        events.push(decision.event);
      }
      steps.push({ command: one, before, decision, after: job });
    }
    return { steps, events, job };
  });

function said(kind: "answer_ready" | "complete", { text: soFar }: QueryJob): QueryCommand {
  const shared = { token: "token-a", text: soFar, linkage: {} };
  return kind === "answer_ready"
    ? { kind, ...shared }
    : { kind, ...shared, attachments: [], outputImageStats: null };
}

function always(holds: (history: History) => void): void {
  fc.assert(fc.property(history, holds), { numRuns: 300 });
}

/** Every text in a value, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe("whatever is asked of a job, in whatever order", () => {
  it("the histories of these tests reach every status, an acknowledgement and a fence", () => {
    const reached = new Set<string>();
    for (const { job, steps } of fc.sample(history, { seed: 1, numRuns: 1_000 })) {
      for (const { after } of steps) reached.add(after.head.status);
      if (job.head.isAcknowledged) reached.add("acknowledged");
      if (job.orphanFenceUntil !== null) reached.add("fenced");
    }
    expect([...reached].sort()).toEqual([...QUERY_STATUSES, "acknowledged", "fenced"].sort());
  });

  // That the fold never refuses what was decided is checked where the histories are made.
  it("the log is dense, and its fold is the same as that of its parts as they are stored", () => {
    always(({ events, job }) => {
      expect(job.head.seq).toBe(events.length);
      const body = JSON.parse(JSON.stringify(partBody({ events, requestId: null })));
      const part = parsePart(body);
      expect(part.ok && folded(part.part.events)).toEqual(job);
      const head = foldHead(null, { first: 1, events });
      expect(head.ok && head.state).toEqual(job.head);
    });
  });

  it("the same is decided from a hint, unless the text is asked for", () => {
    always(({ steps }) => {
      for (const { command: one, before, decision } of steps) {
        const { head, generation: number } = before;
        const now = decision.kind === "append" ? decision.event.at : epochMs(before.head.updatedAt);
        const whole = decide(before, one, now, RULES);
        const known = decide({ head, generation: number, text: null }, one, now, RULES);
        if (known.kind === "reject" && known.rejection.kind === "text_needed") continue;
        expect(known).toEqual(whole);
      }
    });
  });

  it("nothing follows the end but one acknowledgement", () => {
    always(({ events }) => {
      const end = events.findIndex(({ type }) =>
        QUERY_STATUSES.some((s) => s === type && isTerminal(s)),
      );
      if (end === -1) return;
      expect(events.slice(end + 1).map(({ type }) => type)).toEqual(
        events.length === end + 1 ? [] : ["acknowledged"],
      );
    });
  });

  it("the text is the joined deltas until another is committed, and is never longer than it may be", () => {
    always(({ events, steps, job }) => {
      const deltas = events.map((event) => (event.type === "chunk" ? event.delta : "")).join("");
      const isReplaced = events.some((event) => {
        const answer =
          event.type === "answer_ready" || event.type === "completed" ? event.answer : null;
        return answer !== null && answer !== undefined && "text" in answer;
      });
      if (!isReplaced) expect(job.text).toBe(deltas);
      for (const { after } of steps) expect(after.text.length).toBe(after.head.text.length);
      expect(job.text.length).toBeLessThanOrEqual(128_000);
    });
  });

  it("no half of a pair is ever stored or shown", () => {
    always(({ events, job }) => {
      const owner = { jobId: JOB_ID, clientJobId: CLIENT_JOB_ID, generation: 1 };
      const shown = events.map((event, index) => shownEvent(owner, index + 1, event));
      const texts = textsIn([events, shown, snapshotOf(job)]);
      expect(texts.filter((one) => !one.isWellFormed())).toEqual([]);
    });
  });

  it("a shown event tells the status that the fold has after it", () => {
    always(({ events }) => {
      const owner = { jobId: JOB_ID, clientJobId: CLIENT_JOB_ID, generation: 1 };
      let head: QueryHead | null = null;
      for (const event of events) {
        const next = advanceHead(head, event);
        if (!next.ok) throw new Error(next.reason);
        head = next.state;
        expect(shownEvent(owner, head.seq, event).status).toBe(head.status);
      }
    });
  });

  it("G4 what was committed is what is completed, unless its holder says otherwise", () => {
    always(({ steps }) => {
      for (const { before, after, command: one } of steps) {
        if (before.head.status !== "answer_ready" || one.kind === "complete") continue;
        expect(after.text).toBe(before.text);
      }
    });
  });

  it("G2 nobody but the holder writes, and nobody takes the run from it but by ending it", () => {
    always(({ steps }) => {
      for (const { before, decision, command: one, after } of steps) {
        if (before.head.run !== null) expect(after.head.run).toEqual(before.head.run);
        if (!("token" in one) || one.kind === "start" || decision.kind !== "append") continue;
        if (before.head.run !== null) expect(one.token).not.toBe(null);
      }
      const writers = steps.filter(
        ({ command: one, decision, before }) =>
          "token" in one && decision.kind === "append" && (one.kind === "start" || before.head.run),
      );
      expect(
        new Set(writers.map(({ command: one }) => "token" in one && one.token)).size,
      ).toBeLessThanOrEqual(1);
    });
  });

  it("time and number never go back", () => {
    always(({ steps }) => {
      for (const { before, after } of steps) {
        expect(after.head.updatedAt).toBeGreaterThanOrEqual(before.head.updatedAt);
        expect(after.head.seq - before.head.seq).toBeLessThanOrEqual(1);
      }
    });
  });
});
