/** The shop on AWS Lambda, over a DynamoDB table: Holdfast's handlers with its application, and one of its own. */
import { createHoldfast } from "holdfast";
import { lambda } from "holdfast/lambda/dynamodb";
import { dynamodbStorage } from "holdfast/storage/dynamodb";
import { app, orders as ordered } from "../shop/shop.ts";

export const { http, reconcile } = lambda({ app });

const { HOLDFAST_TABLE = "", PAYMENTS_URL = "" } = process.env;

// Opened once for each process, by the first order.
let opened: ReturnType<typeof createHoldfast> | null = null;

/** Behind a function URL of its own. */
export async function orders({ body = "" }: { readonly body?: string }) {
  opened ??= createHoldfast({ storage: dynamodbStorage({ table: HOLDFAST_TABLE }), app });
  const request = new Request("https://shop.example.com/orders", { method: "POST", body });
  const response = await ordered(request, await opened, PAYMENTS_URL);
  return { statusCode: response.status, body: await response.text() };
}
