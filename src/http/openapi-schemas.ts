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
  schemas: ReadonlyMap<string, z.core.$ZodType>,
  io: "input" | "output" = "input",
): DocumentSchemas {
  // As properties of one object they share their definitions, and none of them is the root.
  const whole = z.toJSONSchema(z.object(Object.fromEntries(schemas)), {
    io,
    override: plain,
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

/** What every time that comes in is checked for beside its form: 1970 to 2286. */
const TIME_PATTERN =
  "^(19[7-9]\\d|2[01]\\d\\d|22[0-7]\\d|228[0-5])-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$";

/** Trimmed, and then not empty. */
const NOT_BLANK = "\\S";

/** What is stored, also where it may be blank; half a surrogate pair no pattern can name. */
const NO_NUL = "^[^\\u0000]*$";

/** The same, of what is stored: without a NUL. */
const NOT_BLANK_OR_NUL = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";

interface Converted {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Without what tells a reader nothing, and with what zod does but cannot say. */
function plain({ zodSchema, jsonSchema: schema }: Converted): void {
  // An array that our code may not change is not a property that only answers have.
  delete schema.readOnly;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) {
    delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  }
  if (schema.format === "date-time" && schema.pattern !== undefined) schema.pattern = TIME_PATTERN;
  // Readers differ in what the format allows; the pattern is what is checked.
  if (schema.format === "email") delete schema.format;
  if (schema.type === "string" && schema.pattern === undefined && hasCheck(zodSchema, "custom")) {
    schema.pattern = NO_NUL;
  }
  // Refused in words of its own; that the object is closed says the same.
  const { properties = {} } = schema;
  for (const [name, one] of Object.entries(properties)) {
    if (schema.additionalProperties === false && isNever(one)) delete properties[name];
  }
  if (schema.minLength === 1 && hasCheck(zodSchema, "overwrite")) {
    schema.pattern = hasCheck(zodSchema, "custom") ? NOT_BLANK_OR_NUL : NOT_BLANK;
  }
}

function isNever(schema: unknown): boolean {
  return JSON.stringify(schema) === '{"not":{}}';
}

function hasCheck({ _zod }: z.core.$ZodType, name: string): boolean {
  const { checks = [] } = _zod.def;
  return checks.some((one) => one._zod.def.check === name);
}
