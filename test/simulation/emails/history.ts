/** The laws of email jobs, and what became of their leases. Known from the specification alone. */

import { sha256Hex } from "../../../src/core/hash.ts";
import { type Revision, splitKey, type Truth } from "../truth.ts";

export interface Settlement {
  readonly to: string;
  readonly isLatest: boolean;
}

export interface History {
  /** Every version of a key, oldest first. */
  of(key: string): readonly Revision[];
  /** Of all jobs. */
  keys(): readonly string[];
  /** How the lease `token` ended, if it was settled: the state, and whether it is the latest settlement. */
  settlementOf(key: string, token: string): Settlement | null;
  /** How many versions acquired the lease `token`. */
  acquisitionsOf(key: string, token: string): number;
  blame(message: string): void;
}

/** Semantics A2, with requeue and the two ways of leases: from → to. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  pending: ["pending", "awaiting_ai", "ready", "cancelled", "failed"],
  awaiting_ai: ["ai_dispatched", "cancelled", "failed"],
  ai_dispatched: ["ai_dispatched", "awaiting_ai", "ready", "cancelled", "failed"],
  ready: ["sending", "cancelled", "failed", "pending"],
  sending: ["sending", "sent", "ready", "cancelled", "failed"],
  sent: [],
  cancelled: ["pending"],
  failed: ["pending"],
};

export function watchEmails(truth: Truth): History {
  const { blame, of } = truth;
  truth.onWrite((next, previous) => {
    if (isJob(next.key)) checkStep(previous, next, blame);
  });
  return {
    of,
    keys: () => truth.keys().filter(isJob),
    settlementOf(key, token) {
      let found: Settlement | null = null;
      const steps = of(key);
      for (const [n, revision] of steps.entries()) {
        const previous = steps[n - 1];
        if (found !== null && settlementHash(revision) === null) {
          found = { to: found.to, isLatest: false };
        }
        if (previous === undefined || !isSettlement(previous, revision)) continue;
        if (previous.fields["leaseToken"] === token) {
          found = { to: String(revision.fields["state"]), isLatest: true };
        } else if (found !== null) found = { to: found.to, isLatest: false };
      }
      return found;
    },
    acquisitionsOf: (key, token) =>
      of(key).filter(
        (revision, n) =>
          revision.fields["leaseToken"] === token && of(key)[n - 1]?.fields["leaseToken"] !== token,
      ).length,
    blame,
  };
}

const isJob = (key: string): boolean => splitKey(key)[1].startsWith("emails/jobs/");

/** Whether the holder itself ended the lease; another may also fail a job that is out of attempts. */
function isSettlement(previous: Revision, next: Revision): boolean {
  if (previous.fields["state"] !== "sending" || next.fields["state"] === "sending") return false;
  const token = String(previous.fields["leaseToken"]);
  return settlementHash(next) === sha256Hex(token);
}

/** A new life of the job (requeue, convergence) forgets the last settlement. */
function settlementHash({ ours }: Revision): string | null {
  const last = ours["lastSettlement"];
  if (typeof last !== "object" || last === null || !("tokenHash" in last)) return null;
  return String(last.tokenHash);
}

function checkStep(
  previous: Revision | null,
  next: Revision,
  blame: (message: string) => void,
): void {
  const { key, fields, ours } = next;
  if (ours["void"] === true) return;
  const isFirst = previous === null || previous.ours["void"] === true;
  checkLease(isFirst ? null : previous, next, blame);
  if (isFirst) {
    if (fields["state"] !== "pending" && fields["state"] !== "awaiting_ai") {
      blame(`${key}: began as ${fields["state"]}`);
    }
    return;
  }
  // The same state twice: a lease extended, a convergence, or the store moving a record on.
  const from = String(previous.fields["state"]);
  const to = String(fields["state"]);
  const isRewrite = JSON.stringify(previous.fields) === JSON.stringify(fields);
  if (!isRewrite && !MOVES[from]?.includes(to)) blame(`${key}: went from ${from} to ${to}`);
  if (previous.fields["createdAt"] !== fields["createdAt"]) blame(`${key}: createdAt changed`);
}

function checkLease(
  previous: Revision | null,
  next: Revision,
  blame: (message: string) => void,
): void {
  const { key, fields, ours } = next;
  const isSending = fields["state"] === "sending";
  const token = fields["leaseToken"];
  if (isSending !== (token !== null && fields["leaseUntil"] !== null)) {
    blame(`${key}: ${fields["state"]} with lease ${token}`);
  }
  const epoch = Number(ours["epoch"] ?? 0);
  const epochBefore = Number(previous?.ours["epoch"] ?? 0);
  const isAcquired = isSending && token !== (previous?.fields["leaseToken"] ?? null);
  if (epoch !== epochBefore + (isAcquired ? 1 : 0)) {
    blame(`${key}: epoch went from ${epochBefore} to ${epoch}`);
  }
}
