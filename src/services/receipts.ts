/**
 * The receipt service: the original store's methods under their names, with their parameters and results,
 * on any storage (semantics B3). A refusal is thrown, as an OperationReceiptStoreError or one of its kind.
 */

import type { ResolutionOutcome } from "../machines/receipts/fields.ts";
import type { GivenKey } from "../machines/receipts/key.ts";
import type { ReceiptNote } from "../machines/receipts/notes.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import { type Once, once } from "./once.ts";
import { type ReceiptDeps, type ReceiptRef, receiptCommands } from "./receipt-commands.ts";
import { originalsCounted } from "./receipt-count.ts";
import { type DueReceipts, dueReceipts, type Recovery } from "./receipt-due.ts";
import { type CheckedRequest, checkedRequest, type PrepareRequest } from "./receipt-input.ts";
import { type ReceiptList, type ReceiptLists, receiptLists } from "./receipt-lists.ts";
import { acceptWith, type ReceiptParts, receiptMethods, reportWith } from "./receipt-methods.ts";
import { receiptNotes } from "./receipt-notes.ts";
import { prepareWith } from "./receipt-prepare.ts";
import { resultFor } from "./receipt-results.ts";
import { type ReceiptRetirement, receiptRetirement } from "./receipt-retire.ts";
import { receiptScopes } from "./receipt-scopes.ts";
import { dispatchTokens } from "./receipt-tokens.ts";
import { serialize } from "./serialized.ts";

export type { ReceiptRef } from "./receipt-commands.ts";

export interface Prepared {
  readonly created: boolean;
  /** The stored receipt, whatever its state. */
  readonly receipt: Receipt;
}

export interface Dispatched {
  readonly receipt: Receipt;
  /** Whether this caller, and nobody else, is to run the side effect. */
  readonly owned: boolean;
  /** The credential of the dispatch; null for everybody but its owner. */
  readonly dispatchToken: string | null;
}

export interface DispatchOptions {
  /** From 1 to 86,400,000; default 60,000. */
  readonly leaseMs?: number;
}

export interface TokenOptions {
  /** Default: the token that this service was given for the receipt, if it was. */
  readonly dispatchToken?: string;
}

export interface ResolveOptions {
  readonly outcome: ResolutionOutcome;
  /** With `happened`, and only then: a result of the receipt's operation. */
  readonly result?: unknown;
  /** Who says so. */
  readonly resolvedBy: string;
  readonly note?: string;
}

export interface Receipts {
  /** A receipt by its id or by the key of its operation; undefined where there is none, or it is over. */
  get(ref: ReceiptRef | GivenKey): Promise<Receipt | undefined>;
  /** One page, by id; 0 or nothing begins (RECEIPT-30 to 32). */
  list(cursor?: string | 0 | null, limit?: number): Promise<ReceiptList>;
  /** Binds an operation to a payload, once; later calls answer the stored receipt (RECEIPT-1 to 12). */
  prepare(request: PrepareRequest): Promise<Prepared>;
  /** Takes the dispatch. Throws OperationReceiptNotOwnedError where another call has it (RECEIPT-14). */
  markDispatching(ref: ReceiptRef, options?: DispatchOptions): Promise<Receipt>;
  /**
   * The same, told instead of thrown; the same token again is told that it owns the dispatch. So is, once,
   * whoever asks this service again after OutcomeUnknownError: nobody had been told to run it.
   */
  dispatch(ref: ReceiptRef, options?: DispatchOptions & TokenOptions): Promise<Dispatched>;
  /** Sets the end of the dispatch's lease to now and `leaseMs`. */
  renewDispatch(ref: ReceiptRef, leaseMs: number, options?: TokenOptions): Promise<Receipt>;
  /** Stores what came of the side effect, by its owner (RECEIPT-17 to 20). */
  markAccepted(ref: ReceiptRef, result: unknown, options?: TokenOptions): Promise<Receipt>;
  /** accepted → terminal (RECEIPT-21). */
  markTerminal(ref: ReceiptRef): Promise<Receipt>;
  /** By the owner at once, by others when the dispatch has lapsed (RECEIPT-22). */
  markOutcomeUnknown(ref: ReceiptRef, options?: TokenOptions): Promise<Receipt>;
  /** A person's answer to an unknown outcome; the first stands for ever. */
  resolve(ref: ReceiptRef, answer: ResolveOptions): Promise<Receipt>;
  /** Late reports of the owner that the resolution kept out. */
  notes(ref: ReceiptRef): Promise<readonly ReceiptNote[]>;
  /** Lapsed dispatches become outcome-unknown, one page at a time (RECEIPT-25 to 27). */
  recoverInterrupted(options?: { cursor?: string | null; limit?: number }): Promise<Recovery>;
  /** Replaces receipts past their retention by tombstones, at most `limit` (1 to 1,000); how many. */
  retireExpired(limit: number): Promise<number>;
  /** Removes everything of a receipt but its id, hash and outcome. Throws while it is dispatching. */
  erase(ref: ReceiptRef): Promise<void>;
  /** Calls with the same id one after the other, in this service (RECEIPT-34). */
  serialized<T>(id: string, work: () => Promise<T> | T): Promise<T>;
  /** The whole protocol around one side effect (semantics B3). */
  readonly once: Once;
}

/** What the HTTP routes and the passes of one tenant are made of, and the library's methods. */
export interface ReceiptService extends ReceiptParts {
  readonly lists: ReceiptLists;
  readonly due: DueReceipts;
  readonly retirement: ReceiptRetirement;
  /** Throws OperationReceiptContractError. */
  request(request: PrepareRequest): CheckedRequest;
}

export function createReceiptService(deps: ReceiptDeps): ReceiptService {
  const commands = receiptCommands(deps);
  const scopes = receiptScopes(deps, commands);
  const notes = receiptNotes(deps);
  const counted = originalsCounted(deps, commands);
  const prepare = prepareWith(deps, commands, { scopes, counted });
  const retirement = receiptRetirement(deps, commands, { scopes, notes, counted });
  const due = dueReceipts(deps, commands, retirement);
  const lists = receiptLists(deps, commands);
  const accept = acceptWith(commands, notes);
  const tokens = dispatchTokens();
  const results = resultFor(deps.operations, commands);
  const report = reportWith(results, accept, notes);
  return {
    ...{ deps, commands, prepare, accept, report, notes, tokens, lists, due, retirement },
    resultFor: results,
    request: (request) => checkedRequest(request, deps.operations),
  };
}

/** The library's methods, which no service needs that only serves HTTP. */
export function receiptsOf(service: ReceiptService): Receipts {
  return {
    ...receiptMethods(service, service),
    list: service.lists.list,
    serialized: serialize(),
    once: once(service),
  };
}
