/** Creating receipts, with a place in their workspace where those are counted (protocols 6.1). */
import type { Prepare } from "../machines/receipts/commands.ts";
import { receiptIdOf } from "../machines/receipts/key.ts";
import { takesPlace } from "../machines/receipts/scope.ts";
import { ContendedError } from "../ports/faults.ts";
import type { ReceiptCommands, ReceiptDeps, ReceiptOutcome } from "./receipt-commands.ts";
import type { RetirementParts } from "./receipt-retire.ts";

/** Throws OperationReceiptCapacityError where the workspace is full, and nothing was written. */
export type PrepareReceipt = (command: Omit<Prepare, "reservation">) => Promise<ReceiptOutcome>;

/** Reservations of one call that others gave back while it slept. */
const TRIES_MAX = 8;

export function prepareWith(
  deps: ReceiptDeps,
  commands: ReceiptCommands,
  { scopes, counted }: Pick<RetirementParts, "scopes" | "counted">,
): PrepareReceipt {
  function uncounted(command: Omit<Prepare, "reservation">): Promise<ReceiptOutcome> {
    const free: Prepare = { ...command, reservation: null };
    // Reading first costs a request more for who is first, and less for everybody after.
    return deps.createsFirst ? commands.create(free) : commands.run(receiptIdOf(command.key), free);
  }

  if (deps.capacity === null) return uncounted;

  return async (command) => {
    if (!takesPlace(command.key)) return uncounted(command);
    await counted();
    const id = receiptIdOf(command.key);
    const { workspaceId } = command.key;
    // What is there already is answered also where there is no room (RECEIPT-10).
    let outcome = await commands.run(id, { ...command, reservation: "needed" });
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      if (outcome.kind !== "rejected" || outcome.rejection.kind !== "place_needed") return outcome;
      const { over } = outcome.rejection;
      const nonce = await scopes.reserve(workspaceId, id);
      const placed: Prepare = { ...command, reservation: { nonce, over } };
      // Not known to be created or not: the entry stays, until it can be told.
      outcome = await (over === null ? commands.create(placed) : commands.run(id, placed));
      const slot = outcome.kind === "rejected" ? null : outcome.live.extra.slot;
      if (slot === nonce) await scopes.keep(workspaceId, nonce);
      else await scopes.giveBack(workspaceId, nonce);
    }
    throw new ContendedError("the reservation was given back again and again");
  };
}
