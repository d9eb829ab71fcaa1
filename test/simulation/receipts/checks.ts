/** Whether what a call was answered is so: no false success, no false refusal, nothing of other tenants. */
import { sha256Hex } from "../../../src/core/hash.ts";
import type { Receipt } from "../../../src/machines/receipts/receipt.ts";
import type { OnceOutcome } from "../../../src/services/once.ts";
import { OperationReceiptOutcomeUnknownError } from "../../../src/services/receipt-errors.ts";
import type { Dispatched, Prepared } from "../../../src/services/receipts.ts";
import type { Stage, Verdict } from "../machine.ts";
import type { Truth } from "../truth.ts";
import { START_MS } from "../world.ts";
import { type Asked, keyOfReceipt } from "./actors.ts";
import type { EffectResult } from "./effects.ts";
import { hashOf, type ReceiptHistory, SKEW_MS, type Standing } from "./history.ts";
import { CAPACITY, scopeKeyOf } from "./places.ts";

interface Call<T> {
  readonly asked: Asked;
  readonly begunAt: number;
  readonly verdict: Verdict<T>;
}

interface Answer {
  readonly outcome: string;
  readonly result?: unknown;
}

export interface ReceiptChecks {
  /** `own`: the receipt whose side effect the call ran. */
  called(
    stage: Stage,
    call: Call<OnceOutcome<EffectResult>> & { readonly own: string | null },
  ): void;
  prepared(stage: Stage, call: Call<Prepared>): void;
  dispatched(stage: Stage, id: string, own: string | null, verdict: Verdict<Dispatched>): void;
  renewed(stage: Stage, id: string, token: string, verdict: Verdict<Receipt>): void;
  accepted(stage: Stage, id: string, result: unknown, verdict: Verdict<Receipt>): void;
  completed(stage: Stage, id: string, verdict: Verdict<Receipt>): void;
  resolved(stage: Stage, id: string, answer: Answer, verdict: Verdict<Receipt>): void;
  erased(stage: Stage, id: string): void;
  /** A receipt that was read. */
  shown(stage: Stage, receipt: Receipt): void;
  /** Tokens of dispatches that were told not to have been taken: none of them may ever be. */
  checkTokens(): void;
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export function receiptChecks(truth: Truth, history: ReceiptHistory): ReceiptChecks {
  const { blame } = truth;
  const refusedTokens = new Map<string, string>();
  const created = new Set<string>();

  function expect(isSo: boolean, key: string, message: string): void {
    if (!isSo) blame(`${key}: ${message}`);
  }

  /** Whether its result is, or was said to be, this one. */
  const hasResult = (key: string, result: unknown): boolean =>
    history.ever(
      key,
      (found) =>
        same(found.result, result) ||
        (found.resolution !== null && same(found.resolution["result"], result)),
    );

  const isStored = (key: string, { resolution: _said, ...receipt }: Receipt): boolean =>
    truth
      .of(key)
      .some(({ fields }) =>
        Object.entries(receipt).every(([name, value]) => same(fields[name], value)),
      );

  function shown(stage: Stage, receipt: Receipt): void {
    const key = keyOfReceipt(stage, receipt.id);
    expect(isStored(key, receipt), key, "answered a receipt that was never stored");
    const { result } = receipt;
    const tag =
      typeof result === "object" && result !== null && "tag" in result ? result["tag"] : null;
    expect(tag === null || tag === stage.tag, key, "shows a result of another tenant");
  }

  function refused(stage: Stage, { asked, begunAt, verdict }: Call<unknown>): void {
    if (verdict.kind !== "refused") return;
    const { code } = verdict.error;
    const id = receiptIdOf(asked);
    const key = keyOfReceipt(stage, id);
    const ever = (is: (standing: Standing) => boolean): boolean => history.ever(key, is);
    switch (code) {
      case "operation_receipt_conflict": {
        const own = sha256Hex(JSON.stringify(asked.payload));
        const isOther = ever((found) => found.payloadHash !== null && found.payloadHash !== own);
        expect(isOther, key, "a false conflict");
        return;
      }
      case "operation_in_flight":
        expect(ever(isDispatching), key, "in flight, and nobody had it");
        return;
      case "operation_outcome_unknown":
        expect(ever(isUnknown), key, "said to be unknown, and it never was");
        return;
      case "operation_expired":
        expect(isExpired(key), key, "said to be over, and it is not");
        return;
      case "already_resolved": {
        const isDenied = ever(
          ({ resolution }) => (resolution?.["outcome"] ?? "happened") !== "happened",
        );
        expect(isDenied, key, "said to be resolved, and it is not");
        return;
      }
      case "operation_receipt_capacity": {
        const scope = scopeKeyOf(stage.prefix, asked.key.workspaceId);
        expect(wasFull(scope, begunAt), scope, "said to be full, and it was not");
        const isOld = truth.of(key).some(({ at, fields }) => at < begunAt && "state" in fields);
        expect(!isOld, key, "is there, and was refused for want of a place (RECEIPT-10)");
        return;
      }
      default:
        blame(`${key}: refused as ${code}`);
        return;
    }
  }

  /** At some moment of a call that began then. */
  function wasFull(scope: string, begunAt: number): boolean {
    const revisions = truth.of(scope);
    return revisions.some(({ fields }, n) => {
      const until = revisions[n + 1]?.at ?? Number.POSITIVE_INFINITY;
      return until >= begunAt && Number(fields["used"]) >= CAPACITY;
    });
  }

  function isExpired(key: string): boolean {
    const last = truth.last(key);
    const until = Number(last?.ours["retentionUntil"] ?? Number.POSITIVE_INFINITY);
    return history.standing(key).state === "retired" || until <= START_MS + truth.now() + SKEW_MS;
  }

  return {
    shown,
    called(stage, call) {
      const { own, verdict, asked } = call;
      const id = receiptIdOf(asked);
      const key = keyOfReceipt(stage, id);
      expect(own === null || own === id, key, "ran the side effect of another receipt");
      if (verdict.kind === "answer") {
        const { result, receipt, replayed } = verdict.value;
        shown(stage, receipt);
        expect(replayed === (own === null), key, `replayed is ${replayed}`);
        expect(hasResult(key, result), key, "answered with a result that nobody stored");
        expect(result.tag === stage.tag, key, "answered with a result of another tenant");
        return;
      }
      if (own === null) return refused(stage, call);
      // From the beginning of the side effect on nothing else is true (semantics B3).
      const error = verdict.kind === "refused" ? verdict.error : null;
      const isTold = error instanceof OperationReceiptOutcomeUnknownError;
      expect(isTold, key, `its side effect has run, and its caller was told ${verdict.kind}`);
    },
    prepared(stage, call) {
      const { verdict, asked } = call;
      const key = keyOfReceipt(stage, receiptIdOf(asked));
      if (verdict.kind !== "answer") return refused(stage, call);
      shown(stage, verdict.value.receipt);
      if (!verdict.value.created) return;
      expect(!created.has(key), key, "was told to be created twice");
      created.add(key);
    },
    dispatched(stage, id, own, verdict) {
      const key = keyOfReceipt(stage, id);
      if (verdict.kind === "answer") {
        shown(stage, verdict.value.receipt);
        const { owned, dispatchToken } = verdict.value;
        const isTaken = history.ever(
          key,
          ({ tokenHash }) => dispatchToken !== null && tokenHash === hashOf(dispatchToken),
        );
        expect(owned === isTaken, key, "told to own a dispatch that was never stored");
        return;
      }
      if (own !== null && verdict.kind !== "unknown") refusedTokens.set(hashOf(own), key);
    },
    renewed(stage, id, token, verdict) {
      const key = keyOfReceipt(stage, id);
      const { state, tokenHash } = history.standing(key);
      const isLost = verdict.kind === "refused" && verdict.error.code === "dispatch_lost";
      const isOwn = state === "dispatching" && tokenHash === hashOf(token);
      expect(!(isLost && isOwn), key, 'a false "dispatch lost"');
    },
    accepted(stage, id, result, verdict) {
      const key = keyOfReceipt(stage, id);
      if (verdict.kind === "answer") {
        expect(hasResult(key, result), key, "a false success: its result is not stored");
        return;
      }
      const isLost = verdict.kind === "refused" && verdict.error.code === "dispatch_lost";
      // Its owner asks, and nobody else ever is.
      expect(!isLost, key, "its owner was told that it is none");
      const isResolved = verdict.kind === "refused" && verdict.error.code === "already_resolved";
      expect(!isResolved || history.ever(key, isAnswered), key, "a false resolution");
      const isOver = verdict.kind === "refused" && verdict.error.code === "operation_expired";
      expect(!isOver || isExpired(key), key, "said to be over, and it is not");
      const isNot = verdict.kind === "not_applied";
      expect(!(isNot && hasResult(key, result)), key, 'told "not applied", but it was');
    },
    completed(stage, id, verdict) {
      const key = keyOfReceipt(stage, id);
      const isTold = verdict.kind === "answer";
      expect(!isTold || history.ever(key, isTerminal), key, "a false success: it is not terminal");
    },
    resolved(stage, id, { outcome, result }, verdict) {
      const key = keyOfReceipt(stage, id);
      const isThis = history.ever(
        key,
        ({ resolution }) =>
          resolution?.["outcome"] === outcome &&
          (result === undefined || same(resolution["result"], result)),
      );
      if (verdict.kind === "answer") {
        expect(isThis, key, "a false resolution");
        return;
      }
      const isOther = verdict.kind === "refused" && verdict.error.code === "already_resolved";
      expect(!isOther || (history.ever(key, isAnswered) && !isThis), key, "a false contradiction");
    },
    erased(stage, id) {
      const key = keyOfReceipt(stage, id);
      expect(history.standing(key).state === "retired", key, "told to be erased, and is not");
    },
    checkTokens() {
      for (const [tokenHash, key] of refusedTokens) {
        const isTaken = history.ever(key, (found) => found.tokenHash === tokenHash);
        expect(!isTaken, key, 'a dispatch was told "not applied", but it was');
      }
    },
  };
}

const isDispatching = ({ state }: Standing): boolean => state === "dispatching";
const isUnknown = ({ state }: Standing): boolean => state === "outcome-unknown";
const isTerminal = ({ state }: Standing): boolean => state === "terminal";
const isAnswered = ({ resolution }: Standing): boolean => resolution !== null;

/** RECEIPT-8, by its canonical text: keys in their order, with the defaults. */
export function receiptIdOf({ key }: Asked): string {
  return sha256Hex(
    JSON.stringify({
      action: "call",
      memberGeneration: 1,
      memberId: "default",
      operationId: key.operationId,
      principalId: "default",
      sessionId: "default",
      tool: "custom",
      workspaceId: key.workspaceId,
    }),
  );
}
