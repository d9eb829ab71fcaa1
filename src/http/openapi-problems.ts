/** The refusals and faults of each operation, by status, as an OpenAPI document tells them. */
import type { JsonObject, JsonValue } from "../core/json.ts";
import { documentOf } from "./documents.ts";
import { PROBLEMS, type ProblemCode, problemBody } from "./problem.ts";
import { PROBLEM_TEXTS } from "./problem-texts.ts";
import { QUERY_PROBLEMS } from "./query-problems.ts";
import type { Route } from "./route.ts";

const REQUEST_ID = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } } as const;

export const REQUEST_ID_HEADER: JsonObject = REQUEST_ID;

export const SHARED_HEADERS: JsonObject = {
  "X-Request-Id": {
    description:
      "The request's own, where it is 1 to 128 visible ASCII characters; else one that was made. The " +
      "log knows the request by it.",
    required: true,
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
  },
  "Retry-After": {
    description: "Seconds after which the same request may be repeated.",
    schema: { type: "integer", minimum: 0 },
  },
  "WWW-Authenticate": {
    description: "How to name a key.",
    schema: { type: "string", const: "Bearer" },
  },
  Accept: {
    description: "What a body may be.",
    schema: { type: "string", const: "application/json" },
  },
};

/** Beside X-Request-Id. */
const HEADERS_OF: Readonly<Record<number, string>> = {
  401: "WWW-Authenticate",
  415: "Accept",
  429: "Retry-After",
  503: "Retry-After",
};

const OF_ALL: readonly ProblemCode[] = [
  "unauthorized",
  "forbidden",
  "invalid_request",
  "throttled",
  "internal_error",
  "unavailable",
  "misconfigured",
];

const WITH_BODY: readonly ProblemCode[] = [
  "malformed_json",
  "bad_request",
  "body_too_large",
  "unsupported_media_type",
  "outcome_unknown",
  "contended",
];

/** Of `/readyz`. */
export const PUBLIC_PROBLEMS: readonly ProblemCode[] = ["unavailable"];

/** Every code that the operation can answer with, in the order of PROBLEMS. */
export function problemCodes(route: Route): readonly ProblemCode[] {
  const codes = new Set<ProblemCode>([
    ...OF_ALL,
    ...(route.method === "GET" ? [] : WITH_BODY),
    // An empty parameter or a dot segment makes another path of it.
    ...(route.path.includes("{") ? (["not_found"] as const) : []),
    ...documentOf(route).problems,
  ]);
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.has(code));
}

/** The codes of one operation by status: one answer of the document each. */
function byStatus(codes: readonly ProblemCode[]): ReadonlyMap<number, readonly ProblemCode[]> {
  const groups = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

/** Answers of these codes by status, as references: most operations share most of them. */
export function problemAnswers(codes: readonly ProblemCode[]): JsonObject {
  return Object.fromEntries(
    [...byStatus(codes).entries()].map(([status, some]) => [
      String(status),
      { $ref: `#/components/responses/${some.join(".")}` },
    ]),
  );
}

/** What `problemAnswers` refers to, for several operations. */
export function problemResponses(operations: readonly (readonly ProblemCode[])[]): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const codes of operations) {
    for (const [status, some] of byStatus(codes)) responses[some.join(".")] = answer(status, some);
  }
  return responses;
}

function answer(status: number, codes: readonly ProblemCode[]): JsonObject {
  const header = HEADERS_OF[status];
  const lines = codes.map((code) => `- \`${code}\`: ${PROBLEM_TEXTS[code].meaning}`);
  return {
    description: lines.join("\n"),
    headers: {
      ...REQUEST_ID,
      ...(header === undefined ? {} : { [header]: { $ref: `#/components/headers/${header}` } }),
    },
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Problem" },
            { properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function example(code: ProblemCode): JsonValue {
  const { status } = PROBLEMS[code];
  const isByState = status === 409 || status === 410;
  const isOfQueries = code in QUERY_PROBLEMS;
  const state = isOfQueries ? { jobStatus: "completed" } : { state: "sent" };
  const body = problemBody(
    {
      code,
      detail: PROBLEM_TEXTS[code].meaning.replaceAll("`", ""),
      ...(code === "invalid_request" ? { errors: ERRORS } : {}),
      ...(code === "throttled" ? { retryAfterMs: 1_000 } : {}),
      ...(isByState ? { ...state, updatedAt: "2026-01-31T09:00:02.000Z" } : {}),
    },
    isOfQueries
      ? "/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7"
      : "/v1/emails/welcome%3Aann%40example.com",
    "/docs",
  );
  // Read back as it is sent.
  return JSON.parse(JSON.stringify(body)) as JsonValue;
}

const ERRORS = [{ path: "payload.subject", message: "must be one line" }];
