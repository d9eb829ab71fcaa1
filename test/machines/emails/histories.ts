/** Random histories of one email job, for properties that hold whatever is asked of it. */
import fc from "fast-check";
import type { Decision } from "../../../src/core/machine.ts";
import { durationMs, type EpochMs, epochMs } from "../../../src/core/time.ts";
import type { EmailCommand, EmailRejection } from "../../../src/machines/emails/commands.ts";
import {
  EMAIL_STATES,
  type EmailState,
  type EmailStateName,
} from "../../../src/machines/emails/record.ts";
import { at, decide, ONE_DAY, payload } from "./given.ts";

/** A command whose token is still a choice among those given out so far. */
type Draft = (token: (choice: number) => string, fresh: string, now: EpochMs) => EmailCommand;

const PAYLOADS = [
  payload({ type: "first-view", recipient: "owner@example.com", recordingIds: ["r1"] }),
  payload({ type: "first-import", recipient: "owner@example.com", recordingIds: ["r1"] }),
  payload({ type: "two-clips", recipient: "owner@example.com", recordingIds: ["r1", "r2"] }),
];

const claimant = fc.constantFrom("a@example.com", "b@example.com");
const leaseMs = fc.constantFrom(1, 1_000, 60_000).map(durationMs);
const requestId = fc.constantFrom(null, "request-1", "request-2");
const settledTo = fc.constantFrom("sent", "ready", "ready", "cancelled", "failed");
const lastError = fc.constantFrom({}, { lastError: null }, { lastError: "refused" });
// Small numbers reach back a little: the newest token is 0.
const choice = fc.constantFrom(0, 0, 0, 1, 2, 5);

const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .record({
      payload: fc.constantFrom(...PAYLOADS),
      initialState: fc.constantFrom("pending", "awaiting_ai"),
      onPayloadMismatch: fc.constantFrom("return", "conflict"),
      delay: fc.constantFrom(null, 0, 90_000),
    })
    .map(({ delay, ...enqueue }): Draft => {
      return (_, __, now) => ({
        kind: "enqueue",
        logicalKey: "key-1",
        notBefore: delay === null ? null : epochMs(now + delay),
        ...enqueue,
      });
    }),
  fc.constantFrom("r1", "r3").map((recordingId): Draft => {
    const recipient = "owner@example.com";
    return () => ({ kind: "converge", recipient, recordingId, requestedBy: "someone" });
  }),
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...EMAIL_STATES), lastError).map(transition) },
  claimant.map(
    (name): Draft =>
      (_, fresh) => ({ kind: "claim", claimant: name, claimToken: fresh }),
  ),
  fc.tuple(claimant, fc.constantFrom(0, 60_000)).map(
    ([name, age]): Draft =>
      (_, fresh, now) => ({
        kind: "reclaim",
        claimant: name,
        claimToken: fresh,
        staleBefore: epochMs(now - age),
      }),
  ),
  fc.tuple(claimant, choice).map(
    ([name, pick]): Draft =>
      (token) => ({
        kind: "completeClaim",
        claimant: name,
        claimToken: pick === 5 ? null : token(pick),
        summary: "text",
      }),
  ),
  fc.tuple(claimant, choice).map(
    ([name, pick]): Draft =>
      (token) => ({ kind: "releaseClaim", claimant: name, claimToken: token(pick) }),
  ),
  fc.option(claimant).map(
    (name): Draft =>
      (_, fresh) => ({ kind: "claimNext", claimant: name, claimToken: fresh }),
  ),
  {
    weight: 3,
    arbitrary: fc.record({ leaseMs, requestId }).map(
      (acquire): Draft =>
        (_, fresh) => ({ kind: "acquire", leaseToken: fresh, ...acquire }),
    ),
  },
  {
    weight: 2,
    arbitrary: leaseMs.map(
      (ms): Draft =>
        (_, fresh) => ({ kind: "acquireDue", leaseToken: fresh, leaseMs: ms }),
    ),
  },
  fc.tuple(leaseMs, choice).map(
    ([ms, pick]): Draft =>
      (token) => ({ kind: "extend", leaseToken: token(pick), leaseMs: ms }),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(settledTo, choice, lastError).map(
      ([to, pick, error]): Draft =>
        (token) => ({ kind: "settle", leaseToken: token(pick), to, ...error }),
    ),
  },
  choice.map(
    (pick): Draft =>
      (token) => ({ kind: "giveBack", leaseToken: token(pick), lastError: "not there" }),
  ),
  fc.constant<Draft>(() => ({ kind: "requeue" })),
  fc.constant<Draft>(() => ({ kind: "retire" })),
);

/** One erasure in two or so histories: what follows on it is refused, and teaches little. */
const move = fc.oneof(
  { weight: 60, arbitrary: draft },
  { weight: 1, arbitrary: fc.constant<Draft>(() => ({ kind: "erase" })) },
);

function transition([to, error]: [EmailStateName, { lastError?: string | null }]): Draft {
  return () => ({ kind: "transition", from: EMAIL_STATES, to, ...error });
}

export interface Step {
  readonly before: EmailState | null;
  readonly command: EmailCommand;
  readonly now: EpochMs;
  readonly decision: Decision<EmailState, EmailRejection>;
  /** The stored record after the step. */
  readonly after: EmailState | null;
}

/** Up to 60 commands on one job, each judged on what the ones before left. */
export const history: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      wait: fc.constantFrom(0, 1, 1_000, 60_000, 3_600_000, 90_000_000),
      draft: move,
    }),
    { maxLength: 60, size: "max" },
  )
  .map(played);

function played(moves: readonly { wait: number; draft: Draft }[]): readonly Step[] {
  const steps: Step[] = [];
  let state: EmailState | null = null;
  let now = at(0);
  for (const [index, move] of moves.entries()) {
    now = epochMs(now + move.wait);
    const token = (pick: number) => `token-${Math.max(0, index - 1 - pick)}`;
    const command = move.draft(token, `token-${index}`, now);
    const decision = decide(state, command, now, ONE_DAY);
    const after: EmailState | null = decision.kind === "apply" ? decision.next : state;
    steps.push({ before: state, command, now, decision, after });
    state = after;
  }
  return steps;
}
