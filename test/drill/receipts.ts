/** Receipts of the drill: what a worker does with them, and what has to be true of them. */
import type { Receipt } from "../../src/machines/receipts/receipt.ts";
import type { Receipts } from "../../src/services/receipts.ts";
import { type MachineDrill, madeTwice, of, pick, type Tell, type Told } from "./told.ts";

export const WORKSPACE = "drill";

const SHARED_OPERATIONS = 400;

export async function workOnReceipts(
  receipts: Receipts,
  by: { readonly name: string; readonly round: number },
  tell: Tell,
): Promise<void> {
  const own = `${by.name}-${by.round}`;
  const key = by.round % 2 === 0 ? `shared-${pick(SHARED_OPERATIONS)}` : own;
  const request = { workspaceId: WORKSPACE, operationId: key, payload: { key } };
  const { created, receipt } = await receipts.prepare(request);
  tell({ told: "prepared", key, created });
  if (receipt.state !== "prepared") return;
  const { owned, dispatchToken } = await receipts.dispatch(receipt);
  if (!owned || dispatchToken === null) return;
  // The side effect: nobody else may ever come to this.
  tell({ told: "ran", key });
  const result = `result of ${own}`;
  if (pick(5) === 0) {
    await receipts.markOutcomeUnknown(receipt, { dispatchToken });
    tell({ told: "unknown", key });
    return;
  }
  await receipts.markAccepted(receipt, result, { dispatchToken });
  tell({ told: "accepted", key, result });
  if (pick(2) === 0) return;
  await receipts.markTerminal(receipt);
  tell({ told: "terminal", key, result });
}

export const receiptDrill: MachineDrill = {
  async broken({ receipts }, told) {
    const own = of(told, "receipts");
    const { found, corrupt } = await allReceipts(receipts);
    const broken = [...corrupt, ...madeTwice(own)];
    const ran = new Set<string>();
    for (const one of own) {
      if (one.told === "ran" && ran.has(one.key)) broken.push(`${one.key}: ran twice`);
      if (one.told === "ran") ran.add(one.key);
      const problem = problemOf(one, found.get(one.key));
      if (problem !== null) broken.push(`${one.key}: ${one.told} was promised, but ${problem}`);
    }
    return broken;
  },

  async finish({ receipts }) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Receipts["recoverInterrupted"]>> =
        await receipts.recoverInterrupted(cursor === null ? {} : { cursor });
      cursor = page.nextCursor;
    } while (cursor !== null);
    const { found } = await allReceipts(receipts);
    const live = [...found].filter(([, { state }]) => state === "dispatching");
    return live.map(([key]) => `${key}: is dispatching although its caller died long ago`);
  },
};

/** Null: it is as it was promised. */
function problemOf({ told, result }: Told, receipt: Receipt | undefined): string | null {
  if (receipt === undefined) return "there is no such receipt";
  const { state } = receipt;
  const isOver = state === "accepted" || state === "terminal";
  if (result !== undefined && receipt.result !== result) return "it has another result";
  if (told === "accepted" && !isOver) return `it is ${state}`;
  if (told === "terminal" && state !== "terminal") return `it is ${state}`;
  if (told === "unknown" && state !== "outcome-unknown") return `it is ${state}`;
  if (told === "ran" && state === "prepared") return "it may run again";
  return null;
}

/** By operation. */
export async function allReceipts(receipts: Receipts): Promise<{
  readonly found: ReadonlyMap<string, Receipt>;
  readonly corrupt: readonly string[];
}> {
  const found = new Map<string, Receipt>();
  const corrupt: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Receipts["list"]>> = await receipts.list(cursor, 100);
    for (const receipt of page.receipts) found.set(receipt.operationId, receipt);
    corrupt.push(...page.corrupt.map(({ id, reason }) => `${id}: ${reason}`));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { found, corrupt };
}
