/**
 * Jobs that wait for time: runs that lapsed or were taken over, answers to be completed, and what is past
 * its retention.
 */
import { isOf } from "../core/foreign.ts";
import type { Decision } from "../core/machine.ts";
import { after, type DurationMs, durationMs } from "../core/time.ts";
import type { Recover } from "../machines/queries/commands.ts";
import { isTakenOver } from "../machines/queries/endings.ts";
import { jobsToRemove, markRetired } from "../machines/queries/retention.ts";
import type { LiveRoot } from "../machines/queries/root.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import type { Cursor, DueEntry } from "../ports/backend.ts";
import type { MachineDuePage, Stored } from "../store/store.ts";
import { mapLimited } from "./map-limited.ts";
import type { AppendOutcome } from "./query-attempt.ts";
import type { QueryCommands } from "./query-commands.ts";
import { QueryJobNotFoundError } from "./query-errors.ts";
import type { KnownJobs, QueryPlace } from "./query-known.ts";
import { QUERY_MACHINE, type QueryDeps, rootCodec } from "./query-records.ts";
import type { QueryRetirement } from "./query-retire.ts";
import type { QueryRoots } from "./query-roots.ts";
import { UNMARKED } from "./query-scan.ts";

/**
 * What was done to one of them. `completed`: its answer was ready. `interrupted`: nobody will answer it any
 * more. `kept`: nothing is to be done yet, or any more.
 */
export type AttendedQuery = "completed" | "interrupted" | "retired" | "kept";

/** How one walk over what is due is made. */
export interface DueWalk {
  /** Whether the root of `entry` is done with. A rejection ends the walk. */
  readonly visit: (entry: DueEntry) => Promise<boolean>;
  /** Reads one page, more than once if need be. */
  readonly page: (read: () => Promise<MachineDuePage>) => Promise<MachineDuePage>;
  /** Asked between two pages. */
  readonly isOver: () => boolean;
}

export interface DueQueries {
  /**
   * How far ahead of their time roots are to be looked at for runs of the process that had the folder
   * before; null: there are none, or `tookOver` was called.
   */
  takenOverMs(): DurationMs | null;
  /** All of them were looked at; nobody adds to them. */
  tookOver(): void;
  /**
   * Shows `visit` every root of the `attend` queue that is due now, and those `takenOverMs` ahead, a few at
   * a time; whether all of them were visited and are done with. Throws what `page` throws.
   */
  walk(walk: DueWalk): Promise<boolean>;
  /** Does to one root of the `attend` queue what is due. Throws RecordCorruptError. */
  attend(stored: Stored): Promise<AttendedQuery>;
  /** What would be done to it now, as far as the root tells. Throws RecordCorruptError. */
  attention(stored: Stored): AttendedQuery;
}

export interface DueParts {
  readonly deps: QueryDeps & { readonly runLeaseMs: DurationMs };
  readonly jobs: KnownJobs;
  readonly roots: QueryRoots;
  readonly commands: QueryCommands;
  readonly retirement: QueryRetirement;
}

const PAGE = 100;
const AT_ONCE = 8;

export function dueQueries({ deps, jobs, roots, commands, retirement }: DueParts): DueQueries {
  const { store, clock, owner, runLeaseMs } = deps;
  // A run that was taken over may have almost its whole lease left.
  let takenOverMs = owner === null ? null : runLeaseMs;

  /** Whether somebody may still answer it, so that its log need not be read. */
  function isHeld({ hint, leaseUntil }: LiveRoot): boolean {
    if (leaseUntil === null || leaseUntil <= clock.now()) return false;
    return !isTakenOver(hint.run, owner);
  }

  function isToRetire(root: LiveRoot): boolean {
    const marked: Decision<LiveRoot, never> = markRetired(root, clock.now());
    return marked.kind === "apply" || jobsToRemove(root).length > 0;
  }

  async function recover(stored: Stored, root: LiveRoot): Promise<AttendedQuery> {
    const { clientJobId, jobId, gen: generation, hint, leaseUntil } = root;
    if (clientJobId === null || root.retirement !== null || isTerminal(hint.status)) return "kept";
    if (isHeld(root)) return "kept";
    const place = jobs.placeOf(jobId, { clientJobId, generation });
    const command: Recover = {
      kind: "recover",
      leaseUntil,
      owner,
      fencedUntil: null,
    };
    const outcome = await ended(place, command);
    if (outcome === null || outcome.kind === "rejected") return "kept";
    if (outcome.kind === "appended") {
      return outcome.status === "completed" ? "completed" : "interrupted";
    }
    // Whoever wrote last could not tell the root, or has not yet.
    if (outcome.eventSeq > hint.seq) await roots.refresh(place, outcome.known.head, stored);
    return "kept";
  }

  /** Null: it is gone, by somebody who was faster. */
  async function ended(place: QueryPlace, command: Recover): Promise<AppendOutcome | null> {
    try {
      return await commands.runAt(place, command, { mark: UNMARKED, isWhole: false });
    } catch (fault) {
      if (isOf(fault, QueryJobNotFoundError)) return null;
      throw fault;
    }
  }

  return {
    takenOverMs: () => takenOverMs,
    tookOver() {
      takenOverMs = null;
    },
    async walk({ visit, page, isOver }) {
      const until = after(clock.now(), takenOverMs ?? durationMs(0));
      let isAll = true;
      let cursor: Cursor | null = null;
      do {
        const options = { until, limit: PAGE, cursor };
        const found: MachineDuePage = await page(() =>
          store.dueOf(QUERY_MACHINE, "attend", options),
        );
        await mapLimited(found.entries, AT_ONCE, async (entry) => {
          if (!(await visit(entry))) isAll = false;
        });
        cursor = found.cursor;
      } while (cursor !== null && !isOver());
      return isAll && cursor === null;
    },
    async attend(stored) {
      const root = rootCodec.load(stored);
      if (root.kind === "void") return "kept";
      const recovered = await recover(stored, root);
      if (recovered !== "kept" || !isToRetire(root)) return recovered;
      return (await retirement.retire(stored)) > 0 ? "retired" : "kept";
    },
    attention(stored) {
      const root = rootCodec.load(stored);
      if (root.kind === "void") return "kept";
      const { hint, retirement, leaseUntil } = root;
      const isOver = isTerminal(hint.status) || retirement !== null;
      if (isOver || leaseUntil === null || isHeld(root)) {
        return isToRetire(root) ? "retired" : "kept";
      }
      return hint.status === "answer_ready" ? "completed" : "interrupted";
    },
  };
}
