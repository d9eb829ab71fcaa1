/** Whatever is asked, the answer is one that the document tells of, and never a fault. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { objectAt } from "../../src/http/openapi-schemas.ts";
import {
  aKey,
  aMutation,
  CLIENT_JOBS,
  filledIn,
  KEYS,
  mutated,
  pooled,
  RUN_TOKEN,
  valid,
} from "./arbitraries.ts";
import { OPERATIONS, type Operation, undocumented } from "./documented.ts";
import {
  type Ask,
  awaiting,
  claimed,
  created,
  leased,
  pathOf,
  ready,
  receipt,
  type Served,
  serve,
  type Told,
  textIn,
} from "./fixture.ts";
import { accepted, starting } from "./query-given.ts";

interface Step {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  /** Sent instead of the query. */
  readonly rawQuery: string | null;
  readonly body: JsonValue;
  /** Sent instead of the body. */
  readonly raw: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly passMs: number;
}

/** The same requests every time, so that what they reach is no matter of luck. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 2);

/** Sequences of each sort, some 25 requests each. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 180);

/** Thousands of requests take their time where others need the processors, too. */
const TEST_MS_MAX = 300_000;

const JSON_TYPE = { "content-type": "application/json" };

/** What a request has that no schema speaks of. */
const oddHeaders = fc.constantFrom<Record<string, string>>(
  JSON_TYPE,
  {},
  { "content-type": "text/plain" },
  { ...JSON_TYPE, "content-length": "99999999" },
  { ...JSON_TYPE, authorization: "Bearer nobody" },
  { ...JSON_TYPE, "x-request-id": "a b" },
  { ...JSON_TYPE, "holdfast-tenant": "acme" },
  { ...JSON_TYPE, accept: "text/html" },
);

const oddRaw = fc.constantFrom("", "{", "[]", "null", '{"a":1,"a":2}', "\ufeff{}", '{"x":1e999}');
const oddKey = fc.oneof(
  fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
  fc.constantFrom(" ", "\u0000", "%2F", "x".repeat(2_000), `sha256:${"a".repeat(64)}`, "none"),
);
const oddQuery = fc.oneof(
  fc.constantFrom(
    "?limit=0",
    "?limit=9e9",
    "?cursor=x",
    "?state=none",
    "?a&a",
    "?%",
    "?__proto__=1",
  ),
  fc.string({ unit: "grapheme" }).map((text) => `?${encodeURIComponent(text)}=1`),
);

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

const schemaOfBody = ({ told }: Operation): JsonObject =>
  objectAt(
    objectAt(objectAt(objectAt(told, "requestBody"), "content"), "application/json"),
    "schema",
  );

function validQuery({ parameters }: Operation): fc.Arbitrary<JsonObject> {
  const own = parameters.filter((one) => one["in"] === "query");
  // A cursor has to be one that was given; any text that its schema allows is none.
  const model = Object.fromEntries(
    own.map((one): [string, fc.Arbitrary<JsonValue>] => {
      const name = String(one["name"]);
      const value = name === "generation" ? aGeneration : valid(objectAt(one, "schema"));
      return [name, name === "cursor" ? rarely(pooled) : value];
    }),
  );
  const requiredKeys = own.filter((one) => one["required"] === true).map((one) => `${one["name"]}`);
  return fc
    .record(model, { requiredKeys })
    .map((made) =>
      Object.fromEntries(
        Object.entries(made).flatMap(([name, one]) =>
          one === null || one === undefined ? [] : [[name, one] as const],
        ),
      ),
    );
}

function queryText(query: JsonObject): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === "" ? "" : `?${text}`;
}

const aGeneration = fc.constantFrom(1, 1, 1, 2);
const aClientJob = fc.constantFrom(...CLIENT_JOBS);
const aName = fc.constantFrom("reminderCursor", "firstViewCursor");
const aTime = fc.constantFrom(0, 0, 0, 1_000, 120_000);

