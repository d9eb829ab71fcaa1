/** The laws of receipts, and what became of each. Known from the specification alone. */
import { sha256Hex } from "../../../src/core/hash.ts";
import { type Fields, type Revision, splitKey, type Truth } from "../truth.ts";
import type { Effects } from "./effects.ts";
import { watchPlaces } from "./places.ts";

/** A receipt as it is stored now. */
export interface Standing {
  /** `none`: there is no receipt. `retired`: a tombstone. */
  readonly state: string;
  readonly tokenHash: string | null;
  readonly payloadHash: string | null;
  readonly result: unknown;
  readonly resolution: Fields | null;
}

export interface ReceiptHistory {
  /** Of all receipts. */
  keys(): readonly string[];
  standing(key: string): Standing;
  /** Whether it ever was as `is` says. */
  ever(key: string, is: (standing: Standing) => boolean): boolean;
  /** Whether a tombstone stands whose place is given back, or nothing ever was. */
  isOver(key: string): boolean;
}

export const MARGIN_MS = 30_000;

/** How far two wall clocks are apart at most: twice what one is off, and what they drift. */
export const SKEW_MS = 8_000;

const STEPS: Readonly<Record<string, readonly string[]>> = {
  none: ["prepared", "dispatching", "none"],
  prepared: ["prepared", "dispatching", "retired"],
  // Back to prepared: its owner had not begun, and gave the dispatch back.
  dispatching: ["dispatching", "prepared", "accepted", "terminal", "outcome-unknown"],
  "outcome-unknown": ["outcome-unknown", "accepted", "terminal", "retired"],
  accepted: ["accepted", "terminal", "retired"],
  terminal: ["terminal", "retired"],
  retired: ["retired"],
};

export const isReceipt = (key: string): boolean => /^receipts\/records\//.test(splitKey(key)[1]);

export function watchReceipts(truth: Truth, effects: Effects): ReceiptHistory {
  truth.onWrite((next, previous) => {
    if (isReceipt(next.key)) checkStep(truth, effects, previous, next);
  });
  watchPlaces(truth);
  return {
    keys: () => truth.keys().filter(isReceipt),
    standing: (key) => standingOf(truth.last(key)),
    ever: (key, is) => truth.of(key).some((revision) => is(standingOf(revision))),
    isOver(key) {
      const last = truth.last(key);
      const retired = fieldsOf(last?.ours["retired"]);
      return standingOf(last).state === "none" || retired?.["freed"] === true;
    },
  };
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null ? (value as Fields) : null;
}

function standingOf(revision: Revision | null): Standing {
  const ours = revision?.ours ?? {};
  const fields = revision?.fields ?? {};
  const isNone = revision === null || ours["void"] === true || ours["voided"] !== undefined;
  const state = ours["retired"] === undefined ? String(fields["state"]) : "retired";
  return {
    state: isNone ? "none" : state,
    tokenHash: textOf(fieldsOf(ours["dispatch"])?.["tokenHash"]),
    payloadHash: textOf(fields["payloadHash"]),
    result: fields["result"],
    resolution: fieldsOf(ours["resolution"]),
  };
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function checkStep(
  { blame }: Truth,
  effects: Effects,
  previous: Revision | null,
  next: Revision,
): void {
  const { key, fields } = next;
  const from = standingOf(previous);
  const to = standingOf(next);
  if (!STEPS[from.state]?.includes(to.state)) {
    blame(`${key}: went from ${from.state} to ${to.state}`);
  }
  if (to.state === "none" || from.state === "none") return;
  if (from.payloadHash !== to.payloadHash) blame(`${key}: bound to another payload`);
  if (previous?.fields["createdAt"] !== fields["createdAt"]) blame(`${key}: createdAt changed`);
  if (to.state === "retired") {
    checkEnd(blame, key, previous, next);
    return;
  }
  if (from.result !== undefined && !same(from.result, to.result)) {
    blame(`${key}: its result changed`);
  }
  if (from.resolution !== null && !same(from.resolution, to.resolution)) {
    blame(`${key}: its resolution changed`);
  }
  if (from.resolution !== null && to.state !== "outcome-unknown") {
    blame(`${key}: went on as ${to.state} after its resolution`);
  }
  if (from.tokenHash !== to.tokenHash && from.state !== "prepared" && to.state !== "prepared") {
    blame(`${key}: its dispatch changed hands`);
  }
  if (to.state === "prepared" && from.state === "dispatching" && effects.isBegun(key)) {
    blame(`${key}: its dispatch was given back after its side effect was begun`);
  }
  if (to.state === "outcome-unknown" && from.state === "dispatching") {
    checkUnknown(blame, effects, previous, next);
  }
}

/** A dispatch that lives is given up by its owner alone (RECEIPT-27). */
function checkUnknown(
  blame: (message: string) => void,
  effects: Effects,
  previous: Revision | null,
  { key, fields }: Revision,
): void {
  const leaseUntil = Number(fieldsOf(previous?.ours["dispatch"])?.["leaseUntil"]);
  const isLapsed = Number(fields["outcomeUnknownAt"]) >= leaseUntil + MARGIN_MS;
  if (!isLapsed && !effects.isGivenUp(key)) blame(`${key}: a live dispatch was given up for lost`);
}

function checkEnd(
  blame: (message: string) => void,
  key: string,
  previous: Revision | null,
  next: Revision,
): void {
  const before = standingOf(previous);
  const retired = fieldsOf(next.ours["retired"]);
  if (before.state === "retired") {
    const old = fieldsOf(previous?.ours["retired"]);
    if (old?.["freed"] === true && retired?.["freed"] !== true) {
      blame(`${key}: its place is taken again after its end`);
    }
    if (old?.["outcome"] !== retired?.["outcome"]) blame(`${key}: its kept outcome changed`);
    return;
  }
  const isOpen = before.state === "outcome-unknown" && before.resolution === null;
  if (isOpen && retired?.["erased"] !== true) blame(`${key}: retired while its outcome is open`);
}

/** Of a token that is a caller's, as the record keeps it. */
export const hashOf = (token: string): string => sha256Hex(token);
