/**
 * Event logs: parts are written once, never changed, and removed only with their whole job. A part's
 * creation is the commit, and the next key is always the end of the last part + 1, so all writers aim at
 * the same key (protocols 5.1). What an item says is no concern of the log.
 */
import { assert } from "../core/assert.ts";
import type { Cursor } from "../ports/backend.ts";
import { draftPart, type PartDraft } from "./log-drafts.ts";
import type { PartBody } from "./log-parts.ts";
import { getPart, type LogPart, readFrom, readOn } from "./log-reading.ts";
import { type LogJobPage, listJobs, removeSome } from "./log-removal.ts";
import type { SendDeps } from "./sending.ts";

export type { PartDraft } from "./log-drafts.ts";
export type { PartBody } from "./log-parts.ts";
export type { LogPart } from "./log-reading.ts";
export type { LogJobPage } from "./log-removal.ts";

/** The log of one job. Whatever reads throws RecordCorruptError for a part that is unreadable. */
export interface Log {
  /** Writes nothing yet. Throws RecordTooLargeError. */
  draft(body: PartBody): PartDraft;
  /** The part whose first item has this number. */
  get(first: number): Promise<LogPart | null>;
  /**
   * From the part with the number `cursor` + 1 on, or the last one; the whole log for 0 (5.3, 1 and 2).
   * Throws RecordCorruptError at a gap, which is nothing wrong in a log that is being removed.
   */
  readFrom(cursor: number): AsyncGenerator<LogPart, void, void>;
  /** From `last` + 1 on; `last` is 0 or was read as the end of a part. */
  readOn(last: number): AsyncGenerator<LogPart, void, void>;
  /**
   * Removes up to PAGE_MAX parts and continuations of a job that is retired or that no root names;
   * called again until it answers `none`, also by another process.
   */
  removeSome(): Promise<"more" | "none">;
}

/** The logs of a tenant. */
export interface Logs {
  /** `jobId` is random, and never used for a second job. */
  open(jobId: string): Log;
  /** A page of the jobs of which there is anything, gone through in `limit` (1..PAGE_MAX) names. */
  jobs(cursor: Cursor | null, limit: number): Promise<LogJobPage>;
}

/** `root`: see `logRoot`. */
export function openLogs(deps: SendDeps, root: string): Logs {
  const { backend } = deps;
  return {
    open(jobId) {
      assert(!jobId.includes("/"), "a job id is one segment");
      const place = { backend, log: `${root}/${jobId}` };
      return {
        draft: (body) => draftPart(deps, place.log, body),
        get: (first) => getPart(place, first),
        readFrom: (cursor) => readFrom(place, cursor),
        readOn: (last) => readOn(place, last),
        removeSome: () => removeSome(place),
      };
    },
    jobs: (cursor, limit) => listJobs(backend, root, { cursor, limit }),
  };
}
