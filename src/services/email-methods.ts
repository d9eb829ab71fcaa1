/** The methods that are one command on one job: what they check, and what they make of the answer. */
import { durationMs, epochMs, parseIsoTime } from "../core/time.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import { parsePayload } from "../machines/emails/payload.ts";
import { validLogicalKey } from "../machines/emails/record.ts";
import { firstImportKey } from "../machines/emails/transitions.ts";
import type { EnqueueItem } from "./email-batches.ts";
import {
  type EmailAnswer,
  type EmailCommands,
  type EmailDeps,
  type EmailOutcome,
  isLeased,
} from "./email-commands.ts";
import type { ClaimedJob, Emails, Enqueued, Job, LeasedJob } from "./emails.ts";
import {
  InvalidInputError,
  InvalidTransitionError,
  JobErasedError,
  JobExpiredError,
  JobPayloadConflictError,
} from "./errors.ts";
import { checked, checkedOptional, checkedOptions, issueBelow } from "./input.ts";

/** Checks an item and enqueues it. The answer tells why it was refused; see `enqueued`. */
export type Enqueue = (item: EnqueueItem) => Promise<EmailOutcome>;

export function enqueueWith({ kinds }: EmailDeps, commands: EmailCommands): Enqueue {
  return async (item) => {
    const key = validLogicalKey(item.logicalKey);
    const payload = parsePayload(item.payload, kinds);
    const issues = [
      ...(key.ok ? [] : [{ path: "logicalKey", message: key.message }]),
      ...(payload.ok ? [] : payload.issues.map((issue) => issueBelow("payload", issue))),
    ];
    if (!key.ok || !payload.ok) throw new InvalidInputError(issues);
    return commands.run(key.key, {
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
  };
}

export function firstImports(
  commands: EmailCommands,
): Pick<Emails, "enqueueOrConvergeFirstImport"> {
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

export function transitions(commands: EmailCommands): Pick<Emails, "transition" | "requeue"> {
  return {
    async transition(key, from, to, changes = {}) {
      checkedOptions(changes, "changes");
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

export function claims(
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

export function leases(
  commands: EmailCommands,
): Pick<Emails, "acquireSendingLease" | "extendSendingLease" | "transitionSending"> {
  const token = (value: unknown): string => checked(emailInputs.token, value, "leaseToken");
  const duration = (value: unknown) => durationMs(checked(emailInputs.leaseMs, value, "leaseMs"));
  return {
    async acquireSendingLease(key, leaseMs, options = {}) {
      checkedOptions(options, "options");
      const outcome = await commands.run(key, {
        kind: "acquire",
        leaseMs: duration(leaseMs),
        requestId: checkedOptional(emailInputs.requestId, options.requestId, "requestId") ?? null,
        leaseToken: commands.freshToken(),
      });
      return leasedOrNull(jobOrNull(outcome));
    },
    async extendSendingLease(key, leaseToken, leaseMs) {
      return leasedOrNull(
        jobOrNull(
          await commands.run(key, {
            kind: "extend",
            leaseToken: token(leaseToken),
            leaseMs: duration(leaseMs),
          }),
        ),
      );
    },
    async transitionSending(key, leaseToken, to, changes = {}) {
      checkedOptions(changes, "changes");
      const lastError = checkedOptional(emailInputs.lastError, changes.lastError, "lastError");
      const outcome = await commands.run(key, {
        kind: "settle",
        leaseToken: token(leaseToken),
        to: checked(emailInputs.settleTo, to, "to"),
        ...(lastError === undefined ? {} : { lastError }),
      });
      return jobOrNull(outcome);
    },
  };
}

/** What a create answers; throws the refusals that it has. */
export function enqueued(outcome: EmailOutcome): Enqueued {
  const { job, created } = answered(outcome);
  return { created, job };
}

function leasedOrNull(job: Job | null): LeasedJob | null {
  return job !== null && isLeased(job) ? job : null;
}

function claimed(commands: EmailCommands, outcome: EmailOutcome): ClaimedJob | null {
  const job = jobOrNull(outcome);
  if (job === null || outcome.kind === "rejected") return null;
  const { claimToken } = outcome.email.extra;
  return claimToken === null ? null : commands.alias(job, { claimToken });
}

function answered(outcome: EmailOutcome): EmailAnswer {
  if (outcome.kind !== "rejected") return outcome;
  const { rejection } = outcome;
  if (rejection.kind === "job_payload_conflict") {
    throw new JobPayloadConflictError("the key belongs to a job with another payload");
  }
  if (rejection.kind === "erased") {
    throw new JobErasedError("the key belongs to a job that was erased; it is never used again");
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
