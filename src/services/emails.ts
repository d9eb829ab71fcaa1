/**
 * The email service: the original store's methods under their names, with their parameters and results,
 * on any storage (semantics A3). Null means that the job is missing or not eligible, never that it is
 * busy: contention is waited out, then thrown as ContendedError.
 */
import { durationMs, epochMs, parseIsoTime } from "../core/time.ts";
import type { EmailConfig, EmailCursor } from "../machines/emails/config.ts";
import type { EmailStateName, SettledState } from "../machines/emails/fields.ts";
import { type EmailCursorName, emailInputs } from "../machines/emails/inputs.ts";
import { parsePayload } from "../machines/emails/payload.ts";
import { type StoredEmailJob, validLogicalKey } from "../machines/emails/record.ts";
import { firstImportKey } from "../machines/emails/transitions.ts";
import type { CorruptRecord } from "../store/store.ts";
import { type BatchResult, type EnqueueItem, emailBatches, type JobPage } from "./email-batches.ts";
import {
  type EmailAnswer,
  type EmailCommands,
  type EmailDeps,
  type EmailOutcome,
  type EmailRef,
  emailCommands,
} from "./email-commands.ts";
import { emailConfig } from "./email-config.ts";
import {
  InvalidInputError,
  InvalidTransitionError,
  JobExpiredError,
  JobPayloadConflictError,
} from "./errors.ts";
import { checked, checkedOptional, issueBelow } from "./input.ts";

export type { EmailRef } from "./email-commands.ts";

/** A job as it is stored: the original's fields, and its payload's own, flat. Frozen. */
export type Job = StoredEmailJob;

/** A claimed job, with the token that tells this claim from any other of the same claimant. */
export type ClaimedJob = Job & { readonly claimToken: string };

export interface EnqueueOptions {
  /** Not delivered before this instant; ISO 8601. A direct `acquireSendingLease` does not wait. */
  readonly notBefore?: string;
  /** `conflict`: throw JobPayloadConflictError where the key belongs to another payload. */
  readonly onPayloadMismatch?: "return" | "conflict";
}

export interface Enqueued {
  readonly created: boolean;
  /** The stored job, whatever it holds. */
  readonly job: Job;
}

export interface Emails {
  /** Creates the job of a logical key once; later calls answer the stored job (EMAIL-1 to 8). */
  enqueue(
    logicalKey: string,
    payload: unknown,
    initialState?: "pending" | "awaiting_ai",
    options?: EnqueueOptions,
  ): Promise<Enqueued>;
  /** 1 to 100 items, each with the verdict it would have alone; one's failure stops no other. */
  enqueueBatch(items: readonly EnqueueItem[]): Promise<readonly BatchResult[]>;
  /** The recipient's first-import job, turned to this recording where it still can (EMAIL-51 to 55). */
  enqueueOrConvergeFirstImport(
    recipient: string,
    recordingId: string,
    requestedBy: string,
  ): Promise<Enqueued>;
  readJob(key: EmailRef): Promise<Job | null>;
  /** All jobs, oldest first; unreadable ones are told in `corrupt` (EMAIL-14, 15). */
  listJobs(): Promise<readonly Job[] & { readonly corrupt: readonly CorruptRecord[] }>;
  /** One page in the storage's own order, 1 to 1,000 jobs. */
  listPage(options: { limit: number; cursor?: string | null }): Promise<JobPage>;
  /** Moves a job by the table of semantics A2. Throws InvalidTransitionError (EMAIL-18 to 26). */
  transition(
    key: EmailRef,
    from: readonly EmailStateName[],
    to: EmailStateName,
    changes?: { generatedSummary?: string; lastError?: string | null },
  ): Promise<Job | null>;
  claimAwaitingAi(key: EmailRef, claimant: string): Promise<ClaimedJob | null>;
  reclaimStaleAiDispatch(
    key: EmailRef,
    claimant: string,
    staleBefore: string,
  ): Promise<ClaimedJob | null>;
  /** With `claimToken` only that very claim completes (EMAIL-36); without, the claimant's latest. */
  completeClaimedAi(
    key: EmailRef,
    claimant: string,
    summary: string,
    claimToken?: string,
  ): Promise<Job | null>;
  releaseClaimedAi(key: EmailRef, claimant: string, claimToken?: string): Promise<Job | null>;
  /** The longest waiting job, of any kind. Without a claimant nobody can complete it (EMAIL-37). */
  claimNextAwaitingAi(claimant?: string): Promise<ClaimedJob | null>;
  /** Leases a ready job, or one whose lease ran out, for 1 to 86,400,000 ms (EMAIL-39 to 43). */
  acquireSendingLease(
    key: EmailRef,
    leaseMs: number,
    options?: { requestId?: string },
  ): Promise<Job | null>;
  /** Up to `limit` (1 to 100) jobs that are due, oldest due first. */
  acquireDueLeases(options: { durationMs: number; limit: number }): Promise<readonly Job[]>;
  /** leaseUntil = now + `leaseMs`, also after it ran out while nobody took it over. */
  extendSendingLease(key: EmailRef, leaseToken: string, leaseMs: number): Promise<Job | null>;
  /** Ends a lease; the same settlement again answers the stored job (EMAIL-44 to 48). */
  transitionSending(
    key: EmailRef,
    leaseToken: string,
    to: SettledState,
    changes?: { lastError?: string | null },
  ): Promise<Job | null>;
  /** failed → pending, a new life with all its attempts. */
  requeue(key: EmailRef): Promise<Job | null>;
  /** Replaces jobs past their retention by tombstones, at most `limit` (1 to 1,000); how many. */
  retireExpired(limit: number): Promise<number>;
  ensureEnabledAt(): Promise<EmailConfig>;
  updateReconciliationCursor(
    name: EmailCursorName,
    cursor: EmailCursor | null,
  ): Promise<EmailConfig>;
  readConfig(): Promise<EmailConfig | null>;
}

