/**
 * Whether a storage really does what everything here rests on. Some stores that speak the right protocol
 * take a conditional write and ignore its condition: nothing fails, and records are lost. So it is tried,
 * with about forty requests, before a storage is used.
 */
import { uuid, WRITE_ID_BYTES, writeId } from "../core/ids.ts";
import { type Key, key } from "../core/key.ts";
import { durationMs, type EpochMs, minutes, seconds } from "../core/time.ts";
import type {
  Backend,
  Cursor,
  ListedRecord,
  ListPage,
  PutVerdict,
  Version,
} from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import {
  ContendedError,
  MisconfiguredError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../ports/faults.ts";
import type { Random } from "../ports/random.ts";
import { encodeRecord, nextHeader } from "./header.ts";

export interface ProbeFinding {
  readonly check: string;
  /** `warn`: it works, and somebody should look. `fail`: the storage must not be used. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly detail: string;
}

export interface ProbeDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Tries the storage below `probe/<random>/`, and removes what it put there: those keys are never used
 * again. Throws the fault that keeps it from telling.
 */
export async function probe(backend: Backend, deps: ProbeDeps): Promise<readonly ProbeFinding[]> {
  const trial = trialOn(backend, deps);
  const findings: ProbeFinding[] = [];
  try {
    const single = await tryOneKey(trial);
    findings.push(...single.findings);
    findings.push(...(await tryRaces(trial)));
    findings.push(...(await tryListing(trial, single)));
    findings.push(...(await tryDueIndex(trial)));
    findings.push(await tryRemoval(trial));
    return findings;
  } catch (fault) {
    // One that failed tells enough, whatever else the storage cannot do.
    if (findings.some(({ verdict }) => verdict === "fail")) return findings;
    throw fault;
  } finally {
    const { record, missing, raced, listed } = trial.keys;
    const all = [record, missing, raced, ...listed];
    await Promise.allSettled(all.map((name) => backend.remove(name)));
  }
}

interface Trial {
  readonly backend: Backend;
  readonly clock: Clock;
  /** All keys begin with it. */
  readonly place: string;
  readonly keys: {
    readonly record: Key;
    readonly missing: Key;
    readonly raced: Key;
    /** Made from the last to the first, right before they are listed. */
    readonly listed: readonly Key[];
  };
  /** One attempt to write something new. */
  readonly put: (name: Key, expected: "absent" | Version) => Promise<PutVerdict>;
}

const ROOT = "probe";

/** With the other two, enough for three pages. */
const LISTED = 3;
const PAGE = 2;

function trialOn(backend: Backend, { clock, random }: ProbeDeps): Trial {
  const place = `${ROOT}/${uuid(random.bytes(16))}/`;
  const newKey = (): Key => key(place + uuid(random.bytes(16)));
  return {
    backend,
    clock,
    place,
    keys: {
      record: newKey(),
      missing: newKey(),
      raced: newKey(),
      listed: Array.from({ length: LISTED }, newKey).sort().reverse(),
    },
    put(name, expected) {
      const w = writeId(random.bytes(WRITE_ID_BYTES));
      const header = { ...nextHeader(null, { w, marker: null, due: null }), w };
      const text = encodeRecord({ fields: {}, extra: {} }, header, backend.format);
      return backend.putIf(name, text, { expected, due: null, dueBefore: null });
    },
  };
}

/** Tries of a write that is turned away for load, or because others write. */
const TRIES_MAX = 5;

/** Some stores take one write of a key in a second. */
const PAUSE_MS = seconds(1);

async function patiently(
  trial: Trial,
  name: Key,
  expected: "absent" | Version,
): Promise<PutVerdict> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await trial.put(name, expected);
    } catch (fault) {
      if (!isTurnedAway(fault) || tries >= TRIES_MAX) throw fault;
      const asked = fault instanceof StoreThrottledError ? fault.retryAfterMs : 0;
      await trial.clock.sleep(durationMs(Math.max(asked, PAUSE_MS)));
    }
  }
}

