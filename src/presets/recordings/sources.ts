/** Where the four kinds of email are found (semantics A7): one scan for each. */
import { epochMs, isoTime, parseIsoTime } from "../../core/time.ts";
import type { DiscoveredEmail, Source, SourceJob, SourceRequest } from "../../ports/source.ts";
import type { Mailable } from "./mailable.ts";
import { jobsOfPage } from "./page-jobs.ts";
import type { Reads } from "./reads.ts";
import type { PageRequest, ReadContext, Share } from "./repository.ts";

/** 48 hours, to the millisecond (EMAIL-70). */
const REMINDER_MS = 172_800_000;

/** What has to be shared with somebody before they are told. */
const CLIPS = 2;

/** In the order of the original's pass. Named as its scans, so that they go on at its cursors. */
export function recordingSources(reads: Reads, mailable: Mailable): readonly Source[] {
  return [
    shareDiscovery(reads, mailable),
    reminders(reads, mailable),
    firstViews(reads, mailable),
    firstImports(reads, mailable),
  ];
}

/** EMAIL-68, EMAIL-69: the second recording that is shared with somebody who has none of their own. */
function shareDiscovery(reads: Reads, mailable: Mailable): Source {
  return {
    name: "share-discovery",
    async scan(request) {
      const page = await reads.shares({ ...pageRequest(request), until: null });
      const recipients = page.rows.map(({ recipient }) => mailable(recipient));
      return jobsOfPage(page, request, recipients, async (recipient) => {
        if (await reads.ownsRecording(recipient, contextOf(request))) return null;
        const of = { recipient, since: request.since, limit: CLIPS };
        const [one, other] = await reads.firstShares(of, contextOf(request));
        return one === undefined || other === undefined ? null : twoClips(recipient, one, other);
      });
    },
  };
}

function twoClips(recipient: string, one: Share, other: Share): DiscoveredEmail {
  return {
    logicalKey: `two-clips:${recipient}`,
    payload: {
      type: "two-clips",
      recipient,
      recordingIds: [one.recordingId, other.recordingId],
      shareId: other.id,
      requestedBy: other.sharedBy,
    },
    initialState: "awaiting_ai",
  };
}

function reminders(reads: Reads, mailable: Mailable): Source {
  return {
    name: "reminder",
    async scan(request) {
      const dueSince = (parseIsoTime(request.now) ?? 0) - REMINDER_MS;
      const until = isoTime(epochMs(Math.max(0, dueSince)));
      const page = await reads.shares({ ...pageRequest(request), until });
      return jobsOfPage(page, request, page.rows, async (share) => reminder(share, mailable));
    },
  };
}

function reminder(share: Share, mailable: Mailable): DiscoveredEmail | null {
  const recipient = mailable(share.recipient);
  if (recipient === null) return null;
  return {
    logicalKey: `unviewed-reminder:${share.id}`,
    payload: {
      type: "unviewed-reminder",
      recipient,
      recordingIds: [share.recordingId],
      shareId: share.id,
      requestedBy: share.sharedBy,
    },
  };
}

/** The first view of a recording ever, if it was not before emails were made. */
function firstViews(reads: Reads, mailable: Mailable): Source {
  return {
    name: "first-view",
    async scan(request) {
      const page = await reads.views(pageRequest(request));
      const recordingIds = page.rows.map(({ recordingId }) => recordingId);
      return jobsOfPage(page, request, recordingIds, async (recordingId) => {
        const first = await reads.firstView(recordingId, contextOf(request));
        if (first === null || isBefore(first.createdAt, request.since)) return null;
        const recipient = mailable(first.owner);
        return recipient === null ? null : firstView(recordingId, recipient);
      });
    },
  };
}

function firstView(recordingId: string, recipient: string): DiscoveredEmail {
  return {
    logicalKey: `first-view:${recordingId}`,
    payload: {
      type: "first-view",
      recipient,
      recordingIds: [recordingId],
      requestedBy: recipient,
    },
  };
}

function firstImports(reads: Reads, mailable: Mailable): Source {
  return {
    name: "first-import",
    async scan(request) {
      const page = await reads.imports(pageRequest(request));
      const owners = page.rows.map(({ owner }) => mailable(owner));
      return jobsOfPage(page, request, owners, async (owner): Promise<SourceJob | null> => {
        const first = await reads.firstImport({ owner, since: request.since }, contextOf(request));
        if (first === null) return null;
        return { firstImport: { recipient: owner, recordingId: first.id, requestedBy: owner } };
      });
    },
  };
}

function pageRequest({ tenant, since, after, limit, signal }: SourceRequest): PageRequest {
  return { tenant, since, after, limit, signal };
}

function contextOf({ tenant, signal }: SourceRequest): ReadContext {
  return { tenant, signal };
}

function isBefore(createdAt: string, since: string): boolean {
  return (parseIsoTime(createdAt) ?? 0) < (parseIsoTime(since) ?? 0);
}
