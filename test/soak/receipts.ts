/** Callers of operations, step by step and by `once`, who may die at it, and a person who resolves the rest. */
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../../adapters/runtime/config.ts";
import { openHoldfast } from "../../adapters/runtime/open.ts";
import { OperationReceiptStoreError } from "../../src/services/receipt-errors.ts";
import { again, type Part, slotOf } from "./role.ts";

const STEP_MS = 500;
const ONCE_MS = 700;
const LEASE_MS = 15_000;

/** Past this much of its lease a caller does not begin what it has the right to. */
const LATE_MS = 5_000;

const DIE_ONE_IN = 60;

/** Two of them meet at each operation. */
export async function caller(part: Part): Promise<void> {
  await again(part, STEP_MS, () => stepped(part, `step-${slotOf(STEP_MS)}`));
}

async function stepped(part: Part, operationId: string): Promise<void> {
  const { name, tell } = part;
  const { receipts } = part.client;
  const payload = { amount: 4_200 };
  const { receipt } = await receipts.prepare({ workspaceId: "step", operationId, payload });
  const { id, state } = receipt;
  await tell({ kind: "prepared", id });
  if (state !== "prepared") return;
  const askedAt = performance.now();
  const { owned, dispatchToken } = await receipts.dispatch(id, { leaseMs: LEASE_MS });
  if (!owned || dispatchToken === null) return;
  part.mayDie(DIE_ONE_IN);
  // The lease may be over before a slow caller begins; then it must not.
  if (performance.now() - askedAt > LATE_MS) return;
  await tell({ kind: "effect", id, by: name });
  part.mayDie(DIE_ONE_IN);
  await receipts.accept(id, { dispatchToken, result: { by: name } });
  await tell({ kind: "accepted", id, by: name });
  part.mayDie(DIE_ONE_IN);
  await receipts.complete(id);
}

const KNOWN: ReadonlySet<string> = new Set([
  "operation_outcome_unknown",
  "already_resolved",
  "operation_in_flight",
]);

/** As the application does it that has the storage itself: over the library, beside the services. */
export async function onceCaller(part: Part): Promise<void> {
  const holdfast = await openHoldfast(readConfig(process.env, () => ""));
  await again(part, ONCE_MS, async () => {
    const key = { workspaceId: "once", operationId: `once-${slotOf(ONCE_MS)}` };
    try {
      const { receipt, result } = await holdfast.receipts.once(
        key,
        { amount: 5 },
        async ({ receipt: { id } }) => {
          part.mayDie(DIE_ONE_IN);
          await part.tell({ kind: "effect", id, by: part.name });
          part.mayDie(DIE_ONE_IN);
          // Long enough for the other caller to find it under way.
          await sleep(20);
          return { by: part.name };
        },
        { leaseMs: LEASE_MS },
      );
      await part.tell({ kind: "accepted", id: receipt.id, by: result.by });
    } catch (error) {
      // Whoever waited for one that died is told that its outcome is not known, or what a person said.
      const isKnown = error instanceof OperationReceiptStoreError && KNOWN.has(error.code);
      if (!isKnown) throw error;
      await part.tell({ kind: "met", what: `once: ${error.code}` });
    }
  });
  await holdfast.close();
}

/** Looks at what is stuck, asks the provider, and says what happened. */
export async function person(part: Part): Promise<void> {
  const { client, effectsOf } = part;
  await again(part, 1_000, async () => {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof client.stuck>> = await client.stuck(
        cursor === null ? {} : { cursor },
      );
      for (const { machine, id } of page.items) {
        if (machine !== "receipts") continue;
        const [by] = await effectsOf(id);
        const said =
          by === undefined
            ? ({ outcome: "did_not_happen" } as const)
            : ({ outcome: "happened", result: { by } } as const);
        await client.receipts.resolve(id, said);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  });
}
