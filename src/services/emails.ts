/**
 * The email service: the original store's methods under their names, with their parameters and results,
 * on any storage (semantics A3). Null means that the job is missing or not eligible, never that it is
 * busy: contention is waited out, then thrown as ContendedError.
 */
import type { EmailConfig, EmailCursor } from "../machines/emails/config.ts";
import type { EmailStateName, SettledState } from "../machines/emails/fields.ts";
import type { EmailCursorName } from "../machines/emails/inputs.ts";
import type { StoredEmailJob } from "../machines/emails/record.ts";
import type { CorruptRecord } from "../store/store.ts";
import {
  type BatchResult,
  type EmailBatches,
  type EnqueueItem,
  emailBatches,
} from "./email-batches.ts";
import {
  type EmailCommands,
  type EmailDeps,
  type EmailRef,
  type ErasedJob,
  emailCommands,
} from "./email-commands.ts";
import { type EmailConfigService, emailConfig } from "./email-config.ts";
import { type EmailLists, emailLists, type JobPage, type JobPageOptions } from "./email-lists.ts";
import {
  claims,
  type Enqueue,
  enqueued,
  enqueueWith,
  firstImports,
  leases,
  transitions,
} from "./email-methods.ts";
import { checkedOptions } from "./input.ts";

export type { EmailRef, ErasedJob } from "./email-commands.ts";

/** A job as it is stored: the original's fields, and its payload's own, flat. Frozen. */
export type Job = StoredEmailJob;

/** A job that the caller holds a lease of. */
export type LeasedJob = Job & { readonly leaseToken: string; readonly leaseUntil: string };

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
  /** One page, the pages in the storage's own order. Throws InvalidCursorError. */
  listPage(options: JobPageOptions): Promise<JobPage>;
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
  ): Promise<LeasedJob | null>;
  /** Up to `limit` (1 to 100) jobs that are due, oldest due first. */
  acquireDueLeases(options: { durationMs: number; limit: number }): Promise<readonly LeasedJob[]>;
  /** leaseUntil = now + `leaseMs`, also after it ran out while nobody took it over. */
  extendSendingLease(key: EmailRef, leaseToken: string, leaseMs: number): Promise<LeasedJob | null>;
  /** Ends a lease; the same settlement again answers the stored job (EMAIL-44 to 48). */
  transitionSending(
    key: EmailRef,
    leaseToken: string,
    to: SettledState,
    changes?: { lastError?: string | null },
  ): Promise<Job | null>;
  /** failed → pending, a new life with all its attempts. */
  requeue(key: EmailRef): Promise<Job | null>;
  /**
   * Removes everything personal from a job, its key included; null while it is `sending`. The key is
   * never used again: `enqueue` throws JobErasedError. A repeat is answered as before.
   */
  erase(key: EmailRef): Promise<ErasedJob | null>;
  /** Replaces jobs past their retention by tombstones, at most `limit` (1 to 1,000); how many. */
  retireExpired(limit: number): Promise<number>;
  ensureEnabledAt(): Promise<EmailConfig>;
  updateReconciliationCursor(
    name: EmailCursorName,
    cursor: EmailCursor | null,
  ): Promise<EmailConfig>;
  readConfig(): Promise<EmailConfig | null>;
}

/** What the HTTP routes and the passes of one tenant are made of, and the library's methods. */
export interface EmailService {
  readonly commands: EmailCommands;
  readonly enqueue: Enqueue;
  readonly config: EmailConfigService;
  readonly lists: EmailLists;
  readonly batches: EmailBatches;
}

export function createEmailService(deps: EmailDeps): EmailService {
  const commands = emailCommands(deps);
  const enqueue = enqueueWith(deps, commands);
  return {
    ...{ commands, enqueue },
    config: emailConfig(deps),
    lists: emailLists(deps, commands),
    batches: emailBatches(deps, commands, enqueue),
  };
}

/** The library's methods, which no service needs that only serves HTTP. */
export function emailsOf({ commands, enqueue, config, lists, batches }: EmailService): Emails {
  return {
    async enqueue(logicalKey, payload, initialState = "pending", options = {}) {
      checkedOptions(options, "options");
      return enqueued(await enqueue({ ...options, logicalKey, payload, initialState }));
    },
    ...firstImports(commands),
    ...transitions(commands),
    ...claims(commands),
    ...leases(commands),
    ...batches,
    ...lists,
    ensureEnabledAt: async () => (await config.ensure()).config,
    updateReconciliationCursor: (name, cursor) => config.setCursor(name, cursor),
    readConfig: () => config.read(),
    async readJob(key) {
      const found = await commands.read(key);
      return found.kind === "found" ? found.job : null;
    },
    async erase(key) {
      const outcome = await commands.erase(key);
      return outcome.kind === "rejected" ? null : outcome.job;
    },
  };
}
