/** The owner's part: the side effect is run under a dispatch that is renewed, and its outcome stored. */
import { errorText } from "../core/error-text.ts";
import { sha256Hex } from "../core/hash.ts";
import type { JsonValue } from "../core/json.ts";
import { durationMs, seconds } from "../core/time.ts";
import { isSameResult } from "../machines/receipts/outcome.ts";
import type { Receipt } from "../machines/receipts/receipt.ts";
import type { Clock } from "../ports/clock.ts";
import { StoreUnavailableError } from "../ports/faults.ts";
import type { OnceCall } from "./once.ts";
import type { ReceiptCommands, ReceiptOutcome } from "./receipt-commands.ts";
import {
  OperationReceiptOutcomeUnknownError,
  OperationReceiptStoreError,
  type UnknownOutcomeOptions,
} from "./receipt-errors.ts";
import { checkedResult } from "./receipt-input.ts";
import { answered, type ReceiptParts } from "./receipt-methods.ts";

/** The dispatch that this call owns. */
export interface OwnDispatch {
  readonly receipt: Receipt;
  readonly token: string;
  /** Whether its lease is over, counted from before it was asked for. */
  readonly isLate: () => boolean;
}

export interface Ended {
  readonly result: JsonValue;
  readonly receipt: Receipt;
}

/** Renewals of one lease: two may fail, and it still stands. */
const RENEWALS = 3;

/** How often the outcome is told to a storage that does not take it, and the wait between. */
const TRIES_MAX = 5;
const PAUSE_MS = seconds(1);

/** The same of a dispatch that is given back: its caller waits, and has nothing to lose. */
const RELEASES_MAX = 3;

const WHY_CHARS_MAX = 500;

const GIVEN_UP =
  "the side effect was not begun by this call, and others gave its dispatch up for lost";
const NOT_STORED = "the side effect has run, and what it returned could not be stored";
const REFUSED =
  "the side effect has run, and what it returned was not taken: something else stands";

/**
 * Throws OperationReceiptOutcomeUnknownError when the side effect threw, or what it returned is not stored:
 * then the error has it. The token is kept, so that the caller can tell what it finds out.
 */
export async function runOwned(
  parts: ReceiptParts,
  call: OnceCall,
  own: OwnDispatch,
): Promise<Ended> {
  try {
    call.signal?.throwIfAborted();
    parts.deps.calls.checkOpen();
    // Others may take it for lost from its lease and the margin on; whoever is late must not start.
    if (own.isLate()) {
      throw new StoreUnavailableError("the dispatch took longer than its lease; nothing was begun");
    }
  } catch (why) {
    await released(parts, own, why);
    throw why;
  }
  const over = new AbortController();
  void renewed(parts, call, own, over.signal);
  let returned: unknown;
  try {
    const signal = call.signal ?? new AbortController().signal;
    returned = await call.sideEffect({ signal, receipt: own.receipt });
  } catch (cause) {
    return await unknown(parts, own, { cause });
  } finally {
    over.abort();
  }
  let result: JsonValue;
  try {
    // A side effect that returns nothing has happened all the same.
    result = checkedResult(returned ?? null, call.operation);
  } catch (cause) {
    const why = errorText(cause, WHY_CHARS_MAX);
    const message = `the side effect has run, and what it returned cannot be kept: ${why}`;
    return unknown(parts, own, { message, returned, cause });
  }
  return accepted(parts, own, { result, returned });
}

/** Throws OperationReceiptOutcomeUnknownError where others gave the dispatch up for lost already. */
async function released(
  { deps, commands, tokens }: ReceiptParts,
  { receipt, token }: OwnDispatch,
  cause: unknown,
): Promise<void> {
  const outcome = await repeatedly(deps.clock, RELEASES_MAX, () =>
    commands.run(receipt, { kind: "release", token }),
  );
  // It lapses, unless this service is asked again before.
  if (outcome === null) tokens.keepUnused(receipt.id, token);
  // Refused is also a repeat of a release that had landed unheard: then nobody waits for this dispatch.
  if (outcome?.kind === "rejected" && (await isGivenUp(commands, receipt.id, token))) {
    throw new OperationReceiptOutcomeUnknownError(receipt.id, { message: GIVEN_UP, cause });
  }
}

