/** JSON Schema 2020-12 of the zod schemas, as an OpenAPI document holds them. Runs when building only. */
import * as z from "zod";
import { assert } from "../core/assert.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";

export interface DocumentSchemas {
  /** By the names that were asked for. */
  readonly named: ReadonlyMap<string, JsonObject>;
  /** What has an id: `#/components/schemas/<id>`. */
  readonly components: JsonObject;
}

/**
 * Of what comes in and of what is answered alike. Objects of answers stay open, because a later version
 * may add properties to them; zod closes those of requests itself. `io`: a query is told as what its
 * texts are read as (`output`), everything else as what is sent (`input`).
 */
export function documentSchemas(
  schemas: ReadonlyMap<string, z.ZodType>,
  io: "input" | "output" = "input",
): DocumentSchemas {
  // As properties of one object they share their definitions, and none of them is the root.
  const whole = z.toJSONSchema(z.object(Object.fromEntries(schemas)), {
    io,
    override: ({ jsonSchema }) => plain(jsonSchema),
  });
  const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/');
  const read: unknown = JSON.parse(text);
  assert(isJsonObject(read), "a schema of an object is an object");
  return {
    named: new Map(Object.entries(objectAt(read, "properties")).map(asObject)),
    components: objectAt(read, "$defs"),
  };
}

/** The object under `name`; empty where there is none. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  const child = parent[name] ?? {};
  assert(isJsonObject(child), `${name} is not an object`);
  return child;
}

function asObject([name, value]: [string, JsonValue]): [string, JsonObject] {
  assert(isJsonObject(value), `the schema of ${name} is not an object`);
  return [name, value];
}

/** Without what tells a reader nothing, or what one library means by it. */
function plain(schema: z.core.JSONSchema.BaseSchema): void {
  // An array that our code may not change is not a property that only answers have.
  delete schema.readOnly;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // The format says it; the pattern is zod's own way to check it.
  if (schema.format === "date-time" || schema.format === "email") delete schema.pattern;
}
