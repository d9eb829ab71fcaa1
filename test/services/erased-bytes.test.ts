/** After an erasure no byte of what was erased is stored anywhere, in whatever storage and of whatever machine. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, openBench } from "./emails/bench.ts";
import { everyStorage, type RawStorage } from "./every-storage.ts";

/** Each stands in what is stored before, and in nothing after. */
const SECRETS = {
  email: ["ann@example.com", "bob@example.com", "Subject-1", "Dear-Ann", "Summary-1", "Error-550"],
  receipt: ["person-7", "workspace-7", "session-7", "operation-7", "charge-777", "note-by-hand"],
  query: ["prompt-of-ann", "answer-in-parts", "session-of-ann", "model-1", "reference-1", "tool-1"],
} as const;

const JOB = "letter:ann@example.com";
const CLIENT_JOB_ID = "7c9f1a52-6f0f-4b1e-9a64-3f0b8f2d7c11";

const storages = await everyStorage();

describe.each(storages)("an erasure on %s", (_name, open) => {
  let place: RawStorage;
  let bench: Bench;
  beforeEach(async () => {
    place = await open();
    bench = await openBench(place);
  });
  afterEach(() => bench.close());

  const found = async (secrets: readonly string[]): Promise<readonly string[]> => {
    const bytes = await place.raw();
    return secrets.filter((secret) => bytes.includes(secret));
  };

  async function expectErased(secrets: readonly string[], erase: () => Promise<unknown>) {
    expect(await found(secrets)).toEqual(secrets);
    await erase();
    expect(await found(secrets)).toEqual([]);
    await bench.holdfast.reconcile();
    expect(await found(secrets)).toEqual([]);
  }

  it.each(["the default tenant", "a tenant"])("leaves nothing of an email of %s", async (whose) => {
    const { emails } = whose === "a tenant" ? bench.holdfast.tenant("acme") : bench.holdfast;
    await emails.enqueue(JOB, {
      type: "message",
      recipient: "ann@example.com",
      replyTo: "bob@example.com",
      subject: "Subject-1",
      text: "Dear-Ann",
    });
    const told = { generatedSummary: "Summary-1", lastError: "Error-550" };
    await emails.transition(JOB, ["pending"], "failed", told);
    await expectErased(SECRETS.email, () => emails.erase(JOB));
  });

  it("leaves nothing of a receipt: key, result, resolution, late reports", async () => {
    const { receipts } = bench.holdfast;
    const key = {
      principalId: "person-7",
      workspaceId: "workspace-7",
      sessionId: "session-7",
      operationId: "operation-7",
    };
    const { receipt } = await receipts.prepare({ ...key, payload: { amount: 1 } });
    await receipts.dispatch(receipt);
    await receipts.markOutcomeUnknown(receipt.id);
    await receipts.resolve(receipt.id, {
      outcome: "did_not_happen",
      resolvedBy: "person-7",
      note: "note-by-hand",
    });
    await receipts.markAccepted(receipt.id, { id: "charge-777" }).catch(() => {});
    await expectErased(SECRETS.receipt, () => receipts.erase(receipt.id));
  });

  it("leaves nothing of a query: every generation, its log, its continuations", async () => {
    const { queries } = bench.holdfast;
    for (const generation of [1, 2]) {
      const { job } = await queries.admit({
        clientJobId: CLIENT_JOB_ID,
        generation,
        sessionId: "session-of-ann",
        model: "model-1",
        // Long enough to need records of its own.
        query: `prompt-of-ann ${"\u4e2d".repeat(47_000)}`,
        reference: { query: "reference-1", response: "\u4e2d".repeat(120_000) },
        activityToolMode: "preview",
      });
      await queries.markStarting(job.jobId);
      await queries.markRunning(job.jobId);
      await queries.appendActivity(job.jobId, "status", "tool-1");
      await queries.appendPartial(job.jobId, "answer-in-parts");
      await queries.complete(job.jobId, { text: "answer-in-parts" });
    }
    await expectErased(SECRETS.query, async () => {
      await queries.erase(CLIENT_JOB_ID);
      await bench.holdfast.reconcile();
    });
  });
});
