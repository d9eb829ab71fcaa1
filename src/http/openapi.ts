/**
 * The OpenAPI 3.1 document of the routes. Made when building and committed, so that no service carries
 * its maker; only scripts and tests import this.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { safeParse } from "../core/safe-parse.ts";
import { BUILT_IN_KINDS } from "../machines/emails/built-in-kinds.ts";
import { TICKET_PARAMETER } from "./access.ts";
import { documentOf } from "./documents.ts";
import { problem } from "./email-replies.ts";
import { ANSWER_EXAMPLES, EXAMPLES_OF } from "./openapi-examples.ts";
import {
  PUBLIC_PROBLEMS,
  problemAnswers,
  problemCodes,
  problemResponses,
  REQUEST_ID_HEADER,
  SHARED_HEADERS,
} from "./openapi-problems.ts";
import { type DocumentSchemas, documentSchemas, objectAt } from "./openapi-schemas.ts";
import { INTRODUCTION, PATH_PARAMETERS, PUBLIC_PATHS, TAGS, tagOf } from "./openapi-texts.ts";
import { submission } from "./query-submission.ts";
import type { Route } from "./route.ts";
import { isForTickets } from "./tickets.ts";

/** Tells of every route what it takes, answers and refuses. `version`: of this package. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const schemas = documentSchemas(schemasOf(routes));
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? parametersOf(route.path);
    item[route.method.toLowerCase()] = operation(route, schemas);
    paths[route.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version,
      summary: "Durable jobs on storage you already have.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: TAGS,
    paths: { ...paths, ...PUBLIC_PATHS },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "A key of this service: `hf_<id>_<43 characters>`. Its entry has its scopes. Or a ticket.",
        },
        ticket: {
          type: "apiKey",
          in: "query",
          name: TICKET_PARAMETER,
          description: "A ticket to one query job, for an `EventSource`, which sets no headers.",
        },
      },
      headers: SHARED_HEADERS,
      responses: sorted(problemResponses([...routes.map(problemCodes), PUBLIC_PROBLEMS])),
      schemas: { ...sorted(schemas.components), EmailPayload: emailPayload() },
    },
  };
}

const bodyName = ({ id }: Route): string => `${id}.body`;
const replyName = ({ id }: Route, status: string): string => `${id}.${status}`;

function schemasOf(routes: readonly Route[]): Map<string, z.core.$ZodType> {
  const schemas = new Map<string, z.core.$ZodType>([
    ["problem", problem],
    ["submission", submission],
  ]);
  for (const route of routes) {
    const { body, replies } = documentOf(route);
    if (body !== undefined) schemas.set(bodyName(route), body);
    for (const [status, schema] of Object.entries(replies)) {
      if (schema !== null) schemas.set(replyName(route, status), schema);
    }
  }
  return schemas;
}

function operation(route: Route, schemas: DocumentSchemas): JsonObject {
  const { id, scope } = route;
  const { summary, description } = documentOf(route);
  const needs = scope === "any" ? "Any key may ask." : `Needs a key with the scope \`${scope}\`.`;
  const query = queryParameters(route);
  return {
    operationId: id,
    tags: [tagOf(route.path)],
    summary,
    description: `${description}\n\n${needs}`,
    "x-scope": scope,
    security: [
      { bearer: scope === "any" ? [] : [scope] },
      ...(isForTickets(route) ? [{ ticket: [] }] : []),
    ],
    ...(query.length === 0 ? {} : { parameters: query }),
    ...requestBody(route, schemas),
    responses: { ...replies(route, schemas), ...problemAnswers(problemCodes(route)) },
  };
}

function parametersOf(path: string): Record<string, JsonValue> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return {};
  return { parameters: names.map((name) => objectAt(PATH_PARAMETERS, name)) };
}

function queryParameters(route: Route): JsonObject[] {
  const { query } = documentOf(route);
  if (query === undefined) return [];
  const { named } = documentSchemas(new Map([["query", query]]), "output");
  const { required = [], ...whole } = named.get("query") ?? {};
  const properties = objectAt(whole, "properties");
  return Object.keys(properties).map((name) => {
    const { description = "", example, ...schema } = objectAt(properties, name);
    const isNeeded = Array.isArray(required) && required.includes(name);
    const told = { name, in: "query", required: isNeeded, description, schema };
    return example === undefined ? told : { ...told, example };
  });
}

function requestBody(route: Route, { named }: DocumentSchemas): JsonObject {
  if (route.method === "GET") return {};
  const schema = named.get(bodyName(route)) ?? EMPTY_BODY;
  const example = (documentOf(route).example ?? {}) as JsonValue;
  // An empty body is `{}`, which is enough where nothing has to be said.
  const isNeeded = route.body !== null && !safeParse(route.body, {}).success;
  const bytes = route.bodyBytesMax.toLocaleString("en");
  return {
    requestBody: {
      description: `At most ${bytes} bytes.${isNeeded ? "" : " May be left out."}`,
      required: isNeeded,
      content: { "application/json": { schema, example } },
    },
  };
}

const EMPTY_BODY: JsonObject = {
  type: "object",
  additionalProperties: false,
  description: "Nothing: an empty body is the same.",
};

function replies(route: Route, { named }: DocumentSchemas): JsonObject {
  const answers = Object.entries(documentOf(route).replies).map(
    ([status, schema]): [string, JsonObject] => {
      const headers = REQUEST_ID_HEADER;
      const description = replyText(route, status);
      if (schema === null) return [status, { description, headers }];
      const told = named.get(replyName(route, status)) ?? {};
      const example = EXAMPLES_OF[`${route.id} ${status}`] ?? ANSWER_EXAMPLES[nameOf(told)];
      const content = {
        "application/json": { schema: told, ...(example === undefined ? {} : { example }) },
        ...streamContent(route),
      };
      return [status, { description, headers, content }];
    },
  );
  return Object.fromEntries(answers);
}

function streamContent(route: Route): JsonObject {
  const { stream } = documentOf(route);
  if (stream === undefined) return {};
  return { "text/event-stream": { schema: { type: "string", description: stream } } };
}

function replyText(route: Route, status: string): string {
  if (status === "204") return "There is nothing to answer with.";
  if (status === "201") return "It was made by this call.";
  if (status === "202") return "It is stored; who made it is told by `created`.";
  return 201 in documentOf(route).replies
    ? "It was there; this is what is stored."
    : "Done, or found.";
}

/** Of the component that a schema refers to. */
function nameOf({ $ref }: JsonObject): string {
  return typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : "";
}