export function isTurnedAway(fault: unknown): boolean {
  return fault instanceof StoreThrottledError || fault instanceof ContendedError;
}

/** What one writer after another meets, and when the record was last written, by our clock. */
interface Single {
  readonly findings: readonly ProbeFinding[];
  readonly from: EpochMs;
  readonly until: EpochMs;
}

async function tryOneKey(trial: Trial): Promise<Single> {
  const { backend, clock } = trial;
  const { record, missing } = trial.keys;
  const created = await patiently(trial, record, "absent");
  if (created.kind !== "stored") {
    throw new MisconfiguredError("the storage cannot be used: it refuses to create a new key");
  }
  const read = await backend.get(record);
  const again = await patiently(trial, record, "absent");
  const base = again.kind === "stored" ? again.version : created.version;
  const from = clock.now();
  const replaced = await patiently(trial, record, base);
  const until = clock.now();
  const stale = await patiently(trial, record, base);
  const absent = await patiently(trial, missing, base);
  const isReplaced = replaced.kind === "stored" && replaced.version !== base;
  return {
    from,
    until,
    findings: [
      finding("read after write", read?.version === created.version, {
        ok: "shows what was written",
        fail: "does not show what was written: decisions would be made on what is gone",
      }),
      finding("second create of a key", again.kind === "refused", {
        ok: "refused",
        fail: `accepted: ${IGNORED}, so two callers would both create one job`,
      }),
      finding("replacement", isReplaced, {
        ok: "stored, with a version of its own",
        fail: "a record that nobody else wrote could not be replaced, or kept its version",
      }),
      finding("stale replacement", stale.kind === "refused", {
        ok: "refused",
        fail: `accepted: ${IGNORED}, so a superseded worker would overwrite its successor`,
      }),
      finding("replacement of a missing key", absent.kind === "refused", {
        ok: "refused",
        fail: `accepted: ${IGNORED}, so what was removed would come back`,
      }),
    ],
  };
}

const IGNORED = "the storage ignores the condition of a write";

const RACERS = 8;

async function tryRaces(trial: Trial): Promise<readonly ProbeFinding[]> {
  const created = await race(trial, "creates", "absent");
  if (created.standing === null) return [created.finding];
  // Some stores look at a condition before they begin to write, and not again.
  const replaced = await race(trial, "replacements", created.standing);
  return [created.finding, replaced.finding];
}

async function race(
  trial: Trial,
  what: string,
  expected: "absent" | Version,
): Promise<{ readonly finding: ProbeFinding; readonly standing: Version | null }> {
  const { raced } = trial.keys;
  const standingNow = async () => (await trial.backend.get(raced))?.version ?? null;
  const ends = await Promise.all(
    Array.from({ length: RACERS }, () => raceOnce(trial, raced, expected)),
  );
  const versions = ends.flatMap((end) => (end.kind === "stored" ? [end.version] : []));
  let standing = await standingNow();
  // Nobody got through: one more decides.
  if (versions.length === 0 && (standing ?? "absent") === expected) {
    const last = await patiently(trial, raced, expected);
    if (last.kind === "stored") versions.push(last.version);
    standing = await standingNow();
  }
  // Some stores answer those who meet with an error; one of them may have written all the same.
  const isUntold = versions.length === 0 && ends.some(({ kind }) => kind === "unanswered");
  const isWon = isUntold
    ? standing !== null && standing !== expected
    : versions.length === 1 && versions[0] === standing;
  const told =
    versions.length === 1
      ? "what stands there is not the winner's"
      : `${versions.length} were told that theirs was stored`;
  return {
    standing,
    finding: finding(`race of ${RACERS} ${what}`, isWon, {
      ok: "one winner",
      fail: `${told}: jobs would be lost when callers meet`,
    }),
  };
}

type RaceEnd = PutVerdict | { readonly kind: "turned_away" | "unanswered" };

