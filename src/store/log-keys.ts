/**
 * Names of what an event log consists of: parts `<jobId>/<first number, 12 digits>` (protocols 5.1) and
 * continuations `<jobId>/b/<write id of their part>/<n>` (5.8). Parts sort before continuations.
 */
import { assert } from "../core/assert.ts";
import type { WriteId } from "../core/ids.ts";
import { key as checkedKey, type Key } from "../core/key.ts";

/** The greatest number that an item of a log can have. */
export const SEQUENCE_MAX = 999_999_999_999;

const PART = /^\d{12}$/;
const CONTINUATION = /^b\/[A-Za-z0-9_-]{16}\/\d{1,2}$/;

/** What the keys of all logs of a tenant begin with, without the last `/`; null: the default tenant. */
export function logRoot(tenant: string | null): string {
  return tenant === null ? "queries/log" : `tenants/${tenant}/queries/log`;
}

/** Whether `key` is that of a part or of a continuation, not of a record. */
export function isLogKey(key: Key): boolean {
  return /^(?:tenants\/[^/]+\/)?queries\/log\//.test(key);
}

/** `log`: what the keys of one job's log begin with, without the last `/`. */
export function partKey(log: string, first: number): Key {
  assert(Number.isInteger(first) && first >= 1 && first <= SEQUENCE_MAX, "no sequence number");
  return checkedKey(`${log}/${String(first).padStart(12, "0")}`);
}

/** `n` counts from 0. */
export function continuationKey(log: string, w: WriteId, n: number): Key {
  return checkedKey(`${log}/b/${w}/${n}`);
}

/** The number of the first item of the part with this key; null for what is no part of `log`. */
export function firstOf(log: string, key: Key): number | null {
  const name = nameIn(log, key);
  return PART.test(name) && Number(name) >= 1 ? Number(name) : null;
}

/** Whether a part or a continuation of `log` has this name: others may put theirs beside them. */
export function isOfLog(log: string, key: Key): boolean {
  const name = nameIn(log, key);
  return PART.test(name) || CONTINUATION.test(name);
}

/** The job that what lies at `key` is of, or null when it is of no log below `root`. */
export function jobOf(root: string, key: Key): string | null {
  const [jobId = ""] = nameIn(root, key).split("/");
  return jobId !== "" && isOfLog(`${root}/${jobId}`, key) ? jobId : null;
}

function nameIn(prefix: string, key: Key): string {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : "";
}
