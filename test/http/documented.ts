/** Whether an answer is one that the document tells of: status, media type, headers, shape. */
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { OPENAPI_DOCUMENT } from "../../src/http/generated/openapi-document.ts";
import { objectAt } from "../../src/http/openapi-schemas.ts";
import { resolved } from "./arbitraries.ts";
import type { Told } from "./fixture.ts";

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly told: JsonObject;
  readonly parameters: readonly JsonObject[];
}

/** Every operation of the document. */
export const OPERATIONS: readonly Operation[] = Object.entries(
  objectAt(OPENAPI_DOCUMENT, "paths"),
).flatMap(([path, item]) =>
  ["get", "put", "post"].flatMap((name) => {
    if (!isJsonObject(item)) return [];
    const told = objectAt(item, name);
    if (told["operationId"] === undefined) return [];
    const parameters = [...listAt(item, "parameters"), ...listAt(told, "parameters")];
    return [{ method: name.toUpperCase(), path, told, parameters }];
  }),
);

function listAt(parent: JsonObject, name: string): readonly JsonObject[] {
  const list = parent[name];
  return Array.isArray(list) ? list.filter((one) => isJsonObject(one)) : [];
}

/** For this check only: an object has the properties that are told of, and no others. */
function closed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(closed);
  if (!isJsonObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]));
  if (!isJsonObject(value["properties"] ?? null) || value["type"] !== "object") return inner;
  return { additionalProperties: false, ...inner };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(closed(OPENAPI_DOCUMENT) as JsonObject, "document");

const checks = new Map<string, ValidateFunction>();

/** Compiled once: each takes longer than all checks by it. */
function checkAt(pointer: string): ValidateFunction {
  const known = checks.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
  checks.set(pointer, known);
  return known;
}

/** What is not as the document says, or null. */
export function undocumented(operation: Operation, told: Told): string | null {
  const given = objectAt(operation.told, "responses")[String(told.status)];
  if (given === undefined || !isJsonObject(given)) return `the status ${told.status}`;
  const answer = resolved(given);
  if (!told.headers.has("x-request-id")) return "no X-Request-Id";
  for (const name of Object.keys(objectAt(answer, "headers"))) {
    if (!told.headers.has(name)) return `no ${name}`;
  }
  const content = objectAt(answer, "content");
  const type = told.headers.get("content-type")?.split(";")[0] ?? "";
  if (Object.keys(content).length === 0) return type + told.text === "" ? null : "a body";
  if (content[type] === undefined) return `the type ${type}`;
  if (type === "text/html" || type === "text/event-stream") return null;
  const pointer = schemaPointer(operation, given, told.status, type);
  const check = checkAt(pointer);
  return check(JSON.parse(told.text)) ? null : ajv.errorsText(check.errors);
}

function schemaPointer(
  { path, method }: Operation,
  given: JsonObject,
  status: number,
  type: string,
): string {
  const escaped = (name: string): string =>
    encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
  const ref = given["$ref"];
  const answer =
    typeof ref === "string"
      ? ref.slice(1)
      : `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
  return `${answer}/content/${escaped(type)}/schema`;
}
