/** Where work comes from that nobody enqueued: an application's own data, read page by page. */

/** The last row that a scan has seen; rows go by creation time, then id. */
export type SourceCursor = {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly id: string;
};

/** An email that ought to exist. Enqueued once for each logical key, however often it is found. */
export interface DiscoveredEmail {
  readonly logicalKey: string;
  /** As for `enqueue`; its recipient is trimmed and lower-cased first. */
  readonly payload: unknown;
  /** Default `pending`. */
  readonly initialState?: "pending" | "awaiting_ai";
  /** ISO 8601. */
  readonly notBefore?: string;
}

/** A recipient's first import, as for `enqueueOrConvergeFirstImport`. */
export interface DiscoveredFirstImport {
  readonly firstImport: {
    readonly recipient: string;
    readonly recordingId: string;
    readonly requestedBy: string;
  };
}

export type SourceJob = DiscoveredEmail | DiscoveredFirstImport;

export interface SourceRequest {
  /** Whose jobs they will be; null: the default tenant's. */
  readonly tenant: string | null;
  /** Since when emails are made, ISO 8601: rows at that instant or later count, earlier ones never. */
  readonly since: string;
  /** By the clock of the pass, ISO 8601: what has to be of some age is judged by it. */
  readonly now: string;
  /** Rows behind this one, in the order of (createdAt, id); null: from the beginning. */
  readonly after: SourceCursor | null;
  /** Rows to read at most. */
  readonly limit: number;
  /** Aborted when nobody waits for the page any more. */
  readonly signal: AbortSignal;
}

export interface SourcePage {
  /** At most `limit`. */
  readonly jobs: readonly SourceJob[];
  /**
   * The last row of a full page, whether or not it became a job; null after a page that was not full,
   * so that the next scan starts over.
   */
  readonly next: SourceCursor | null;
}

/** One scan over one kind of row. */
export interface Source {
  /**
   * `[a-z0-9][a-z0-9-]{0,62}`; names the scan's cursor. The scans of the original store are
   * `share-discovery`, `reminder`, `first-view` and `first-import`.
   */
  readonly name: string;
  /** Reads one page. May be asked for a page again; a throw is reported and stops no other scan. */
  scan(request: SourceRequest): Promise<SourcePage>;
}
