/** What a body cannot say: refused by the client as the library refuses it, before anything is sent. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { HoldfastError } from "../../src/client/client.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { service } from "./service.ts";

class Amount {
  readonly cents = 5;
}

const cyclic: { self?: object } = {};
cyclic.self = cyclic;

const NOT_JSON: readonly (readonly [string, unknown, string])[] = [
  ["a bigint", { n: 1n }, "payload.n: is of type bigint"],
  ["a Date", { at: [new Date(0)] }, "payload.at[0]: is an instance of a class"],
  ["an instance of a class", { amount: new Amount() }, "payload.amount: is an instance of a class"],
  ["a Map", new Map(), "payload: is an instance of a class"],
  ["a function", { go: () => 1 }, "payload.go: is of type function"],
  ["a symbol", Symbol("s"), "payload: is of type symbol"],
  ["a number that is not finite", { n: Number.NaN }, "payload.n: is not finite"],
  ["a hole in an array", [1, undefined], "payload[1]: is of type undefined"],
  ["a cycle", cyclic, "is nested too deep, or cyclic"],
];

describe("a body that JSON cannot say", () => {
  it.each(NOT_JSON)("%s is refused, and nothing is sent", async (_, payload, detail) => {
    const { receipts } = (await service()).client({
      fetch: () => {
        throw new Error("sent");
      },
    });
    const refused = await receipts.prepare({ operationId: "o", payload }).catch((error) => error);
    expect(refused).toBeInstanceOf(HoldfastError);
    expect(refused).toMatchObject({ code: "invalid_request", status: null });
    expect(refused.detail).toContain(detail);
  });

  it.each(NOT_JSON)("%s is refused by the library, too", async (_, payload) => {
    const { receipts } = await createHoldfast({ storage: memoryStorage() });
    await expect(receipts.prepare({ operationId: "o", payload })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("is also that of an email", async () => {
    const { emails } = (await service()).client();
    const payload = { type: "message", recipient: "ann@example.com", at: new Date(0) };
    await expect(emails.enqueue({ logicalKey: "a", payload })).rejects.toMatchObject({
      code: "invalid_request",
      detail: expect.stringContaining("payload.at"),
    });
  });
});

describe("a body that JSON can say", () => {
  it("is hashed as the library hashes it, without what is undefined", async () => {
    const { receipts } = (await service()).client();
    const bare: object = Object.assign(Object.create(null), { z: 1 });
    const payload = { text: "é\u0000", list: [null, true, -0, [{}]], none: undefined, bare };
    const { receipt } = await receipts.prepare({ operationId: "o", payload });
    const library = (await createHoldfast({ storage: memoryStorage() })).receipts;
    const other = await library.prepare({ operationId: "o", payload });
    expect(receipt.payloadHash).toBe(other.receipt.payloadHash);
  });
});
