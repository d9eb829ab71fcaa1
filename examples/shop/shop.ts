/**
 * A small shop, the same on every runtime: it takes the payment of an order once, however often the order
 * arrives, and sends one email about it.
 */
import { defineApp, defineEmailKind, defineOperation, type Tenant } from "holdfast";
import * as z from "zod";

const paid = z.object({ orderId: z.string(), cents: z.int() });

const orderPaid = defineEmailKind({
  name: "order-paid",
  payload: paid,
  prepare(job) {
    const { orderId, cents } = paid.parse(job);
    return {
      subject: `Order ${orderId} is paid`,
      text: `We received ${(cents / 100).toFixed(2)} EUR. Thank you!`,
    };
  },
});

const charged = z.object({ chargeId: z.string() });
const charge = { tool: "payments", action: "charge" };

export const app = defineApp({
  kinds: [orderPaid],
  operations: [defineOperation({ ...charge, result: charged })],
});

const order = z.object({
  orderId: z.string().min(1).max(64),
  email: z.email(),
  cents: z.int().positive(),
});

/** `POST /orders`. A call that throws may be repeated: what is done is not done again. */
export async function orders(
  request: Request,
  { receipts, emails }: Pick<Tenant, "receipts" | "emails">,
  paymentsUrl: string,
): Promise<Response> {
  const { data, error } = order.safeParse(await request.json());
  if (error) return Response.json({ error: z.prettifyError(error) }, { status: 422 });
  const { orderId, email, cents } = data;
  const { result, replayed } = await receipts.once(
    { ...charge, operationId: orderId },
    { cents },
    // The provider may know the receipt's id, too, should the outcome ever be unknown here.
    ({ receipt }) => pay(paymentsUrl, cents, receipt.id),
  );
  await emails.enqueue(`order-paid:${orderId}`, {
    type: "order-paid",
    recipient: email,
    ...{ orderId, cents },
  });
  return Response.json({ ...result, replayed });
}

async function pay(url: string, cents: number, idempotencyKey: string) {
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ cents }) });
  if (!response.ok) throw new Error(`the provider answered ${response.status}`);
  return charged.parse(await response.json());
}
