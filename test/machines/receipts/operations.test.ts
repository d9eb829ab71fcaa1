import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import {
  defineOperation,
  operations,
  parseResult,
} from "../../../src/machines/receipts/operations.ts";
import { OPERATIONS, RESULT } from "./given.ts";

function parse(value: unknown, tool = "session", action = "start-pi") {
  const operation = OPERATIONS.get({ tool, action });
  if (operation === undefined) throw new Error("not registered");
  return parseResult(value, operation);
}

describe("the results of the original's operations", () => {
  it("semantics B1 take everything that the original takes", () => {
    const full = {
      ok: false,
      status: "lost",
      data: {
        ...{ taskId: "t", monitorHandle: "m.1", handle: "h:2" },
        ...{ delivered: true, cancelled: false, alreadyTerminal: true },
        ...{ mode: "follow_up", taskStatus: "queued" },
      },
      error: { code: "provider_down", retryable: true },
    };
    for (const tool of ["session", "monitor"]) {
      for (const action of ["start-pi", "message", "cancel"]) {
        expect(parse(full, tool, action)).toEqual({ ok: true, result: full });
      }
    }
  });

  it.each([
    ...["accepted", "succeeded", "failed", "cancelled", "lost"].map((status) => ({ status })),
    ...["steer", "follow_up", "interrupt"].map((mode) => ({ data: { mode } })),
    ...["queued", "running", "completed", "failed", "cancelled", "lost"].map((taskStatus) => ({
      data: { taskStatus },
    })),
  ])("semantics B1 are %j", (result) => {
    expect(parse({ ...RESULT, ...result }).ok).toBe(true);
  });

  it.each([
    ["an unknown property", { ...RESULT, text: "secret" }, "text"],
    ["an unknown property of data", { ...RESULT, data: { prompt: "secret" } }, "data.prompt"],
    ["a status that is none", { ok: true, status: "done" }, "status"],
    ["an id that is none", { ...RESULT, data: { taskId: "-x" } }, "data.taskId"],
    [
      "a message in the error",
      { ...RESULT, error: { code: "c", retryable: true, message: "m" } },
      "error.message",
    ],
    ["no result at all", undefined, ""],
  ])("RECEIPT-20 refuses %s, and repeats nothing of it", (_name, value, path) => {
    const parsed = parse(value);
    expect(parsed).toMatchObject({ ok: false, issues: [{ path }] });
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });
});

describe("the result of a call of one's own", () => {
  it("is any JSON, without what JSON leaves out", () => {
    for (const value of [null, 0, "", [1], { a: { b: "\u0000" } }]) {
      expect(parse(value, "custom", "call")).toEqual({ ok: true, result: value });
    }
    expect(parse({ a: undefined, b: 1 }, "custom", "call")).toEqual({ ok: true, result: { b: 1 } });
  });

  it("is a copy, so that changing what was passed changes nothing that is stored", () => {
    const given = { list: [1] };
    const parsed = parse(given, "custom", "call");
    given.list.push(2);
    expect(parsed).toEqual({ ok: true, result: { list: [1] } });
  });

  it("RECEIPT-20 takes 65,536 bytes, and not one more", () => {
    expect(parse("x".repeat(65_534), "custom", "call").ok).toBe(true);
    expect(parse("x".repeat(65_535), "custom", "call").ok).toBe(false);
    expect(parse("é".repeat(32_768), "custom", "call").ok).toBe(false);
  });

  it("G9 is refused when a folder could not hold its many values on lines of their own", () => {
    const nested = (values: number): unknown =>
      JSON.parse(`${"[".repeat(20)}${"1,".repeat(values)}1${"]".repeat(20)}`);
    expect(parse(nested(4_000), "custom", "call").ok).toBe(true);
    expect(parse(nested(5_000), "custom", "call")).toEqual({
      ok: false,
      issues: [{ path: "", message: "has too many values" }],
    });
  });

  it.each([
    ["a function", () => {}],
    ["a date", new Date(0)],
    ["a number that is not finite", [Number.NaN]],
  ])("is refused when it is %s", (_name, value) => {
    expect(parse(value, "custom", "call")).toMatchObject({
      ...{ ok: false, issues: [{ message: expect.any(String) }] },
    });
  });
});

describe("an operation of an application's own", () => {
  const charge = defineOperation({
    tool: "billing",
    action: "charge",
    result: z.strictObject({ chargeId: z.string() }),
  });

  it("has the results that its schema takes", () => {
    expect(operations([charge]).get({ tool: "billing", action: "charge" })).toBe(charge);
    expect(parseResult({ chargeId: "c" }, charge).ok).toBe(true);
    expect(parseResult({ chargeId: 1 }, charge).ok).toBe(false);
    expect(parseResult({ chargeId: "c".repeat(65_521) }, charge).ok).toBe(true);
    expect(parseResult({ chargeId: "c".repeat(65_522) }, charge)).toEqual({
      ok: false,
      issues: [{ path: "", message: "must be at most 65536 bytes as JSON" }],
    });
  });

  it("may have its results from zod/mini", () => {
    const result = mini.strictObject({ chargeId: mini.string().check(mini.trim()) });
    const own = defineOperation({ tool: "billing", action: "refund", result });
    expect(parseResult({ chargeId: " c " }, own)).toEqual({ ok: true, result: { chargeId: "c" } });
    expect(parseResult({ chargeId: 1 }, own)).toEqual({
      ok: false,
      issues: [{ path: "chargeId", message: "Invalid input: expected string, received number" }],
    });
  });

  it("is refused with a result that is no schema", () => {
    const result = { parse: () => true } as unknown as z.ZodType;
    expect(() => defineOperation({ tool: "billing", action: "charge", result })).toThrow(
      "operation billing/charge: result must be a zod schema",
    );
  });

  it("is refused under a name that is taken, or none", () => {
    const define = (tool: string, action: string) =>
      defineOperation({ tool, action, result: z.unknown() });
    expect(() => operations([charge, charge])).toThrow("operation billing/charge is defined twice");
    expect(() => operations([define("http", "request")])).toThrow("http/request");
    expect(() => define("a/b", "c")).toThrow('the tool "a/b" is no name');
    expect(() => define("a", "")).toThrow('the action "" is no name');
  });
});
