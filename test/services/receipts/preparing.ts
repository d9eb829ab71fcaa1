import { describe, expect, it } from "vitest";
import { OperationReceiptContractError } from "../../../src/services/receipt-errors.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { codeOf, HASH, ID, IN_STATE, originals, prepared, RECORD, START } from "./given.ts";

export function describePreparing(bench: CurrentBench): void {
  const receipts = () => bench().holdfast.receipts;

  describe("preparing", () => {
    it("RECEIPT-1, RECEIPT-8 makes the receipt of section E, stored before it is answered", async () => {
      const { created, receipt } = await receipts().prepare(START);
      const now = bench().clock.now();
      const { payload, ...key } = START;
      expect(created).toBe(true);
      expect(receipt).toEqual({
        ...{ version: 1, id: ID, ...key, payloadHash: HASH, state: "prepared" },
        ...{ createdAt: now, updatedAt: now, preparedAt: now },
      });
      expect(await (await bench().another()).holdfast.receipts.get(ID)).toEqual(receipt);
    });

    it.each(Object.entries(IN_STATE))(
      "RECEIPT-2 again answers what is stored: %s",
      async (_state, reach) => {
        const receipt = await reach(receipts());
        bench().clock.advance(5_000);
        expect(await receipts().prepare(START)).toEqual({ created: false, receipt });
        const { payload, ...key } = START;
        const byHash = await receipts().prepare({ ...key, payloadHash: HASH });
        expect(byHash).toEqual({ created: false, receipt });
      },
    );

    it("RECEIPT-3, RECEIPT-41 with another payload is a conflict, and changes nothing", async () => {
      await prepared(receipts());
      const before = await bench().contents();
      const other = { ...START, payload: { prompt: "other" } };
      expect(await codeOf(receipts().prepare(other))).toBe("operation_receipt_conflict");
      expect((await bench().contents()).get(RECORD)).toBe(before.get(RECORD));
    });

    it("RECEIPT-4 at the same time from several instances creates one", async () => {
      const others = await Promise.all([1, 2, 3].map(() => bench().another()));
      const calls = [bench(), ...others].flatMap(({ holdfast }) => [
        holdfast.receipts.prepare(START),
        holdfast.receipts.prepare(START),
      ]);
      const answers = await Promise.all(calls);
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(answers.map(({ receipt }) => receipt.id))).toEqual(new Set([ID]));
    });

    it("RECEIPT-9 keeps nothing of the payload, nor of the transport", async () => {
      await prepared(receipts());
      const stored = [...(await bench().contents()).values()].join("\n");
      expect(stored).not.toMatch(/TOP SECRET|transport-7|general/);
    });

    it("fills in what a key leaves out, and takes any payload", async () => {
      const request = { operationId: "o", payload: [1, "two"] };
      const { receipt } = await receipts().prepare(request);
      expect(receipt).toMatchObject({
        ...{ principalId: "default", workspaceId: "default", sessionId: "default" },
        ...{ memberId: "default", memberGeneration: 1, tool: "custom", action: "call" },
      });
      expect(await receipts().get({ operationId: "o" })).toEqual(receipt);
    });

    it.each([
      ["no operation id", { payload: 1 }, "operationId"],
      ["an id that is none", { operationId: "../up", payload: 1 }, "operationId"],
      ["an unknown property", { operationId: "o", payload: 1, tenant: "x" }, "tenant"],
      ["generation 0", { operationId: "o", payload: 1, memberGeneration: 0 }, "memberGeneration"],
      ["an empty principal", { operationId: "o", payload: 1, principalId: "" }, "principalId"],
      [
        "an operation that nobody registered",
        { operationId: "o", payload: 1, tool: "x" },
        "action",
      ],
      [
        "an operation id that is too long",
        { operationId: "o".repeat(129), payload: 1 },
        "operationId",
      ],
      ["a session of blanks", { operationId: "o", payload: 1, sessionId: "a b" }, "sessionId"],
      [
        "a principal that is too long",
        { operationId: "o", payload: 1, principalId: "p".repeat(257) },
        "principalId",
      ],
      [
        "a workspace that no storage can hold",
        { operationId: "o", payload: 1, workspaceId: "w\u0000" },
        "workspaceId",
      ],
      ["neither payload nor hash", { operationId: "o" }, "payload"],
      ["both of them", { operationId: "o", payload: 1, payloadHash: HASH }, "payload"],
      ["a hash that is none", { operationId: "o", payloadHash: "x" }, "payloadHash"],
      [
        "RECEIPT-7 a payload that is no JSON",
        { operationId: "o", payload: { a: [Number.NaN] } },
        "payload.a[0]",
      ],
      ["nothing", null, ""],
    ])("refuses %s before anything is written", async (_name, request, path) => {
      const before = await bench().contents();
      const error = await receipts()
        .prepare(request as typeof START)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OperationReceiptContractError);
      expect(error).toMatchObject({ code: "invalid_request", errors: [{ path }] });
      expect(await bench().contents()).toEqual(before);
    });

    it("semantics B6 takes the longest names", async () => {
      const [name, id] = ["é".repeat(256), `o${"._:-".repeat(31)}x12`];
      const request = { principalId: name, workspaceId: name, operationId: id, payload: 1 };
      expect((await receipts().prepare(request)).receipt).toMatchObject({
        ...{ principalId: name, workspaceId: name, operationId: id },
      });
      expect(id).toHaveLength(128);
    });

    it("semantics B1 knows a payload that the original hashed with its keys as a locale has them", async () => {
      // SHA-256 of {"a":1,"B":2}: code units have B first.
      const payloadHash = "26876b450102b41204a883090302d4952f8098b785d5911aa3d33e30d56396a1";
      await bench().plant(RECORD, originals({ payloadHash }));
      const { created } = await receipts().prepare({ ...START, payload: { a: 1, B: 2 } });
      expect(created).toBe(false);
      const other = { ...START, payload: { a: 1, B: 3 } };
      expect(await codeOf(receipts().prepare(other))).toBe("operation_receipt_conflict");
    });
  });
}
