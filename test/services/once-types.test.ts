/** What `once` takes as a side effect. Most of this file is judged by the build. */
import { expect, expectTypeOf, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import type { JsonValue } from "../../src/core/json.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { ReturnsJson } from "../../src/services/once.ts";
import type { Receipts } from "../../src/services/receipts.ts";

interface Charge {
  readonly id: string;
  readonly card?: string;
  readonly fees: readonly { readonly cents: number | null }[];
  readonly parts: [string, number];
}

interface Tree {
  readonly children: Tree[];
}

type Payment = { readonly ok: true; readonly id: string } | { readonly ok: false; why: string };

/** Never called. */
function wrong({ once }: Receipts): void {
  const key = { operationId: "a" };
  // @ts-expect-error -- a date
  void once(key, {}, async () => ({ at: new Date() }));
  // @ts-expect-error -- a bigint
  void once(key, {}, () => ({ items: [{ n: 1n }] }));
  // @ts-expect-error -- a function
  void once(key, {}, async () => () => 1);
  // @ts-expect-error -- a symbol
  void once(key, {}, async () => ({ mark: Symbol("a") }));
  // @ts-expect-error -- a promise inside
  void once(key, {}, async () => ({ later: Promise.resolve(1) }));
  // @ts-expect-error -- an element that is undefined
  void once(key, {}, async () => [1, undefined]);
  // @ts-expect-error -- a class with methods
  void once(key, {}, async () => new Map([[1, 2]]));
  // @ts-expect-error -- bytes
  void once(key, {}, async () => new Uint8Array(3));
  // @ts-expect-error -- sometimes a date
  void once(key, {}, async () => ({ at: null as Date | null }));
  // @ts-expect-error -- a date deep inside of a type that contains itself
  void once(key, {}, async (): Promise<Tree & { readonly at: Date }> => Promise.reject(key));
  // @ts-expect-error -- an option that there is not
  void once(key, {}, () => 1, { leasMs: 5_000 });
}

/** Never called. */
async function right({ once }: Receipts): Promise<void> {
  const key = { operationId: "a" };
  const none = <T>(): Promise<T> => Promise.reject(key);
  expectTypeOf((await once(key, {}, () => 1)).result).toEqualTypeOf<number>();
  expectTypeOf((await once(key, {}, async () => "done")).result).toEqualTypeOf<string>();
  expectTypeOf((await once(key, {}, () => [1, 2])).result).toEqualTypeOf<number[]>();
  expectTypeOf((await once(key, {}, none<Charge>)).result).toEqualTypeOf<Charge>();
  expectTypeOf((await once(key, {}, none<Tree>)).result).toEqualTypeOf<Tree>();
  expectTypeOf((await once(key, {}, none<Payment>)).result).toEqualTypeOf<Payment>();
  expectTypeOf(
    (await once<Payment>(key, {}, async () => ({ ok: true, id: "a" }))).result,
  ).toEqualTypeOf<Payment>();
  expectTypeOf((await once(key, {}, none<JsonValue>)).result).toEqualTypeOf<JsonValue>();
  expectTypeOf((await once(key, {}, none<unknown>)).result).toEqualTypeOf<unknown>();
  expectTypeOf((await once(key, {}, none<Record<string, unknown>>)).result).toEqualTypeOf<
    Record<string, unknown>
  >();
  expectTypeOf((await once(key, {}, async () => {})).result).toEqualTypeOf<void>();
  expectTypeOf((await once(key, {}, () => Promise.reject(key))).result).toEqualTypeOf<never>();
  const { result } = await once(
    key,
    {},
    async ({ receipt, signal }) => ({ id: receipt.id, gone: signal.aborted }),
    {
      reconcile: ({ id }) => ({ outcome: "happened", result: { id, gone: false } }),
    },
  );
  expectTypeOf(result).toEqualTypeOf<{ id: string; gone: boolean }>();
  const own = <T>(effect: (() => Promise<T>) & ReturnsJson<T>) => once(key, {}, effect);
  expectTypeOf((await own(none<Charge>)).result).toEqualTypeOf<Charge>();
}

it("takes whatever returns what JSON can say, with its type, and nothing else", async () => {
  expect([wrong, right].map((one) => typeof one)).toEqual(["function", "function"]);
  const { receipts } = await createHoldfast({ storage: memoryStorage() });
  const { result } = await receipts.once({ operationId: "a" }, {}, () => ({
    left: undefined,
    n: 1,
  }));
  expect(result).toEqual({ n: 1 });
});
