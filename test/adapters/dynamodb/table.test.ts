/** The table's definition, its creation, and what a table must have to be used. */
import { CreateTableCommand, type CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import {
  checkTable,
  createTable,
  tableDefinition,
} from "../../../adapters/storage/dynamodb/index.ts";
import { pendingIn, tableProblem } from "../../../adapters/storage/dynamodb/table.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { contextOf, rawClient, sharedFront, storageOn } from "./given.ts";

const front = sharedFront();

describe("the table", () => {
  it("is made once, ready to be used; making it again leaves it as it is", async () => {
    const client = rawClient(front().endpoint);
    await createTable(client, "fresh");
    await createTable(client, "fresh");
    await checkTable(client, "fresh");
    await (await storageOn(front().endpoint, "fresh").open(contextOf())).close();
    client.destroy();
  });

  it("is paid by request and expires nothing", () => {
    const definition = tableDefinition("jobs");
    expect(definition.BillingMode).toBe("PAY_PER_REQUEST");
    expect(JSON.stringify(definition)).not.toMatch(/TimeToLive/);
  });

  const definition = tableDefinition("jobs");
  const [index] = definition.GlobalSecondaryIndexes ?? [];
  const ACTIVE = { TableStatus: "ACTIVE" } as const;

  it.each([
    ["has other keys", { ...definition, KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] }],
    ["has no index", { ...definition, GlobalSecondaryIndexes: undefined }],
    [
      "has an index with another key",
      {
        ...definition,
        GlobalSecondaryIndexes: [
          { ...index, KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }] },
        ],
      },
    ],
    [
      "has keys that are numbers",
      {
        ...definition,
        AttributeDefinitions: definition.AttributeDefinitions?.map((one) => ({
          ...one,
          AttributeType: "N",
        })),
      },
    ],
  ] as const)("that %s does not fit", (_, other) => {
    const indexes = (other.GlobalSecondaryIndexes ?? []).map((one) => ({
      ...one,
      IndexStatus: "ACTIVE" as const,
    }));
    const described = { ...other, ...ACTIVE, GlobalSecondaryIndexes: indexes };
    expect(tableProblem(described as Parameters<typeof tableProblem>[0])).not.toBeNull();
  });

  it("whose index is still being built fits, and is to be waited for", () => {
    const building = { ...index, IndexStatus: "CREATING" as const };
    const described = { ...definition, ...ACTIVE, GlobalSecondaryIndexes: [building] };
    expect(tableProblem(described)).toBeNull();
    expect(pendingIn(described)).toMatch(/not active yet: CREATING/);
  });

  it("that does not fit is refused by its setting and the command that makes one", async () => {
    const client = rawClient(front().endpoint);
    const { GlobalSecondaryIndexes: _, ...rest } = tableDefinition("bare");
    const AttributeDefinitions = rest.AttributeDefinitions?.slice(0, 2);
    const bare: CreateTableCommandInput = { ...rest, AttributeDefinitions };
    await client.send(new CreateTableCommand(bare));
    const creation = createTable(client, "bare");
    await expect(creation).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(creation).rejects.toThrow(
      /bare \(HOLDFAST_TABLE\) has no index "due"; name another.*create/,
    );
    const missing = checkTable(client, "nowhere");
    await expect(missing).rejects.toThrow(/nowhere \(HOLDFAST_TABLE\).*holdfast table create/);
    client.destroy();
  });

  it("without its index is refused when it is opened", async () => {
    const opening = storageOn(front().endpoint, "bare").open(contextOf());
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(/HOLDFAST_TABLE.*has no index "due"/);
    // As some emulators say it.
    front().setPlan((operation) =>
      operation === "Scan" ? { status: 400, type: "ResourceNotFoundException" } : null,
    );
    const again = storageOn(front().endpoint, "bare").open(contextOf());
    await expect(again).rejects.toThrow(/HOLDFAST_TABLE.*has no index "due"/);
    front().setPlan(null);
  });

  it("that may not be described is told at once, also when it was just made", async () => {
    const client = rawClient(front().endpoint);
    front().takeCounts();
    front().setPlan((operation) =>
      operation === "DescribeTable" ? { status: 400, type: "AccessDeniedException" } : null,
    );
    await expect(createTable(client, "hidden")).rejects.toThrow(/DynamoDB denies.*hidden/);
    expect(front().takeCounts()["DescribeTable"]).toBe(1);
    client.destroy();
  });

  it("that cannot be seen yet is waited for, and so it is told", async () => {
    const client = rawClient(front().endpoint);
    let looks = 0;
    front().setPlan((operation) => {
      if (operation === "DescribeTable") looks += 1;
      return operation === "DescribeTable" && looks === 1
        ? { status: 400, type: "ResourceNotFoundException" }
        : null;
    });
    const told: string[] = [];
    expect(await createTable(client, "late", (reason) => told.push(reason))).toBe("created");
    expect(told[0]).toBe("cannot be seen yet");
    client.destroy();
  });
});
