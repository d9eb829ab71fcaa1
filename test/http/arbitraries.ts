/** Values from the schemas of the document: as they say, and as they do not. */
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { OPENAPI_DOCUMENT } from "../../src/http/generated/openapi-document.ts";
import { objectAt } from "../../src/http/openapi-schemas.ts";

type Values = fc.Arbitrary<JsonValue>;

/** Stands for something that an earlier answer gave; see `filledIn`. */
const POOLED = "@pool:";

export const pooled = fc.nat(1_000).map((index) => `${POOLED}${index}`);

/** Jobs of these keys are there when a sequence begins: a few, so that its requests meet them. */
export const KEYS = ["pending", "awaiting", "claimed/1", "ready é", "leased", "failed"] as const;

export const aKey = fc.constantFrom(...KEYS, "new");

/** Jobs of these client jobs are there when a sequence begins, but for the last. */
export const CLIENT_JOBS = [1, 2, 3, 4, 5].map(
  (n) => `${n}${n}${n}${n}${n}${n}${n}${n}-1111-4111-8111-111111111111`,
);

/** The token of the runs that are there when a sequence begins. */
export const RUN_TOKEN = "token-a";

const aLease = fc.oneof(
  fc.integer({ min: 1, max: 5_000 }),
  fc.integer({ min: 1, max: 86_400_000 }),
);

/** By the name of a property: what makes requests of one sequence meet. */
const MEETING: Readonly<Record<string, Values>> = {
  logicalKey: aKey,
  email: fc.oneof(aKey, pooled),
  leaseToken: fc.oneof(pooled, pooled, fc.constant(RUN_TOKEN)),
  clientJobId: fc.constantFrom(...CLIENT_JOBS),
  generation: fc.constantFrom(1, 1, 1, 2, 3),
  // A prompt, and the client job that is to be erased.
  query: fc.constantFrom("a prompt", " ", ...CLIENT_JOBS),
  sessionId: fc.constantFrom("session-1", "session-2"),
  requestId: fc.constantFrom("r-1", "r-2", "r-3"),
  position: fc.constantFrom("1-1", "2-2", "3-3", "4-4", "5-7", "1"),
  claimToken: pooled,
  claimant: fc.constantFrom("writer@example.com", "Writer@Example.com", "bob@example.com"),
  recipient: fc.constantFrom("ann@example.com", "bob@example.com"),
  durationMs: aLease,
  operationId: fc.constantFrom("o-1", "o-2", "o-3"),
  workspaceId: fc.constantFrom("default", "shop"),
  tool: fc.constantFrom("custom", "http"),
  action: fc.constantFrom("call", "request"),
  dispatchToken: fc.constantFrom("token-a", "token-b"),
  receipt: fc.oneof(pooled, fc.constant("a".repeat(64))),
  leaseMs: aLease,
};

/** The value with everything that stands for an earlier answer replaced by it. */
export function filledIn<T extends JsonValue>(value: T, pool: readonly string[]): T;
export function filledIn(value: JsonValue, pool: readonly string[]): JsonValue {
  if (typeof value === "string" && value.startsWith(POOLED)) {
    return pool.at(Number(value.slice(POOLED.length)) % Math.max(pool.length, 1)) ?? "none yet";
  }
  if (Array.isArray(value)) return value.map((one) => filledIn(one, pool));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, filledIn(one, pool)]),
  );
}

export function resolved(schema: JsonObject): JsonObject {
  const ref = schema["$ref"];
  if (typeof ref !== "string") return schema;
  return ref.slice(2).split("/").reduce(objectAt, OPENAPI_DOCUMENT);
}

/** What the schema allows; of what it leaves open, a part. */
export function valid(given: JsonObject): Values {
  const schema = resolved(given);
  const { type, anyOf, oneOf, enum: values } = schema;
  if ("const" in schema) return fc.constant(schema["const"] ?? null);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(valid));
  if (Array.isArray(oneOf))
    return fc.oneof(...oneOf.map((one) => valid(inCase(schema, oneOf, one))));
  if (type === "object") return anObject(schema);
  if (type === "array") {
    const { minItems: minLength = 0, maxItems = 5 } = schema as Record<string, number>;
    const items = valid(objectAt(schema, "items"));
    return fc.array(items, { minLength, maxLength: Math.min(maxItems, minLength + 4) });
  }
  if (type === "string") return aText(schema);
  if (type === "integer") {
    const { minimum: min = 0, maximum: max = 1_000 } = schema as Record<string, number>;
    return fc.integer({ min, max });
  }
  if (type === "number") return fc.integer({ min: -1, max: 2_000 });
  if (type === "boolean") return fc.boolean();
  return type === "null" ? fc.constant(null) : (fc.jsonValue({ maxDepth: 2 }) as Values);
}

