/** Callers of operations and operators; they learn nothing but what calls answer. */
import type { Receipt } from "../../../src/machines/receipts/receipt.ts";
import type { Reconciled } from "../../../src/services/once.ts";
import { OperationReceiptOutcomeUnknownError } from "../../../src/services/receipt-errors.ts";
import { attempt, persistently, type Stage, type Verdict } from "../machine.ts";
import type { ReceiptChecks } from "./checks.ts";
import { type EffectResult, type Effects, storedReceipt } from "./effects.ts";
import { WORKSPACES } from "./places.ts";

export interface ReceiptStage extends Stage {
  readonly effects: Effects;
  readonly checks: ReceiptChecks;
}

export interface Asked {
  readonly key: { readonly workspaceId: string; readonly operationId: string };
  readonly payload: { readonly amount: number };
}

/** Operations that are new at a time, and those that everybody is at. */
const EPOCH_MS = 45_000;

function somethingToAsk({ world: { chance, now } }: Stage): Asked {
  const n = Math.floor(now() / EPOCH_MS) * 3 + chance.between(0, 5);
  const workspaceId = chance.pick(WORKSPACES);
  return {
    key: { workspaceId, operationId: `op-${n}` },
    payload: { amount: chance.happens(0.07) ? 2 : 1 },
  };
}

/** Calls `once` for the same operations as everybody else. */
export async function callOnce(stage: ReceiptStage): Promise<void> {
  const { world, process, holdfast, effects, checks } = stage;
  const { chance } = world;
  while (!stage.isHealing()) {
    await process.pause(chance.between(300, 6_000));
    const asked = somethingToAsk(stage);
    let own: string | null = null;
    const sideEffect = ({ receipt }: { readonly receipt: Receipt }): Promise<EffectResult> => {
      own = receipt.id;
      return effects.run(stage, receipt.id);
    };
    const begunAt = world.now();
    const verdict = await attempt(() =>
      holdfast.receipts.once(asked.key, asked.payload, sideEffect, {
        leaseMs: chance.pick([2_000, 10_000, 60_000]),
        waitMs: chance.between(0, 60_000),
        ...(chance.happens(0.4) ? { reconcile: ({ id }) => booked(stage, id) } : {}),
      }),
    );
    checks.called(stage, { asked, own, begunAt, verdict });
    world.note(`${process.name} once ${asked.key.operationId} ${toldBy(verdict)}`);
    await tellLate(stage, verdict);
  }
}

/** What the provider says when it is asked; sometimes it is not there. */
function booked(stage: ReceiptStage, id: string): Reconciled<EffectResult> {
  if (stage.world.chance.happens(0.2)) throw new Error("the provider is not there");
  const found = stage.effects.lookUp(stage, id);
  if (found === "nothing") return { outcome: "did_not_happen" };
  return found === "unclear" ? null : { outcome: "happened", result: found };
}

/** The owner of an outcome that could not be stored tells it later, which is taken or not. */
async function tellLate(stage: ReceiptStage, verdict: Verdict<unknown>): Promise<void> {
  const { world, process, holdfast, checks } = stage;
  if (verdict.kind !== "refused") return;
  const { error } = verdict;
  if (!(error instanceof OperationReceiptOutcomeUnknownError)) return;
  if (error.returned === undefined || world.chance.happens(0.2)) return;
  await process.pause(world.chance.between(100, 60_000));
  const told = await attempt(() => holdfast.receipts.markAccepted(error.receiptId, error.returned));
  checks.accepted(stage, error.receiptId, error.returned, told);
}

/** Does by hand what `once` does, in the steps of protocols 6. */
export async function goByHand(stage: ReceiptStage): Promise<void> {
  const { world, process, holdfast, checks } = stage;
  const { chance } = world;
  while (!stage.isHealing()) {
    await process.pause(chance.between(500, 9_000));
    const asked = somethingToAsk(stage);
    const begunAt = world.now();
    const prepared = await attempt(() =>
      holdfast.receipts.prepare({ ...asked.key, payload: asked.payload }),
    );
    checks.prepared(stage, { asked, begunAt, verdict: prepared });
    if (prepared.kind !== "answer") continue;
    if (chance.happens(0.1)) continue;
    await dispatch(stage, prepared.value.receipt);
  }
}

