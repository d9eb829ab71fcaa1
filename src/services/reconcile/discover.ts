/** Emails that ought to exist, found by an application's sources and enqueued. */
import * as z from "zod/mini";
import { reasonOf } from "../../core/issues.ts";
import { safeParse } from "../../core/safe-parse.ts";
import { isoTime, parseIsoTime } from "../../core/time.ts";
import { type EmailCursorName, emailInputs } from "../../machines/emails/inputs.ts";
import { type EmailConfigState, sourceCursor } from "../../machines/emails/progress.ts";
import type { Source, SourceCursor } from "../../ports/source.ts";
import { enqueueDiscovered } from "./candidates.ts";
import { type PassContext, part } from "./context.ts";
import { type Deadline, within } from "./deadline.ts";
import type { PassFailureCode } from "./failure-texts.ts";
import { codeOf } from "./report.ts";

/** Rows of one page: as the original. */
export const SOURCE_PAGE = 100;

/** The scans of the original store have their cursors among the original's fields. */
const ORIGINAL_CURSORS: ReadonlyMap<string, EmailCursorName> = new Map([
  ["share-discovery", "shareDiscoveryCursor"],
  ["reminder", "reminderCursor"],
  ["first-view", "firstViewCursor"],
  ["first-import", "firstImportCursor"],
]);

const sourcePage = z.object({ jobs: z.array(z.unknown()), next: emailInputs.cursor });

/** A page that a source gave, checked but for what each of its jobs is. */
export interface FoundPage {
  readonly jobs: readonly unknown[];
  /** The cursor to store. */
  readonly next: SourceCursor | null;
  /** Whether another scan would find more now. */
  readonly hasMore: boolean;
}

/**
 * One page of every source. All are asked at once, since each may take all the time until `scanned`;
 * what they found is enqueued one page after the other as they come, until `enqueued`. Which comes first
 * is left to chance, so that no page is always the one that there is no time for.
 */
export async function discover(
  context: PassContext,
  state: EmailConfigState,
  ends: { readonly scanned: Deadline; readonly enqueued: Deadline },
): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  await Promise.all(
    fromAnywhere(context).map(async (source) => {
      const page = await scan(context, source, state, ends.scanned);
      if (page === null) return;
      before = before.then(() => {
        if (ends.enqueued.isOver()) return unfinished(context, source);
        return part(context, `source:${source.name}`, ends.enqueued, () =>
          takePage(context, source, state, { page, until: ends.enqueued }),
        );
      });
      await before;
    }),
  );
}

function fromAnywhere({ sources, deps }: PassContext): readonly Source[] {
  const first = Math.floor(deps.random.fraction() * sources.length);
  return [...sources.slice(first), ...sources.slice(0, first)];
}

function unfinished({ report }: PassContext, source: Source): void {
  report.more();
  report.fail(`source:${source.name}`, "source_unfinished");
}

/** A cursor is stored after its page is enqueued, so a crash repeats a page, which does no harm. */
async function takePage(
  context: PassContext,
  source: Source,
  state: EmailConfigState,
  { page, until }: { readonly page: FoundPage; readonly until: Deadline },
): Promise<void> {
  const isDone = await enqueueDiscovered(context, source.name, page.jobs, until);
  if (page.hasMore || !isDone) context.report.more();
  if (!isDone && until.isOver()) unfinished(context, source);
  // A fault that passes must not cost a job its discovery.
  if (isDone) await storeCursor(context, source.name, state, page.next);
}

export function cursorOf(
  { config, progress }: EmailConfigState,
  name: string,
): SourceCursor | null {
  const original = ORIGINAL_CURSORS.get(name);
  return original === undefined ? sourceCursor(progress, name) : (config[original] ?? null);
}

/** Null: there is no page; why is reported. Never rejects. */
export async function scan(
  { deps, report, time, hanging }: PassContext,
  source: Source,
  state: EmailConfigState,
  end: Deadline,
): Promise<FoundPage | null> {
  if (hanging.isGivenUp(source)) {
    report.more();
    return null;
  }
  const after = cursorOf(state, source.name);
  const refuse = (code: PassFailureCode, thrown?: unknown): null => {
    report.fail(`source:${source.name}`, code, thrown);
    return null;
  };
  const request = {
    tenant: deps.tenant,
    since: state.config.enabledAt,
    now: isoTime(deps.clock.now()),
    after,
    limit: SOURCE_PAGE,
  };
  if (end.isOver()) {
    report.more();
    return null;
  }
  const answer = await within(time, end, (signal) => source.scan({ ...request, signal }));
  if (answer.kind === "late") {
    hanging.met(source, deps.tenant);
    return refuse("source_timeout");
  }
  if (answer.kind === "thrown") return refuse("source_failed", answer.error);
  const found = pageOf(answer.value);
  if (!found.ok) return refuse("source_invalid_page", found.reason);
  const { page } = found;
  report.count("discovered", Math.min(page.jobs.length, SOURCE_PAGE));
  if (page.jobs.length > SOURCE_PAGE) refuse("source_page_too_long");
  const isStuck = page.next !== null && after !== null && !isBehind(page.next, after);
  if (isStuck) refuse("source_cursor_stuck");
  const next = isStuck ? after : page.next;
  // One that is stuck would find the same page for ever.
  return { jobs: page.jobs.slice(0, SOURCE_PAGE), next, hasMore: next !== null && !isStuck };
}

type Checked =
  | { readonly ok: true; readonly page: z.infer<typeof sourcePage> }
  /** Where it is wrong, without any value. */
  | { readonly ok: false; readonly reason: string };

function pageOf(answer: unknown): Checked {
  try {
    const parsed = safeParse(sourcePage, answer);
    if (parsed.success) return { ok: true, page: parsed.data };
    return { ok: false, reason: reasonOf(parsed.error, "page") };
  } catch {
    return { ok: false, reason: "page: its fields cannot be read" };
  }
}

/** Ids are in the order of the application's database, which need not be ours. */
function isBehind(next: SourceCursor, after: SourceCursor): boolean {
  const [at, before] = [parseIsoTime(next.createdAt), parseIsoTime(after.createdAt)];
  if (at === null || before === null) return false;
  return at > before || (at === before && next.id !== after.id);
}

async function storeCursor(
  { service, sources, report }: PassContext,
  name: string,
  state: EmailConfigState,
  cursor: SourceCursor | null,
): Promise<void> {
  const before = cursorOf(state, name);
  if (before?.id === cursor?.id && before?.createdAt === cursor?.createdAt) return;
  const original = ORIGINAL_CURSORS.get(name);
  try {
    if (original !== undefined) await service.config.setCursor(original, cursor);
    else {
      const known = sources.map((source) => source.name);
      await service.config.setProgress({ kind: "setSourceCursor", name, cursor, known });
    }
  } catch (error) {
    report.fail(`source:${name}`, codeOf(error));
  }
}
