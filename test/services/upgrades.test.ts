/** A deploy and its way back: what this release does to records of another one, on every storage. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/core/hash.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import type { Key } from "../../src/core/key.ts";
import { epochMs } from "../../src/core/time.ts";
import type { Backend } from "../../src/ports/backend.ts";
import { SCHEMA } from "../../src/store/header.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { MESSAGE, thrownBy } from "./emails/given.ts";
import { context, everyStorage, type RawStorage } from "./every-storage.ts";
import { CLIENT_JOB_ID, LEASE_MS, OTHER_CLIENT_JOB_ID, owned, running } from "./queries/given.ts";
import {
  accepted,
  dispatched,
  ID,
  OTHER_RESULT,
  operation,
  RECORD,
  RESULT,
  terminal,
  unknown,
} from "./receipts/given.ts";
import { mailing, readyMessage } from "./reconcile/given.ts";

const ADDED: JsonObject = { note: "of a later release", list: [1, { deep: true }] };
const NEWER = `written by a newer release (record schema ${SCHEMA + 1}; this release reads up to ${SCHEMA})`;

const JOB = `emails/jobs/${sha256Hex("mail-1")}`;
const ROOT = `queries/roots/${sha256Hex(CLIENT_JOB_ID)}`;

/** What is written more than once. A part of a log is not. */
const RECORDS = [
  "emails/config",
  "emails/jobs",
  "queries/fences",
  "queries/roots",
  "receipts/notes",
  "receipts/records",
  "receipts/scopes",
];

const collectionOf = (key: string): string => key.split("/").slice(0, 2).join("/");

const storages = await everyStorage();

