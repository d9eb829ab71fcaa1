/** Jobs, roots and commands that the tests of the query machine start from. */
import { assert } from "../../../src/core/assert.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { durationMs, type EpochMs, epochMs, minutes } from "../../../src/core/time.ts";
import { acceptedEvent, admitted } from "../../../src/machines/queries/admission.ts";
import type { KnownQuery } from "../../../src/machines/queries/changes.ts";
import type { QueryCommand, QueryRules } from "../../../src/machines/queries/commands.ts";
import { decideQuery } from "../../../src/machines/queries/decide.ts";
import type { QueryEvent } from "../../../src/machines/queries/events.ts";
import { foldJob, type QueryJob } from "../../../src/machines/queries/fold.ts";
import { parseQueryRequest, type QueryRequest } from "../../../src/machines/queries/request.ts";
import type { LiveRoot } from "../../../src/machines/queries/root.ts";
import type { QueryStatus } from "../../../src/machines/queries/statuses.ts";

export const CLIENT_JOB_ID = "11111111-1111-4111-8111-111111111111";
export const JOB_ID = "22222222-2222-4222-9222-222222222222";
export const NEXT_JOB_ID = "33333333-3333-4333-a333-333333333333";
export const TURN_ID = "44444444-4444-4444-b444-444444444444";

/** 2026-07-01T00:00:00.000Z. */
const START = 1_782_864_000_000;

/** `ms` after the admission. */
export function at(ms: number): EpochMs {
  return epochMs(START + ms);
}

export const RULES: QueryRules = {
  retentionMs: minutes(7 * 24 * 60),
  admissionTimeoutMs: null,
};

/** Of the golden vectors. */
export const RAW = {
  clientJobId: CLIENT_JOB_ID,
  generation: 1,
  query: "durable prompt",
  sessionId: "session-durable-1",
  activityToolMode: "preview",
};

export function request(fields: object = {}): QueryRequest {
  const parsed = parseQueryRequest({ ...RAW, ...fields });
  assert(parsed.ok, parsed.ok ? "" : parsed.problem.code);
  return parsed.request;
}

export function accepted(fields: object = {}) {
  return acceptedEvent(request(fields), { turnId: TURN_ID, base: null }, at(0), RULES);
}

/** The job after `events`, from its first. */
export function folded(events: readonly QueryEvent[]): QueryJob {
  const job = foldJob(null, JOB_ID, { first: 1, events });
  assert(job.ok, job.ok ? "" : job.reason);
  return job.state;
}

export function newJob(fields: object = {}): QueryJob {
  return folded([accepted(fields)]);
}

export function newRoot(fields: object = {}): LiveRoot {
  return admitted(null, JOB_ID, accepted(fields));
}

export const TOKEN = "token-a";
export const TOKEN_HASH = sha256Hex(TOKEN);

export const START_RUN = {
  kind: "start",
  generation: 1,
  token: TOKEN,
  leaseMs: durationMs(60_000),
  owner: null,
  heldUntil: null,
} as const;

const held = { token: TOKEN } as const;

export const RUNNING = { kind: "running", ...held, linkage: {} } as const;
export const LINK = { kind: "linkage", ...held, linkage: { claudeRunId: "run-1" } } as const;
export const HEARTBEAT = { kind: "heartbeat", ...held } as const;
export const CANCEL = { kind: "cancel", generation: 1 } as const;
export const ACKNOWLEDGE = { kind: "acknowledge", generation: 1 } as const;
export const FAIL = {
  kind: "fail",
  ...held,
  error: { code: "provider_down", message: "it is down" },
} as const;
export const INTERRUPT = { kind: "interrupt", ...held, reason: null, fencedUntil: null } as const;
export const RECOVER = {
  kind: "recover",
  leaseUntil: null,
  owner: null,
  fencedUntil: null,
} as const;

export function chunk(delta: string, isTruncated = false) {
  return { kind: "chunk", ...held, delta, isTruncated } as const;
}

export function activity(kind: "status" | "input" | "output" | "gap", text: string) {
  return { kind: "activity", ...held, activity: kind, text } as const;
}

export function answerReady(text: string, linkage: unknown = {}) {
  return { kind: "answer_ready", ...held, text, linkage } as const;
}

export function complete(text: string, fields: object = {}) {
  return {
    kind: "complete",
    ...held,
    text,
    attachments: [],
    outputImageStats: null,
    linkage: {},
    ...fields,
  } as const;
}

export function decide(
  job: KnownQuery,
  command: QueryCommand,
  now: EpochMs = at(1_000),
  rules: QueryRules = RULES,
) {
  return decideQuery(job, command, now, rules);
}

/** The event that `command` appends, which it must. */
export function appended(job: QueryJob, command: QueryCommand, now?: EpochMs): QueryEvent {
  const decision = decide(job, command, now);
  assert(decision.kind === "append", `not appended: ${JSON.stringify(decision)}`);
  return decision.event;
}

/** The job after `commands`, each of which must append an event. */
export function became(job: QueryJob, ...commands: readonly QueryCommand[]): QueryJob {
  let state = job;
  for (const command of commands) {
    const events = [appended(state, command)];
    const next = foldJob(state, JOB_ID, { first: state.head.seq + 1, events });
    assert(next.ok, next.ok ? "" : next.reason);
    state = next.state;
  }
  return state;
}

export const starting = (): QueryJob => became(newJob(), START_RUN);
export const running = (): QueryJob => became(newJob(), START_RUN, RUNNING);

/** A job of every status, each reached by commands; the terminal ones by whoever held the run. */
export function jobIn(status: QueryStatus): QueryJob {
  switch (status) {
    case "accepted":
      return newJob();
    case "starting":
      return starting();
    case "running":
      return running();
    case "answer_ready":
      return became(running(), chunk("answer"), answerReady("answer"));
    case "completed":
      return became(running(), complete("answer"));
    case "failed":
      return became(running(), FAIL);
    case "canceled":
      return became(running(), CANCEL);
    case "interrupted":
      return became(running(), INTERRUPT);
  }
}

export const NOT_APPLIED = { kind: "unchanged", isApplied: false };
export const APPLIED_ALREADY = { kind: "unchanged", isApplied: true };

/** What a refusal of `job` looks like: its kind, with the status and time that it names. */
export function refused(kind: string, { head }: QueryJob, fields: object = {}) {
  return {
    kind: "reject",
    rejection: { kind, status: head.status, updatedAt: head.updatedAt, ...fields },
  };
}
