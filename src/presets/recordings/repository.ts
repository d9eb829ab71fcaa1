/**
 * What the four kinds of email about recordings have to know of an application's data: twelve reads.
 *
 * Of all of them: nothing is changed. Instants are ISO 8601 with `Z` or an offset, and a row has the same
 * one wherever it is met. Two rows are in order when the earlier `createdAt` is first, or at the same one
 * the smaller `id` (by the database's own order of ids, always the same). Addresses are asked for trimmed
 * and lower-case, and have to be found whatever their case in the data. A throw is an answer that may be
 * had later; what is not of these shapes counts as one.
 */
import type { SourceCursor } from "../../ports/source.ts";

export interface ReadContext {
  /** Whose data; null: the default tenant's. */
  readonly tenant: string | null;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Asks for the first `limit` rows, in order, that are at `since` or later and behind `after`: later than
 * its `createdAt`, or at the same instant with a larger `id`. Fewer rows say that there are no more.
 */
export interface PageRequest extends ReadContext {
  readonly since: string;
  /** Null: from the first row. A cursor is the last row of an earlier page, which may be gone by now. */
  readonly after: SourceCursor | null;
  readonly limit: number;
}

export interface SharesRequest extends PageRequest {
  /** Only rows at this instant or earlier; null: all. */
  readonly until: string | null;
}

/** One recording that was shared with one person. Gone once it is taken back. */
export interface Share {
  readonly id: string;
  readonly createdAt: string;
  readonly recordingId: string;
  /** An address as the application has it; one that is none is passed over. */
  readonly recipient: string;
  /** The address of whoever shared it. */
  readonly sharedBy: string;
}

/**
 * A view that counts as one by the application's own rules, of somebody other than the recording's owner.
 */
export interface View {
  readonly id: string;
  /** When it became one that counts. */
  readonly createdAt: string;
  readonly recordingId: string;
  /** The address of the recording's owner. */
  readonly owner: string;
  /** Null: nobody knows. */
  readonly viewer: string | null;
}

/** A recording that came from elsewhere and is ready, archived or in the trash or neither. */
export interface Import {
  /** The recording's. */
  readonly id: string;
  readonly createdAt: string;
  readonly owner: string;
}

export interface Recording {
  readonly id: string;
  readonly title: string;
  /** Where a person watches it; left out of the email unless it is http or https. */
  readonly url: string | null;
  /** An address. */
  readonly owner: string;
  readonly isReady: boolean;
  readonly isArchived: boolean;
  readonly isTrashed: boolean;
}

export interface EmailRepository {
  /** A page of all shares with persons. */
  shares(request: SharesRequest): Promise<readonly Share[]>;

  /**
   * A page of views, among them the first of every recording. Others do no harm but cost a read each,
   * so best the first ones alone.
   */
  views(request: PageRequest): Promise<readonly Pick<View, "id" | "createdAt" | "recordingId">[]>;

  /** A page of imports, among them the first at `since` or later of every owner; as for `views`. */
  imports(request: PageRequest): Promise<readonly Import[]>;

  /**
   * Of every recording that was shared with `recipient` at `since` or later, the first such share; of
   * these the first `limit`, in order. However often one recording was shared, it counts once.
   */
  firstShares(
    of: { readonly recipient: string; readonly since: string; readonly limit: number },
    context: ReadContext,
  ): Promise<readonly Share[]>;

  /** Null: there is none, or not any more; so with all that follow. */
  share(id: string, context: ReadContext): Promise<Share | null>;

  /** The first share of this recording with this person at `since` or later; null: whenever. */
  shareWith(
    of: {
      readonly recordingId: string;
      readonly recipient: string;
      readonly since: string | null;
    },
    context: ReadContext,
  ): Promise<Share | null>;

  recording(id: string, context: ReadContext): Promise<Recording | null>;

  /** Whether they own any recording, in whatever state it is. */
  ownsRecording(address: string, context: ReadContext): Promise<boolean>;

  /** Whether there is a view of this recording by this person. */
  hasViewed(
    of: { readonly recordingId: string; readonly viewer: string },
    context: ReadContext,
  ): Promise<boolean>;

  /** The first view of this recording, whenever that was. */
  firstView(recordingId: string, context: ReadContext): Promise<View | null>;

  /** The first import at `since` or later of this owner. */
  firstImport(
    of: { readonly owner: string; readonly since: string },
    context: ReadContext,
  ): Promise<Import | null>;

  /** How a person is called; null: by no name that is known. */
  displayName(address: string, context: ReadContext): Promise<string | null>;
}
