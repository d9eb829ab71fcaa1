/** What an OpenAPI document says beside its routes: an introduction, parameters, the open routes. */
import type { JsonObject } from "../core/json.ts";
import { EMAIL_CURSOR_NAMES } from "../machines/emails/inputs.ts";
import { KEY_TEXT, UUID_TEXT } from "./document-parts.ts";
import { PUBLIC_PROBLEMS, problemAnswers, REQUEST_ID_HEADER } from "./openapi-problems.ts";

export const INTRODUCTION = `JSON over HTTP.

**Keys.** Send \`Authorization: Bearer <key>\`. A key belongs to one tenant and has scopes; \`:write\` \
includes \`:read\` of the same machine, and \`*\` everything. Tokens of leases and claims are shown to keys \
with \`emails:write\` only, that of a query's run to whoever started it. A service without keys answers requests of its own host only, and lets them do \
everything.

**Requests.** Bodies are JSON in UTF-8 with \`Content-Type: application/json\`; an empty one is \`{}\`. \
Unknown properties and parameters are refused (in a submitted query dropped), and so is \`null\` for an optional property that is not \
nullable. Durations are whole milliseconds; times are ISO 8601, in answers in UTC with milliseconds, but \
for those of a receipt, which are milliseconds since 1970. \
\`HEAD\` is answered wherever \`GET\` is.

**Refusals** are \`application/problem+json\` (RFC 9457) with a stable \`code\`, which \`/docs#<code>\` \
explains. Match on \`code\`. One by a record's state tells that \`state\` (of a query \`jobStatus\`) and its \
\`updatedAt\`. On every query route \`error\` stands beside, with the same code. On every \
path there may also be 404 \`not_found\` and 405 \`method_not_allowed\` (with \`Allow\`).

**Repeats.** Repeating a request never does harm: it is answered as before, or refused with the current \
state. After a 503, a 429 or a lost answer repeat the same request; \`Retry-After\` tells when.

**Lists.** \`limit\` is 1 to 100, 50 by default (receipts: 128, 64); \`cursor\` is the \`nextCursor\` of the page before. A \
page may be short, even empty, and have a \`nextCursor\`; null ends the list. What was there throughout a \
walk is met exactly once.

**Request ids.** Every answer has an \`X-Request-Id\`: the request's own, or one that was made.`;

export const TAGS: readonly JsonObject[] = [
  { name: "Emails", description: "Jobs that send one email each, and who works on them." },
  { name: "Email configuration", description: "Since when emails are made, and scans' cursors." },
  { name: "Receipts", description: "Operations that happen once, or are known to be unknown." },
  { name: "Queries", description: "Questions to an AI, who answers them, and what came of them." },
  { name: "Operations", description: "What waits, what is stuck, what must be forgotten." },
  { name: "Service", description: "Open to everybody: no key is asked for." },
];

export function tagOf(path: string): string {
  if (path.startsWith("/v1/email-config")) return "Email configuration";
  if (path.startsWith("/v1/email")) return "Emails";
  if (path.startsWith("/v1/query")) return "Queries";
  return path.startsWith("/v1/receipt") ? "Receipts" : "Operations";
}

/** By the name in the path. */
export const PATH_PARAMETERS: JsonObject = {
  k: {
    name: "k",
    in: "path",
    required: true,
    description:
      "The logical key, URL-encoded, exactly as it is stored; or `sha256:` and the 64 lower-case hex " +
      "digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.",
    schema: { type: "string", ...KEY_TEXT },
    example: "welcome:ann@example.com",
  },
  id: {
    name: "id",
    in: "path",
    required: true,
    description: "A receipt's id: SHA-256 of its key, 64 lower-case hex digits.",
    schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
    example: "0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f",
  },
  jobId: {
    name: "jobId",
    in: "path",
    required: true,
    description: "A query job's id, in any case.",
    schema: { type: "string", pattern: UUID_TEXT },
    example: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  },
  clientJobId: {
    name: "clientJobId",
    in: "path",
    required: true,
    description: "The id that the client took for its job: a UUID of version 4, in any case.",
    schema: { type: "string", pattern: UUID_TEXT },
    example: "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f",
  },
  name: {
    name: "name",
    in: "path",
    required: true,
    description: "Which scan's cursor.",
    schema: { type: "string", enum: EMAIL_CURSOR_NAMES },
    example: "reminderCursor",
  },
};

export const PUBLIC_PATHS: JsonObject = {
  "/healthz": {
    get: {
      ...open("healthz", "Whether the process lives"),
      responses: { 200: status("It does.", "ok") },
    },
  },
  "/readyz": {
    get: {
      ...open("readyz", "Whether the storage answers"),
      responses: { 200: status("It does.", "ready"), ...problemAnswers(PUBLIC_PROBLEMS) },
    },
  },
  "/openapi.json": {
    get: {
      ...open("openapi", "This document"),
      responses: { 200: content("OpenAPI 3.1.", "application/json", { type: "object" }) },
    },
  },
  "/docs": {
    get: {
      ...open("docs", "The same for people"),
      responses: { 200: content("A page.", "text/html", { type: "string" }) },
    },
  },
};

function open(operationId: string, summary: string): JsonObject {
  return { operationId, tags: ["Service"], summary, security: [] };
}

function status(description: string, value: string): JsonObject {
  return {
    ...content(description, "application/json", {
      type: "object",
      properties: { status: { type: "string", const: value } },
      required: ["status"],
    }),
  };
}

function content(description: string, type: string, schema: JsonObject): JsonObject {
  return { description, headers: REQUEST_ID_HEADER, content: { [type]: { schema } } };
}