/** The schema where `one` of its cases holds: one of its own, or what must be there while nothing else of the kind is. */
function inCase(schema: JsonObject, cases: readonly JsonObject[], one: JsonObject): JsonObject {
  if (schema["type"] === undefined) return one;
  const { oneOf: _, ...rest } = schema;
  const named = new Set(cases.flatMap(requiredOf));
  const needed = requiredOf(one);
  const properties = Object.entries(objectAt(schema, "properties")).filter(
    ([name]) => !named.has(name) || needed.includes(name),
  );
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    required: [...requiredOf(schema), ...needed],
  };
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function anObject(schema: JsonObject): Values {
  const properties = Object.entries(objectAt(schema, "properties"));
  const model = Object.fromEntries(
    properties.map(([name, one]) => [name, MEETING[name] ?? valid(isJsonObject(one) ? one : {})]),
  );
  return fc.record(model, { requiredKeys: [...requiredOf(schema)] }).map((made) => ({ ...made }));
}

function aText(schema: JsonObject): Values {
  const { format, pattern } = schema;
  if (format === "date-time") {
    const most = { min: new Date("1970-01-01T00:00:00Z"), max: new Date("2285-12-31T00:00:00Z") };
    return fc.date({ ...most, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (typeof pattern === "string" && pattern.includes("@"))
    return fc.constantFrom("ann@example.com", "o.brien+x@sub.example.org");
  const { minLength = 0, maxLength = 50 } = schema as Record<string, number>;
  const bounds = { minLength, maxLength: Math.min(maxLength, minLength + 60) };
  if (typeof pattern === "string" && pattern.includes("{12}")) {
    return fc.constantFrom(...CLIENT_JOBS);
  }
  if (typeof pattern === "string" && pattern.startsWith("^m_")) {
    return fc.constantFrom(`m_${"a".repeat(24)}`, `m_${"b".repeat(24)}`);
  }
  if (typeof pattern === "string" && pattern.includes("{64}")) {
    return fc.constantFrom("a".repeat(64), "b".repeat(64));
  }
  if (typeof pattern === "string") {
    return fc.string(bounds).filter((text) => new RegExp(pattern, "u").test(text));
  }
  return fc.string({ ...bounds, unit: "grapheme" });
}

/** What hardly any schema allows. */
const odd: Values = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, 0, -1, 1.5, 2 ** 53, -0, 1e308, "", " ", [], {}, [[]]),
  fc.constantFrom("\u0000", "\ud800", "\u202e", "../..", "%00", "'; --", "a".repeat(5_000)),
  fc.string({ unit: "binary" }),
  fc.constant({ __proto__: null, constructor: { prototype: 1 } } as JsonObject),
  fc.jsonValue({ maxDepth: 3 }) as Values,
  fc.constant(Array.from({ length: 300 }, (_, n) => n)),
);

/** One thing done to a value somewhere in it. */
export interface Mutation {
  readonly kind: "replace" | "drop" | "add";
  /** Which property on each level; fewer levels than it has end it earlier. */
  readonly places: readonly number[];
  readonly name: string;
  readonly by: JsonValue;
}

export const aMutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom("replace", "replace", "replace", "drop", "add"),
  places: fc.array(fc.nat(20), { minLength: 0, maxLength: 3 }),
  name: fc.constantFrom("extra", "__proto__", "constructor", "", "é"),
  by: odd,
});

export function mutated(value: JsonValue, mutation: Mutation, level = 0): JsonValue {
  const { kind, places, name, by } = mutation;
  if (!isJsonObject(value)) return by;
  const entries = Object.entries(value);
  const place = places[level];
  if (place === undefined || entries.length === 0) {
    return kind === "add" ? fromEntries([...entries, [name, by]]) : by;
  }
  const at = place % entries.length;
  if (kind === "drop" && places.length === level + 1) {
    return fromEntries(entries.filter((_, index) => index !== at));
  }
  return fromEntries(
    entries.map(([other, one], index) => [
      other,
      index === at ? mutated(one, mutation, level + 1) : one,
    ]),
  );
}

/** Also with `__proto__` as a property of its own. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const made = {};
  for (const [name, value] of entries) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true });
  }
  return made;
}
