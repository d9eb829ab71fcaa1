/** The methods that are one command on one receipt: what they check, and what they make of the answer. */
import { sha256Hex } from "../core/hash.ts";
import type { JsonValue } from "../core/json.ts";
import { durationMs } from "../core/time.ts";
import type { Acquisition, ReceiptRejection } from "../machines/receipts/commands.ts";
import {
  DISPATCH_LEASE_MS,
  NEEDED_WITH_HAPPENED,
  ONLY_WITH_HAPPENED,
  RECEIPTS_PAGE_DEFAULT,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import { type GivenKey, receiptIdOf } from "../machines/receipts/key.ts";
import type { LiveReceipt } from "../machines/receipts/record.ts";
import { namedOptions } from "./input.ts";
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
import { type DispatchTokens, dispatchedWith } from "./receipt-tokens.ts";
import type { Dispatched, Receipts } from "./receipts.ts";

export interface ReceiptParts {
  readonly deps: ReceiptDeps;
  readonly commands: ReceiptCommands;
  readonly prepare: PrepareReceipt;
  readonly accept: AcceptReceipt;
  readonly report: ReportReceipt;
  readonly resultFor: ResultFor;
  readonly notes: ReceiptNotes;
  readonly tokens: DispatchTokens;
}

export interface AcceptedReport {
  readonly result: JsonValue;
  readonly token: string | null;
  readonly isFinal: boolean;
}

/** Accepts, and keeps beside the receipt what came after its resolution, or counts what came after its end. */
export type AcceptReceipt = (ref: ReceiptRef, report: AcceptedReport) => Promise<ReceiptOutcome>;

export function acceptWith(commands: ReceiptCommands, notes: ReceiptNotes): AcceptReceipt {
  return async (ref, report) => {
    const outcome = await commands.run(ref, { kind: "accept", ...report });
    if (outcome.kind !== "rejected") return outcome;
    const { rejection } = outcome;
    if (rejection.kind === "already_resolved") {
      await notes.add(commands.idOf(ref), report.result, rejection.resolution);
    }
    countOver(notes, rejection, report.token);
    return outcome;
  };
}

/** The same of a result that was not checked yet. */
export type ReportReceipt = (
  ref: ReceiptRef,
  report: { readonly result: unknown; readonly token: string | null },
) => Promise<ReceiptOutcome>;

export function reportWith(
  resultFor: ResultFor,
  accept: AcceptReceipt,
  notes: ReceiptNotes,
): ReportReceipt {
  return async (ref, { result, token }) => {
    const checked = await resultFor(ref, result);
    if (checked.kind === "checked") {
      return accept(checked.ref, { result: checked.result, token, isFinal: false });
    }
    countOver(notes, checked.rejection, token);
    return checked;
  };
}

/** Whether a token was the owner's is not known any more; without one nobody claims to be it. */
function countOver(notes: ReceiptNotes, rejection: ReceiptRejection, token: string | null): void {
  if (rejection.kind === "operation_expired" && token !== null) notes.addOver(rejection.outcome);
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

/**
 * The answer to a dispatch whose first try was some time ago, with its lease begun anew: nobody may start
 * under one that is nearly over.
 */
export async function renewedAs(
  commands: ReceiptCommands,
  answer: ReceiptAnswer,
  by: Acquisition,
): Promise<ReceiptAnswer> {
  if (answer.kind === "applied" || !isOwnedBy(answer.live, by.token)) return answer;
  const outcome = await commands.run(answer.receipt, { kind: "renew", ...by });
  return outcome.kind === "rejected" ? answered(await commands.read(answer.receipt.id)) : outcome;
}

type Methods = Omit<Receipts, "list" | "serialized" | "once">;

const TOKEN = { dispatchToken: true } as const;
const LEASE = { leaseMs: true } as const;
const ANSWER = { outcome: true, result: true, resolvedBy: true, note: true } as const;
const PAGE = { cursor: true, limit: true } as const;

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
    const { dispatchToken, leaseMs } = namedOptions(options, { ...TOKEN, ...LEASE }, "options");
    const lease = leaseOf(leaseMs);
    const asked = (token: string) => commands.run(ref, { kind: "dispatch", token, leaseMs: lease });
    const given = givenToken(dispatchToken);
    if (given !== null) return toldWith(given, answered(await asked(given)));
    const fresh = { id: commands.idOf(ref), freshToken: commands.freshToken };
    return dispatchedWith(tokens, fresh, async (token, isOld) => {
      const answer = answered(await asked(token));
      return toldWith(
        token,
        isOld ? await renewedAs(commands, answer, { token, leaseMs: lease }) : answer,
      );
    });
  };

  function toldWith(token: string, { live, receipt }: ReceiptAnswer): Dispatched {
    if (!isOwnedBy(live, token)) return { receipt, owned: false, dispatchToken: null };
    tokens.keep(receipt.id, token);
    return { receipt, owned: true, dispatchToken: token };
  }

  return {
    dispatch,
    async markDispatching(ref, options = {}) {
      const { leaseMs } = namedOptions(options, LEASE, "options");
      const { receipt, owned } = await dispatch(ref, leaseMs === undefined ? {} : { leaseMs });
      if (owned) return receipt;
      throw new OperationReceiptNotOwnedError(
        "dispatch_lost",
        "another call dispatched the operation: do not run its side effect",
        { state: receipt.state },
      );
    },
    async renewDispatch(ref, leaseMs, options = {}) {
      const { dispatchToken } = namedOptions(options, TOKEN, "options");
      const token = givenToken(dispatchToken) ?? tokens.of(commands.idOf(ref)) ?? "";
      const command = { kind: "renew", token, leaseMs: leaseOf(leaseMs) } as const;
      return answered(await commands.run(ref, command)).receipt;
    },
  };
}