/** As the document says, as far as it says. */
const goodStep = fc.oneof(
  ...OPERATIONS.map((operation) =>
    fc.record<Step>({
      operation: fc.constant(operation),
      params: fc.record({
        ...{ k: aKey, name: aName, id: pooled, jobId: pooled, clientJobId: aClientJob },
      }),
      query: validQuery(operation),
      rawQuery: fc.constant(null),
      body: valid(schemaOfBody(operation)),
      raw: fc.constant(null),
      headers: fc.constant(JSON_TYPE),
      passMs: aTime,
    }),
  ),
);

/** The same with one or more things wrong. */
const badStep = fc
  .record({
    step: goodStep,
    k: fc.oneof(aKey, aKey, oddKey),
    name: fc.oneof(aName, aName, oddKey),
    id: fc.oneof(pooled, pooled, oddKey),
    jobId: fc.oneof(pooled, pooled, oddKey),
    clientJobId: fc.oneof(aClientJob, aClientJob, oddKey),
    rawQuery: rarely(oddQuery),
    mutation: fc.option(aMutation, { freq: 5 }),
    raw: rarely(oddRaw),
    headers: rarely(oddHeaders),
  })
  .map(
    ({ step, rawQuery, mutation, raw, headers, ...params }): Step => ({
      ...step,
      params,
      rawQuery,
      body: mutation === null ? step.body : mutated(step.body, mutation),
      raw,
      headers: headers ?? JSON_TYPE,
    }),
  );

/** Credentials, cursors and addresses of an answer, for later requests. */
function harvest(value: JsonValue, pool: string[]): void {
  if (Array.isArray(value)) for (const one of value) harvest(one, pool);
  if (!isJsonObject(value)) return;
  for (const [name, one] of Object.entries(value)) {
    if (/Token$|Cursor$|^id$/.test(name) && typeof one === "string") pool.push(one);
    if (name === "jobId" && typeof one === "string") pool.push(JOB + one);
    harvest(one, pool);
  }
}

/** What may stand in the path for one record of its machine; there are some to begin with. */
function namesOf(param: string, pool: readonly string[]): readonly string[] {
  if (param === "id") return pool.filter((one) => /^[0-9a-f]{64}$/.test(one));
  if (param !== "jobId") return othersOf(pool);
  return pool.flatMap((one) => (one.startsWith(JOB) ? [one.slice(JOB.length)] : []));
}

/** What may stand in a query or a body. */
function othersOf(pool: readonly string[]): readonly string[] {
  return pool.filter((one) => !one.startsWith(JOB));
}

/** Marks the ids of query jobs, which look like the tokens. */
const JOB = "job:";

interface Tally {
  requests: number;
  readonly statuses: Map<string, number>;
}

async function take(served: Served, step: Step, pool: string[], tally: Tally): Promise<Told> {
  served.advance(step.passMs);
  const { operation } = step;
  const query = step.rawQuery ?? queryText(filledIn(step.query, othersOf(pool)));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(filledIn(step.params[name] ?? "", namesOf(name, pool))),
  );
  const raw = step.raw ?? JSON.stringify(filledIn(step.body, othersOf(pool)));
  const ask: Ask = { headers: step.headers, ...(operation.method === "GET" ? {} : { raw }) };
  const told = await served.ask(operation.method, path + query, ask);
  harvest(told.body, pool);
  const key = `${operation.told["operationId"]} ${told.status}`;
  tally.requests += 1;
  tally.statuses.set(key, (tally.statuses.get(key) ?? 0) + 1);
  return told;
}

const [PENDING, AWAITING, CLAIMED, READY, LEASED, FAILED] = KEYS;

/** Jobs in most states, and the configuration. */
async function begun(): Promise<{ served: Served; pool: string[] }> {
  const served = await serve({ retentionMs: 200_000 });
  const pool: string[] = [];
  await created(served, PENDING);
  await awaiting(served, AWAITING);
  pool.push(await claimed(served, CLAIMED));
  await ready(served, READY);
  harvest(await leased(served, LEASED), pool);
  await created(served, FAILED);
  const body = { from: ["pending"], to: "failed" };
  await served.ask("POST", pathOf(FAILED, "/transitions"), { body });
  await served.ask("PUT", "/v1/email-config");
  pool.push((await receipt(served, "dispatching")).id);
  for (const [index, clientJobId] of CLIENT_JOBS.slice(0, -1).entries()) {
    pool.push(JOB + (await aQuery(served, clientJobId, index)));
  }
  return { served, pool };
}

