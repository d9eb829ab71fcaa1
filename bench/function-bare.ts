/** What a Lambda costs that does nothing but write an item: Hono and a client of DynamoDB, bundled as ours is. */
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { Hono } from "hono";
import { streamHandle } from "hono/aws-lambda";

const endpoint = process.env["HOLDFAST_ENDPOINT"];
const client = new DynamoDBClient(endpoint === undefined ? {} : { endpoint });
const app = new Hono();

app.post("/v1/emails", async (c) => {
  const { logicalKey } = await c.req.json();
  const Item = { pk: { S: "bare" }, sk: { S: String(logicalKey) } };
  await client.send(
    new PutItemCommand({
      TableName: String(process.env["HOLDFAST_TABLE"]),
      Item,
      ConditionExpression: "attribute_not_exists(pk)",
    }),
  );
  return c.json({ created: true }, 201);
});

export const http: ReturnType<typeof streamHandle> = streamHandle(app);
