/** Single calls, each made twice: on the service and on the reference model. */
import type { EmailStateName, SettledState } from "../../../src/machines/emails/fields.ts";
import type { Emails, Job } from "../../../src/services/emails.ts";
import { FIRST_VIEW, TWO_CLIPS } from "./given.ts";
import type { Answer, Model, Texts } from "./model.ts";

/** The jobs of a run, in the order of their ids (6c49…, b57e…, dcf9…). */
export const TARGETS = [
  { key: "two-clips:ann@example.com", payload: TWO_CLIPS },
  { key: "first-view:share-3", payload: FIRST_VIEW },
  { key: "first-import:ann@example.com", payload: { ...FIRST_VIEW, type: "first-import" } },
] as const;

const KEYS = TARGETS.map((target) => target.key);

/** One run: the same calls on the service and on the model. */
export interface Run {
  /** Two instances on the same data. */
  readonly emails: readonly [Emails, Emails];
  readonly model: Model;
  /** Every token that was ever answered, by key, latest first. */
  readonly tokens: Map<string, string[]>;
  /** Every job that was ever answered, latest first: handles, most of them stale. */
  readonly jobs: Job[];
  readonly advance: (ms: number) => void;
}

export interface Call {
  readonly emails: Emails;
  readonly target: (typeof TARGETS)[number];
  readonly key: string;
  /** The key, or an earlier answer in its place. */
  readonly ref: string | Job;
  readonly run: Run;
}

/** A call whose answer is a job, null or an error. */
export interface JobCall {
  readonly say: string;
  readonly real: (call: Call) => Promise<Job | { created: boolean; job: Job } | null>;
  readonly model: (model: Model, call: Call) => Answer;
}

/** Which token a call brings; undefined: none. */
export type TokenOf = (call: Call) => string | undefined;

export const enqueueCall = (
  state: "pending" | "awaiting_ai",
  recipient: string,
  mode: "return" | "conflict",
): JobCall => ({
  say: `enqueue as ${state} to ${recipient}, ${mode}`,
  real: ({ emails, key, target }) =>
    emails.enqueue(key, { ...target.payload, recipient }, state, { onPayloadMismatch: mode }),
  model: (model, { key, target }) =>
    model.enqueue(key, { ...target.payload, recipient }, state, mode === "conflict"),
});

export const convergeCall = (recording: string): JobCall => ({
  say: `converge to ${recording}`,
  real: ({ emails }) => emails.enqueueOrConvergeFirstImport("ann@example.com", recording, "carol"),
  model: (model) => model.converge("ann@example.com", recording, "carol"),
});

export const readCall: JobCall = {
  say: "read",
  real: ({ emails, ref }) => emails.readJob(ref),
  model: (model, { key }) => model.read(key),
};

export const moveCall = (
  from: readonly EmailStateName[],
  to: EmailStateName,
  changes: Texts,
): JobCall => ({
  say: `move from ${from.join()} to ${to}`,
  real: ({ emails, ref }) => emails.transition(ref, from, to, changes),
  model: (model, { key }) => model.transition(key, from, to, changes),
});

export const claimCall = (person: string): JobCall => ({
  say: `claim for ${person}`,
  real: ({ emails, ref }) => emails.claimAwaitingAi(ref, person),
  model: (model, { key }) => model.claim(key, person),
});

export const claimNextCall = (person: string | null): JobCall => ({
  say: `claim the next for ${person}`,
  real: ({ emails }) => emails.claimNextAwaitingAi(person ?? undefined),
  model: (model) => model.claimNext(person, KEYS),
});

export const reclaimCall = (person: string, ageMs: number): JobCall => ({
  say: `reclaim for ${person} what is ${ageMs} ms old`,
  real: ({ emails, ref, run }) => {
    const staleBefore = new Date(run.model.now() - ageMs).toISOString();
    return emails.reclaimStaleAiDispatch(ref, person, staleBefore);
  },
  model: (model, { key }) => model.reclaim(key, person, model.now() - ageMs),
});

export const completeCall = (person: string, token: TokenOf): JobCall => ({
  say: `complete for ${person}`,
  real: (call) => call.emails.completeClaimedAi(call.ref, person, "A text.", token(call)),
  model: (model, call) => model.complete(call.key, person, "A text.", token(call)),
});

export const releaseCall = (person: string, token: TokenOf): JobCall => ({
  say: `release for ${person}`,
  real: (call) => call.emails.releaseClaimedAi(call.ref, person, token(call)),
  model: (model, call) => model.release(call.key, person, token(call)),
});

export const acquireCall = (ms: number, requestId: string | null): JobCall => ({
  say: `acquire for ${ms} ms by ${requestId}`,
  real: ({ emails, ref }) =>
    emails.acquireSendingLease(ref, ms, requestId === null ? {} : { requestId }),
  model: (model, { key }) => model.acquire(key, ms, requestId),
});

export const extendCall = (token: TokenOf, ms: number): JobCall => ({
  say: `extend for ${ms} ms`,
  real: (call) => call.emails.extendSendingLease(call.ref, token(call) ?? "none", ms),
  model: (model, call) => model.extend(call.key, token(call) ?? "none", ms),
});

export const settleCall = (token: TokenOf, to: SettledState, changes: Texts): JobCall => ({
  say: `settle to ${to}`,
  real: (call) => call.emails.transitionSending(call.ref, token(call) ?? "none", to, changes),
  model: (model, call) => model.settle(call.key, token(call) ?? "none", to, changes),
});

export const requeueCall: JobCall = {
  say: "requeue",
  real: ({ emails, ref }) => emails.requeue(ref),
  model: (model, { key }) => model.requeue(key),
};

interface Plan {
  readonly person: string;
  readonly end: SettledState;
  readonly ms: number;
}

/** What the life of the job brings next, so that runs get further than chance alone would. */
export const onwardsCall = (plan: Plan): JobCall => ({
  say: `go on to ${plan.end}`,
  real: (call) => onwards(call, plan).real(call),
  model: (model, call) => onwards(call, plan).model(model, call),
});

function onwards({ run, key }: Call, { person, end, ms }: Plan): JobCall {
  const { type, state, aiClaimedBy, leaseToken } = Object(run.model.read(key));
  switch (state) {
    case "pending":
      return moveCall(["pending"], type === "two-clips" ? "awaiting_ai" : "ready", {});
    case "awaiting_ai":
      return type === "two-clips" ? claimCall(person) : claimNextCall(person);
    case "ai_dispatched":
      return completeCall(aiClaimedBy ?? person, () => undefined);
    case "ready":
      return acquireCall(ms, null);
    case "sending":
      return settleCall(() => leaseToken, end, { lastError: "timeout" });
    case "failed":
      return requeueCall;
    default:
      return enqueueCall("pending", "ann@example.com", "return");
  }
}
