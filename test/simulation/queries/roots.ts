/** The laws of roots: which generations live, when they end, what their hints say (protocols 4 and 5.4). */
import { sha256Hex } from "../../../src/core/hash.ts";
import { type Fields, type Revision, splitKey, type Truth } from "../truth.ts";
import { START_MS } from "../world.ts";
import { type Hold, SKEW_MS, sessionOf } from "./history.ts";
import { isTerminal, type JobLog } from "./log.ts";

export interface Generation {
  readonly jobId: string;
  /** Virtual time of its admission. */
  readonly at: number;
}

/** A job as its root has it. */
interface Named {
  readonly isRetired: boolean;
  readonly retentionUntil: number;
}

interface Past extends Named {
  readonly jobId: string;
}

interface RootParts {
  log(prefix: string, jobId: string): JobLog | null;
  holds(prefix: string, sessionId: string): readonly Hold[];
}

/** Retirements in their order; before the first there is none. */
const RETIREMENTS: readonly unknown[] = [null, "removing", "removed"];

const isRoot = (key: string): boolean => splitKey(key)[1].startsWith("queries/roots/");

export function watchRoots(truth: Truth, { log, holds }: RootParts) {
  const { blame } = truth;
  /** By tenant, client job and generation. */
  const generations = new Map<string, Generation>();
  const owners = new Map<string, string>();

  const rootKey = (prefix: string, clientJobId: string): string =>
    `${prefix}queries/roots/${sha256Hex(clientJobId)}`;

  function check(next: Revision, previous: Revision | null): void {
    const [prefix] = splitKey(next.key);
    const { fields } = next;
    if (next.ours["void"] === true || fields["void"] === true) return;
    const before =
      previous === null || previous.ours["void"] === true || previous.fields["void"] === true
        ? null
        : previous.fields;
    const jobId = String(fields["jobId"]);
    const own = log(prefix, jobId);
    if (before === null || before["jobId"] !== jobId) admitted(prefix, next, before);
    else if (before["gen"] !== fields["gen"]) blame(`${next.key}: a job changed its generation`);
    if (own === null || own.events.length === 0) {
      blame(`${next.key}: names a job without a log`);
      return;
    }
    if (before !== null) checkStays(next, before, own);
    checkHint(next, own);
    checkPast(prefix, next, before);
  }

  function admitted(prefix: string, { key, fields, at }: Revision, before: Fields | null): void {
    const jobId = String(fields["jobId"]);
    const name = `${prefix}${fields["clientJobId"]} ${fields["gen"]}`;
    if (generations.has(name)) blame(`${key}: generation ${fields["gen"]} was admitted twice`);
    generations.set(name, { jobId, at });
    owners.set(prefix + jobId, key);
    if (before === null) return;
    if (Number(fields["gen"]) <= Number(before["gen"])) blame(`${key}: generations go back`);
    if (before["clientJobId"] === null) blame(`${key}: admitted after its erasure`);
    const earlier = log(prefix, String(before["jobId"]));
    if (earlier === null || !isTerminal(earlier.status)) {
      blame(`${key}: admitted beside generation ${before["gen"]}, which lives`);
      return;
    }
    const own = log(prefix, jobId);
    if (own === null || sessionOf(own) !== sessionOf(earlier)) return;
    // What held the session before the end could be seen holds it still.
    const held = holds(prefix, sessionOf(own)).find((hold) => hold.jobId === earlier.jobId);
    const isHeld = held !== undefined && held.until > START_MS + at + SKEW_MS;
    if (isHeld && rules.refusesHeld) blame(`${key}: admitted while its session is held`);
  }

  const rules = { refusesHeld: true };

  function checkStays({ key, fields }: Revision, before: Fields, own: JobLog): void {
    const isErased = fields["clientJobId"] === null;
    if (before["clientJobId"] === null && !isErased) blame(`${key}: came back after its erasure`);
    if (before["jobId"] !== fields["jobId"]) return;
    if (before["fingerprint"] !== fields["fingerprint"]) blame(`${key}: bound to another request`);
    const [was, is] = [before["retirement"], fields["retirement"]];
    if (RETIREMENTS.indexOf(is) < RETIREMENTS.indexOf(was)) blame(`${key}: retired, and back`);
    if (was !== null || is === null) return;
    const isOver = Number(fields["retentionUntil"]) <= START_MS + truth.now() + SKEW_MS;
    if (!isTerminal(own.status)) blame(`${key}: retired before its end`);
    if (!isOver && !isErased) blame(`${key}: retired before its time`);
  }

  function checkHint({ key, fields }: Revision, own: JobLog): void {
    const { seq, status } = fields["hint"] as { seq: number; status: string };
    if (!own.ends.has(seq)) blame(`${key}: its hint ${seq} is the end of no part`);
    else if (own.events[seq - 1]?.status !== status) blame(`${key}: its hint has another status`);
  }

  /** An entry leaves only when nothing of its log is left. */
  function checkPast(prefix: string, { key, fields }: Revision, before: Fields | null): void {
    const kept = new Set(pastOf(fields).map(({ jobId }) => jobId));
    const left = before === null ? [] : pastOf(before).filter(({ jobId }) => !kept.has(jobId));
    const gone = left.map(({ jobId }) => jobId);
    if (fields["retirement"] === "removed" && before?.["retirement"] !== "removed") {
      gone.push(String(fields["jobId"]));
    }
    if (before !== null && before["jobId"] !== fields["jobId"]) {
      const isNamed = kept.has(String(before["jobId"])) || before["retirement"] === "removed";
      if (!isNamed) gone.push(String(before["jobId"]));
    }
    for (const jobId of gone) {
      const own = log(prefix, jobId);
      const first = `${prefix}queries/log/${jobId}/000000000001`;
      if (own?.stored.has(first) === true) blame(`${key}: forgot ${jobId}, whose log is there`);
    }
  }

  truth.onWrite((next, previous) => {
    if (isRoot(next.key)) check(next, previous);
  });

  return {
    rules,
    generation: (prefix: string, clientJobId: string, gen: number) =>
      generations.get(`${prefix}${clientJobId} ${gen}`) ?? null,
    root: (prefix: string, clientJobId: string) =>
      truth.last(rootKey(prefix, clientJobId))?.fields ?? null,
    rootAt: (key: string) => truth.last(key)?.fields ?? null,
    roots: () => truth.keys().filter(isRoot),
    /** Null: no root names it. */
    named(prefix: string, jobId: string): Named | null {
      const fields = truth.last(owners.get(prefix + jobId) ?? "")?.fields;
      if (fields === undefined) return null;
      if (fields["jobId"] !== jobId) {
        return pastOf(fields).find((past) => past.jobId === jobId) ?? null;
      }
      const isRetired = fields["retirement"] !== null;
      return { isRetired, retentionUntil: Number(fields["retentionUntil"]) };
    },
  };
}

function pastOf(fields: Fields): readonly Past[] {
  const { history } = fields;
  return Array.isArray(history) ? history : [];
}
