/**
 * The whole protocol around one side effect (semantics B3): bound to its payload, dispatched to one call,
 * run, and its outcome stored before anybody is answered. In two writes where nobody else is at it.
 */
import type { JsonValue, Storable } from "../core/json.ts";
import { type DurationMs, durationMs, seconds } from "../core/time.ts";
import type { OutcomeAnswer } from "../machines/receipts/commands.ts";
import { DISPATCH_LEASE_MS, receiptInputs } from "../machines/receipts/inputs.ts";
import { type GivenKey, type OperationKey, receiptIdOf } from "../machines/receipts/key.ts";
import type { Operation } from "../machines/receipts/operations.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import { OutcomeUnknownError } from "../ports/faults.ts";
import { checkedOptions, namedOptions } from "./input.ts";
import { type Ended, runOwned } from "./once-run.ts";
import { inFlightWait, timeOver } from "./once-wait.ts";
import type { ReceiptAnswer, ReceiptOutcome } from "./receipt-commands.ts";
import {
  OperationReceiptContractError,
  OperationReceiptOutcomeUnknownError,
  OperationReceiptResolvedError,
} from "./receipt-errors.ts";
import { checkedKey, checkedResult, contract, hashesOf, operationOf } from "./receipt-input.ts";
import { answered, isOwnedBy, type ReceiptParts, renewedAs } from "./receipt-methods.ts";
import { dispatchedWith } from "./receipt-tokens.ts";

/** What a side effect is given. */
export interface OnceContext {
  /** Aborted when the caller's signal is. */
  readonly signal: AbortSignal;
  /** The receipt of this dispatch; its id is a good idempotency key for a provider. */
  readonly receipt: Receipt;
}

/** What somebody found out about an unknown outcome; null: nothing. */
export type Reconciled<T> =
  | { readonly outcome: "happened"; readonly result: T }
  | { readonly outcome: "did_not_happen" | "abandoned" }
  | null;

export interface OnceOptions<T> {
  /** Ends waiting for another call, or keeps the side effect from being begun; given to it once it is. */
  readonly signal?: AbortSignal;
  /**
   * How long the dispatch is this call's without a renewal; 1,000 to 86,400,000, default 60,000. It is
   * renewed while the side effect runs; a caller that died keeps others waiting so long, and the margin.
   */
  readonly leaseMs?: number;
  /**
   * How long to wait for another call of the same operation; 0 to 86,400,000. By default `leaseMs`,
   * `limits.dispatchMarginMs` and 5,000: one that died with the same lease is seen through.
   */
  readonly waitMs?: number;
  /**
   * Asked about an outcome that an earlier call left unknown, such as the provider's own record of it.
   * What it says stands. What it throws is the `cause` of OperationReceiptOutcomeUnknownError.
   */
  readonly reconcile?: (receipt: Receipt) => Promise<Reconciled<T>> | Reconciled<T>;
}

export interface OnceOutcome<T> {
  /** As it is stored: what the side effect returned, as JSON. */
  readonly result: T;
  readonly receipt: Receipt;
  /** Whether an earlier call, or another one, ran the side effect. */
  readonly replayed: boolean;
}

/** What a side effect is that returns what cannot be stored: nothing. */
export interface MustReturnJson {
  readonly "its result must be what JSON can say: no Date, bigint, function, symbol or promise": never;
}

/** Anything, where a `T` can be stored as JSON; a function of a caller's own with a `T` needs it, too. */
export type ReturnsJson<T> = [T] extends [Storable<T>] ? unknown : MustReturnJson;

/**
 * Runs `sideEffect` once for the operation, however often and wherever it is called; every call has the
 * stored result. One that returns nothing is stored as null, so that it must return, or await, what it
 * does. A side effect that throws, whose process dies, or whose result cannot be stored, leaves an outcome
 * that is not known: OperationReceiptOutcomeUnknownError, for ever, until its owner (`markAccepted` on the
 * same service), `reconcile` or a person tells. Throws
 * OperationReceiptConflictError for another payload, OperationReceiptInFlightError when another call is
 * still at it after `waitMs`, OperationReceiptResolvedError when a person said that it did not happen,
 * OperationReceiptExpiredError past its retention, OperationReceiptCapacityError, what the signal was aborted
 * with, and storage faults: those from before the side effect was begun. From then on it is
 * OperationReceiptOutcomeUnknownError that is thrown, whatever the cause.
 */
