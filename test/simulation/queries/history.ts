/** The laws of query jobs: their logs, roots and sessions. Known from the specification alone. */
import { sha256Hex } from "../../../src/core/hash.ts";
import { type Fields, type Revision, splitKey, type Truth } from "../truth.ts";
import { START_MS } from "../world.ts";
import { emptyLog, follow, isTerminal, type JobLog } from "./log.ts";
import type { Provider } from "./provider.ts";
import { type Generation, watchRoots } from "./roots.ts";

export interface QueryHistory {
  /** The log of a job, whatever became of it; null: nothing was ever written. */
  log(prefix: string, jobId: string): JobLog | null;
  logs(): readonly JobLog[];
  /** A generation that was admitted. */
  generation(prefix: string, clientJobId: string, gen: number): Generation | null;
  /** The root as it stands. */
  root(prefix: string, clientJobId: string): Fields | null;
  rootAt(key: string): Fields | null;
  roots(): readonly string[];
  readonly rules: { refusesHeld: boolean };
  /** Whether a job must be shown to whoever asks for it now. */
  isKept(prefix: string, jobId: string): boolean;
  /** Since when each job holds the session, and until when it does. */
  holds(prefix: string, sessionId: string): readonly Hold[];
  /** Whether it was held at some moment since virtual time `since`. */
  wasHeld(prefix: string, sessionId: string, since: number): boolean;
}

export interface Hold {
  readonly jobId: string;
  readonly since: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** How far two wall clocks are apart at most: twice what one is off, and what they drift. */
export const SKEW_MS = 8_000;

const PART = /^queries\/log\/([^/]+)\/(\d{12})$/;

export function watchQueries(truth: Truth, provider: Provider): QueryHistory {
  const logs = new Map<string, JobLog>();

  const log = (prefix: string, jobId: string): JobLog | null => logs.get(prefix + jobId) ?? null;

  function logOf(prefix: string, jobId: string): JobLog {
    const known = log(prefix, jobId) ?? emptyLog(prefix, jobId);
    logs.set(prefix + jobId, known);
    return known;
  }

  const fenceKey = (prefix: string, sessionId: string): string =>
    `${prefix}queries/fences/${sha256Hex(sessionId)}`;

  function holds(prefix: string, sessionId: string): readonly Hold[] {
    const revisions = truth.of(fenceKey(prefix, sessionId));
    const standing = holdsOf(revisions.at(-1) ?? null);
    return Object.entries(standing).map(([jobId, until]) => {
      const last = revisions.findLastIndex((revision) => !(jobId in holdsOf(revision)));
      return { jobId, until, since: revisions[last + 1]?.at ?? 0 };
    });
  }

  function part(next: Revision, previous: Revision | null): void {
    const [prefix, rest] = splitKey(next.key);
    const [, jobId = "", number = ""] = PART.exec(rest) ?? [];
    if (jobId === "") return;
    const own = logOf(prefix, jobId);
    if (previous !== null) truth.blame(`${next.key}: a part was written over`);
    own.stored.add(next.key);
    if (own.isRemoved) return;
    if (Number(number) !== own.events.length + 1) {
      truth.blame(`${next.key}: comes after number ${own.events.length}`);
      return;
    }
    for (const event of itemsOf(truth, next)) {
      const problem = follow(own, event);
      if (problem !== null) truth.blame(`${next.key}: ${problem}`);
      if (event["type"] === "starting") own.startedAt = next.at;
      if (event["type"] === "interrupted") checkHold(own, event);
    }
    own.ends.add(own.events.length);
  }

  /** Held before it is told, and let go only where nothing is at work any more (protocols 4.3). */
  function checkHold(own: JobLog, event: Fields): void {
    const until = event["orphanFenceUntil"];
    if (until === undefined) return;
    const key = fenceKey(own.prefix, sessionOf(own));
    const wasHeld = truth.of(key).some((revision) => isHeldBy(revision, own.jobId, Number(until)));
    const isHeld = isHeldBy(truth.last(key), own.jobId, Number(until));
    const isOver = provider.isOver(own.prefix, own.jobId);
    if (!wasHeld || (!isHeld && !isOver)) {
      truth.blame(`${own.jobId}: interrupted before its session was held`);
    }
  }

  function fence(next: Revision, previous: Revision | null): void {
    const [prefix] = splitKey(next.key);
    const [before, now] = [holdsOf(previous), holdsOf(next)];
    for (const [jobId, until] of Object.entries(before)) {
      if ((now[jobId] ?? 0) >= until) continue;
      const own = log(prefix, jobId);
      const hasEndedOtherwise =
        own !== null && isTerminal(own.status) && own.status !== "interrupted";
      const isPast = until <= START_MS + next.at + SKEW_MS;
      if (!isPast && !hasEndedOtherwise && !provider.isOver(prefix, jobId)) {
        truth.blame(`${next.key}: let go of ${jobId} while its provider may be at work`);
      }
    }
  }

  truth.onWrite((next, previous) => {
    const [, rest] = splitKey(next.key);
    if (rest.startsWith("queries/log/")) part(next, previous);
    if (rest.startsWith("queries/fences/")) fence(next, previous);
  });
  truth.onRemove((key) => {
    const [prefix, rest] = splitKey(key);
    const [, jobId = ""] = /^queries\/log\/([^/]+)\//.exec(rest) ?? [];
    if (jobId === "") return;
    const own = logOf(prefix, jobId);
    // Continuations of a part that another was faster with are removed, too.
    if (PART.test(rest)) own.isRemoved = true;
    own.stored.delete(key);
  });

  const roots = watchRoots(truth, { log, holds });
  return {
    log,
    logs: () => [...logs.values()],
    holds,
    wasHeld(prefix, sessionId, since) {
      const revisions = truth.of(fenceKey(prefix, sessionId));
      return revisions.some((revision, n) => {
        const until = revisions[n + 1]?.at ?? Number.POSITIVE_INFINITY;
        return until >= since && Object.keys(holdsOf(revision)).length > 0;
      });
    },
    ...roots,
    isKept(prefix, jobId) {
      const own = log(prefix, jobId);
      const found = roots.named(prefix, jobId);
      if (own === null || found === null || found.isRetired) return false;
      const isLong = found.retentionUntil > START_MS + truth.now() + SKEW_MS;
      return !isTerminal(own.status) || isLong;
    },
  };
}

export function sessionOf(log: JobLog): string {
  const request = log.events[0]?.fields["request"];
  return typeof request === "object" && request !== null && "sessionId" in request
    ? String(request.sessionId)
    : "";
}

function holdsOf(revision: Revision | null): Readonly<Record<string, number>> {
  const holds = revision?.fields["holds"];
  return typeof holds === "object" && holds !== null ? (holds as Record<string, number>) : {};
}

function isHeldBy(revision: Revision | null, jobId: string, until: number): boolean {
  return (holdsOf(revision)[jobId] ?? 0) >= until;
}

/** Of a part, wherever they stand (protocols 5.8). */
function itemsOf(truth: Truth, { key, fields, ours }: Revision): readonly Fields[] {
  const moved = ours["moved"];
  if (typeof moved !== "object" || moved === null) return fields["items"] as readonly Fields[];
  const log = key.slice(0, key.lastIndexOf("/"));
  const count = Number((moved as Fields)["continuations"]);
  const pieces = Array.from({ length: count }, (_, n) => truth.last(`${log}/b/${ours["w"]}/${n}`));
  const text = pieces.map((piece) => String(piece?.fields["text"] ?? "")).join("");
  try {
    return JSON.parse(text);
  } catch {
    truth.blame(`${key}: a part without its continuations`);
    return [];
  }
}