async function dispatch(stage: ReceiptStage, receipt: Receipt): Promise<void> {
  const { world, process, holdfast, effects, checks } = stage;
  const { chance } = world;
  const { id } = receipt;
  const leaseMs = chance.pick([2_000, 10_000, 40_000]);
  // Its own deadline counts from before it asks, by both clocks (protocols 6.2, rule 3).
  const until = process.clock.now() + leaseMs;
  const elapsed = process.clock.elapsed() + leaseMs;
  const own = chance.happens(0.5)
    ? `${process.name}-${world.now()}-${chance.between(0, 1e9)}`
    : null;
  const options = own === null ? { leaseMs } : { leaseMs, dispatchToken: own };
  const verdict = await persistently(stage, chance.between(1, 3), () =>
    holdfast.receipts.dispatch(chance.happens(0.5) ? receipt : id, options),
  );
  checks.dispatched(stage, id, own, verdict);
  if (verdict.kind !== "answer" || !verdict.value.owned) return;
  const dispatchToken = verdict.value.dispatchToken ?? "";
  if (process.clock.now() >= until || process.clock.elapsed() >= elapsed) {
    effects.giveUp(stage, id);
    await attempt(() => holdfast.receipts.markOutcomeUnknown(id, { dispatchToken }));
    return;
  }
  let result: EffectResult;
  try {
    result = await effects.run(stage, id, dispatchToken);
  } catch {
    await attempt(() => holdfast.receipts.markOutcomeUnknown(id, { dispatchToken }));
    return;
  }
  if (chance.happens(0.3)) {
    const renewed = await attempt(() =>
      holdfast.receipts.renewDispatch(id, leaseMs, { dispatchToken }),
    );
    checks.renewed(stage, id, dispatchToken, renewed);
  }
  const told = await persistently(stage, 6, () =>
    holdfast.receipts.markAccepted(id, result, { dispatchToken }),
  );
  checks.accepted(stage, id, result, told);
  if (told.kind === "answer" && chance.happens(0.7)) {
    const ended = await attempt(() => holdfast.receipts.markTerminal(id));
    checks.completed(stage, id, ended);
  }
}

/** Looks through all receipts, and answers for those whose outcome nobody knows. */
export async function operate(stage: ReceiptStage): Promise<void> {
  const { world, process, holdfast, checks } = stage;
  const { chance } = world;
  let cursor: string | null = null;
  for (;;) {
    await process.pause(chance.between(1_000, 12_000));
    const page = await attempt(() => holdfast.receipts.list(cursor, chance.between(1, 20)));
    if (page.kind !== "answer") continue;
    cursor = page.value.nextCursor;
    if (page.value.corrupt.length > 0) stage.truth.blame("a receipt cannot be read");
    for (const receipt of page.value.receipts) {
      checks.shown(stage, receipt);
      await attend(stage, receipt);
    }
  }
}

async function attend(stage: ReceiptStage, { id, state, resolution }: Receipt): Promise<void> {
  const { world, holdfast, effects, checks, process } = stage;
  const { chance } = world;
  const { receipts } = holdfast;
  if (state === "outcome-unknown" && resolution === undefined && chance.happens(0.5)) {
    const found = effects.lookUp(stage, id);
    const outcome = chance.pick(["happened", "did_not_happen", "abandoned"] as const);
    const result = typeof found === "object" ? found : { tag: stage.tag, charge: process.name };
    const answer = {
      outcome,
      resolvedBy: process.name,
      ...(outcome === "happened" ? { result } : {}),
    };
    const verdict = await persistently(stage, 3, () => receipts.resolve(id, answer));
    checks.resolved(stage, id, answer, verdict);
    world.note(`${process.name} resolves ${id.slice(0, 8)} as ${outcome}: ${toldBy(verdict)}`);
  } else if (state === "accepted" && chance.happens(0.3)) {
    checks.completed(stage, id, await attempt(() => receipts.markTerminal(id)));
  } else if (chance.happens(0.03) && !stage.isHealing()) {
    const erased = await attempt(() => receipts.erase(id));
    if (erased.kind === "answer") checks.erased(stage, id);
  } else if (chance.happens(0.05)) {
    await attempt(() => receipts.recoverInterrupted({ limit: chance.between(1, 10) }));
  } else if (state === "dispatching" && chance.happens(0.06)) {
    // By somebody who knows of no token: taken only once the dispatch has lapsed.
    await attempt(() => receipts.markOutcomeUnknown(id, { dispatchToken: "nobody's" }));
  }
}

function toldBy<T>(verdict: Verdict<T>): string {
  return verdict.kind === "refused" ? verdict.error.code : verdict.kind;
}

export const keyOfReceipt = ({ prefix }: Stage, id: string): string => storedReceipt(prefix, id);
