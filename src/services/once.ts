/**
 * The whole protocol around one side effect (semantics B3): bound to its payload, dispatched to one call,
 * run, and its outcome stored before anybody is answered. In two writes where nobody else is at it.
 */
import type { JsonValue } from "../core/json.ts";
import { after, type DurationMs, durationMs, seconds } from "../core/time.ts";
import { DISPATCH_LEASE_MS, receiptInputs } from "../machines/receipts/inputs.ts";
import type { GivenKey, OperationKey } from "../machines/receipts/key.ts";
import type { Operation } from "../machines/receipts/operations.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import { OutcomeUnknownError } from "../ports/faults.ts";
import { checkedOptions } from "./input.ts";
import { runOwned } from "./once-run.ts";
import { inFlightWait } from "./once-wait.ts";
import { isPassing } from "./passing.ts";
import type { ReceiptAnswer, ReceiptOutcome } from "./receipt-commands.ts";
import {
  OperationReceiptOutcomeUnknownError,
  OperationReceiptResolvedError,
} from "./receipt-errors.ts";
import { checkedKey, checkedResult, contract, hashesOf, operationOf } from "./receipt-input.ts";
import { answered, isOwnedBy, type ReceiptParts } from "./receipt-methods.ts";

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
  /** Ends waiting for another call; given to the side effect. */
  readonly signal?: AbortSignal;
  /** How long the dispatch is this call's without a renewal; 1,000 to 86,400,000, default 60,000. */
  readonly leaseMs?: number;
  /** How long to wait for another call of the same operation; 0 to 86,400,000, default 60,000. */
  readonly waitMs?: number;
  /** Asked about an unknown outcome, such as the provider's own record of it. What it says stands. */
  readonly reconcile?: (receipt: Receipt) => Promise<Reconciled<T>> | Reconciled<T>;
}

export interface OnceOutcome<T> {
  /** As it is stored: what the side effect returned, as JSON. */
  readonly result: T;
  readonly receipt: Receipt;
  /** Whether an earlier call, or another one, ran the side effect. */
  readonly replayed: boolean;
}

/**
 * Runs `sideEffect` once for the operation, however often and wherever it is called; every call has the
 * stored result. A side effect that throws, or whose process dies, leaves an outcome that is not known:
 * OperationReceiptOutcomeUnknownError, for ever, until `reconcile` or a person tells. Throws
 * OperationReceiptConflictError for another payload, OperationReceiptInFlightError when another call is
 * still at it after `waitMs`, OperationReceiptResolvedError when a person said that it did not happen,
 * OperationReceiptExpiredError past its retention, OperationReceiptCapacityError, and storage faults:
 * those from before the side effect was begun.
 */
export type Once = <T>(
  key: GivenKey,
  payload: unknown,
  sideEffect: (context: OnceContext) => Promise<T> | T,
  options?: OnceOptions<T>,
) => Promise<OnceOutcome<T>>;

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

/** Who resolved what `reconcile` found out. */
const RECONCILER = "reconcile";

export function once(parts: ReceiptParts): Once {
  const { commands, prepare, deps } = parts;
  const wait = inFlightWait(parts);

  async function ended(call: OnceCall): Promise<OnceOutcome<JsonValue>> {
    call.signal?.throwIfAborted();
    const token = commands.freshToken();
    const isLate = lateAfter(call.leaseMs);
    const answer = answered(await begun(call, token));
    if (isOwnedBy(answer.live, token)) {
      const { result, receipt } = await wait.announced(answer.receipt.id, () =>
        runOwned(parts, call, { receipt: answer.receipt, token, isLate }),
      );
      return { result, receipt, replayed: false };
    }
    return replayed(call, await wait.over(call, answer));
  }

  /** By both clocks: one may be set, and the other stands still while a machine sleeps. */
  function lateAfter(leaseMs: DurationMs): () => boolean {
    const { clock } = deps;
    const [until, elapsed] = [after(clock.now(), leaseMs), clock.elapsed()];
    return () => clock.now() >= until || clock.elapsed() - elapsed >= leaseMs;
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
        // What was not known stays so, whatever keeps it from being asked again.
        if (lost === null || !isPassing(error)) throw error;
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
    const found = call.reconcile === null ? null : await call.reconcile(receipt);
    const truth = foundOut(found, call.operation);
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

  return async <T>(...[key, payload, sideEffect, options]: Parameters<typeof call<T>>) => {
    const outcome = await ended(call<T>(key, payload, sideEffect, options));
    // The operation's schema and the side effect's type are the caller's to keep together.
    return outcome as OnceOutcome<T>;
  };

  function call<T>(
    key: GivenKey,
    payload: unknown,
    sideEffect: (context: OnceContext) => Promise<T> | T,
    options: OnceOptions<T> = {},
  ): OnceCall {
    const { signal, leaseMs, waitMs, reconcile } = checkedOptions(options, "options");
    const checked = checkedKey(key, deps.operations);
    if (typeof sideEffect !== "function") throw new TypeError("the side effect must be a function");
    return {
      key: checked,
      operation: operationOf(checked, deps.operations),
      payloadHashes: hashesOf(payload),
      sideEffect,
      leaseMs: durationMs(
        contract(receiptInputs.onceLeaseMs, leaseMs ?? DISPATCH_LEASE_MS, "leaseMs"),
      ),
      waitMs: durationMs(contract(receiptInputs.waitMs, waitMs ?? DISPATCH_LEASE_MS, "waitMs")),
      signal: signal ?? null,
      reconcile: reconcile ?? null,
    };
  }
}

type Truth = {
  readonly outcome: "happened" | "did_not_happen" | "abandoned";
  readonly result: JsonValue | null;
};

function foundOut(found: unknown, operation: Operation): Truth | null {
  if (found === null || found === undefined) return null;
  const { outcome, result } = checkedOptions(found as Record<string, unknown>, "reconcile");
  const said = contract(receiptInputs.outcome, outcome, "reconcile.outcome");
  if (said !== "happened") return { outcome: said, result: null };
  return { outcome: said, result: checkedResult(result, operation, "reconcile.result") };
}
