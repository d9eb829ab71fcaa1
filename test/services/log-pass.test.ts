/** The line that a pass is in the operator's log: whoever asked for it, and however it ended. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import type { MailResult } from "../../src/ports/mailer.ts";
import { manualTime } from "../client/manual-time.ts";
import { DAY, dispatched, LAPSE_MS, operation, terminal } from "./receipts/given.ts";

interface Logged {
  readonly holdfast: Holdfast;
  readonly lines: unknown[];
}

async function logged(result: MailResult): Promise<Logged> {
  const lines: unknown[] = [];
  const mailer = { send: async () => result, close: async () => {} };
  const holdfast = await createHoldfast({
    storage: memoryStorage(),
    mail: { mailer, from: "jobs@example.com" },
    log: (level, event, fields) => void lines.push({ level, event, ...fields }),
  });
  const payload = { type: "message", recipient: "ann@example.com", subject: "Hi", text: "Hello." };
  await holdfast.emails.enqueue("hello", payload);
  return { holdfast, lines };
}

const SENT = { kind: "sent", id: null } as const;
const REFUSED = { kind: "permanent", error: "550 no such user ann@example.com" } as const;

describe("the log of an instance", () => {
  it("has a line for each pass, with what it did", async () => {
    const { holdfast, lines } = await logged(SENT);
    await holdfast.reconcile();
    await holdfast.tenant("acme").reconcile();
    expect(lines).toEqual([
      { level: "info", event: "pass", promoted: 1, sent: 1, failures: 0, hasMore: false },
      { level: "debug", event: "pass", failures: 0, hasMore: false },
    ]);
  });

  it("has the same line of a pass that was asked for over HTTP", async () => {
    const { holdfast, lines } = await logged(SENT);
    const app = holdfast.http({ open: true });
    const body = JSON.stringify({ budgetMs: 1_000 });
    const headers = { "content-type": "application/json" };
    const url = "http://localhost/v1/reconciliations";
    const asked = await app.request(url, { method: "POST", headers, body });
    expect(asked.status).toBe(200);
    expect(lines).toMatchObject([{ level: "info", event: "pass", sent: 1 }]);
  });

  it("warns of a pass that made jobs fail", async () => {
    const { holdfast, lines } = await logged(REFUSED);
    await holdfast.reconcile();
    expect(lines).toEqual([
      { level: "warn", event: "pass", promoted: 1, failed: 1, failures: 0, hasMore: false },
    ]);
  });

  it("warns of a pass that made outcomes unknown, which wait for a person as failed jobs do", async () => {
    const { clock, advance } = manualTime();
    const lines: unknown[] = [];
    const { receipts, reconcile } = await createHoldfast({
      storage: memoryStorage(),
      clock,
      limits: { receiptRetentionMs: DAY },
      log: (level, event, fields) => void lines.push({ level, event, ...fields }),
    });
    await terminal(receipts, operation("over"));
    await advance(DAY);
    await reconcile();
    await dispatched(receipts, operation("lost"));
    await advance(LAPSE_MS);
    await reconcile();
    expect(lines).toEqual([
      { level: "info", event: "pass", receiptsRetired: 1, failures: 0, hasMore: false },
      { level: "warn", event: "pass", receiptsRecovered: 1, failures: 0, hasMore: false },
    ]);
  });

  it("names the machine beside what was thrown, once for all receipts", async () => {
    const { clock, advance } = manualTime();
    const lines: unknown[] = [];
    const counts = new Map<string, number>();
    let isAway = false;
    const storage = memoryStorage().withFaults(({ kind, key }) =>
      isAway && kind === "get" && key.startsWith("receipts/") ? "unavailable" : null,
    );
    const { receipts, reconcile } = await createHoldfast({
      storage,
      clock,
      log: (level, event, fields) => void lines.push({ level, event, ...fields }),
      observe: (name, count) => void counts.set(name, (counts.get(name) ?? 0) + count),
    });
    for (const one of ["one", "other"]) await dispatched(receipts, operation(one));
    await advance(LAPSE_MS);
    isAway = true;
    await reconcile();
    const codes = "unavailable 2";
    const told = { machine: "receipts", tenant: null, code: "unavailable" };
    expect(lines).toMatchObject([
      {
        level: "warn",
        event: "pass failure",
        ...told,
        id: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { level: "warn", event: "pass", failures: 2, codes },
    ]);
    expect([counts.get("receipt.pass.failure"), counts.has("email.pass.failure")]).toEqual([
      2,
      false,
    ]);
  });

  it("has none of a dry run, which does nothing", async () => {
    const { holdfast, lines } = await logged(SENT);
    await holdfast.reconcile({ dryRun: true });
    expect(lines).toEqual([]);
  });

  it("does no harm where it throws", async () => {
    const log = (): void => {
      throw new Error("no room for lines");
    };
    const holdfast = await createHoldfast({ storage: memoryStorage(), log });
    await expect(holdfast.reconcile()).resolves.toMatchObject({ failures: [] });
  });

  it.each([99, 100.5, 3_600_001])("a budget of %d ms for every pass is refused", async (passMs) => {
    const opened = createHoldfast({ storage: memoryStorage(), limits: { passMs } });
    await expect(opened).rejects.toThrow(/limits.passMs: .* 100 to 3600000/);
  });
});
