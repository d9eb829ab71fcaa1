/** Places of workspaces: never more than there are, and never fewer counted than taken (protocols 6.1). */
import { sha256Hex } from "../../../src/core/hash.ts";
import { type Revision, splitKey, type Truth } from "../truth.ts";

export const WORKSPACES = ["one", "two"] as const;
export const CAPACITY = 8;

export const scopeKeyOf = (prefix: string, workspaceId: string): string =>
  `${prefix}receipts/scopes/${sha256Hex(JSON.stringify({ workspaceId }))}`;

/** The workspace that a receipt takes a place of; null: none, or it was given back for good. */
function workspaceOf(revision: Revision | null): string | null {
  if (revision === null || !("workspaceId" in revision.fields)) return null;
  const { slot } = revision.ours;
  return slot === null ? null : String(revision.fields["workspaceId"]);
}

export function watchPlaces(truth: Truth): void {
  const taken = new Map<string, number>();

  function add(scope: string, count: number): void {
    taken.set(scope, (taken.get(scope) ?? 0) + count);
  }

  truth.onWrite((next, previous) => {
    const [prefix, rest] = splitKey(next.key);
    if (rest.startsWith("receipts/scopes/")) {
      check(next.key);
      return;
    }
    if (!/^receipts\/records\//.test(rest)) return;
    const [before, now] = [workspaceOf(previous), workspaceOf(next)];
    if (before !== null) add(scopeKeyOf(prefix, before), -1);
    if (now === null) return;
    add(scopeKeyOf(prefix, now), 1);
    if (before === null) check(scopeKeyOf(prefix, now));
  });

  function check(scope: string): void {
    const used = Number(truth.last(scope)?.fields["used"] ?? 0);
    const live = taken.get(scope) ?? 0;
    if (used > CAPACITY) truth.blame(`${scope}: ${used} places are used of ${CAPACITY}`);
    if (live > used) truth.blame(`${scope}: ${live} receipts have ${used} places`);
  }
}
