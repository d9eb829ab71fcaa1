/** Passes that requests ask for: one of a tenant at a time, and none in the way of other requests. */
import { expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { FROM, outbox, readyMessage } from "../services/reconcile/given.ts";

const SECRET = "A".repeat(43);

function keyOf(tenant: string) {
  const text = `hf_${tenant}_${SECRET}`;
  return { text, entry: { id: tenant, tenant, scopes: ["*" as const], sha256: sha256Hex(text) } };
}

it("a tenant's pass that waits for its mailer keeps no other tenant's requests, nor a second pass", async () => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const box = outbox(async () => {
    await held;
    return { kind: "sent", id: null };
  });
  const mail = { mailer: box, from: FROM };
  const holdfast = await createHoldfast({ storage: memoryStorage(), mail });
  await readyMessage(holdfast.tenant("acme").emails, "hello");
  const [acme, beta] = [keyOf("acme"), keyOf("beta")];
  const app = holdfast.http({ keys: [acme.entry, beta.entry] });
  const ask = async (key: string, method: string, path: string, body?: string) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      }),
    );
  const pass = ask(acme.text, "POST", "/v1/reconciliations", "{}");
  await expect.poll(() => box.delivered.length).toBe(1);
  const more = await Promise.all(
    Array.from({ length: 10 }, () => ask(acme.text, "POST", "/v1/reconciliations", "{}")),
  );
  expect(new Set(more.map(({ status }) => status))).toEqual(new Set([429]));
  expect(more[0]?.headers.get("retry-after")).toBe("1");
  const lease = JSON.stringify({ durationMs: 60_000, limit: 1 });
  expect((await ask(beta.text, "GET", "/v1/emails")).status).toBe(200);
  expect((await ask(beta.text, "POST", "/v1/email-leases", lease)).status).toBe(200);
  expect((await ask(beta.text, "POST", "/v1/reconciliations", "{}")).status).toBe(200);
  letGo();
  expect((await pass).status).toBe(200);
  expect((await ask(acme.text, "POST", "/v1/reconciliations", "{}")).status).toBe(200);
  await holdfast.close();
});
