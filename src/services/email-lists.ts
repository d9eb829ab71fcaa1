/** Listing email jobs: by pages in the storage's order, or all of them. */
import * as z from "zod/mini";
import { openCursor, sealCursor } from "../core/cursor.ts";
import type { EmailStateName } from "../machines/emails/fields.ts";
import { emailInputs } from "../machines/emails/inputs.ts";
import type { Cursor } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { PAGE_MAX } from "../store/limits.ts";
import type { CorruptRecord, RecordPage } from "../store/store.ts";
import { EMAIL_JOBS, type EmailCommands, type EmailDeps } from "./email-commands.ts";
import type { Emails, Job } from "./emails.ts";
import { InvalidCursorError } from "./errors.ts";
import { checked, checkedOptional, checkedOptions } from "./input.ts";
import { pageWalk } from "./page-walk.ts";

export interface JobPage {
  /** By creation time, then id; the pages follow each other in the storage's own order. */
  readonly jobs: readonly Job[];
  readonly corrupt: readonly CorruptRecord[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

export interface JobPageOptions {
  /** 1 to 1,000. */
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null;
  /** Only jobs in this state; others are passed over, at most 1,000 for each page. */
  readonly state?: EmailStateName;
}

const PAGE_LIMIT = z.int().check(z.minimum(1), z.maximum(PAGE_MAX));

export type EmailLists = Pick<Emails, "listJobs" | "listPage">;

export function emailLists(deps: EmailDeps, commands: EmailCommands): EmailLists {
  const scope = `${deps.tenant ?? ""}/${EMAIL_JOBS}`;
  return {
    async listPage(options) {
      checkedOptions(options, "options");
      const limit = checked(PAGE_LIMIT, options.limit, "limit");
      const state = checkedOptional(emailInputs.state, options.state, "state");
      const page = await jobPage(deps, commands, {
        limit,
        state: state ?? null,
        cursor: placeOf(scope, options.cursor ?? null),
      });
      const { jobs, corrupt, cursor } = page;
      return { jobs, corrupt, nextCursor: cursor === null ? null : sealCursor(scope, cursor) };
    },
    listJobs: () => allJobs(deps, commands),
  };
}

function placeOf(scope: string, cursor: string | null): Cursor | null {
  if (cursor === null) return null;
  const place = typeof cursor === "string" ? openCursor(scope, cursor) : null;
  if (place !== null) return place as Cursor;
  throw new InvalidCursorError("the cursor is not one that this listing gave");
}

interface Walk {
  readonly limit: number;
  readonly state: EmailStateName | null;
  readonly cursor: Cursor | null;
}

interface Page {
  readonly jobs: readonly Job[];
  readonly corrupt: readonly CorruptRecord[];
  readonly cursor: Cursor | null;
}

/** Bounded as `pageWalk` says; without `state`, also at `limit` records. */
async function jobPage(
  deps: EmailDeps,
  commands: EmailCommands,
  { limit, state, cursor: from }: Walk,
): Promise<Page> {
  const found: Job[] = [];
  const corrupt: CorruptRecord[] = [];
  const walk = pageWalk(limit);
  let cursor = from;
  do {
    const wanted = walk.wanted(found.length);
    const page: RecordPage = await deps.store.list(EMAIL_JOBS, cursor, wanted);
    const { jobs, unreadable } = jobsOf(deps, commands, page);
    found.push(...jobs.filter((job) => state === null || job.state === state));
    corrupt.push(...page.corrupt, ...unreadable);
    walk.read(wanted, jobs);
    cursor = page.cursor;
  } while (
    cursor !== null &&
    walk.hasRoom(found.length) &&
    (state !== null || walk.examined() < limit)
  );
  return { jobs: inOrder(commands, found), corrupt, cursor };
}

/** The jobs of a page that are not over. */
function jobsOf(
  { observe }: EmailDeps,
  commands: EmailCommands,
  page: RecordPage,
): { jobs: readonly Job[]; unreadable: readonly CorruptRecord[] } {
  const jobs: Job[] = [];
  const unreadable: CorruptRecord[] = [];
  for (const stored of page.records) {
    try {
      const job = commands.jobOf(stored);
      if (job !== null) jobs.push(job);
    } catch (fault) {
      if (!(fault instanceof RecordCorruptError)) throw fault;
      observe("store.record_corrupt", 1);
      unreadable.push({ id: stored.key.slice(EMAIL_JOBS.length), reason: fault.reason });
    }
  }
  return { jobs, unreadable };
}

/** EMAIL-14: by the text of createdAt, then by id. */
function inOrder(commands: EmailCommands, jobs: readonly Job[]): Job[] {
  const keyed = jobs.map((job) => ({ job, order: `${job.createdAt} ${commands.idOf(job)}` }));
  keyed.sort((one, other) => (one.order < other.order ? -1 : 1));
  return keyed.map(({ job }) => job);
}

async function allJobs(deps: EmailDeps, commands: EmailCommands) {
  const found: Job[] = [];
  const corrupt: CorruptRecord[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: Page = await jobPage(deps, commands, { limit: PAGE_MAX, state: null, cursor });
    found.push(...page.jobs);
    corrupt.push(...page.corrupt);
    cursor = page.cursor;
  } while (cursor !== null);
  return Object.assign(inOrder(commands, found), { corrupt });
}
