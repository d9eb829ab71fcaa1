/**
 * One caller process: pays for an order once, over HTTP, step by step, at a provider that charges for every
 * request. Tells its parent what it does, one JSON line each. Arguments: URL, key, the provider's URL, and
 * the seconds between the payment and its report.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../src/client/client.ts";

const [url = "", key = "", provider = "", reportSeconds = "0"] = process.argv.slice(2);
const { receipts } = createClient({ url, key });

const tell = (did: string, more: Record<string, unknown> = {}): void => {
  writeSync(1, `${JSON.stringify({ did, ...more })}\n`);
};

const operation = { workspaceId: "shop", operationId: "charge-1001", payload: { amount: 4_200 } };

async function pay(): Promise<void> {
  const { receipt } = await receipts.prepare(operation);
  const { id, state } = receipt;
  if (state === "outcome-unknown") {
    const resolved = receipt.resolution;
    if (resolved === undefined) tell("did not pay: nobody knows what came of it", { id });
    else tell("did not pay: it is resolved", { id, result: resolved.result });
    return;
  }
  const { owned, dispatchToken } = await receipts.dispatch(id, { leaseMs: 1_000 });
  if (!owned || dispatchToken === null) {
    tell("did not pay: another call is at it", { id });
    return;
  }
  const paid = await fetch(provider, { method: "POST", body: JSON.stringify(operation.payload) });
  const result = await paid.json();
  tell("paid", { id, dispatchToken });
  await sleep(Number(reportSeconds) * 1_000);
  await receipts.accept(id, { dispatchToken, result });
  tell("reported it");
}

await pay();
