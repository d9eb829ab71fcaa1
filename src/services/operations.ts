/** What an operator asks of one tenant: how much waits, and what is stuck. */
import * as z from "zod";
import { openCursor, sealCursor } from "../core/cursor.ts";
import type { Queue } from "../core/machine.ts";
import { isoTime } from "../core/time.ts";
import { stuckEmail } from "../machines/emails/stuck.ts";
import type { Cursor, DueEntry } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Observation } from "../ports/observe.ts";
import { PAGE_MAX, READS_AT_ONCE } from "../store/limits.ts";
import { EMAIL_JOBS, EMAIL_MACHINE, type EmailDeps, emailCodec } from "./email-commands.ts";
import { InvalidCursorError } from "./errors.ts";
import { mapLimited } from "./map-limited.ts";

export interface QueueHealth {
  /**
   * Records due now, as far as the index says: some may have been dealt with, or put off, as a lease does,
   * where due markers are kept early (protocols 3.1). At most 1,000.
   */
  readonly due: number;
  /** Whether there are more than `due` says. */
  readonly more: boolean;
  /** ISO 8601; null when nothing is due. */
  readonly oldestDueAt: string | null;
}

/** What this process met since it started; another process counts its own. */
export interface Counters {
  readonly corruptRecords: number;
  readonly contended: number;
  readonly unknownOutcomes: number;
  readonly leasesLost: number;
  /** Passes that found the mailer unavailable. */
  readonly mailerUnavailable: number;
}

export interface MachineHealth extends Readonly<Record<Queue, QueueHealth>> {
  readonly counters: Counters;
}

export interface Health {
  readonly emails: MachineHealth;
}

export interface StuckItem {
  readonly machine: "emails";
  /** Names the record in every route and command of its machine. */
  readonly id: string;
  readonly state: string;
  /** ISO 8601. */
  readonly since: string;
  readonly why: string;
  readonly action: string;
}

export interface StuckPage {
  readonly items: readonly StuckItem[];
  /** Null when nothing follows. A page may be short, even empty, and have one. */
  readonly nextCursor: string | null;
}

export interface Operations {
  /** From the due index alone: costs the same whatever is stored. */
  health(): Promise<Health>;
  /** `limit`: 1 to 100. Throws InvalidCursorError. */
  stuck(options: { limit: number; cursor: string | null }): Promise<StuckPage>;
}

/** Records that one page of what is stuck looks at: each is a read. */
const EXAMINED_MAX = 200;

export function createOperations(
  deps: EmailDeps,
  counts: ReadonlyMap<Observation, number>,
): Operations {
  return {
    async health() {
      const [deliver, attend, stuck] = await Promise.all([
        queueHealth(deps, "deliver"),
        queueHealth(deps, "attend"),
        queueHealth(deps, "stuck"),
      ]);
      return { emails: { deliver, attend, stuck, counters: countersOf(counts) } };
    },
    stuck: ({ limit, cursor }) => stuckPage(deps, limit, cursor),
  };
}

async function queueHealth({ store, clock }: EmailDeps, queue: Queue): Promise<QueueHealth> {
  const until = clock.now();
  const page = await store.due(EMAIL_MACHINE, queue, { until, cursor: null, limit: PAGE_MAX });
  const oldest = page.entries[0];
  return {
    due: page.entries.length,
    more: page.cursor !== null,
    oldestDueAt: oldest === undefined ? null : isoTime(oldest.at),
  };
}

function countersOf(counts: ReadonlyMap<Observation, number>): Counters {
  const count = (name: Observation): number => counts.get(name) ?? 0;
  return {
    corruptRecords: count("store.record_corrupt"),
    contended: count("store.contended"),
    unknownOutcomes: count("store.put.outcome_unknown"),
    leasesLost: count("email.lease_lost"),
    mailerUnavailable: count("email.mailer_unavailable"),
  };
}

interface Place {
  readonly queue: "stuck" | "attend";
  readonly cursor: Cursor | null;
}

const storedPlace = z.strictObject({
  queue: z.enum(["stuck", "attend"]),
  cursor: z.string().nullable(),
});

/** What waits for a person first, then what has waited for time too long. */
async function stuckPage(deps: EmailDeps, limit: number, from: string | null): Promise<StuckPage> {
  const scope = `${deps.tenant ?? ""}/stuck`;
  const items: StuckItem[] = [];
  let place: Place | null = from === null ? { queue: "stuck", cursor: null } : opened(scope, from);
  for (let examined = 0; place !== null && items.length < limit && examined < EXAMINED_MAX; ) {
    const { queue, cursor }: Place = place;
    // Never more than are still wanted, so that nothing looked at is left out of every page.
    const wanted = Math.min(limit - items.length, EXAMINED_MAX - examined);
    const until = deps.clock.now();
    const page = await deps.store.due(EMAIL_MACHINE, queue, { until, cursor, limit: wanted });
    const found = await mapLimited(page.entries, READS_AT_ONCE, (entry) => stuckItem(deps, entry));
    items.push(...found.filter((item) => item !== null));
    examined += wanted;
    place = following(queue, page.cursor);
  }
  return { items, nextCursor: place === null ? null : sealCursor(scope, JSON.stringify(place)) };
}

function following(queue: Place["queue"], cursor: Cursor | null): Place | null {
  if (cursor !== null) return { queue, cursor };
  return queue === "stuck" ? { queue: "attend", cursor: null } : null;
}

function opened(scope: string, text: string): Place {
  const place = openCursor(scope, text);
  const parsed = storedPlace.safeParse(place === null ? null : jsonOf(place));
  if (parsed.success) return { ...parsed.data, cursor: parsed.data.cursor as Cursor | null };
  throw new InvalidCursorError("the cursor is not one that this listing gave");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function stuckItem(deps: EmailDeps, entry: DueEntry): Promise<StuckItem | null> {
  try {
    const stored = await deps.store.confirmDue(entry);
    if (stored === null) return null;
    const state = emailCodec(deps.kinds).load(stored);
    const stuck = stuckEmail(state, deps.clock.now(), deps.kinds);
    if (stuck === null) return null;
    return {
      machine: "emails",
      id: `sha256:${stored.key.slice(EMAIL_JOBS.length)}`,
      state: state.job.state,
      since: isoTime(stuck.since),
      why: stuck.why,
      action: stuck.action,
    };
  } catch (fault) {
    if (!(fault instanceof RecordCorruptError)) throw fault;
    deps.observe("store.record_corrupt", 1);
    return {
      machine: "emails",
      id: `sha256:${entry.key.slice(entry.key.lastIndexOf("/") + 1)}`,
      state: "unreadable",
      since: isoTime(entry.at),
      why: `its record cannot be read: ${fault.reason}`,
      action: "restore the record from a copy, or move it away",
    };
  }
}
