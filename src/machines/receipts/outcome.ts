/** What came of a side effect: as its owner tells it, or as a person resolved it. */
import type { JsonValue } from "../../core/json.ts";
import { apply, reject, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import { wholeText } from "./canonical.ts";
import {
  changed,
  found,
  isLapsed,
  isOwner,
  type LiveDecision,
  refuse,
  retentionFrom,
  stampOf,
} from "./changes.ts";
import type { Accept, ReceiptRejection, ReceiptRules, Resolve } from "./commands.ts";
import type { Resolution, StoredReceipt } from "./receipt.ts";
import type { LiveReceipt } from "./record.ts";

/**
 * Taken from the owner of a dispatch, also while its outcome is unknown and nobody has resolved it; and
 * from anybody for a dispatch that an original made, which has no owner (protocols 6.2).
 */
export function accept(
  live: LiveReceipt,
  command: Accept,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  switch (live.receipt.state) {
    case "prepared":
      return refuse(live, "invalid_receipt_state");
    case "dispatching":
      return mayTell(live, command.token)
        ? apply(accepted(live, command, now, rules))
        : refuse(live, "dispatch_lost");
    case "outcome-unknown":
      return acceptLate(live, command, now, rules);
    case "accepted":
      return acceptAgain(live, command, now, rules);
    case "terminal":
      return command.isFinal
        ? acceptAgain(live, command, now, rules)
        : refuse(live, "invalid_receipt_state");
  }
}

/** Nobody is told that it owns a dispatch of an original, so no token is good there. */
function mayTell(live: LiveReceipt, token: string | null): boolean {
  return live.extra.dispatch === null ? token === null : isOwner(live, token);
}

/** Unknown is the lack of an answer, which the truth may fill; a person's answer is one. */
function acceptLate(
  live: LiveReceipt,
  command: Accept,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  if (live.extra.dispatch === null) return refuse(live, "invalid_receipt_state");
  if (!isOwner(live, command.token)) return refuse(live, "dispatch_lost");
  const { resolution } = live.extra;
  return resolution === null
    ? apply(accepted(live, command, now, rules))
    : reject<ReceiptRejection>({ kind: "already_resolved", ...found(live), resolution });
}

function acceptAgain(
  live: LiveReceipt,
  command: Accept,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  const { result } = live.receipt;
  if (result === undefined || !isSameResult(result, command.result)) {
    const { id } = live.receipt;
    return reject<ReceiptRejection>({ kind: "operation_receipt_conflict", id, differs: "result" });
  }
  return command.isFinal ? complete(live, now, rules) : unchanged(live);
}

function accepted(
  live: LiveReceipt,
  { result, isFinal }: Accept,
  now: EpochMs,
  rules: ReceiptRules,
): LiveReceipt {
  const at = stampOf(live.receipt, now);
  const fields: Partial<StoredReceipt> = isFinal
    ? { state: "terminal", acceptedAt: at, result, terminalAt: at }
    : { state: "accepted", acceptedAt: at, result };
  return changed(live, fields, at, rules);
}

/** RECEIPT-21. */
export function complete(live: LiveReceipt, now: EpochMs, rules: ReceiptRules): LiveDecision {
  if (live.receipt.state === "terminal") return unchanged(live);
  if (live.receipt.state !== "accepted") return refuse(live, "invalid_receipt_state");
  const at = stampOf(live.receipt, now);
  return apply(changed(live, { state: "terminal", terminalAt: at }, at, rules));
}

/**
 * The first answer that lands stands for ever, with who gave it. The same again is that answer, whoever
 * repeats it: two people who agree are in nobody's way.
 */
export function resolve(
  live: LiveReceipt,
  command: Resolve,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  const { receipt, extra } = live;
  if (receipt.state === "dispatching" && !isLapsed(live, now, rules)) {
    return refuse(live, "dispatch_live");
  }
  if (receipt.state !== "outcome-unknown") return refuse(live, "invalid_receipt_state");
  if (extra.resolution !== null) {
    const { resolution } = extra;
    return isSameAnswer(resolution, command)
      ? unchanged(live)
      : reject<ReceiptRejection>({ kind: "already_resolved", ...found(live), resolution });
  }
  const at = stampOf(receipt, now);
  return apply({
    ...live,
    receipt: { ...receipt, updatedAt: at },
    extra: {
      ...extra,
      resolution: resolutionOf(command, at),
      retentionUntil: retentionFrom(at, rules),
    },
  });
}

function resolutionOf(command: Resolve, at: EpochMs): Resolution {
  const { outcome, by, note } = command;
  return {
    outcome,
    ...(command.outcome === "happened" ? { result: command.result } : {}),
    resolvedAt: at,
    resolvedBy: by,
    ...(note === null ? {} : { note }),
  };
}

function isSameAnswer(resolution: Resolution, command: Resolve): boolean {
  if (resolution.outcome !== command.outcome) return false;
  return command.outcome !== "happened" || isSameResult(resolution.result ?? null, command.result);
}

/** The order of properties says nothing; every property does, `requestId` included. */
export function isSameResult(one: JsonValue, other: JsonValue): boolean {
  const [first, second] = [wholeText(one), wholeText(other)];
  return first.ok && second.ok && first.text === second.text;
}