async function raceOnce(trial: Trial, name: Key, expected: "absent" | Version): Promise<RaceEnd> {
  try {
    return await trial.put(name, expected);
  } catch (fault) {
    if (isTurnedAway(fault)) return { kind: "turned_away" };
    if (fault instanceof StoreUnavailableError) return { kind: "unanswered" };
    throw fault;
  }
}

async function tryListing(trial: Trial, written: Single): Promise<readonly ProbeFinding[]> {
  const { backend, place, keys } = trial;
  for (const name of keys.listed) await patiently(trial, name, "absent");
  const entries = await entriesBelow(backend, place);
  const names: readonly Key[] = entries.map((entry) => entry.key);
  const isShown = [keys.record, keys.raced, ...keys.listed].every((name) => names.includes(name));
  const isOnce = new Set(names).size === names.length;
  // The order is what due markers are found by; a storage with an index of its own may have another.
  const isInOrder =
    backend.due !== null || names.every((name, n) => n === 0 || name > (names[n - 1] ?? ""));
  const at = entries.find((entry) => entry.key === keys.record)?.writtenAt ?? null;
  return [
    finding("listing after write", isShown && isOnce && isInOrder, {
      ok: "complete",
      fail: !isShown
        ? "does not show what was written: what is due would be found late, or never"
        : isOnce
          ? "not in the order of the keys: what is due would not be found"
          : "shows an entry twice: a walk would not come to an end",
    }),
    ...(at === null ? [] : [clockFinding(at, written)]),
  ];
}

/** More than a storage of any kind needs for two records, at a page for each place it looks. */
const PAGES_MAX = 100;

async function entriesBelow(backend: Backend, place: string): Promise<readonly ListedRecord[]> {
  const entries: ListedRecord[] = [];
  let cursor: Cursor | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page: ListPage = await backend.list(place, cursor, PAGE);
    entries.push(...page.entries);
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return entries;
}

/** One that is missing, or may not be read, would be noticed by the first pass. */
async function tryDueIndex({ backend, clock }: Trial): Promise<readonly ProbeFinding[]> {
  const check = "due index";
  try {
    if (backend.due === null) return [];
    await backend.due.page("", "deliver", clock.now(), null, 1);
    return [{ check, verdict: "ok", detail: "can be read" }];
  } catch (fault) {
    if (!(fault instanceof MisconfiguredError)) throw fault;
    return [{ check, verdict: "fail", detail: fault.message }];
  }
}

async function tryRemoval({ backend, keys }: Trial): Promise<ProbeFinding> {
  await backend.remove(keys.record);
  return finding("removal", (await backend.get(keys.record)) === null, {
    ok: "gone",
    fail: "a removed key is still read: what is removed for good would be taken for stored",
  });
}

/** Clocks that are kept are nearer than this. */
const OFFSET_MS_WARN = seconds(5);

/** Leases and waiting times of several machines would be off by as much. */
const OFFSET_MS_FAIL = minutes(1);

/** `at`: what the storage's clock showed somewhere from `from` to `until`. */
export function clockFinding(
  at: EpochMs,
  { from, until }: { readonly from: EpochMs; readonly until: EpochMs },
): ProbeFinding {
  // A storage that tells whole seconds, as S3 does, is up to one of them early: far below a warning.
  const offset = Math.max(0, from - at, at - until);
  if (offset <= OFFSET_MS_WARN)
    return { check: "clock", verdict: "ok", detail: "as the storage's" };
  const side = at > until ? "behind" : "ahead of";
  return {
    check: "clock",
    verdict: offset > OFFSET_MS_FAIL ? "fail" : "warn",
    detail:
      `this machine's clock is ${Math.round(offset / 1_000)} s ${side} the storage's: leases would ` +
      "end early or late. Let it be set over the network (NTP)",
  };
}

function finding(
  check: string,
  isOk: boolean,
  detail: { readonly ok: string; readonly fail: string },
): ProbeFinding {
  return isOk
    ? { check, verdict: "ok", detail: detail.ok }
    : { check, verdict: "fail", detail: detail.fail };
}
