/** What the service tells of records that only a newer release can read. */
import { expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { MESSAGE, serve } from "./fixture.ts";

const JOB = sha256Hex("mail-1");
const RECEIPT = sha256Hex("a receipt");
const CLIENT_JOB_ID = "11111111-1111-4111-8111-111111111111";
const ROOT = sha256Hex(CLIENT_JOB_ID);
const BODY = JSON.stringify({ secret: "TOP SECRET", holdfast: { schema: 2 } });
const REASON = "written by a newer release (record schema 2; this release reads up to 1)";

it("answers 500 record_corrupt with the reason and no content, and lists and passes go on", async () => {
  const { storage, ask, lines } = await serve();
  await ask("POST", "/v1/emails", { body: { logicalKey: "mail-2", payload: MESSAGE } });
  storage.plant(`emails/jobs/${JOB}`, BODY);
  storage.plant(`receipts/records/${RECEIPT}`, BODY);
  storage.plant(`queries/roots/${ROOT}`, BODY);

  const asked = [
    await ask("GET", "/v1/emails/mail-1"),
    await ask("POST", "/v1/emails", { body: { logicalKey: "mail-1", payload: MESSAGE } }),
    await ask("GET", `/v1/receipts/${RECEIPT}`),
    await ask("GET", `/v1/query-jobs/by-client/${CLIENT_JOB_ID}?generation=1`),
  ];
  for (const { status, body } of asked) {
    expect([status, body["code"]]).toEqual([500, "record_corrupt"]);
    expect(body["detail"]).toContain(REASON);
  }

  const emails = await ask("GET", "/v1/emails?limit=10");
  expect(emails.body).toMatchObject({
    jobs: [{ logicalKey: "mail-2" }],
    corrupt: [{ id: JOB, reason: REASON }],
  });
  const receipts = await ask("GET", "/v1/receipts?limit=10");
  expect(receipts.body).toMatchObject({ receipts: [], corrupt: [{ id: RECEIPT, reason: REASON }] });
  const queries = await ask("GET", "/v1/query-jobs?limit=10");
  expect(queries.body).toMatchObject({ jobs: [], corrupt: [{ id: ROOT, reason: REASON }] });
  const pass = await ask("POST", "/v1/reconciliations", { body: {} });
  expect(pass.body).toMatchObject({ emails: { promoted: 1 } });

  expect(JSON.stringify([asked, emails, receipts, queries, pass, lines])).not.toContain("SECRET");
});