/** Accepted, starting, running, and completed. */
async function aQuery(served: Served, clientJobId: string, steps: number): Promise<string> {
  const fields = { clientJobId, sessionId: `session-${steps}` };
  if (steps === 0) return textIn(await accepted(served, fields), "jobId");
  const { jobId, post } = await starting(served, fields, RUN_TOKEN);
  if (steps > 1) await post("running", { linkage: {} });
  if (steps > 2) await post("complete", { text: "an answer" });
  return jobId;
}

/** Not a path of the operation any more: the document tells of it by the code only. */
const isOtherPath = ({ status, body }: Told): boolean =>
  (status === 404 && body["code"] === "not_found") || status === 405;

function check({ operation }: Step, told: Told, { lines }: Served): void {
  const faults = lines.filter(({ level }) => level === "error");
  expect(told.status < 500 ? [] : [operation.told["operationId"], told.text, faults]).toEqual([]);
  if (!isOtherPath(told)) expect(undocumented(operation, told)).toBeNull();
}

describe("every answer is documented", () => {
  const tally: Tally = { requests: 0, statuses: new Map() };

  it(
    "in sequences as the document says, which meet each other's records",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(goodStep, { minLength: 10, maxLength: 40, size: "max" }),
          async (steps) => {
            const { served, pool } = await begun();
            for (const step of steps) check(step, await take(served, step, pool, tally), served);
          },
        ),
        { numRuns: RUNS, seed: SEED },
      );
    },
    TEST_MS_MAX,
  );

  it(
    "in sequences with anything wrong in them",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(badStep, { minLength: 10, maxLength: 40, size: "max" }),
          async (steps) => {
            const { served, pool } = await begun();
            for (const step of steps) check(step, await take(served, step, pool, tally), served);
          },
        ),
        { numRuns: RUNS, seed: SEED },
      );
    },
    TEST_MS_MAX,
  );

  it("and what is not documented is noticed", async () => {
    const served = await serve();
    const readyz = OPERATIONS.find(({ path }) => path === "/readyz");
    const list = OPERATIONS.find(({ told }) => told["operationId"] === "listEmails");
    if (readyz === undefined || list === undefined) throw new Error("operations are missing");
    const told = await served.ask("GET", "/v1/emails");
    expect(undocumented(list, told)).toBeNull();
    expect(undocumented(readyz, told)).toMatch(/status/);
    expect(undocumented(list, { ...told, status: 204 })).toMatch(/status 204/);
    expect(undocumented(list, { ...told, headers: new Headers() })).toMatch(/X-Request-Id/);
    expect(undocumented(list, { ...told, text: '{"jobs":[]}' })).toMatch(/nextCursor/);
    const more = JSON.stringify({ ...told.body, more: 1 });
    expect(undocumented(list, { ...told, text: more })).toMatch(/additional properties/);
    const headers = new Headers([...told.headers, ["content-type", "text/plain"]]);
    expect(undocumented(list, { ...told, headers })).toMatch(/type/);
    const refused = await served.ask("GET", "/v1/emails?cursor=x");
    expect(undocumented(list, refused)).toBeNull();
    const text = refused.text.replaceAll("invalid_cursor", "state_mismatch");
    expect(undocumented(list, { ...refused, text })).toMatch(/allowed values/);
  });

  it("and every operation was both answered and refused, thousands of times in all", () => {
    expect(tally.requests).toBeGreaterThan(3_000);
    const missed = OPERATIONS.filter(({ path }) => path.startsWith("/v1/")).filter(({ told }) => {
      const met = [...tally.statuses.keys()].filter((key) =>
        key.startsWith(`${told["operationId"]} `),
      );
      return !met.some((key) => / 20\d$/.test(key)) || !met.some((key) => / 4\d\d$/.test(key));
    });
    expect(missed.map(({ told }) => told["operationId"])).toEqual([]);
  });
});