describe.each(storages)("records of another release on %s", (_name, open) => {
  let place: RawStorage;
  let bench: Bench;
  beforeEach(async () => {
    place = await open();
    bench = await openBench(place);
  });
  afterEach(() => bench.close());

  /** What another release made of the records that `isMeant`: nothing that this one would write. */
  async function rewrite(
    isMeant: (key: string) => boolean,
    change: (body: JsonObject, own: JsonObject) => JsonObject,
  ): Promise<readonly string[]> {
    const backend = await place.storage.open(context);
    try {
      const keys = [...(await bench.contents()).keys()].filter(isMeant);
      for (const key of keys) await rewriteOne(backend, key as Key, change);
      return keys;
    } finally {
      await backend.close();
    }
  }

  const contentsOf = async (keys: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const contents = await bench.contents();
    return keys.map((key) => contents.get(key));
  };

  const writesOf = async (keys: readonly string[]): Promise<readonly unknown[]> =>
    (await contentsOf(keys)).map((body) => JSON.parse(body ?? "{}").holdfast.w);

  it("a newer schema is refused by name, reported, skipped, and left exactly as it is", async () => {
    const { holdfast, emails, box } = await mailing(bench);
    const { receipts, queries } = holdfast;
    await readyMessage(emails, "mail-1");
    await readyMessage(emails, "mail-2");
    await dispatched(receipts);
    await terminal(receipts, operation("operation-2"));
    const { jobId } = await running(queries);
    const other = { clientJobId: OTHER_CLIENT_JOB_ID, sessionId: "session-2" };
    await running(queries, other);
    const keys = await rewrite(
      (key) => [JOB, RECORD, ROOT].includes(key),
      (body, own) => ({ ...body, holdfast: { ...own, schema: SCHEMA + 1 }, future: true }),
    );
    expect(keys).toHaveLength(3);
    const before = await contentsOf(keys);

    const refused = { code: "record_corrupt", reason: NEWER };
    for (const call of [
      () => emails.readJob("mail-1"),
      () => emails.enqueue("mail-1", MESSAGE),
      () => emails.acquireSendingLease("mail-1", 1_000),
      () => emails.requeue("mail-1"),
      () => emails.erase("mail-1"),
      () => receipts.get(ID),
      () => receipts.markOutcomeUnknown(ID),
      () => receipts.erase(ID),
      () => queries.getSnapshot(jobId),
      () => queries.cancel(jobId, 1),
      () => queries.erase(CLIENT_JOB_ID),
    ]) {
      expect(await thrownBy(call), String(call)).toMatchObject(refused);
    }

    const isTold = [expect.objectContaining({ reason: NEWER })];
    const jobs = await emails.listJobs();
    expect(jobs.map(({ logicalKey }) => logicalKey)).toEqual(["mail-2"]);
    expect(jobs.corrupt).toEqual(isTold);
    const page = await receipts.list();
    expect(page.receipts.map(({ operationId }) => operationId)).toEqual(["operation-2"]);
    expect(page.corrupt).toEqual(isTold);
    const list = await queries.list();
    expect(list.jobs.map(({ clientJobId }) => clientJobId)).toEqual([OTHER_CLIENT_JOB_ID]);
    expect(list.corrupt).toEqual(isTold);

    // Past every lease, so that the pass has to look at each of them.
    bench.clock.advance(2 * 3_600_000);
    const { emails: counts, failures } = await holdfast.reconcile();
    expect(counts.sent).toBe(1);
    expect(box.keys()).toEqual(["mail-2"]);
    const told = failures.filter(({ code }) => code === "record_corrupt");
    expect(told.map(({ machine }) => machine).sort()).toEqual(["emails", "queries", "receipts"]);
    expect((await queries.list()).jobs).toMatchObject([{ status: "interrupted" }]);
    expect(await contentsOf(keys)).toEqual(before);
  });

  it("what a newer release adds to a header of the same schema is kept through every change", async () => {
    const instance = await bench.another({ limits: { receiptCapacity: 10 } });
    const { emails, receipts, queries, reconcile } = instance.holdfast;
    await readyMessage(emails, "mail-1");
    await emails.ensureEnabledAt();
    const { receipt } = await dispatched(receipts);
    const open = await unknown(receipts, operation("operation-2"));
    await receipts.resolve(open.id, { outcome: "did_not_happen", resolvedBy: "ann" });
    await thrownBy(() => receipts.markAccepted(open.id, RESULT));
    const asked = await owned(queries);
    const other = await owned(queries, { clientJobId: OTHER_CLIENT_JOB_ID });
    await queries.interrupt(other.jobId);
    const keys = await rewrite(
      (key) => !key.startsWith("due/"),
      (body, own) => ({ ...body, holdfast: { ...own, added: ADDED } }),
    );
    const writesBefore = await writesOf(keys);
    expect(new Set(keys.map(collectionOf))).toEqual(new Set([...RECORDS, "queries/log"]));

    await emails.updateReconciliationCursor("firstViewCursor", {
      createdAt: bench.at(0),
      id: "share-1",
    });
    const leased = await emails.acquireSendingLease("mail-1", 60_000);
    await emails.transitionSending("mail-1", leased?.leaseToken ?? "", "sent");
    await receipts.renewDispatch(receipt, 60_000);
    await receipts.markTerminal(await receipts.markAccepted(receipt, RESULT));
    await accepted(receipts, operation("operation-3"));
    await thrownBy(() => receipts.markAccepted(open.id, OTHER_RESULT));
    await queries.appendPartial(asked.jobId, "an answer");
    await queries.interrupt(asked.jobId);
    bench.clock.advance(LEASE_MS);
    await reconcile();

    const contents = await bench.contents();
    const own = keys.map((key) => JSON.parse(contents.get(key) ?? "{}").holdfast);
    expect(own.map(({ added }) => added)).toEqual(keys.map(() => ADDED));
    const writes = await writesOf(keys);
    const changed = keys.filter((_key, n) => writes[n] !== writesBefore[n]);
    expect(new Set(changed.map(collectionOf))).toEqual(new Set(RECORDS));

    await emails.erase("mail-1");
    await receipts.erase(receipt);
    await queries.erase(CLIENT_JOB_ID);
    const erased = await contentsOf([JOB, RECORD, ROOT]);
    expect(erased.filter((body) => body === undefined || body.includes("later release"))).toEqual(
      [],
    );
  });

  it("a field of the body that is not known is refused, and kept by nobody changing the record", async () => {
    const { emails } = bench;
    const { receipts, queries } = bench.holdfast;
    await readyMessage(emails, "mail-1");
    await dispatched(receipts);
    const { jobId } = await running(queries);
    const keys = await rewrite(
      (key) => [JOB, RECORD, ROOT].includes(key),
      (body) => ({ ...body, holdfast: body["holdfast"] ?? {}, bcc: "eve@example.com" }),
    );
    const before = await contentsOf(keys);
    for (const call of [
      () => emails.acquireSendingLease("mail-1", 1_000),
      () => receipts.markAccepted(ID, RESULT),
      () => queries.cancel(jobId, 1),
    ]) {
      expect(await thrownBy(call), String(call)).toMatchObject({ code: "record_corrupt" });
    }
    expect(await contentsOf(keys)).toEqual(before);
  });
});

async function rewriteOne(
  backend: Backend,
  key: Key,
  change: (body: JsonObject, own: JsonObject) => JsonObject,
): Promise<void> {
  const found = await backend.get(key);
  const body: unknown = JSON.parse(found?.body ?? "");
  if (found === null || !isJsonObject(body)) throw new Error(`${key} is no record`);
  const own = isJsonObject(body["holdfast"]) ? body["holdfast"] : {};
  const { due } = JSON.parse(found.body).holdfast;
  const index = due === undefined || due === null ? null : { ...due, at: epochMs(due.at) };
  const text = JSON.stringify(change(body, own));
  const condition = { expected: found.version, due: index, dueBefore: index };
  expect(await backend.putIf(key, text, condition)).toMatchObject({ kind: "stored" });
}
