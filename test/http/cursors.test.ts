/** Cursors that were made up: their seal keeps no secret, so whoever reads this source can make one. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { sealCursor } from "../../src/core/cursor.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { as, enqueue, type Served, serve } from "./fixture.ts";

const PLACES = [
  "zzz",
  "a",
  "tenants/beta/emails/jobs/",
  "tenants/beta/emails/jobs/0",
  "tenants/acme/emails/jobs/",
  "tenants/acme/emails/jobs/../../../beta/emails/jobs/",
  "tenants/acme/emails/jobs/zz",
  "../../../etc/passwd",
  "\u0000",
  "complete:",
  "rebuilding:../..",
];

const directory = mkdtempSync(join(tmpdir(), "holdfast-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe.each([
  ["memory", (): Storage => memoryStorage()],
  ["a folder", (): Storage => filesystemStorage({ directory })],
])("over %s", (_, storage) => {
  let served: Served;

  beforeAll(async () => {
    served = await serve({ seen: storage });
    for (const name of ["acme", "beta"] as const) {
      await as(served, name)("POST", "/v1/emails", enqueue(`of ${name}`, `key of ${name}`));
      const body = { from: ["pending"], to: "failed" };
      const receipt = { operationId: `of ${name}`.replace(" ", "-"), payload: 1 };
      await as(served, name)("POST", "/v1/receipts", { body: receipt });
      const query = {
        clientJobId: randomUUID(),
        generation: 1,
        query: "?",
        sessionId: `of-${name}`,
      };
      await as(served, name)("POST", "/v1/query-jobs", { body: query });
      await as(served, name)("POST", `/v1/emails/key%20of%20${name}/transitions`, { body });
    }
  });
  afterAll(() => served.holdfast.close());

  it.each(PLACES)("%j leads to a page of the own list, and to no fault", async (place) => {
    const list = sealCursor("acme/emails/jobs/", place);
    const receipts = sealCursor("acme/receipts/records/", place);
    const queries = sealCursor("acme/queries/roots/", place);
    const accepted = sealCursor("acme/queries/roots/due", place);
    const stuck = [0, 1].map((walk) =>
      sealCursor("acme/stuck", JSON.stringify({ walk, cursor: place })),
    );
    for (const path of [
      `/v1/emails?cursor=${list}`,
      `/v1/receipts?cursor=${receipts}`,
      `/v1/query-jobs?cursor=${queries}`,
      `/v1/query-jobs?status=accepted&cursor=${accepted}`,
      ...stuck.map((cursor) => `/v1/stuck?cursor=${cursor}`),
    ]) {
      const told = await as(served, "acme")("GET", path);
      expect(told.status).toBe(200);
      expect(told.text).not.toMatch(/of.beta/);
    }
    const cursor = sealCursor("acme/receipts/attend", place);
    const told = await as(served, "acme")("POST", "/v1/receipt-recoveries", {
      body: { cursor },
    });
    expect(told.status).toBe(200);
  });
});