export function createEmails(deps: EmailDeps): Emails {
  const commands = emailCommands(deps);
  const enqueue = enqueueWith(deps, commands);
  return {
    enqueue: (logicalKey, payload, initialState = "pending", options = {}) =>
      enqueue({ ...options, logicalKey, payload, initialState }),
    ...firstImports(commands),
    ...transitions(commands),
    ...claims(commands),
    ...leases(deps, commands),
    ...emailBatches(deps, commands, enqueue),
    ...emailConfig(deps),
    async readJob(key) {
      const state = await commands.read(key);
      return state?.kind === "live" ? state.job : null;
    },
  };
}

function enqueueWith(
  { kinds, observe }: EmailDeps,
  commands: EmailCommands,
): (item: EnqueueItem) => Promise<Enqueued> {
  return async (item) => {
    const key = validLogicalKey(item.logicalKey);
    const payload = parsePayload(item.payload, kinds);
    const issues = [
      ...(key.ok ? [] : [{ path: "logicalKey", message: key.message }]),
      ...(payload.ok ? [] : payload.issues.map((issue) => issueBelow("payload", issue))),
    ];
    if (!key.ok || !payload.ok) throw new InvalidInputError(issues);
    const outcome = await commands.run(key.key, {
      kind: "enqueue",
      logicalKey: key.key,
      payload: payload.payload,
      initialState:
        checkedOptional(emailInputs.initialState, item.initialState, "initialState") ?? "pending",
      notBefore: instant(checkedOptional(emailInputs.notBefore, item.notBefore, "notBefore")),
      onPayloadMismatch:
        checkedOptional(
          emailInputs.onPayloadMismatch,
          item.onPayloadMismatch,
          "onPayloadMismatch",
        ) ?? "return",
    });
    const answer = enqueued(outcome);
    observe(answer.created ? "email.enqueued" : "email.duplicate", 1);
    return answer;
  };
}

function firstImports(commands: EmailCommands): Pick<Emails, "enqueueOrConvergeFirstImport"> {
  return {
    async enqueueOrConvergeFirstImport(recipient, recordingId, requestedBy) {
      const to = checked(emailInputs.firstImportRecipient, recipient, "recipient");
      const outcome = await commands.run(firstImportKey(to), {
        kind: "converge",
        recipient: to,
        recordingId: checked(emailInputs.recordingId, recordingId, "recordingId"),
        requestedBy: checked(emailInputs.requestedBy, requestedBy, "requestedBy"),
      });
      return enqueued(outcome);
    },
  };
}

function transitions(commands: EmailCommands): Pick<Emails, "transition" | "requeue"> {
  return {
    async transition(key, from, to, changes = {}) {
      const generatedSummary = checkedOptional(
        emailInputs.generatedSummary,
        changes.generatedSummary,
        "generatedSummary",
      );
      const lastError = checkedOptional(emailInputs.lastError, changes.lastError, "lastError");
      return jobOrNull(
        await commands.run(key, {
          kind: "transition",
          from: checked(emailInputs.from, from, "from"),
          to: checked(emailInputs.state, to, "to"),
          ...(generatedSummary === undefined ? {} : { generatedSummary }),
          ...(lastError === undefined ? {} : { lastError }),
        }),
      );
    },
    requeue: async (key) => jobOrNull(await commands.run(key, { kind: "requeue" })),
  };
}

