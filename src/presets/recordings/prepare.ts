/** Whether an email about recordings is still to be sent, asked just before, and what it says (EMAIL-82). */
import type { EmailContent, PrepareContext, PrepareEmail } from "../../machines/emails/content.ts";
import type { StoredEmailJob } from "../../machines/emails/job.ts";
import type { ProductFacts, SharedRecordingFacts } from "../../machines/emails/render/facts.ts";
import {
  renderFirstImport,
  renderFirstView,
  renderTwoClips,
  renderUnviewedReminder,
} from "../../machines/emails/render/presets.ts";
import type { Mailable } from "./mailable.ts";
import type { Reads } from "./reads.ts";
import type { Recording, Share } from "./repository.ts";

export interface Product {
  /** What the recordings belong to, as people call it. */
  readonly name: string;
  /** One line at the end of every email: why it came, who sends it. */
  readonly footer?: string;
}

export interface PrepareParts {
  readonly reads: Reads;
  readonly mailable: Mailable;
  readonly product: Product;
}

/** By the name of the kind. */
export type RecordingPrepares = Readonly<
  Record<"first-view" | "unviewed-reminder" | "first-import" | "two-clips", PrepareEmail>
>;

export function recordingPrepares(parts: PrepareParts): RecordingPrepares {
  const prepare =
    (render: (email: Email) => Promise<EmailContent | null>): PrepareEmail =>
    async (job, context) => {
      const email = await emailOf(parts, job, context);
      return email === null ? null : render(email);
    };
  return {
    "first-view": prepare(firstView),
    "unviewed-reminder": prepare(unviewedReminder),
    "first-import": prepare(firstImport),
    "two-clips": prepare(twoClips),
  };
}

/** What holds of every email: somebody who is mailed, and recordings that can be watched. */
interface Email {
  readonly reads: Reads;
  readonly context: PrepareContext;
  readonly job: StoredEmailJob;
  /** Trimmed and lower-case. */
  readonly recipient: string;
  /** The job's, in its order; one at least. */
  readonly recordings: readonly [Recording, ...Recording[]];
  /** Whether the recipient owns the first of them. */
  readonly isOwners: boolean;
  facts(): Promise<ProductFacts>;
}

async function emailOf(
  { reads, mailable, product }: PrepareParts,
  job: StoredEmailJob,
  context: PrepareContext,
): Promise<Email | null> {
  const recipient = mailable(job.recipient);
  if (recipient === null) return null;
  const ids = job.recordingIds ?? [];
  const found = await Promise.all(ids.map((id) => reads.recording(id, context)));
  const [first, ...others] = found.filter((recording) => recording !== null).filter(isWatchable);
  if (first === undefined || others.length + 1 !== ids.length) return null;
  return {
    reads,
    context,
    job,
    recipient,
    recordings: [first, ...others],
    isOwners: first.owner.trim().toLowerCase() === recipient,
    facts: async () => ({
      productName: product.name,
      footer: product.footer ?? null,
      recipientName: await reads.displayName(recipient, context),
    }),
  };
}

function isWatchable({ isReady, isArchived, isTrashed }: Recording): boolean {
  return isReady && !isArchived && !isTrashed;
}

async function firstView(email: Email): Promise<EmailContent | null> {
  const { reads, context, recordings, isOwners } = email;
  const [recording] = recordings;
  const view = isOwners ? await reads.firstView(recording.id, context) : null;
  if (view === null) return null;
  const viewerName = view.viewer === null ? null : await nameOf(email, view.viewer);
  return renderFirstView({ ...(await email.facts()), recording, viewerName });
}

async function unviewedReminder(email: Email): Promise<EmailContent | null> {
  const { reads, context, job, recipient, recordings } = email;
  const [recording] = recordings;
  const share = job.shareId === undefined ? null : await reads.share(job.shareId, context);
  if (share?.id !== job.shareId || !isGranted(share, recording, recipient)) return null;
  if (await reads.hasViewed({ recordingId: recording.id, viewer: recipient }, context)) return null;
  return renderUnviewedReminder({
    ...(await email.facts()),
    recording: await shared(email, recording, share),
  });
}

function isGranted(
  share: Share | null | undefined,
  recording: Recording,
  recipient: string,
): share is Share {
  return share?.recordingId === recording.id && share.recipient.trim().toLowerCase() === recipient;
}

async function firstImport(email: Email): Promise<EmailContent | null> {
  const { reads, context, recipient, recordings, isOwners } = email;
  const { since } = context;
  const [recording] = recordings;
  if (!isOwners) return null;
  // Taken for invalid it would be cancelled for good; as an attempt that failed it comes again.
  if (since === null) throw new Error("it is not known since when emails are made");
  const first = await reads.firstImport({ owner: recipient, since }, context);
  if (first?.id !== recording.id) return null;
  return renderFirstImport({ ...(await email.facts()), recording });
}

async function twoClips(email: Email): Promise<EmailContent | null> {
  const { reads, context, job, recipient, recordings } = email;
  const [one, other] = recordings;
  if (other === undefined || one.id === other.id) return null;
  if (await reads.ownsRecording(recipient, context)) return null;
  const [first, second] = await Promise.all(
    [one, other].map(({ id }) =>
      reads.shareWith({ recordingId: id, recipient, since: null }, context),
    ),
  );
  if (!isGranted(first, one, recipient) || !isGranted(second, other, recipient)) return null;
  const facts = {
    ...(await email.facts()),
    recordings: [await shared(email, one, first), await shared(email, other, second)],
  } as const;
  return renderTwoClips(facts, job.generatedSummary ?? null);
}

async function shared(
  email: Email,
  { title, url }: Recording,
  { sharedBy }: Share,
): Promise<SharedRecordingFacts> {
  return { title, url, sharerName: await nameOf(email, sharedBy) };
}

function nameOf({ reads, context }: Email, address: string): Promise<string | null> {
  return reads.displayName(address.trim().toLowerCase(), context);
}