/** Whether the receipt says that nobody knows what came of the dispatch. False also where it cannot be read. */
async function isGivenUp(commands: ReceiptCommands, id: string, token: string): Promise<boolean> {
  try {
    const found = await commands.read(id);
    if (found.kind === "rejected") return false;
    const { receipt, extra } = found.live;
    const isOurs = extra.dispatch?.tokenHash === sha256Hex(token);
    return receipt.state === "outcome-unknown" && isOurs;
  } catch {
    return false;
  }
}

/** Null: it failed as often as that, with a wait between. */
async function repeatedly(
  clock: Clock,
  triesMax: number,
  work: () => Promise<ReceiptOutcome>,
): Promise<ReceiptOutcome | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch {
      // Also what looks lasting may be over by the next one, as credentials that ran out are.
      if (tries >= triesMax) return null;
    }
    await clock.sleep(PAUSE_MS);
  }
}

/** Never rejects. A renewal that fails is made up for by the next one; a refused one was the last. */
async function renewed(
  { deps, commands }: ReceiptParts,
  { leaseMs }: OnceCall,
  { receipt, token }: OwnDispatch,
  over: AbortSignal,
): Promise<void> {
  const every = durationMs(Math.floor(leaseMs / RENEWALS));
  for (;;) {
    await deps.clock.sleep(every, over);
    if (over.aborted) return;
    try {
      const outcome = await commands.run(receipt.id, { kind: "renew", token, leaseMs });
      if (outcome.kind === "rejected") return;
    } catch {
      // Also what looks lasting may be over by the next one, as credentials that ran out are.
    }
  }
}

/** The outcome is known, and told until it is stored, is refused, or the storage had its time. */
async function accepted(
  parts: ReceiptParts,
  own: OwnDispatch,
  { result, returned }: { readonly result: JsonValue; readonly returned: unknown },
): Promise<Ended> {
  const { accept, commands, deps } = parts;
  const { clock } = deps;
  for (let tries = 1; ; tries += 1) {
    try {
      // A renewal may have changed the record since, which costs the handle and nothing else.
      const outcome = await accept(own.receipt, { result, token: own.token, isFinal: true });
      const stands = isSaidAlready(outcome, result) ? await commands.read(own.receipt.id) : outcome;
      return { result, receipt: answered(stands).receipt };
    } catch (cause) {
      // A refusal says what stands instead; of what this call ran it says nothing.
      const isRefused = cause instanceof OperationReceiptStoreError;
      if (isRefused || tries >= TRIES_MAX) {
        logUnstored(parts, own, cause);
        const message = isRefused ? REFUSED : NOT_STORED;
        return unknown(parts, own, { message, returned, cause });
      }
    }
    await clock.sleep(PAUSE_MS);
  }
}

/** Whether somebody found out this very result while it was being told. */
function isSaidAlready(outcome: ReceiptOutcome, result: JsonValue): boolean {
  if (outcome.kind !== "rejected" || outcome.rejection.kind !== "already_resolved") return false;
  const { resolution } = outcome.rejection;
  return resolution.outcome === "happened" && isSameResult(resolution.result ?? null, result);
}

/** An operator must learn of it also where the caller has its answer, as a client over HTTP. */
function logUnstored({ deps }: ReceiptParts, { receipt }: OwnDispatch, fault: unknown): void {
  deps.log("warn", "receipt outcome not stored", {
    tenant: deps.tenant,
    id: receipt.id,
    detail: errorText(fault, WHY_CHARS_MAX),
  });
}

/** Says so at once where it can be said; else the lease will, by ending. */
async function unknown(
  { commands, tokens }: ReceiptParts,
  { receipt, token }: OwnDispatch,
  known: UnknownOutcomeOptions,
): Promise<never> {
  tokens.keep(receipt.id, token);
  try {
    await commands.run(receipt.id, { kind: "unknown", token });
  } catch {
    // Whatever it is, what the caller has to be told is that the side effect was begun.
  }
  throw new OperationReceiptOutcomeUnknownError(receipt.id, known);
}
