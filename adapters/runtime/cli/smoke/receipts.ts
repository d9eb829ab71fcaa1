/** Smoke: one operation to its end, and one whose outcome nobody knows until a person says. */
import { isListed, must, patiently, refused, type Smoke } from "./looking.ts";

const WORKSPACE = "smoke";

export async function seeReceipts(smoke: Smoke): Promise<void> {
  await seeCharge(smoke);
  await seeUnknown(smoke);
}

async function seeCharge({ client, prefix, step }: Smoke): Promise<void> {
  const { receipts } = client;
  const operation = { workspaceId: WORKSPACE, operationId: `${prefix}-charge` };
  const prepare = (amount: number) => receipts.prepare({ ...operation, payload: { amount } });
  const result = { chargeId: "ch_1" };
  const id = await step("an operation is prepared once, and bound to its payload", async () => {
    const first = await prepare(4_200);
    const again = await prepare(4_200);
    must(!again.created && again.receipt.id === first.receipt.id, "it was made twice");
    await refused("operation_receipt_conflict", prepare(4_300));
    return first.receipt.id;
  });
  const dispatchToken = await step("one caller has the dispatch", async () => {
    const mine = await receipts.dispatch(id);
    const others = await receipts.dispatch(id);
    must(mine.owned && mine.dispatchToken !== null, "the first caller does not have it");
    must(!others.owned && others.dispatchToken === null, "a second caller has it, too");
    return mine.dispatchToken;
  });
  await step("its owner renews it and tells the result, and nobody else can", async () => {
    await receipts.renew(id, { dispatchToken, leaseMs: 60_000 });
    await refused("dispatch_lost", receipts.accept(id, { dispatchToken: "of-another", result }));
    const { receipt } = await receipts.accept(id, { dispatchToken, result });
    must(receipt.state === "accepted", `it is ${receipt.state}`);
  });
  await step("the result is told again, and stands", async () => {
    await receipts.accept(id, { dispatchToken, result });
    const other = receipts.accept(id, { dispatchToken, result: { chargeId: "ch_2" } });
    await refused("operation_receipt_conflict", other);
    await receipts.complete(id);
    const { receipt } = await prepare(4_200);
    must(receipt.state === "terminal", `it is ${receipt.state}`);
    must(
      JSON.stringify(receipt.result) === JSON.stringify(result),
      "a replay has another result than was told",
    );
  });
}

async function seeUnknown({ client, prefix, step, patience }: Smoke): Promise<void> {
  const { receipts } = client;
  const operation = { workspaceId: WORKSPACE, operationId: `${prefix}-unknown` };
  const id = await step("an outcome may be unknown", async () => {
    const { receipt } = await receipts.prepare({ ...operation, payload: { amount: 1 } });
    const { dispatchToken } = await receipts.dispatch(receipt.id);
    must(dispatchToken !== null, "another caller has the dispatch");
    const unknown = await receipts.markUnknown(receipt.id, { dispatchToken });
    must(unknown.receipt.state === "outcome-unknown", `it is ${unknown.receipt.state}`);
    return receipt.id;
  });
  await step("it waits for a person, and is told as stuck", () =>
    patiently(
      patience,
      async () => {
        const isThere = await isListed(
          (from) => client.stuck({ limit: 100, ...from }),
          (item) => item.id === id,
        );
        return isThere || null;
      },
      "it is not told as stuck",
    ),
  );
  await step("what a person says of it stands", async () => {
    const { receipt } = await receipts.resolve(id, { outcome: "did_not_happen", note: "smoke" });
    must(receipt.resolution?.outcome === "did_not_happen", "it has no resolution");
    await refused("already_resolved", receipts.resolve(id, { outcome: "abandoned" }));
  });
}
