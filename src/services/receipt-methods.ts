/** The methods that are one command on one receipt: what they check, and what they make of the answer. */
import { sha256Hex } from "../core/hash.ts";
import type { JsonValue } from "../core/json.ts";
import { durationMs } from "../core/time.ts";
import {
  DISPATCH_LEASE_MS,
  RECEIPTS_PAGE_DEFAULT,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import { type GivenKey, receiptIdOf } from "../machines/receipts/key.ts";
import type { LiveReceipt } from "../machines/receipts/record.ts";
import { checkedOptions } from "./input.ts";
import type {
  ReceiptAnswer,
  ReceiptCommands,
  ReceiptDeps,
  ReceiptOutcome,
  ReceiptRef,
} from "./receipt-commands.ts";
import type { DueReceipts } from "./receipt-due.ts";
import {
  OperationReceiptContractError,
  OperationReceiptNotOwnedError,
  receiptError,
} from "./receipt-errors.ts";
import { checkedKey, checkedRequest, contract } from "./receipt-input.ts";
import type { ReceiptNotes } from "./receipt-notes.ts";
import type { PrepareReceipt } from "./receipt-prepare.ts";
import type { CheckedResult, ResultFor } from "./receipt-results.ts";
import type { ReceiptRetirement } from "./receipt-retire.ts";
import type { DispatchTokens } from "./receipt-tokens.ts";
import type { Receipts } from "./receipts.ts";

export interface ReceiptParts {
  readonly deps: ReceiptDeps;
  readonly commands: ReceiptCommands;
  readonly prepare: PrepareReceipt;
  readonly accept: AcceptReceipt;
  readonly resultFor: ResultFor;
  readonly notes: ReceiptNotes;
  readonly tokens: DispatchTokens;
}

export interface AcceptedReport {
  readonly result: JsonValue;
  readonly token: string | null;
  readonly isFinal: boolean;
}

/** Accepts, and keeps beside the receipt what came after its resolution. */
export type AcceptReceipt = (ref: ReceiptRef, report: AcceptedReport) => Promise<ReceiptOutcome>;

export function acceptWith(commands: ReceiptCommands, notes: ReceiptNotes): AcceptReceipt {
  return async (ref, report) => {
    const outcome = await commands.run(ref, { kind: "accept", ...report });
    if (outcome.kind === "rejected" && outcome.rejection.kind === "already_resolved") {
      await notes.add(commands.idOf(ref), report.result, outcome.rejection.resolution);
    }
    return outcome;
  };
}

/** Throws what was refused. */
export function answered(outcome: ReceiptOutcome): ReceiptAnswer {
  if (outcome.kind === "rejected") throw receiptError(outcome.rejection);
  return outcome;
}

/** Whether the dispatch of a receipt belongs to the token. */
export function isOwnedBy({ receipt, extra }: LiveReceipt, token: string): boolean {
  return receipt.state === "dispatching" && extra.dispatch?.tokenHash === sha256Hex(token);
}

type Methods = Omit<Receipts, "list" | "serialized" | "once">;

export function receiptMethods(
  parts: ReceiptParts,
  rest: { readonly due: DueReceipts; readonly retirement: ReceiptRetirement },
): Methods {
  return { ...reading(parts), ...dispatching(parts), ...outcomes(parts), ...upkeep(parts, rest) };
}

function reading({
  deps,
  commands,
  prepare,
  notes,
}: ReceiptParts): Pick<Methods, "get" | "prepare" | "notes"> {
  function refOf(ref: ReceiptRef | GivenKey): ReceiptRef {
    if (typeof ref !== "object" || ref === null || "id" in ref) return ref;
    return receiptIdOf(checkedKey(ref, deps.operations));
  }

  return {
    async prepare(request) {
      const checked = checkedRequest(request, deps.operations);
      const outcome = await prepare({ kind: "prepare", ...checked, dispatch: null });
      const { created, receipt } = answered(outcome);
      return { created, receipt };
    },
    async get(ref) {
      const outcome = await commands.read(refOf(ref));
      return outcome.kind === "rejected" ? undefined : outcome.receipt;
    },
    notes: async (ref) => notes.read(commands.idOf(ref)),
  };
}

function dispatching({
  commands,
  tokens,
}: ReceiptParts): Pick<Methods, "markDispatching" | "dispatch" | "renewDispatch"> {
  const leaseOf = (leaseMs: unknown) =>
    durationMs(contract(receiptInputs.leaseMs, leaseMs ?? DISPATCH_LEASE_MS, "leaseMs"));

  const dispatch: Methods["dispatch"] = async (ref, options = {}) => {
    const { dispatchToken, leaseMs } = checkedOptions(options, "options");
    // Never the token that is kept: whoever asks a second time must not be told to run it again.
    const token = givenToken(dispatchToken) ?? commands.freshToken();
    const command = { kind: "dispatch", token, leaseMs: leaseOf(leaseMs) } as const;
    const { live, receipt } = answered(await commands.run(ref, command));
    if (!isOwnedBy(live, token)) return { receipt, owned: false, dispatchToken: null };
    tokens.keep(receipt.id, token);
    return { receipt, owned: true, dispatchToken: token };
  };

  return {
    dispatch,
    async markDispatching(ref, options = {}) {
      const { leaseMs } = checkedOptions(options, "options");
      const { receipt, owned } = await dispatch(ref, leaseMs === undefined ? {} : { leaseMs });
      if (owned) return receipt;
      throw new OperationReceiptNotOwnedError(
        "dispatch_lost",
        "another call dispatched the operation, and runs its side effect",
        { state: receipt.state },
      );
    },
    async renewDispatch(ref, leaseMs, options = {}) {
      const { dispatchToken } = checkedOptions(options, "options");
      const token = givenToken(dispatchToken) ?? tokens.of(commands.idOf(ref)) ?? "";
      const command = { kind: "renew", token, leaseMs: leaseOf(leaseMs) } as const;
      return answered(await commands.run(ref, command)).receipt;
    },
  };
}

function outcomes({
  commands,
  accept,
  tokens,
  resultFor,
}: ReceiptParts): Pick<
  Methods,
  "markAccepted" | "markTerminal" | "markOutcomeUnknown" | "resolve"
> {
  const tokenFor = (ref: ReceiptRef, given: unknown): string | null =>
    givenToken(given) ?? tokens.of(commands.idOf(ref));

  return {
    async markAccepted(ref, result, options = {}) {
      const { dispatchToken } = checkedOptions(options, "options");
      const token = tokenFor(ref, dispatchToken);
      const checked = checkedOrThrown(await resultFor(ref, result));
      const report = { result: checked.result, token, isFinal: false };
      const { receipt } = answered(await accept(checked.ref, report));
      tokens.forget(receipt.id);
      return receipt;
    },
    async markTerminal(ref) {
      return answered(await commands.run(ref, { kind: "complete" })).receipt;
    },
    async markOutcomeUnknown(ref, options = {}) {
      const { dispatchToken } = checkedOptions(options, "options");
      // The token stays: its owner may learn the truth, and tell it.
      const command = { kind: "unknown", token: tokenFor(ref, dispatchToken) } as const;
      return answered(await commands.run(ref, command)).receipt;
    },
    async resolve(ref, answer) {
      const { result, resolvedBy, note, ...rest } = checkedOptions(answer, "answer");
      const outcome = contract(receiptInputs.outcome, rest.outcome, "outcome");
      if ((outcome === "happened") !== (result !== undefined)) {
        throw new OperationReceiptContractError([
          { path: "result", message: "with outcome happened, and only then" },
        ]);
      }
      const who = {
        by: contract(receiptInputs.resolvedBy, resolvedBy, "resolvedBy"),
        note: note === undefined ? null : contract(receiptInputs.note, note, "note"),
      };
      const checked =
        result === undefined
          ? { ref, result: null }
          : checkedOrThrown(await resultFor(ref, result));
      const command = { kind: "resolve", outcome, result: checked.result, ...who } as const;
      return answered(await commands.run(checked.ref, command)).receipt;
    },
  };
}

function upkeep(
  { commands }: ReceiptParts,
  { due, retirement }: { readonly due: DueReceipts; readonly retirement: ReceiptRetirement },
): Pick<Methods, "recoverInterrupted" | "retireExpired" | "erase"> {
  return {
    async recoverInterrupted(options = {}) {
      const { cursor = null, limit = RECEIPTS_PAGE_DEFAULT } = checkedOptions(options, "options");
      return due.recover({ cursor, limit: contract(receiptInputs.limit, limit, "limit") });
    },
    async retireExpired(limit) {
      return due.retire(contract(receiptInputs.retireLimit, limit, "limit"));
    },
    async erase(ref) {
      const end = await retirement.erase(commands.idOf(ref));
      if (end.kind === "rejected") throw receiptError(end.rejection);
    },
  };
}

function checkedOrThrown(checked: CheckedResult): CheckedResult & { readonly kind: "checked" } {
  if (checked.kind === "rejected") throw receiptError(checked.rejection);
  return checked;
}

function givenToken(token: unknown): string | null {
  return token === undefined ? null : contract(receiptInputs.token, token, "dispatchToken");
}
