/** Query jobs for tests of the client. */
import type { Client, QueryJob } from "../../src/client/client.ts";

/** A UUID for each number. */
export function clientJobId(n: number): string {
  return `11111111-1111-4111-8111-${String(n).padStart(12, "0")}`;
}

export function request(n = 1, sessionId = `session-${n}`) {
  const query = "What are whales?";
  return { clientJobId: clientJobId(n), generation: 1, query, sessionId };
}

/** An accepted job. */
export async function submitted(client: Client, n = 1, sessionId?: string): Promise<QueryJob> {
  return (await client.queries.submit(request(n, sessionId))).job;
}
