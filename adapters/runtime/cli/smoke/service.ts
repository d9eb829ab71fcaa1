/** Smoke: that a service is there, what it refuses, and what its operators are told. */
import { AbsentError, type Asked, must, type Smoke } from "./looking.ts";

/** Throws when there is no service to go on with. */
export async function seeService({ client, step, ask }: Smoke): Promise<void> {
  await step("it answers", async () => {
    const { status } = await ask("GET", "/healthz", { key: null });
    must(status === 200, `GET /healthz is answered ${status}: is this the URL of the service?`);
  });
  await step("its storage answers", async () => {
    const { status, body } = await ask("GET", "/readyz", { key: null });
    must(status === 200, `GET /readyz is answered ${status} ${body["code"] ?? ""}: see its log`);
  });
  await step("it lets the key in", () => client.health());
}

/** A key that nobody has. */
const WRONG_KEY = `hf_smoke_${"A".repeat(43)}`;

export async function seeRefusals({ key, step, optional, ask, prefix }: Smoke): Promise<void> {
  const path = "/v1/emails";
  await optional("nobody is let in without a key, nor with a wrong one", async () => {
    if (key === null) throw new AbsentError("HOLDFAST_KEY is not set, and the service wants none");
    mustBe(await ask("GET", path, { key: null }), 401, "unauthorized");
    mustBe(await ask("GET", path, { key: WRONG_KEY }), 401, "unauthorized");
  });
  await step("a body that is no JSON, or not what it must be, is refused", async () => {
    mustBe(await ask("POST", path, { key, body: "{" }), 400, "malformed_json");
    const body = JSON.stringify({ logicalKey: prefix, payload: { type: "no-such-kind" } });
    mustBe(await ask("POST", path, { key, body }), 422, "invalid_request");
  });
  await step("a route that is not there is refused, and a method that it has not", async () => {
    mustBe(await ask("GET", "/v1/no-such-route", { key }), 404, "not_found");
    mustBe(await ask("DELETE", path, { key }), 405, "method_not_allowed");
  });
}

function mustBe({ status, body, headers }: Asked, expected: number, code: string): void {
  const type = headers.get("content-type") ?? "no type";
  const seen = `${status} ${body["code"] ?? ""} as ${type}`;
  must(
    status === expected && body["code"] === code && type.startsWith("application/problem+json"),
    `it had to be refused as ${expected} ${code}, and the answer is ${seen}`,
  );
}

export async function seeOperations({ client, step }: Smoke): Promise<void> {
  await step("what waits is counted, of each machine", async () => {
    const { emails, receipts, queries } = await client.health();
    const counts = [emails.deliver, emails.attend, receipts.attend, queries.attend];
    must(
      counts.every(({ due }) => Number.isInteger(due)),
      "the health has no counts",
    );
  });
  await step("what waits for a person is told", async () => {
    const { items } = await client.stuck({ limit: 1 });
    must(Array.isArray(items), "the answer has no items");
  });
  await step("a pass can be tried without doing anything", async () => {
    const { hasMore } = await client.reconcile({ dryRun: true, budgetMs: 5_000 });
    must(typeof hasMore === "boolean", "the answer is no report of a pass");
  });
}
