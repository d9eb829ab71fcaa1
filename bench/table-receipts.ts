/** A table in which many receipts stand, each as the storage would have written it. */
import { BatchWriteItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type Item, itemOf, parseDueName, recordOf } from "../adapters/storage/dynamodb/items.ts";
import { key } from "../src/core/key.ts";
import type { Holdfast } from "../src/holdfast.ts";
import { receiptIdOf } from "../src/machines/receipts/key.ts";
import type { DynamodbFront } from "../test/fakes/dynamodb-front.ts";
import { ACCESS } from "./cloud-places.ts";
import { repeat } from "./measure.ts";

/** What one request may write. */
const BATCH = 25;

const AT_ONCE = 4;

/** The shards of a table's due index, unless its owner says otherwise. */
const SHARDS = 4;

function storedKey(n: number) {
  return { operationId: `stored-${n}` };
}

/**
 * `count` terminal receipts. The first is made by the service; the others are its item under their own
 * ids, with their entries in the due index. Throws when one of them is not read as what it is.
 */
export async function fillTable(
  front: DynamodbFront,
  table: string,
  { receipts }: Holdfast,
  count: number,
): Promise<void> {
  const { receipt: model } = await receipts.once(storedKey(0), null, () => ({ charge: "ch_1" }));
  const stored = (await front.items(table)).find((item) => item["sk"]?.S === model.id);
  const due = parseDueName(stored?.["dueSk"]?.S ?? "");
  if (stored === undefined || due === null) throw new Error("the model is not in the table");
  const { body, version } = recordOf(due.key, stored as Item);

  const client = new DynamoDBClient({ ...ACCESS, endpoint: front.plainEndpoint });
  await repeat(Math.ceil((count - 1) / BATCH), AT_ONCE, async (batch) => {
    const first = 1 + batch * BATCH;
    const writes = Array.from({ length: Math.min(BATCH, count - first) }, (_, n) => {
      const { operationId } = storedKey(first + n);
      const id = receiptIdOf({ ...model, operationId });
      const text = JSON.stringify({ ...JSON.parse(body), id, operationId });
      const record = { body: text, version };
      const place = key(due.key.replace(model.id, id));
      return {
        PutRequest: { Item: itemOf(place, record, { queue: "attend", at: due.at }, SHARDS) },
      };
    });
    const { UnprocessedItems: left = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [table]: writes } }),
    );
    if (Object.keys(left).length > 0) throw new Error("the table did not take all receipts");
  });
  client.destroy();
  const last = await receipts.get(storedKey(count - 1));
  if (last?.state !== "terminal") throw new Error("a stored receipt is not read");
}
