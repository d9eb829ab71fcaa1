/** Which jobs a person may claim to write their text (EMAIL-86). Claiming is `claimAwaitingAi`. */
import { parseIsoTime } from "../../core/time.ts";
import { AI_STALE_MS } from "../../machines/emails/due.ts";
import type { Emails, Job } from "../../services/emails.ts";
import { checkedReads, type Reads } from "./reads.ts";
import type { EmailRepository, ReadContext } from "./repository.ts";

export interface ClaimableOptions extends ReadContext {
  /** Of the same tenant. */
  readonly emails: Pick<Emails, "listPage" | "readConfig">;
  readonly repository: EmailRepository;
  /** Whether the person may open a recording, by the application's own rules. */
  readonly canOpen: (recordingId: string, person: string) => Promise<boolean>;
  /** The address of whoever is signed in. */
  readonly person: string;
  /** ISO 8601. */
  readonly now: string;
  /** 1 to 10, the default. */
  readonly limit?: number;
}

/** Jobs of one call: as the original. */
const CLAIMS_MAX = 10;

const PAGE = 100;

/**
 * The `two-clips` jobs whose text `person` may write: those that wait for one, then those that were
 * claimed 30 minutes ago or earlier (for `reclaimStaleAiDispatch`). A recipient may; so may whoever
 * caused the job with the second share, if they own, were shared or have watched each recording. Both
 * recordings have to be open to them, and shared with the recipient since emails are made.
 *
 * No text of a recording is read. What cannot be judged is passed over, and thrown only where nothing
 * else is found. Reads the list of all jobs until it has found enough, or `signal` is aborted.
 */
export async function claimableEmails(options: ClaimableOptions): Promise<readonly Job[]> {
  const since = (await options.emails.readConfig())?.enabledAt;
  if (since === undefined) return [];
  const limit = Math.min(Math.max(options.limit ?? CLAIMS_MAX, 1), CLAIMS_MAX);
  const { tenant, signal, canOpen } = options;
  const claim: Claim = {
    reads: checkedReads(options.repository),
    context: { tenant, signal },
    person: normal(options.person),
    canOpen,
  };
  const claimable: Job[] = [];
  let trouble: { readonly error: unknown } | null = null;
  for await (const job of candidates(options)) {
    try {
      if (await isClaimable(claim, job, since)) claimable.push(job);
    } catch (error) {
      trouble = { error };
    }
    if (claimable.length >= limit) break;
  }
  if (claimable.length === 0 && trouble !== null) throw trouble.error;
  return claimable;
}

async function* candidates({ emails, now, signal }: ClaimableOptions): AsyncGenerator<Job> {
  const staleAt = (parseIsoTime(now) ?? 0) - AI_STALE_MS;
  for (const state of ["awaiting_ai", "ai_dispatched"] as const) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Emails["listPage"]>> = await emails.listPage({
        limit: PAGE,
        state,
        cursor,
      });
      for (const job of page.jobs) {
        if (signal.aborted) return;
        const claimedAt = parseIsoTime(job.aiDispatchedAt ?? job.updatedAt) ?? 0;
        const isFree = state === "awaiting_ai" || claimedAt <= staleAt;
        if (job.type === "two-clips" && isFree) yield job;
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}

interface Claim extends Pick<ClaimableOptions, "canOpen"> {
  readonly reads: Reads;
  readonly context: ReadContext;
  /** Trimmed and lower-case. */
  readonly person: string;
}

async function isClaimable(claim: Claim, job: Job, since: string): Promise<boolean> {
  const { reads, context, person, canOpen } = claim;
  const recipient = normal(job.recipient);
  const isRecipient = recipient === person;
  if (!isRecipient && normal(job.requestedBy ?? "") !== person) return false;
  const recordingIds = job.recordingIds ?? [];
  if (recordingIds.length !== 2) return false;
  for (const recordingId of recordingIds) {
    if (!(await canOpen(recordingId, person))) return false;
    if (!isRecipient && !(await isRelated(claim, recordingId))) return false;
    const share = await reads.shareWith({ recordingId, recipient, since }, context);
    if (share === null) return false;
  }
  return true;
}

/** Whether they own the recording, were given it or have watched it: to be able to open it is not enough. */
async function isRelated(claim: Claim, recordingId: string): Promise<boolean> {
  const { reads, context, person } = claim;
  const recording = await reads.recording(recordingId, context);
  if (recording !== null && normal(recording.owner) === person) return true;
  const of = { recordingId, recipient: person, since: null };
  if ((await reads.shareWith(of, context)) !== null) return true;
  return reads.hasViewed({ recordingId, viewer: person }, context);
}

function normal(address: string): string {
  return address.trim().toLowerCase();
}
