/** Calls of every kind, with what stands before and after them, and the faults that befall them. */
import type { FaultPlan, MemoryFault } from "../../../adapters/storage/memory.ts";
import type { Emails } from "../../../src/services/emails.ts";
import {
  awaiting,
  claimed,
  FIRST_VIEW,
  ID,
  KEY,
  leased,
  present,
  ready,
  settled,
} from "./given.ts";

/** Where the job of KEY is stored. */
export const JOB = `emails/jobs/${ID}`;

/** The token of the lease that a case began with. */
export type Token = string;

export interface Step {
  readonly name: string;
  /** What stands before, made by a healthy instance. */
  readonly given: (emails: Emails) => Promise<Token | null>;
  readonly call: (emails: Emails, token: Token) => Promise<unknown>;
  /** What the job is once the call is done. */
  readonly result: { readonly state: string; readonly attempts: number };
}

const tokenOf = async (made: Promise<{ leaseToken: string | null }>): Promise<Token> =>
  present((await made).leaseToken);

const nothing = async (made: Promise<unknown>): Promise<null> => {
  await made;
  return null;
};

export const STEPS: readonly Step[] = [
  {
    name: "enqueue",
    given: async () => null,
    call: (emails) => emails.enqueue(KEY, FIRST_VIEW),
    result: { state: "pending", attempts: 0 },
  },
  {
    name: "transition",
    given: (emails) => nothing(emails.enqueue(KEY, FIRST_VIEW)),
    call: (emails) => emails.transition(KEY, ["pending"], "ready"),
    result: { state: "ready", attempts: 0 },
  },
  {
    name: "claimAwaitingAi",
    given: (emails) => nothing(awaiting(emails)),
    call: (emails) => emails.claimAwaitingAi(KEY, "ann@example.com"),
    result: { state: "ai_dispatched", attempts: 0 },
  },
  {
    name: "completeClaimedAi",
    given: (emails) => nothing(claimed(emails)),
    call: (emails) => emails.completeClaimedAi(KEY, "ann@example.com", "Two clips."),
    result: { state: "ready", attempts: 0 },
  },
  {
    name: "acquireSendingLease",
    given: (emails) => nothing(ready(emails)),
    call: (emails) => emails.acquireSendingLease(KEY, 60_000),
    result: { state: "sending", attempts: 1 },
  },
  {
    name: "acquireDueLeases",
    given: (emails) => nothing(ready(emails)),
    call: async (emails) => (await emails.acquireDueLeases({ durationMs: 60_000, limit: 5 }))[0],
    result: { state: "sending", attempts: 1 },
  },
  {
    name: "extendSendingLease",
    given: (emails) => tokenOf(leased(emails)),
    call: (emails, token) => emails.extendSendingLease(KEY, token, 90_000),
    result: { state: "sending", attempts: 1 },
  },
  {
    name: "transitionSending",
    given: (emails) => tokenOf(leased(emails)),
    call: (emails, token) => emails.transitionSending(KEY, token, "sent"),
    result: { state: "sent", attempts: 1 },
  },
  {
    name: "requeue",
    given: (emails) => nothing(settled(emails, "failed")),
    call: (emails) => emails.requeue(KEY),
    result: { state: "pending", attempts: 0 },
  },
];

/** These faults befall the first puts of the job, one each. */
export function onPuts(faults: readonly MemoryFault[]): FaultPlan {
  const left = [...faults];
  return ({ kind, key }, when) =>
    kind === "put" && key === JOB && when === "before" ? (left.shift() ?? null) : null;
}

/** The first send of a put of the job gets `fault`, and from then on nothing can be read. */
export function blindAfter(fault: MemoryFault): FaultPlan {
  let isBlind = false;
  return ({ kind, key }, when) => {
    if (key !== JOB || when === "after") return null;
    if (kind === "get") return isBlind ? "unavailable" : null;
    isBlind = true;
    return fault;
  };
}
