import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { parseReceiptRecord, receiptRecord } from "../../../src/machines/receipts/record.ts";
import {
  ACCEPTED,
  at,
  became,
  IN_EVERY_STATE,
  OPERATIONS,
  OWNED,
  record,
  stored,
  TERMINAL,
  UNKNOWN,
} from "./given.ts";

function reason(fields: JsonObject, extra: JsonObject = {}): string {
  const parsed = parseReceiptRecord(fields, extra, OPERATIONS);
  return parsed.ok ? "read" : parsed.reason;
}

describe("a stored receipt", () => {
  it("RECEIPT-50 of the original is read, and written with its fields as they were", () => {
    for (const fields of IN_EVERY_STATE) {
      const whole = { ...record(), ...fields };
      const written = receiptRecord(stored(fields));
      expect(written).toEqual({ fields: whole, extra: {} });
      expect(Object.keys(written.fields)).toEqual(Object.keys(whole));
    }
  });

  it("of ours keeps what is ours beside those fields", () => {
    const resolution = { outcome: "abandoned", resolvedAt: at(5), resolvedBy: "ann", note: "n" };
    const extra = { ...OWNED, resolution, retentionUntil: at(9) };
    expect(receiptRecord(stored(UNKNOWN, extra)).extra).toEqual(extra);
    expect(receiptRecord(stored({}, { slot: null })).extra).toEqual({ slot: null });
  });

  it("over, and a reservation given back, are read as they were written", () => {
    const over = became(stored(TERMINAL, OWNED), { kind: "erase", slot: "fresh" }, at(1));
    const none = became(
      null,
      { kind: "void", id: stored().receipt.id, mark: "m", over: null },
      at(1),
    );
    for (const state of [over, none]) {
      const { fields, extra } = receiptRecord(state);
      expect(parseReceiptRecord(fields, extra, OPERATIONS)).toEqual({ ok: true, state });
    }
  });

  it.each([
    ["an additional property", { prompt: "secret" }, "prompt: unknown property"],
    ["another key than its id's", { operationId: "operation-2" }, "id: not the hash of the key"],
    [
      "no dispatchingAt while dispatching",
      { state: "dispatching" },
      "dispatchingAt: missing in state dispatching",
    ],
    ["no result when accepted", { ...ACCEPTED, result: undefined }, "result: "],
    [
      "no terminalAt when terminal",
      { ...ACCEPTED, state: "terminal" },
      "terminalAt: missing in state terminal",
    ],
    ["no outcomeUnknownAt", { ...UNKNOWN, outcomeUnknownAt: undefined }, "outcomeUnknownAt: "],
    ["a change before its creation", { updatedAt: at(0) - 1 }, "updatedAt: before createdAt"],
    ["a preparation apart from its creation", { preparedAt: at(1) }, "preparedAt: not createdAt"],
    [
      "a result that is none of its operation",
      { ...ACCEPTED, result: { ok: "secret" } },
      "result: ok: invalid_type",
    ],
    ["a version of another store", { version: 2 }, "version: invalid_value"],
    ["a payload hash that is none", { payloadHash: "secret" }, "payloadHash: "],
  ])("RECEIPT-29 is unreadable with %s, and its content is not told", (_name, fields, expected) => {
    const whole = Object.fromEntries(
      Object.entries({ ...record(), ...fields }).filter(([, value]) => value !== undefined),
    );
    expect(reason(whole)).toContain(expected);
    expect(reason(whole)).not.toContain("secret");
  });

  it("is unreadable with anything unknown of ours, or a tombstone with anything more", () => {
    expect(reason(record(), { colour: "red" })).toBe("holdfast: colour: unknown property");
    expect(reason(record(), { retired: true })).toContain("unknown property");
    expect(reason({ version: 1, id: stored().receipt.id }, { voided: "" })).toContain("voided");
    const { dispatch } = OWNED;
    const resolution = { outcome: "abandoned", resolvedAt: at(5), resolvedBy: "ann" };
    for (const extra of [
      { dispatch: { ...dispatch, token: "token-a" } },
      { resolution: { ...resolution, colour: "red" } },
    ]) {
      expect(reason(record(), extra)).toMatch(/^holdfast: \w+\.\w+: unknown property$/);
    }
    const over = became(stored(TERMINAL, OWNED), { kind: "erase", slot: "fresh" }, at(1));
    const none = became(
      null,
      { kind: "void", id: stored().receipt.id, mark: "n", over: null },
      at(1),
    );
    for (const state of [over, none]) {
      const { fields, extra } = receiptRecord(state);
      expect(reason({ ...fields, colour: "red" }, extra)).toBe("colour: unknown property");
      expect(reason(fields, { ...extra, colour: "red" })).toContain("colour: unknown property");
    }
    const { fields, extra } = receiptRecord(over);
    const retired = { ...(extra["retired"] as JsonObject), colour: "red" };
    expect(reason(fields, { retired })).toBe("holdfast: retired.colour: unknown property");
  });

  it.each([-1, 1.5, "60000", null, 8_640_000_000_000_001])(
    "is unreadable with a lease that ends at %s",
    (leaseUntil) => {
      const dispatch = { ...OWNED.dispatch, leaseUntil };
      expect(reason(record(), { dispatch })).toMatch(/^holdfast: dispatch.leaseUntil: /);
    },
  );

  it("RECEIPT-29 is unreadable with a resolution whose result is none of its operation", () => {
    const resolution = {
      ...{ outcome: "happened", result: { ok: "secret" } },
      ...{ resolvedAt: at(5), resolvedBy: "ann" },
    };
    const whole = { ...record(), ...UNKNOWN };
    expect(reason(whole, { resolution })).toMatch(/^result: ok: invalid_type/);
  });

  it("of an operation that is not registered any more is read with any result", () => {
    const key = { tool: "billing", action: "charge" };
    const id = "37b29d86d2bfaf7465a0961db454a07b58b186eb5ef987d0391b7d8889dae227";
    const whole = { ...record(), ...ACCEPTED, ...key, id, result: { anything: [1] } };
    expect(parseReceiptRecord(whole, {}, OPERATIONS).ok).toBe(true);
  });
});