export type Once = <T>(
  key: GivenKey,
  payload: unknown,
  sideEffect: SideEffect<T> & ReturnsJson<T>,
  options?: OnceOptions<T>,
) => Promise<OnceOutcome<T>>;

type SideEffect<T> = (context: OnceContext) => Promise<T> | T;

/** A checked call. */
export interface OnceCall {
  readonly key: OperationKey;
  readonly operation: Operation;
  readonly payloadHashes: readonly [string, ...string[]];
  readonly sideEffect: (context: OnceContext) => unknown;
  readonly leaseMs: DurationMs;
  readonly waitMs: DurationMs;
  readonly signal: AbortSignal | null;
  readonly reconcile: ((receipt: Receipt) => unknown) | null;
}

/** How often a beginning is asked for whose end is not known, and the wait between. */
const TRIES_MAX = 3;
const PAUSE_MS = seconds(1);

/** What a wait is longer than the lease and the margin of a dispatch that nobody renews. */
const WAIT_EXTRA_MS = seconds(5);

const OPTIONS = { signal: true, leaseMs: true, waitMs: true, reconcile: true } as const;

/** Who resolved what `reconcile` found out. */
const RECONCILER = "reconcile";

export function once(parts: ReceiptParts): Once {
  const { commands, prepare, deps, tokens } = parts;
  const wait = inFlightWait(parts);

  async function ended(call: OnceCall): Promise<OnceOutcome<JsonValue>> {
    const isTired = timeOver(deps.clock, call.waitMs);
    for (;;) {
      call.signal?.throwIfAborted();
      const { own, others } = await deps.calls.awaited(() => tried(call));
      if (own !== null) return { ...own, replayed: false };
      const left = await wait.over(call, others, isTired);
      // Whoever had the dispatch gave it back, or left its token to this service, and had begun nothing.
      const { state } = left.receipt;
      if (state !== "prepared" && state !== "dispatching") return replayed(call, left);
    }
  }

  /** The end of the call's own side effect, or, where another has the dispatch, what was found. */
  async function tried(
    call: OnceCall,
  ): Promise<{ own: Ended; others: null } | { own: null; others: ReceiptAnswer }> {
    const isLate = timeOver(deps.clock, call.leaseMs);
    const fresh = { id: receiptIdOf(call.key), freshToken: commands.freshToken };
    const { token, answer } = await dispatchedWith(tokens, fresh, async (token, isOld) => {
      const answer = answered(await begun(call, token));
      const by = { token, leaseMs: call.leaseMs };
      return { token, answer: isOld ? await renewedAs(commands, answer, by) : answer };
    });
    if (!isOwnedBy(answer.live, token)) return { own: null, others: answer };
    const { receipt } = answer;
    const run = () => runOwned(parts, call, { receipt, token, isLate });
    return { own: await wait.announced(receipt.id, run), others: null };
  }

  /** The same token again learns whether the first try, whose reply was lost, made it the owner. */
  async function begun(call: OnceCall, token: string): Promise<ReceiptOutcome> {
    const { key, payloadHashes, leaseMs } = call;
    const dispatch = { token, leaseMs };
    let lost: OutcomeUnknownError | null = null;
    for (let tries = 1; ; tries += 1) {
      try {
        return await prepare({ kind: "prepare", key, payloadHashes, dispatch });
      } catch (error) {
        if (error instanceof OutcomeUnknownError) lost = error;
        if (lost === null) throw error;
        // What was not known stays so, whatever keeps it from being asked again.
        if (tries >= TRIES_MAX) throw lost;
      }
      await deps.clock.sleep(PAUSE_MS);
    }
  }

  /** What another call left. */
  async function replayed(
    call: OnceCall,
    { receipt }: ReceiptAnswer,
  ): Promise<OnceOutcome<JsonValue>> {
    const { state, result, resolution } = receipt;
    if (state === "accepted") {
      const completed = answered(await commands.run(receipt, { kind: "complete" })).receipt;
      return { result: completed.result ?? null, receipt: completed, replayed: true };
    }
    if (state === "terminal") return { result: result ?? null, receipt, replayed: true };
    if (resolution === undefined) return reconciled(call, receipt);
    if (resolution.outcome !== "happened") throw new OperationReceiptResolvedError(resolution);
    return { result: resolution.result ?? null, receipt, replayed: true };
  }

  async function reconciled(call: OnceCall, receipt: Receipt): Promise<OnceOutcome<JsonValue>> {
    const truth = await asked(call, receipt);
    if (truth === null) throw new OperationReceiptOutcomeUnknownError(receipt.id);
    const outcome = await commands.run(receipt, {
      kind: "resolve",
      ...truth,
      by: RECONCILER,
      note: null,
    });
    // Whoever was faster stands: another's answer, or the owner's late truth.
    const now = outcome.kind === "rejected" ? answered(await commands.read(receipt.id)) : outcome;
    return replayed(call, now);
  }

  /** A hook that throws, or says what cannot be, has found out nothing. */
  async function asked(
    { reconcile, operation }: OnceCall,
    receipt: Receipt,
  ): Promise<OutcomeAnswer | null> {
    if (reconcile === null) return null;
    try {
      return foundOut(await reconcile(receipt), operation);
    } catch (cause) {
      throw new OperationReceiptOutcomeUnknownError(receipt.id, { cause });
    }
  }

  return async <T>(...[key, payload, sideEffect, options]: Parameters<typeof call<T>>) => {
    const outcome = await ended(call<T>(key, payload, sideEffect, options));
    // The operation's schema and the side effect's type are the caller's to keep together.
    return outcome as OnceOutcome<T>;
  };

  function call<T>(
    key: GivenKey,
    payload: unknown,
    sideEffect: SideEffect<T>,
    options: OnceOptions<T> = {},
  ): OnceCall {
    const { signal, waitMs, reconcile, ...rest } = namedOptions(options, OPTIONS, "options");
    const checked = checkedKey(key, deps.operations);
    if (typeof sideEffect !== "function") throw new TypeError("the side effect must be a function");
    const leaseMs = contract(
      receiptInputs.onceLeaseMs,
      rest.leaseMs ?? DISPATCH_LEASE_MS,
      "leaseMs",
    );
    return {
      key: checked,
      operation: operationOf(checked, deps.operations),
      payloadHashes: hashesOf(payload),
      sideEffect,
      leaseMs: durationMs(leaseMs),
      waitMs: durationMs(
        waitMs === undefined
          ? leaseMs + deps.marginMs + WAIT_EXTRA_MS
          : contract(receiptInputs.waitMs, waitMs, "waitMs"),
      ),
      signal: checkedAs("signal", signal, isSignal, "must be an AbortSignal"),
      reconcile: checkedAs("reconcile", reconcile, isFunction, "must be a function"),
    };
  }
}

/** Null: it was left out. */
function checkedAs<T>(
  path: string,
  value: T | undefined,
  isIt: (value: unknown) => boolean,
  message: string,
): T | null {
  if (value === undefined) return null;
  if (isIt(value)) return value;
  throw new OperationReceiptContractError([{ path, message }]);
}

const isFunction = (value: unknown): boolean => typeof value === "function";

/** By what it is used for: one of another realm is no instance. */
function isSignal(value: unknown): boolean {
  const signal = Object(value) as Record<string, unknown>;
  const methods = ["throwIfAborted", "addEventListener", "removeEventListener"];
  return (
    typeof signal["aborted"] === "boolean" && methods.every((name) => isFunction(signal[name]))
  );
}

function foundOut(found: unknown, operation: Operation): OutcomeAnswer | null {
  if (found === null || found === undefined) return null;
  const { outcome, result } = checkedOptions(found as Record<string, unknown>, "reconcile");
  const said = contract(receiptInputs.outcome, outcome, "reconcile.outcome");
  if (said !== "happened") return { outcome: said };
  // As of a side effect that returns nothing.
  const returned = result ?? null;
  return { outcome: said, result: checkedResult(returned, operation, "reconcile.result") };
}