function outcomes({
  commands,
  report,
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
      const { dispatchToken } = namedOptions(options, TOKEN, "options");
      const token = tokenFor(ref, dispatchToken);
      const { receipt } = answered(await report(ref, { result, token }));
      tokens.forget(receipt.id);
      return receipt;
    },
    async markTerminal(ref) {
      return answered(await commands.run(ref, { kind: "complete" })).receipt;
    },
    async markOutcomeUnknown(ref, options = {}) {
      const { dispatchToken } = namedOptions(options, TOKEN, "options");
      // The token stays: its owner may learn the truth, and tell it.
      const command = { kind: "unknown", token: tokenFor(ref, dispatchToken) } as const;
      return answered(await commands.run(ref, command)).receipt;
    },
    async resolve(ref, answer) {
      const { result, resolvedBy, note, ...rest } = namedOptions(answer, ANSWER, "answer");
      const outcome = contract(receiptInputs.outcome, rest.outcome, "outcome");
      const said = {
        kind: "resolve",
        by: contract(receiptInputs.resolvedBy, resolvedBy, "resolvedBy"),
        note: note === undefined ? null : contract(receiptInputs.note, note, "note"),
      } as const;
      if (outcome !== "happened") {
        if (result !== undefined) throw misplacedResult(ONLY_WITH_HAPPENED);
        return answered(await commands.run(ref, { ...said, outcome })).receipt;
      }
      if (result === undefined) throw misplacedResult(NEEDED_WITH_HAPPENED);
      const checked = checkedOrThrown(await resultFor(ref, result));
      const command = { ...said, outcome, result: checked.result };
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
      const { cursor = null, limit = RECEIPTS_PAGE_DEFAULT } = namedOptions(
        options,
        PAGE,
        "options",
      );
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

function misplacedResult(message: string): OperationReceiptContractError {
  return new OperationReceiptContractError([{ path: "result", message }]);
}

function givenToken(token: unknown): string | null {
  return token === undefined ? null : contract(receiptInputs.token, token, "dispatchToken");
}
