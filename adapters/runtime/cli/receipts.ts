/** Commands on receipts. */
import type { Client } from "../../../src/client/client.ts";
import type { ReceiptRoutes, RouteBody } from "../../../src/client/types.ts";
import type { ReceiptStateName } from "../../../src/machines/receipts/fields.ts";
import { type Output, oneLine, table } from "./print.ts";

export interface ReceiptListing {
  readonly state?: ReceiptStateName;
  readonly limit: number;
  readonly cursor?: string;
}

export type Resolution = RouteBody<ReceiptRoutes["resolve"]>;

type Receipt = Awaited<ReturnType<Client["receipts"]["read"]>>["receipt"];

export async function listReceipts(
  client: Client,
  { state, limit, cursor }: ReceiptListing,
  out: Output,
): Promise<void> {
  const only = state === undefined ? {} : { state };
  const from = cursor === undefined ? {} : { cursor };
  const page = await client.receipts.list({ limit, ...only, ...from });
  if (out.isJson) {
    out.json(page);
    return;
  }
  const rows = page.receipts.map((one) => [
    one.id,
    one.resolution === undefined ? one.state : `${one.state}, ${one.resolution.outcome}`,
    new Date(one.updatedAt).toISOString(),
    oneLine(`${one.workspaceId} ${one.tool}/${one.action} ${one.operationId}`),
  ]);
  out.lines(...table(["id", "state", "changed", "operation"], rows));
  for (const { id, reason } of page.corrupt) out.note(`${id} cannot be read: ${oneLine(reason)}`);
  if (page.nextCursor !== null) out.note(`more: --cursor ${page.nextCursor}`);
}

export async function showReceipt(client: Client, id: string, out: Output): Promise<void> {
  const { receipt, notes } = await client.receipts.read(id);
  if (out.isJson) out.json({ receipt, notes });
  else out.lines(JSON.stringify({ ...receipt, ...(notes.length === 0 ? {} : { notes }) }, null, 2));
}

export async function resolveReceipt(
  client: Client,
  id: string,
  resolution: Resolution,
  out: Output,
): Promise<void> {
  tellReceipt((await client.receipts.resolve(id, resolution)).receipt, out);
}

export async function eraseReceipt(client: Client, id: string, out: Output): Promise<void> {
  const erased = await client.erase({ receipt: id });
  if (out.isJson) out.json(erased);
  else out.lines(`${erased.id} is erased`);
}

/** To the end of what is due. */
export async function recoverReceipts(client: Client, out: Output): Promise<void> {
  let [recovered, scanned, cursor]: [number, number, string | null] = [0, 0, null];
  do {
    const page: Awaited<ReturnType<Client["receipts"]["recover"]>> = await client.receipts.recover(
      cursor === null ? {} : { cursor },
    );
    recovered += page.recovered;
    scanned += page.scanned;
    cursor = page.nextCursor;
  } while (cursor !== null);
  if (out.isJson) out.json({ recovered, scanned });
  else out.lines(`${recovered} of ${scanned} that were due are outcome-unknown now`);
}

function tellReceipt(receipt: Receipt, out: Output): void {
  if (out.isJson) {
    out.json({ receipt });
    return;
  }
  const { id, state, resolution } = receipt;
  const said = resolution === undefined ? "" : `, ${resolution.outcome}`;
  out.lines(`${id} ${state}${said}`);
}
