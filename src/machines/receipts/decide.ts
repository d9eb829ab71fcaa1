/** The receipt machine: one command on one operation's record, judged at one instant. */
import { unreachable } from "../../core/assert.ts";
import { apply, reject, unchanged } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import type { LiveDecision, ReceiptDecision } from "./changes.ts";
import type {
  LiveReceiptCommand,
  MakeVoid,
  ReceiptCommand,
  ReceiptRejection,
  ReceiptRules,
} from "./commands.ts";
import { dispatch, markUnknown, recover, release, renew } from "./dispatch.ts";
import { accept, complete, resolve } from "./outcome.ts";
import { prepareAgain, prepareNew, prepareOver } from "./prepare.ts";
import type { LiveReceipt, ReceiptState, RetiredReceipt, VoidReceipt } from "./record.ts";
import { erase, expired, free, liveReceipt, retire } from "./retention.ts";

/**
 * Judges `command` on the record as stored (null: there is none). Rejects `receipt_not_found` unless the
 * command creates, `operation_expired` where the receipt is over, and what each command's own function
 * says. Results and durations are bounded before (operations.ts, inputs.ts).
 */
export function decideReceipt(
  state: ReceiptState | null,
  command: LiveReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision;
export function decideReceipt(
  state: ReceiptState | null,
  command: ReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules,
): ReceiptDecision;
export function decideReceipt(
  state: ReceiptState | null,
  command: ReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules,
): ReceiptDecision {
  if (command.kind === "void") return makeVoid(state, command);
  if (state === null || state.kind === "void") {
    return command.kind === "prepare"
      ? prepareNew(state, command, now, rules)
      : reject<ReceiptRejection>({ kind: "receipt_not_found" });
  }
  switch (command.kind) {
    case "retire":
      return retire(state, command.slot, now, rules);
    case "erase":
      return erase(state, command.slot, now);
    case "free":
      return state.kind === "retired" ? free(state) : unchanged<ReceiptState>(state);
    default:
      return decideKept(state, command, now, rules);
  }
}

function decideKept(
  state: LiveReceipt | RetiredReceipt,
  command: LiveReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  const live = liveReceipt(state, now);
  if (live !== null) return decideLive(live, command, now, rules);
  return command.kind === "prepare" ? prepareOver(state, command) : expired(state);
}

function decideLive(
  live: LiveReceipt,
  command: LiveReceiptCommand,
  now: EpochMs,
  rules: ReceiptRules,
): LiveDecision {
  switch (command.kind) {
    case "prepare":
      return prepareAgain(live, command, now, rules);
    case "dispatch":
      return dispatch(live, command, now, rules);
    case "renew":
      return renew(live, command, now, rules);
    case "release":
      return release(live, command, now, rules);
    case "accept":
      return accept(live, command, now, rules);
    case "complete":
      return complete(live, now, rules);
    case "unknown":
      return markUnknown(live, command, now, rules);
    case "recover":
      return recover(live, now, rules);
    case "resolve":
      return resolve(live, command, now, rules);
    default:
      return unreachable(command);
  }
}

/**
 * Whatever was created meanwhile stays, and tells by its slot with which reservation. So does a void receipt
 * that its writer has not seen: a mark that was written, replaced and then written again would let a creator
 * believe that nothing had happened since it reserved.
 */
function makeVoid(state: ReceiptState | null, { id, mark, over }: MakeVoid): ReceiptDecision {
  if (state !== null && (state.kind !== "void" || state.mark !== over || mark === over)) {
    return unchanged<ReceiptState>(state);
  }
  return apply<VoidReceipt>({ kind: "void", id, mark });
}
