/** A repository, asked and not believed: what it answers is checked before anything is made of it. */
import * as z from "zod/mini";
import { reasonOf } from "../../core/issues.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { timestamp } from "../../machines/emails/fields.ts";
import { type CheckedPage, checkedPage } from "./pages.ts";
import type {
  EmailRepository,
  Import,
  PageRequest,
  Recording,
  Share,
  SharesRequest,
  View,
} from "./repository.ts";

/**
 * A repository whose answers are what they are said to be. Throws TypeError where they are not, naming
 * the read and the fields, and no value.
 */
export interface Reads
  extends Pick<
    EmailRepository,
    | "firstShares"
    | "share"
    | "shareWith"
    | "recording"
    | "ownsRecording"
    | "hasViewed"
    | "firstView"
    | "firstImport"
    | "displayName"
  > {
  shares(request: SharesRequest): Promise<CheckedPage<Share>>;
  views(request: PageRequest): Promise<CheckedPage<ViewRow>>;
  imports(request: PageRequest): Promise<CheckedPage<Import>>;
}

export type ViewRow = Pick<View, "id" | "createdAt" | "recordingId">;

const id = z.string().check(z.minLength(1), z.maxLength(1_024));

const place = { id, createdAt: timestamp };

const share: z.core.$ZodType<Share> = z.object({
  ...place,
  recordingId: id,
  recipient: z.string(),
  sharedBy: z.string().check(z.trim(), z.minLength(1)),
});

const viewRow: z.core.$ZodType<ViewRow> = z.object({ ...place, recordingId: id });

const view: z.core.$ZodType<View> = z.object({
  ...place,
  recordingId: id,
  owner: z.string(),
  viewer: z.nullable(z.string()),
});

const importRow: z.core.$ZodType<Import> = z.object({ ...place, owner: z.string() });

const recording: z.core.$ZodType<Recording> = z.object({
  id,
  title: z.string(),
  url: z.nullable(z.string()),
  owner: z.string(),
  isReady: z.boolean(),
  isArchived: z.boolean(),
  isTrashed: z.boolean(),
});

export function checkedReads(repository: EmailRepository): Reads {
  const until = null;
  return {
    async shares(request) {
      return checkedPage("shares", await repository.shares(request), share, request);
    },
    async views(request) {
      const answer = await repository.views(request);
      return checkedPage("views", answer, viewRow, { ...request, until });
    },
    async imports(request) {
      const answer = await repository.imports(request);
      return checkedPage("imports", answer, importRow, { ...request, until });
    },
    async firstShares(of, context) {
      const answer = await repository.firstShares(of, context);
      const { rows, unfit } = checkedPage("firstShares", answer, share, { ...of, until });
      const isDistinct = new Set(rows.map((row) => row.recordingId)).size === rows.length;
      if (unfit === 0 && isDistinct) return rows;
      throw new TypeError("repository.firstShares answered other shares than the first ones");
    },
    share: async (of, context) =>
      checked("share", z.nullable(share), await repository.share(of, context)),
    shareWith: async (of, context) =>
      checked("shareWith", z.nullable(share), await repository.shareWith(of, context)),
    recording: async (of, context) =>
      checked("recording", z.nullable(recording), await repository.recording(of, context)),
    ownsRecording: async (address, context) =>
      checked("ownsRecording", z.boolean(), await repository.ownsRecording(address, context)),
    hasViewed: async (of, context) =>
      checked("hasViewed", z.boolean(), await repository.hasViewed(of, context)),
    firstView: async (of, context) =>
      checked("firstView", z.nullable(view), await repository.firstView(of, context)),
    firstImport: async (of, context) =>
      checked("firstImport", z.nullable(importRow), await repository.firstImport(of, context)),
    displayName: async (address, context) =>
      checked(
        "displayName",
        z.nullable(z.string()),
        await repository.displayName(address, context),
      ),
  };
}

function checked<T>(method: string, schema: z.core.$ZodType<T>, answer: unknown): T {
  const parsed = safeParse(schema, answer);
  if (parsed.success) return parsed.data;
  throw new TypeError(`repository.${method} answered what it must not: ${reasonOf(parsed.error)}`);
}
