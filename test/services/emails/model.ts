/**
 * The email store as semantics A2 and A3 tell it, written a second time, as plainly as can be: one
 * map, changed in place. A call answers the job's fields, null, or the code of the error it throws.
 */
import { type Entry, type Fields, KEPT, MOVES, PAYLOAD, STAMPS } from "./model-rules.ts";

export type Answer = Fields | null | string;

/** Stands for a token that the service mints; the real one is told to `learn`. */
export const FRESH = "<fresh>";

export const RETENTION_MS = 3_600_000;

export interface Texts {
  readonly lastError?: string | null;
}

export type Model = ReturnType<typeof createModel>;

export function createModel(start: number) {
  const entries = new Map<string, Entry>();
  let now = start;
  const iso = (at: number): string => new Date(at).toISOString();

  /** The entry of a job that can be seen. */
  function seen(key: string): Entry | null {
    const entry = entries.get(key);
    return entry === undefined || entry.overAt <= now ? null : entry;
  }

  /** The code with which a creation is refused. */
  function goneBy({ isErased, overAt }: Entry): string | null {
    if (isErased) return "erased";
    return overAt <= now ? "job_expired" : null;
  }

  function drop(job: Fields, names: readonly string[]): void {
    for (const name of names) delete job[name];
  }

  function enter(entry: Entry, to: string): void {
    const { job } = entry;
    const stamp = STAMPS[to];
    if (stamp !== undefined) job[stamp] = iso(now);
    if (to === "ready") entry.readyAt = now;
    if (to === "ai_dispatched") {
      entry.dispatchedAt = now;
      drop(job, ["aiClaimedBy"]);
    }
    Object.assign(job, { state: to, updatedAt: iso(now), leaseUntil: null, leaseToken: null });
    entry.requestId = null;
    entry.claimToken = null;
    entry.overAt =
      to === "sent" || to === "cancelled" ? now + RETENTION_MS : Number.POSITIVE_INFINITY;
  }

  function lease(entry: Entry, ms: number, requestId: string | null): Answer {
    enter(entry, "sending");
    entry.leaseUntil = now + ms;
    entry.requestId = requestId;
    const { job } = entry;
    job["attempts"] = Number(job["attempts"]) + 1;
    return Object.assign(job, {
      lastError: null,
      leaseUntil: iso(now + ms),
      leaseToken: FRESH,
    });
  }

  function claimed(entry: Entry, claimant: string | null): Answer {
    enter(entry, "ai_dispatched");
    if (claimant !== null) entry.job["aiClaimedBy"] = claimant;
    entry.claimToken = FRESH;
    return { ...entry.job, claimToken: FRESH };
  }

  function isClaimant(entry: Entry, claimant: string, token: string | undefined): boolean {
    return (
      entry.job["state"] === "ai_dispatched" &&
      entry.job["aiClaimedBy"] === claimant &&
      (token === undefined || token === entry.claimToken)
    );
  }

  function dueAt({ job, leaseUntil, readyAt, isErased }: Entry): number {
    if (job["state"] === "sending") return leaseUntil;
    if (job["state"] !== "ready" || isErased) return Number.POSITIVE_INFINITY;
    const attempts = Number(job["attempts"]);
    return attempts === 0 ? readyAt : readyAt + 60_000 * 2 ** (attempts - 1);
  }

  function create(key: string, payload: Fields, state: string): Answer {
    const job = {
      ...payload,
      logicalKey: key,
      state,
      attempts: 0,
      createdAt: iso(now),
      updatedAt: iso(now),
      lastError: null,
      leaseUntil: null,
      leaseToken: null,
    };
    entries.set(key, {
      job,
      leaseUntil: 0,
      readyAt: 0,
      dispatchedAt: 0,
      requestId: null,
      claimToken: null,
      settlement: null,
      overAt: Number.POSITIVE_INFINITY,
      isRetired: false,
      isErased: false,
    });
    return { created: true, ...job };
  }

  return {
    tick(ms: number): void {
      now += ms;
    },
    now: () => now,
    /** The token that the service minted where this model said FRESH. */
    learn(key: string, tokens: { leaseToken?: unknown; claimToken?: unknown }): void {
      const entry = entries.get(key);
      if (entry === undefined) return;
      if (entry.job["leaseToken"] === FRESH) entry.job["leaseToken"] = tokens.leaseToken;
      if (entry.claimToken === FRESH) entry.claimToken = String(tokens.claimToken);
    },
    read: (key: string): Answer => seen(key)?.job ?? null,
    list: (): readonly Fields[] =>
      [...entries.keys()].flatMap((key) => {
        const entry = seen(key);
        return entry === null ? [] : [entry.job];
      }),

    enqueue(key: string, payload: Fields, state: string, isStrict: boolean): Answer {
      const entry = entries.get(key);
      if (entry === undefined) return create(key, payload, state);
      const gone = goneBy(entry);
      if (gone !== null) return gone;
      const isOther = PAYLOAD.some(
        (name) => JSON.stringify(entry.job[name]) !== JSON.stringify(payload[name]),
      );
      return isStrict && isOther ? "job_payload_conflict" : { created: false, ...entry.job };
    },

    converge(recipient: string, recordingId: string, requestedBy: string): Answer {
      const key = `first-import:${recipient}`;
      const entry = entries.get(key);
      const turned = { recipient, recordingIds: [recordingId], requestedBy };
      if (entry === undefined) return create(key, { type: "first-import", ...turned }, "pending");
      const gone = goneBy(entry);
      if (gone !== null) return gone;
      const { job } = entry;
      const isOpen = ["pending", "ready", "cancelled"].includes(String(job["state"]));
      if (isOpen && String(job["recordingIds"]) !== recordingId) {
        enter(entry, "pending");
        drop(job, ["readyAt", "sendingAt", "cancelledAt", "failedAt"]);
        Object.assign(job, { ...turned, attempts: 0, lastError: null });
        entry.settlement = null;
      }
      return { created: false, ...job };
    },

    transition(key: string, from: readonly string[], to: string, texts: Texts): Answer {
      const entry = seen(key);
      const state = String(entry?.job["state"]);
      if (entry === null || state === "sending" || !from.includes(state)) return null;
      if (!MOVES.has(`${state}>${to}`)) return "invalid_transition";
      enter(entry, to);
      return Object.assign(entry.job, texts);
    },

    claim(key: string, claimant: string): Answer {
      const entry = seen(key);
      const { type, state } = entry?.job ?? {};
      if (entry === null || type !== "two-clips" || state !== "awaiting_ai") return null;
      return claimed(entry, claimant);
    },

    /** `order` tells which of several that wait equally long comes first. */
    claimNext(claimant: string | null, order: readonly string[]): Answer {
      const [next] = order
        .flatMap((key) => seen(key) ?? [])
        .filter((entry) => entry.job["state"] === "awaiting_ai")
        .sort((one, other) =>
          String(one.job["createdAt"]) < String(other.job["createdAt"]) ? -1 : 1,
        );
      return next === undefined ? null : claimed(next, claimant);
    },

    reclaim(key: string, claimant: string, staleBefore: number): Answer {
      const entry = seen(key);
      const { type, state } = entry?.job ?? {};
      if (entry === null || type !== "two-clips" || state !== "ai_dispatched") return null;
      return entry.dispatchedAt <= staleBefore ? claimed(entry, claimant) : null;
    },

    complete(key: string, claimant: string, summary: string, token?: string): Answer {
      const entry = seen(key);
      if (entry === null || !isClaimant(entry, claimant, token)) return null;
      enter(entry, "ready");
      return Object.assign(entry.job, { generatedSummary: summary });
    },

    release(key: string, claimant: string, token?: string): Answer {
      const entry = seen(key);
      if (entry === null || !isClaimant(entry, claimant, token)) return null;
      enter(entry, "awaiting_ai");
      drop(entry.job, ["aiClaimedBy", "aiDispatchedAt"]);
      return entry.job;
    },

    acquire(key: string, ms: number, requestId: string | null): Answer {
      const entry = seen(key);
      if (entry === null) return null;
      const isSending = entry.job["state"] === "sending";
      if (isSending && entry.leaseUntil > now) {
        return requestId !== null && requestId === entry.requestId ? entry.job : null;
      }
      return isSending || entry.job["state"] === "ready" ? lease(entry, ms, requestId) : null;
    },

    /** Leases what is due, fails what has used its three attempts; the keys that were leased. */
    acquireDue(ms: number): readonly string[] {
      const leased: string[] = [];
      for (const [key, entry] of entries) {
        if (dueAt(entry) > now) continue;
        if (Number(entry.job["attempts"]) < 3) {
          lease(entry, ms, null);
          leased.push(key);
          continue;
        }
        const lastError = entry.job["lastError"] ?? "every attempt ended without a report";
        enter(entry, "failed");
        Object.assign(entry.job, { lastError });
      }
      return leased;
    },

    extend(key: string, token: string, ms: number): Answer {
      const entry = seen(key);
      if (entry === null || entry.job["leaseToken"] !== token) return null;
      entry.leaseUntil = now + ms;
      return Object.assign(entry.job, { leaseUntil: iso(now + ms), updatedAt: iso(now) });
    },

    settle(key: string, token: string, to: string, texts: Texts): Answer {
      const entry = seen(key);
      if (entry === null) return null;
      if (entry.job["leaseToken"] === token) {
        enter(entry, to);
        entry.settlement = { token, to };
        return Object.assign(entry.job, texts);
      }
      const { settlement } = entry;
      const isRepeat = settlement?.token === token && settlement.to === to;
      return isRepeat ? { ...entry.job, leaseToken: null } : null;
    },

    requeue(key: string): Answer {
      const entry = seen(key);
      if (entry === null || entry.job["state"] !== "failed") return null;
      enter(entry, "pending");
      drop(entry.job, [...Object.values(STAMPS), "aiClaimedBy"]);
      entry.settlement = null;
      return Object.assign(entry.job, { attempts: 0 });
    },

    /** All of an erased job but its id. */
    erase(key: string): Answer {
      const entry = entries.get(key);
      if (entry === undefined || entry.job["state"] === "sending") return null;
      const { job } = entry;
      if (entry.isErased) return job;
      const personal = Object.keys(job).filter((name) => !KEPT.includes(name));
      drop(job, personal);
      Object.assign(entry, { isErased: true, isRetired: true, overAt: now });
      return Object.assign(job, { updatedAt: iso(now) });
    },

    retire(): number {
      const over = [...entries.values()].filter((entry) => entry.overAt <= now && !entry.isRetired);
      for (const entry of over) entry.isRetired = true;
      return over.length;
    },
  };
}
