/** Properties with the names of prototypes are data or refused, and change no object but their own. */
import { expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { objectAt } from "../../src/http/openapi-schemas.ts";
import { OPERATIONS, type Operation } from "./documented.ts";
import { serve } from "./fixture.ts";

const POLLUTIONS = [
  '"__proto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"prototype":{"polluted":true}',
] as const;

/** The body as JSON, with `pollution` in each of its objects. */
function textOf(value: JsonValue, pollution: string): string {
  if (Array.isArray(value)) return `[${value.map((one) => textOf(one, pollution)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const own = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${textOf(one, pollution)}`,
  );
  return `{${[...own, pollution].join(",")}}`;
}

function exampleOf({ told }: Operation): JsonObject {
  const content = objectAt(objectAt(told, "requestBody"), "content");
  return objectAt(objectAt(content, "application/json"), "example");
}

const POSTED = OPERATIONS.filter(({ method }) => method !== "GET");

it.each(POSTED)("$method $path", async (operation) => {
  const { ask } = await serve();
  const example = exampleOf(operation);
  const bodies = POLLUTIONS.flatMap((pollution) => [
    textOf(example, pollution),
    // Below alone, where any JSON may stand.
    textOf(example, pollution).replace(`,${pollution}}`, "}"),
    `{${pollution}}`,
  ]);
  for (const raw of bodies) {
    const path = operation.path.replace(/\{\w+\}/g, "a");
    const headers = { "content-type": "application/json" };
    const { status } = await ask(operation.method, path, { raw, headers });
    expect(status).toBeLessThan(500);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(Reflect.get([], "polluted")).toBeUndefined();
  }
});

it("a payload and a result with such names come back as they were, and are hashed with them", async () => {
  const { ask, holdfast } = await serve();
  const payload = JSON.parse(`{"a":1,${POLLUTIONS[0]}}`);
  const result = JSON.parse(`{"b":[{${POLLUTIONS[0]}}],${POLLUTIONS[1]}}`);
  const { receipts } = holdfast;
  const once = await receipts.once({ operationId: "a" }, payload, () => result);
  expect(JSON.stringify(once.result)).toBe(JSON.stringify(result));
  const told = await ask("GET", `/v1/receipts/${once.receipt.id}`);
  expect(told.text).toContain(JSON.stringify(result));
  await expect(receipts.once({ operationId: "a" }, { a: 1 }, () => result)).rejects.toMatchObject({
    code: "operation_receipt_conflict",
  });
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