/** The kinds that every deployment has, and room for those of its own. */
function emailPayload(): JsonObject {
  const kinds = BUILT_IN_KINDS;
  const { named } = documentSchemas(new Map(kinds.map(({ name, payload }) => [name, payload])));
  const known = kinds.map(({ name, waitsForAi }): JsonObject => {
    const { properties, required, ...rest } = withoutNul(named.get(name) ?? {});
    return {
      title: name,
      ...(waitsForAi ? { description: "Its job waits for a text that an AI writes." } : {}),
      ...rest,
      properties: {
        type: { type: "string", const: name },
        recipient: RECIPIENT,
        ...(properties as JsonObject),
      },
      required: ["type", "recipient", ...(required as readonly string[])],
    };
  });
  const own: JsonObject = {
    title: "a kind of this deployment's own",
    type: "object",
    properties: {
      type: { type: "string", not: { enum: kinds.map(({ name }) => name) } },
      recipient: RECIPIENT,
    },
    required: ["type", "recipient"],
  };
  return {
    description:
      "`type`, `recipient`, and the fields of that kind. Unknown properties are refused; at most 32 " +
      "levels and 20,000 values, no NUL character and no half surrogate pair.",
    anyOf: [...known, own],
  };
}

const RECIPIENT: JsonObject = {
  type: "string",
  description: "An email address, without spaces around it.",
  pattern: z.regexes.email.source,
  maxLength: 320,
};

/** No text of a payload holds a NUL; where a schema has a pattern of its own, that sees to it. */
function withoutNul(schema: JsonObject): JsonObject {
  const inner = Object.entries(schema).map(([name, one]): [string, JsonValue] => [
    name,
    isJsonObject(one) ? withoutNul(one) : one,
  ]);
  const isFree = schema["type"] === "string" && schema["pattern"] === undefined;
  return { ...Object.fromEntries(inner), ...(isFree ? { pattern: "^[^\\u0000]*$" } : {}) };
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
