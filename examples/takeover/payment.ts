/** The receipt of the demo: its caller is killed between the payment and its report, and a person resolves it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, HoldfastError } from "../../src/client/client.ts";
import { show, startCaller, type Till } from "./children.ts";

/** What the killed caller left. */
export interface Interrupted {
  readonly id: string;
  readonly dispatchToken: string;
}

/** How long a dispatch counts as live after its lease: short, so that the demo is. */
export const MARGIN_MS = "500";

export interface Provider {
  readonly url: string;
  /** What was charged, as its own records have it. */
  readonly charges: readonly { readonly charge: string }[];
  close(): void;
}

/** A payment provider that knows no idempotency keys: every request is a charge. */
export async function startProvider(): Promise<Provider> {
  const charges: { readonly charge: string }[] = [];
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      const made = { charge: `ch_${charges.length + 1}` };
      charges.push(made);
      response.end(JSON.stringify(made));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, charges, close: () => server.close() };
}

/** A caller that pays and is killed, and one that comes while the payment may still be under way. */
export async function interruptPayment(till: Till): Promise<Interrupted> {
  const callerD = startCaller("caller D", till, 60);
  const { id = "", dispatchToken = "" } = await callerD.hears("paid");
  await callerD.end("SIGKILL");
  show("caller D", "killed after it paid, and before it told anybody (SIGKILL)");
  const callerE = startCaller("caller E", till, 0);
  await callerE.hears("did not pay: another call is at it");
  await callerE.end("SIGTERM");
  return { id, dispatchToken };
}

/** Whether the payment became unknown, was resolved once, and was never made again. */
export async function resolvePayment(
  client: Client,
  till: Till,
  { id, dispatchToken, charges }: Interrupted & Pick<Provider, "charges">,
): Promise<boolean> {
  const { receipts } = client;
  for (let waited = 0; waited < 10_000; waited += 50) {
    if ((await receipts.read(id)).receipt.state === "outcome-unknown") break;
    await sleep(50);
  }
  const callerF = startCaller("caller F", till, 0);
  await callerF.hears("did not pay: nobody knows what came of it");
  const { items } = await client.stuck();
  const stuck = items.find((item) => item.id === id);
  show("you", `a receipt is stuck: ${stuck?.why}`);
  await receipts.resolve(id, {
    outcome: "happened",
    result: charges[0],
    note: "found at the provider",
  });
  show("you", "resolved it: the provider has the charge");
  const callerG = startCaller("caller G", till, 0);
  const { result } = await callerG.hears("did not pay: it is resolved");
  const late = await receipts
    .accept(id, { dispatchToken, result: { charge: "ch_2" } })
    .then(() => "ACCEPTED")
    .catch((error: unknown) => (error instanceof HoldfastError ? error.code : String(error)));
  show("caller D", `another result, told after all: refused with ${late}, and kept as a note`);
  await Promise.all([callerF.end("SIGTERM"), callerG.end("SIGTERM")]);
  const { notes } = await receipts.read(id);
  show("provider", `4 callers came to pay for one order; it has ${charges.length} charge`);
  return (
    stuck !== undefined &&
    charges.length === 1 &&
    JSON.stringify(result) === JSON.stringify(charges[0]) &&
    late === "already_resolved" &&
    notes.length === 1
  );
}
