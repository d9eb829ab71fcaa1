/** Query jobs over HTTP, in the states that a case needs, and short ways to go on with them. */
import { expect } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { jobIn, type Served, type Told, textIn } from "./fixture.ts";

export const CLIENT_JOB_ID = "11111111-1111-4111-8111-111111111111";
export const UNKNOWN_ID = "99999999-9999-4999-8999-999999999999";
export const TOKEN = "the run's own token";

/** Of the golden vectors. */
export const REQUEST = {
  clientJobId: CLIENT_JOB_ID,
  generation: 1,
  query: "durable prompt",
  sessionId: "session-durable-1",
  activityToolMode: "preview",
};

/** What an answer tells: its status, and its code where it is a problem. */
export const verdictOf = ({ status, body }: Told) => [status, body["code"]];

export async function submit(served: Served, fields: object = {}): Promise<Told> {
  return served.ask("POST", "/v1/query-jobs", { body: { ...REQUEST, ...fields } });
}

/** An accepted job. */
export async function accepted(served: Served, fields: object = {}): Promise<JsonObject> {
  const told = await submit(served, fields);
  expect([...verdictOf(told), told.body["created"]]).toEqual([202, undefined, true]);
  return jobIn(told, 202);
}

export interface Run {
  readonly jobId: string;
  readonly started: JsonObject;
  /** Calls a route of the run with its token. */
  post(route: string, body?: object, query?: string): Promise<Told>;
}

/** An accepted job's run, just begun. */
export async function starting(
  served: Served,
  fields: object = {},
  leaseToken = TOKEN,
): Promise<Run> {
  const job = await accepted(served, fields);
  const jobId = textIn(job, "jobId");
  const body = { generation: job["generation"], leaseToken };
  const told = await served.ask("POST", `/v1/query-jobs/${jobId}/runs`, { body });
  expect([...verdictOf(told), told.body["applied"]]).toEqual([200, undefined, true]);
  return {
    jobId,
    started: told.body,
    post: (route, more = {}, query = "") =>
      served.ask("POST", `/v1/query-jobs/${jobId}/${route}${query}`, {
        body: { leaseToken, ...more },
      }),
  };
}

export async function running(served: Served, fields: object = {}): Promise<Run> {
  const run = await starting(served, fields);
  done(await run.post("running", { linkage: { provider: "claude" } }));
  return run;
}

/** With a provider that may be at work. */
export async function owned(served: Served, fields: object = {}): Promise<Run> {
  const run = await running(served, fields);
  done(await run.post("linkage", { linkage: { claudeRunId: "run-1" } }));
  return run;
}

/** A job in an end of that sort. */
export async function ended(
  served: Served,
  how: "complete" | "fail" | "interrupt" = "complete",
  fields: object = {},
): Promise<Run> {
  const run = await running(served, fields);
  const bodies = { complete: { text: "an answer" }, fail: { error: {} }, interrupt: {} };
  done(await run.post(how, bodies[how]));
  return run;
}

/** The answer of a call that was carried out. */
export function done(told: Told): JsonObject {
  expect([...verdictOf(told), told.body["applied"]]).toEqual([200, undefined, true]);
  return told.body;
}

export function read(served: Served, jobId: string, generation = 1): Promise<Told> {
  return served.ask("GET", `/v1/query-jobs/${jobId}?generation=${generation}`);
}

export function objectIn(object: JsonObject, name: string): JsonObject {
  const found = object[name];
  if (found === undefined || !isJsonObject(found)) throw new Error(`${name} is no object`);
  return found;
}
