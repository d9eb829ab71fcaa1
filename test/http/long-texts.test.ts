/**
 * Texts that a pattern might search in more than one way, as long as a body may be. A pattern whose time
 * grows faster than its text would not end within a test's minute at this length.
 */
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { objectAt } from "../../src/http/openapi-schemas.ts";
import { OPERATIONS, type Operation } from "./documented.ts";
import { MESSAGE, type Served, serve } from "./fixture.ts";

const CHARS = 900_000;

const TEXTS = {
  "one letter": "a".repeat(CHARS),
  spaces: `x${" ".repeat(CHARS)}x`,
  "an address that does not end": `ann@${"a.".repeat(CHARS / 2)}`,
  "dots and ats": ".@".repeat(CHARS / 2),
  "credentials that begin": "bearer sk-api_key: ".repeat(CHARS / 19),
  "lines and tabs": "\n\t".repeat(CHARS / 2),
} as const;

const JOB = "welcome:ann@example.com";
const CLIENT_JOB_ID = "3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f";
const QUERY = { clientJobId: CLIENT_JOB_ID, generation: 1, query: "Why?", sessionId: "chat-42" };

/** What the examples of the document leave out. */
const FULLER: Readonly<Record<string, JsonObject>> = {
  "/v1/emails": {
    logicalKey: JOB,
    notBefore: "2026-01-31T09:00:00.000Z",
    payload: {
      ...MESSAGE,
      html: "<p>",
      replyTo: "bob@example.com",
      headers: { "x-campaign": "1" },
    },
  },
  "/v1/query-jobs": {
    ...QUERY,
    model: "gpt-5",
    effort: "high",
    messageEra: "era-1",
    handoffCode: "code-1",
    clientQueueItemId: "item-1",
    activityToolMode: "off",
    reference: { query: "Before?", response: "This." },
    attachmentIds: ["m_0123456789abcdef01234567"],
  },
};

const POSTED = OPERATIONS.filter(({ method }) => method !== "GET").map(
  (operation) => [operation.path, operation] as const,
);

function exampleOf({ path, told }: Operation): JsonObject {
  const content = objectAt(objectAt(told, "requestBody"), "content");
  return FULLER[path] ?? objectAt(objectAt(content, "application/json"), "example");
}

/** The body once for each of its texts, with `text` in the place of that. */
function* withText(value: JsonValue, text: string): Generator<JsonValue> {
  if (typeof value === "string") yield text;
  if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) {
      for (const one of withText(item, text)) yield value.with(n, one);
    }
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      for (const one of withText(item, text)) yield { ...value, [name]: one };
    }
  }
}

/** With a job, a receipt and a query that runs, whose token the texts stand beside. */
async function prepared() {
  const served = await serve();
  const { ask } = served;
  await ask("POST", "/v1/emails", { body: { logicalKey: JOB, payload: MESSAGE } });
  const receipt = await ask("POST", "/v1/receipts", { body: { operationId: "a", payload: 1 } });
  const job = await ask("POST", "/v1/query-jobs", { body: QUERY });
  const jobId = String(objectAt(job.body, "job")["jobId"]);
  const run = await ask("POST", `/v1/query-jobs/${jobId}/runs`, { body: { generation: 1 } });
  const names: Readonly<Record<string, string>> = {
    k: encodeURIComponent(JOB),
    id: String(objectAt(receipt.body, "receipt")["id"]),
    jobId,
    name: "firstViewCursor",
  };
  const filled = (path: string): string =>
    path.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? "");
  return { served, filled, token: String(run.body["leaseToken"]) };
}

describe("a text of 900,000 characters in a body", () => {
  it.each(POSTED)("%s is soon answered, with none of it", async (path, operation) => {
    const { served, filled, token } = await prepared();
    const example = exampleOf(operation);
    const body =
      "leaseToken" in example && path.includes("query-jobs")
        ? { ...example, leaseToken: token }
        : example;
    for (const text of Object.values(TEXTS)) {
      for (const one of withText(body, text)) {
        const { status, text: answer } = await served.ask(operation.method, filled(path), {
          body: one,
        });
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(answer.length).toBeLessThan(10_000);
      }
    }
  });
});

describe("a text of 900,000 characters in a header, a path or a query", () => {
  const asked: readonly (readonly [string, (served: Served, text: string) => Promise<unknown>])[] =
    [
      ["a key", ({ ask }, text) => ask("GET", "/v1/health", { key: text })],
      ["a ticket", ({ ask }, text) => ask("GET", "/v1/health", { key: `hft1.${text}` })],
      ["a cursor", ({ ask }, text) => ask("GET", `/v1/emails?cursor=${encodeURIComponent(text)}`)],
      ["a logical key", ({ ask }, text) => ask("GET", `/v1/emails/${encodeURIComponent(text)}`)],
      [
        "a content type",
        ({ ask }, text) =>
          ask("POST", "/v1/emails", {
            raw: "{}",
            headers: { "content-type": `application/json ${text}` },
          }),
      ],
      [
        "a request id",
        ({ ask }, text) => ask("GET", "/v1/health", { headers: { "x-request-id": text } }),
      ],
      ["an origin", ({ ask }, text) => ask("GET", "/v1/health", { headers: { origin: text } })],
    ];

  it.each(asked)("%s is soon answered", async (_, ask) => {
    const served = await serve();
    for (const text of Object.values(TEXTS)) {
      expect(await ask(served, text.replace(/[\n\t]/g, "%"))).toMatchObject({
        status: expect.any(Number),
      });
    }
  });
});
