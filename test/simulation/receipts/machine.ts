/** The receipt machine in a simulated world. */
import { attempt, type Machine, type Play, type Setting, type Stage } from "../machine.ts";
import { callOnce, goByHand, operate, type ReceiptStage } from "./actors.ts";
import { receiptChecks } from "./checks.ts";
import { createEffects } from "./effects.ts";
import { MARGIN_MS, type ReceiptHistory, watchReceipts } from "./history.ts";
import { CAPACITY, scopeKeyOf, WORKSPACES } from "./places.ts";

export const receipts: Machine = {
  name: "receipts",
  begin({ world, truth }: Setting): Play {
    const effects = createEffects(() => history);
    const history: ReceiptHistory = watchReceipts(truth, effects);
    const checks = receiptChecks(truth, history);
    return {
      opening: () => ({
        limits: {
          receiptCapacity: CAPACITY,
          receiptRetentionMs: RETENTION_MS,
          dispatchMarginMs: MARGIN_MS,
        },
      }),
      live(stage) {
        const own: ReceiptStage = { ...stage, effects, checks };
        world.start(() => callOnce(own));
        world.start(() => callOnce(own));
        world.start(() => goByHand(own));
        world.start(() => operate(own));
      },
      isQuiet: () => history.keys().every(history.isOver),
      async checkEnd(judge) {
        checks.checkTokens();
        for (const workspaceId of WORKSPACES) await checkPlaces(judge, workspaceId);
      },
    };
  },
};

const RETENTION_MS = 40_000;

/** Longer than what others may still be using is left alone. */
const POLITENESS_MS = 61_000;

/** With everything over, a workspace takes as many as its limit says, and not one more. */
async function checkPlaces({ holdfast, process, truth, prefix }: Stage, workspaceId: string) {
  await process.pause(POLITENESS_MS);
  await holdfast.reconcile();
  const scope = scopeKeyOf(prefix, workspaceId);
  let taken = 0;
  for (; taken <= CAPACITY; taken += 1) {
    const key = { workspaceId, operationId: `last-${taken}` };
    const prepared = await attempt(() => holdfast.receipts.prepare({ ...key, payload: null }));
    if (prepared.kind === "refused" && prepared.error.code === "operation_receipt_capacity") break;
    if (prepared.kind !== "answer") truth.blame(`${scope}: a place was not given in the end`);
  }
  if (taken !== CAPACITY)
    truth.blame(`${scope}: takes ${taken} receipts of ${CAPACITY} in the end`);
}
