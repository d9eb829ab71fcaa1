/** DynamoDB as a witness gives it: a fresh table for each case. */
import { createTable } from "../../adapters/storage/dynamodb/index.ts";
import { emailsFixture, rawClient, storageOn } from "../adapters/dynamodb/given.ts";
import { probeOf } from "./probe.ts";
import type { Witness } from "./server.ts";
import type { Peer } from "./suite.ts";

export function tablesOf({ endpoint }: Witness): Peer {
  let tables = 0;
  async function create(): Promise<string> {
    tables += 1;
    const client = rawClient(endpoint);
    await createTable(client, `jobs-${tables}`);
    client.destroy();
    return `jobs-${tables}`;
  }
  return {
    fixture: async () => emailsFixture(endpoint, await create()),
    probe: async () => probeOf(storageOn(endpoint, await create())),
  };
}