function claims(
  commands: EmailCommands,
): Pick<
  Emails,
  "claimAwaitingAi" | "reclaimStaleAiDispatch" | "completeClaimedAi" | "releaseClaimedAi"
> {
  const person = (value: unknown): string => checked(emailInputs.claimant, value, "claimant");
  const token = (value: unknown): string | null =>
    checkedOptional(emailInputs.token, value, "claimToken") ?? null;
  return {
    async claimAwaitingAi(key, claimant) {
      const claimToken = commands.freshToken();
      const command = { kind: "claim", claimant: person(claimant), claimToken } as const;
      return claimed(commands, await commands.run(key, command));
    },
    async reclaimStaleAiDispatch(key, claimant, staleBefore) {
      const before = instant(checked(emailInputs.staleBefore, staleBefore, "staleBefore"));
      return claimed(
        commands,
        await commands.run(key, {
          kind: "reclaim",
          claimant: person(claimant),
          staleBefore: before ?? epochMs(0),
          claimToken: commands.freshToken(),
        }),
      );
    },
    async completeClaimedAi(key, claimant, summary, claimToken) {
      return jobOrNull(
        await commands.run(key, {
          kind: "completeClaim",
          claimant: person(claimant),
          summary: checked(emailInputs.generatedSummary, summary, "summary"),
          claimToken: token(claimToken),
        }),
      );
    },
    async releaseClaimedAi(key, claimant, claimToken) {
      return jobOrNull(
        await commands.run(key, {
          kind: "releaseClaim",
          claimant: person(claimant),
          claimToken: token(claimToken),
        }),
      );
    },
  };
}

function leases(
  { observe }: EmailDeps,
  commands: EmailCommands,
): Pick<Emails, "acquireSendingLease" | "extendSendingLease" | "transitionSending"> {
  const token = (value: unknown): string => checked(emailInputs.token, value, "leaseToken");
  const duration = (value: unknown) => durationMs(checked(emailInputs.leaseMs, value, "leaseMs"));
  const counted = (outcome: EmailOutcome): Job | null => {
    const isLost = outcome.kind === "rejected" && outcome.rejection.kind === "lease_lost";
    if (isLost) observe("email.lease_lost", 1);
    return jobOrNull(outcome);
  };
  return {
    async acquireSendingLease(key, leaseMs, options = {}) {
      const outcome = await commands.run(key, {
        kind: "acquire",
        leaseMs: duration(leaseMs),
        requestId: checkedOptional(emailInputs.requestId, options.requestId, "requestId") ?? null,
        leaseToken: commands.freshToken(),
      });
      if (outcome.kind === "applied") observe("email.leased", 1);
      return jobOrNull(outcome);
    },
    async extendSendingLease(key, leaseToken, leaseMs) {
      return counted(
        await commands.run(key, {
          kind: "extend",
          leaseToken: token(leaseToken),
          leaseMs: duration(leaseMs),
        }),
      );
    },
    async transitionSending(key, leaseToken, to, changes = {}) {
      const lastError = checkedOptional(emailInputs.lastError, changes.lastError, "lastError");
      const outcome = await commands.run(key, {
        kind: "settle",
        leaseToken: token(leaseToken),
        to: checked(emailInputs.settleTo, to, "to"),
        ...(lastError === undefined ? {} : { lastError }),
      });
      if (outcome.kind === "applied") observe("email.settled", 1);
      return counted(outcome);
    },
  };
}

function enqueued(outcome: EmailOutcome): Enqueued {
  const { job, created } = answered(outcome);
  return { created, job };
}

function claimed(commands: EmailCommands, outcome: EmailOutcome): ClaimedJob | null {
  const job = jobOrNull(outcome);
  if (job === null || outcome.kind === "rejected") return null;
  const { claimToken } = outcome.email.extra;
  return claimToken === null ? null : commands.alias(job, Object.freeze({ ...job, claimToken }));
}

/** What a create answers; throws the refusals that it has. */
function answered(outcome: EmailOutcome): EmailAnswer {
  if (outcome.kind !== "rejected") return outcome;
  const { rejection } = outcome;
  if (rejection.kind === "job_payload_conflict") {
    throw new JobPayloadConflictError("the key belongs to a job with another payload");
  }
  throw new JobExpiredError("the key belongs to a job past its retention; it is never used again");
}

function jobOrNull(outcome: EmailOutcome): Job | null {
  if (outcome.kind !== "rejected") return outcome.job;
  const { rejection } = outcome;
  if (rejection.kind === "invalid_transition") throw new InvalidTransitionError(rejection);
  return null;
}

function instant(text: string | undefined): ReturnType<typeof parseIsoTime> {
  return text === undefined ? null : parseIsoTime(text);
}
