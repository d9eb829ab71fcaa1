/**
 * How many receipts a workspace has, counted so that it is exact across processes and crashes (protocols
 * 6.1): a place is taken before its receipt is created, and given back after it is retired, each by a
 * name that is used once.
 */
import * as z from "zod/mini";
import { unreachable } from "../../core/assert.ts";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { EpochMs } from "../../core/time.ts";
import { HTTP_REQUEST } from "./built-in-operations.ts";
import { hexDigest, instant } from "./fields.ts";
import { scopeIdOf } from "./key.ts";
import type { ReceiptState } from "./record.ts";

/** Entries of each of the two lists below. */
export const PENDING_MAX = 64;

/** A reservation whose end is not noted yet. It is in `used` already. */
export type Pending = {
  /** The id of the receipt that it was made for. */
  readonly id: string;
  readonly at: number;
};

export interface ScopeState {
  /** Receipts that are not retired, and reservations. */
  readonly used: number;
  /** By nonce. */
  readonly pend: Readonly<Record<string, Pending>>;
  /** Places that were given back, by the nonce of each, with the id of its receipt. */
  readonly out: Readonly<Record<string, string>>;
}

/**
 * Whether a receipt of the operation takes a place. One of a request to a route does not: with a full
 * workspace whoever may call a route would close it for everybody. Their retention bounds them.
 */
export function takesPlace({
  tool,
  action,
}: {
  readonly tool: string;
  readonly action: string;
}): boolean {
  return tool !== HTTP_REQUEST.tool || action !== HTTP_REQUEST.action;
}

export const EMPTY_SCOPE: ScopeState = { used: 0, pend: {}, out: {} };

const nonces = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/));

const storedScope = z.strictObject({
  used: z.int().check(z.minimum(0)),
  pend: z.record(nonces, z.strictObject({ id: hexDigest, at: instant })),
  out: z.record(nonces, hexDigest),
});

export type ParsedScope =
  | { readonly ok: true; readonly scope: ScopeState }
  | { readonly ok: false; readonly reason: string };

export function parseScope(fields: JsonObject): ParsedScope {
  const parsed = safeParse(storedScope, fields);
  return parsed.success
    ? { ok: true, scope: parsed.data }
    : { ok: false, reason: reasonOf(parsed.error) };
}

export function scopeRecord({ used, pend, out }: ScopeState): JsonObject {
  return { used, pend, out };
}

export interface ScopeReservation {
  /** Fresh for this call. */
  readonly nonce: string;
  /** Of the receipt that will be created. */
  readonly id: string;
}

/** What is to be noted at once. */
export interface ScopeChange {
  /** Reservations whose receipt was created: their places stay taken. */
  readonly kept: readonly string[];
  /** Reservations whose receipt never will be. */
  readonly givenBack: readonly string[];
  /** Places of retired receipts, as far as there is room to remember them by. */
  readonly released: readonly ScopeReservation[];
  /** Receipts whose tombstone says that their place is given back. */
  readonly forgotten: readonly string[];
  readonly reserved: readonly ScopeReservation[];
}

export interface ScopeVerdict {
  readonly next: ScopeState;
  /** Nonces that have their place. */
  readonly granted: ReadonlySet<string>;
  /** Whether one was refused because `limit` places are taken. */
  readonly isFull: boolean;
}

/**
 * An entry that is gone already changes nothing, so the same change again does no harm. Reservations are
 * granted in their order, as far as there are places, and entries to remember them by.
 */
export function changeScope(
  scope: ScopeState,
  change: ScopeChange,
  limit: number,
  now: EpochMs,
): ScopeVerdict {
  const { used: before, pend: pending, out } = released(scope, change);
  const pend = new Map(Object.entries(pending));
  let used = before;
  for (const nonce of change.kept) pend.delete(nonce);
  for (const nonce of change.givenBack) if (pend.delete(nonce)) used -= 1;
  const granted = new Set<string>();
  let isFull = false;
  for (const { nonce, id } of change.reserved) {
    if (used >= limit) isFull = true;
    if (used >= limit || pend.size >= PENDING_MAX) continue;
    pend.set(nonce, { id, at: now });
    granted.add(nonce);
    used += 1;
  }
  return { next: { used, pend: Object.fromEntries(pend), out }, granted, isFull };
}

function released(scope: ScopeState, change: ScopeChange): ScopeState {
  const out = { ...scope.out };
  for (const nonce of change.forgotten) delete out[nonce];
  return change.released.reduce<ScopeState>(
    (next, { nonce, id }) => givePlaceBack(next, nonce, id) ?? next,
    { ...scope, out },
  );
}

/** Gives the place of a retired receipt back, once: null when it is back already, or no room to say so. */
export function givePlaceBack(scope: ScopeState, nonce: string, id: string): ScopeState | null {
  if (nonce in scope.out || Object.keys(scope.out).length >= PENDING_MAX) return null;
  const { [nonce]: _settled, ...pend } = scope.pend;
  // The receipt had its place, so the entry says no more than that.
  return { used: Math.max(0, scope.used - 1), pend, out: { ...scope.out, [nonce]: id } };
}

/** Entries that whoever made them has had time to settle. */
export function stalePending(
  scope: ScopeState,
  before: EpochMs,
): readonly (readonly [nonce: string, pending: Pending])[] {
  return Object.entries(scope.pend).filter(([, { at }]) => at <= before);
}

/** A place that a receipt takes, or its tombstone until that is given back. */
export interface HeldPlace {
  /** The id of the scope. */
  readonly scope: string;
  /** Null: one of an original, which has no name. */
  readonly slot: string | null;
}

/** Null: it takes none. */
export function placeOf(state: ReceiptState): HeldPlace | null {
  switch (state.kind) {
    case "live": {
      const { slot = null } = state.extra;
      const isUncounted = state.extra.slot === null;
      return isUncounted ? null : { scope: scopeIdOf(state.receipt.workspaceId), slot };
    }
    case "retired": {
      const { scope, slot, freed } = state;
      return freed || slot === null ? null : { scope, slot };
    }
    case "void":
      return null;
    default:
      return unreachable(state);
  }
}

/** Whether a place that is held is no other than one which the scope still remembers by its nonce. */
export function isRemembered(scope: ScopeState, { slot }: HeldPlace): boolean {
  return slot !== null && (slot in scope.pend || slot in scope.out);
}

/** The scope with the places that are held and not remembered, and with those of its reservations. */
export function countedAnew(scope: ScopeState, held: number): ScopeState {
  return { ...scope, used: Object.keys(scope.pend).length + held };
}
