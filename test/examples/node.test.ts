import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { begun, builtExample, KEYS, startPayments, VISIT_MS, visit } from "./shop.ts";

it("the shop on Node charges once, mails once, and answers", { timeout: VISIT_MS }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-shop-"));
  const payments = await startPayments();
  const server = await begun([builtExample("node/server.js")], {
    ...{ DATA_DIR: folder, PORT: "0", HOLDFAST_KEYS: KEYS, PAYMENTS_URL: payments.url },
  });
  try {
    const url = server.line;
    await visit({
      ...{ ordersUrl: `${url}/orders`, url, payments },
      async pass(client) {
        expect((await client.reconcile()).failures).toEqual([]);
      },
      mails: () =>
        readdirSync(join(folder, "mail")).map((name) => {
          const { mail } = JSON.parse(readFileSync(join(folder, "mail", name), "utf8"));
          return `${mail.to}: ${mail.subject}`;
        }),
    });
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  } finally {
    server.child.kill("SIGKILL");
    await payments.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
