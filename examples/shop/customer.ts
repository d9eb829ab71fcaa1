/**
 * A customer of the shop: orders, and orders the same again as after a lost answer; asks a question, and reads
 * the answer while it is written. Arguments: the URL of /orders, the URL of Holdfast, a key for it.
 */
import { randomUUID } from "node:crypto";
import { createClient } from "holdfast/client";

const [ordersUrl = "", url = "", key = ""] = process.argv.slice(2);

const order = { orderId: "1001", email: "ann@example.com", cents: 4_200 };
for (let tries = 0; tries < 2; tries += 1) {
  const response = await fetch(ordersUrl, { method: "POST", body: JSON.stringify(order) });
  console.log(`order 1001: ${await response.text()}`);
}

const { queries } = createClient({ url, key });
const question = { query: "When does order 1001 arrive?", sessionId: "ann" };
const { job } = await queries.submit({ ...question, clientJobId: randomUUID(), generation: 1 });
for await (const event of queries.follow(job.jobId, { generation: 1 })) {
  if (event.type === "chunk") process.stdout.write(String(event.data["text"]));
  else if (event.type === "completed") console.log("\n(that was all of it)");
}
