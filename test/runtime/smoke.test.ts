/** `holdfast smoke`, on services that are as they must be, and on some of which one thing is not. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Step, smoke } from "../../adapters/runtime/cli/smoke/smoke.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createClient } from "../../src/client/client.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { newKey } from "../../src/http/keys.ts";
import type { HttpOptions } from "../../src/http/options.ts";
import { ENTRIES, MADE_KEYS, TICKET_SECRET } from "../http/fixture.ts";
import { holdfast, type ServerProcess, startServer } from "./process.ts";

type Fetch = (request: Request) => Promise<Response>;

type Body = Record<string, unknown>;

/** What becomes of an answer on its way. */
type Change = (
  answer: { readonly status: number; readonly body: Body },
  /** Of those that the fault is about, from 1. */
  nth: number,
) => { readonly status?: number; readonly body?: Body };

interface Fault {
  /** That must fail. */
  readonly step: string;
  /** Of requests: the method, the path and the query. */
  readonly of: RegExp;
  readonly change: Change | "is held back";
}

const carriedOut =
  (code: string): Change =>
  ({ body }) =>
    body["code"] === code ? { status: 200, body: {} } : {};

const with_ =
  (more: Body): Change =>
  ({ status, body }) =>
    status < 300 ? { body: { ...body, ...more } } : {};

const inside =
  (name: string, more: Body): Change =>
  ({ status, body }) =>
    status < 300 ? { body: { ...body, [name]: { ...Object(body[name]), ...more } } } : {};

const FAULTS: readonly Fault[] = [
  { step: "it answers", of: /\/healthz/, change: () => ({ status: 404 }) },
  { step: "its storage answers", of: /\/readyz/, change: () => ({ status: 500 }) },
  { step: "it lets the key in", of: /\/health$/, change: () => ({ status: 401 }) },
  {
    step: "nobody is let in without a key, nor with a wrong one",
    of: /GET \/v1\/emails$/,
    change: carriedOut("unauthorized"),
  },
  {
    step: "a body that is no JSON, or not what it must be, is refused",
    of: /POST \/v1\/emails$/,
    change: carriedOut("invalid_request"),
  },
  {
    step: "a route that is not there is refused, and a method that it has not",
    of: /DELETE /,
    change: () => ({ status: 404 }),
  },
  {
    step: "an email is enqueued once, however often it is tried",
    of: /POST \/v1\/emails$/,
    change: with_({ created: true }),
  },
  {
    step: "another email under its key is refused",
    of: /POST \/v1\/emails$/,
    change: carriedOut("job_payload_conflict"),
  },
  {
    step: "it is made ready",
    of: /\/transitions/,
    change: inside("job", { state: "pending" }),
  },
  { step: "it is leased", of: /\/leases/, change: inside("job", { leaseToken: null }) },
  {
    step: "no other holder leases it, or renews its lease",
    of: /\/lease-extensions/,
    change: carriedOut("lease_lost"),
  },
  {
    step: "it is settled, and settled again as before",
    of: /\/settlements/,
    change: (_, nth) => (nth === 2 ? { status: 409, body: { code: "lease_lost" } } : {}),
  },
  { step: "it is listed", of: /GET \/v1\/emails\?/, change: with_({ jobs: [] }) },
  {
    step: "an operation is prepared once, and bound to its payload",
    of: /POST \/v1\/receipts$/,
    change: carriedOut("operation_receipt_conflict"),
  },
  {
    step: "one caller has the dispatch",
    of: /\/dispatches/,
    change: with_({ owned: true, dispatchToken: "token" }),
  },
  {
    step: "its owner renews it and tells the result, and nobody else can",
    of: /\/acceptances/,
    change: carriedOut("dispatch_lost"),
  },
  {
    step: "the result is told again, and stands",
    of: /POST \/v1\/receipts$/,
    change: inside("receipt", { result: { chargeId: "ch_2" } }),
  },
  {
    step: "an outcome may be unknown",
    of: /\/unknowns/,
    change: inside("receipt", { state: "dispatching" }),
  },
  {
    step: "it waits for a person, and is told as stuck",
    of: /\/stuck\?limit=100/,
    change: with_({ items: [] }),
  },
  {
    step: "what a person says of it stands",
    of: /\/resolutions/,
    change: carriedOut("already_resolved"),
  },
  {
    step: "a query is admitted once, and bound to what it asks",
    of: /POST \/v1\/query-jobs$/,
    change: carriedOut("job_identity_conflict"),
  },
  {
    step: "it is taken by a runner",
    of: /\/runs$/,
    change: () => ({ status: 404, body: { code: "not_found" } }),
  },
  {
    step: "no other runner has it",
    of: /\/runs$/,
    change: with_({ applied: true, request: {}, leaseToken: "token", position: null }),
  },
  {
    step: "a reader sees pieces of its answer while it is written",
    of: /\/events\?[^ ]* as a stream$/,
    change: "is held back",
  },
  {
    step: "a reader that comes back goes on where it was, to the end",
    of: /GET \/v1\/query-jobs\/[^/]*$/,
    change: inside("job", { response: "Ice floats" }),
  },
  {
    step: "all of it can be read again",
    of: /\/events\?[^ ]*$/,
    change: ({ body }) => ({ body: { ...body, events: [body["events"]].flat().slice(1) } }),
  },
  {
    step: "a ticket lets a reader at this query, and at nothing else",
    of: /GET \/v1\/query-jobs$/,
    change: carriedOut("forbidden"),
  },
  {
    step: "a query is given up, and stays so",
    of: /\/cancel$/,
    change: inside("job", { status: "running" }),
  },
  {
    step: "two tenants have a record each under the same name, and see no other",
    of: /GET \/v1\/emails\//,
    change: carriedOut("job_not_found"),
  },
  {
    step: "what waits is counted, of each machine",
    of: /\/health$/,
    change: (_, nth) => (nth === 1 ? {} : { body: { emails: { deliver: {} } } }),
  },
  {
    step: "what waits for a person is told",
    of: /\/stuck\?limit=1$/,
    change: () => ({ body: {} }),
  },
  {
    step: "a pass can be tried without doing anything",
    of: /\/reconciliations$/,
    change: with_({ hasMore: undefined }),
  },
];

/** The service, with what becomes of its answers. */
function faulty(served: Fetch, { of, change }: Fault): Fetch {
  let nth = 0;
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const isStream = request.headers.get("accept") === "text/event-stream";
    const name = `${request.method} ${pathname}${search}${isStream ? " as a stream" : ""}`;
    const response = await served(request);
    if (!of.test(name)) return response;
    const { status, headers } = response;
    const text = await response.text();
    if (change === "is held back") return new Response(text, { status, headers });
    nth += 1;
    const answer = { status, body: JSON.parse(text) };
    const changed = { ...answer, ...change(answer, nth) };
    return new Response(JSON.stringify(changed.body), { status: changed.status, headers });
  };
}

interface Seen {
  readonly isGood: boolean;
  readonly steps: readonly Step[];
  readonly prefix: string;
}

/** What a smoke test sees of `fetch`, served over a socket. */
async function seen(
  fetch: Fetch,
  keys: { key: string | null; secondKey: string | null },
): Promise<Seen> {
  const server = createServer(getRequestListener(fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const told: unknown[] = [];
  const nothing = (): void => {};
  const out = {
    ...{ isJson: true, lines: nothing, text: nothing, note: nothing },
    sure: async () => {},
    json: (value: unknown) => void told.push(value),
  };
  try {
    const config = { url: `http://127.0.0.1:${port}`, ...keys };
    const isGood = await smoke(config, out, { lookMs: 700, streamMs: 3_000 });
    const { steps, prefix } = told[0] as Omit<Seen, "isGood">;
    return { isGood, steps, prefix };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const keyOf = (name: string): string => MADE_KEYS.find(({ id }) => id === name)?.key ?? "";

async function fetchOf(http: HttpOptions = { keys: ENTRIES, secret: TICKET_SECRET }) {
  const holdfast = await createHoldfast({ storage: memoryStorage() });
  const app = holdfast.http(http);
  const fetch: Fetch = async (request) => app.fetch(request);
  const jobs = () => holdfast.emails.listJobs();
  return { fetch, jobs, key: keyOf("all"), secondKey: keyOf("acme") };
}

const named = (steps: readonly Step[], verdict: Step["verdict"]): readonly string[] =>
  steps.filter((step) => step.verdict === verdict).map(({ step }) => step);

describe("a smoke test", () => {
  it("sees every step of a service that is as it must be", async () => {
    const { fetch, ...keys } = await fetchOf();
    const { isGood, steps } = await seen(fetch, keys);
    expect(steps.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
    expect(isGood).toBe(true);
    expect(named(steps, "ok").toSorted()).toEqual(FAULTS.map(({ step }) => step).toSorted());
  });

  it.each(FAULTS)("tells where this is not so: $step", async (fault) => {
    const { fetch, jobs, ...keys } = await fetchOf();
    const { isGood, steps } = await seen(faulty(fetch, fault), keys);
    expect(isGood).toBe(false);
    // Else it would be sent in the end.
    const states = (await jobs()).map(({ state }) => state);
    expect(states.filter((state) => state !== "cancelled")).toEqual(
      fault.step === "it is leased" ? ["sending"] : [],
    );
    expect(named(steps, "fail")).toContain(fault.step);
    expect(JSON.stringify(steps)).not.toContain(keys.key);
  });

  it("skips what is not there: keys, a second one, a secret for tickets", async () => {
    const { fetch } = await fetchOf({ open: true });
    const { isGood, steps } = await seen(fetch, { key: null, secondKey: null });
    expect(isGood).toBe(true);
    expect(named(steps, "skip")).toEqual([
      "nobody is let in without a key, nor with a wrong one",
      "a ticket lets a reader at this query, and at nothing else",
      "two tenants have a record each under the same name, and see no other",
    ]);
  });

  it("reads an answer without its stream where the service says that none comes", async () => {
    const { fetch, ...keys } = await fetchOf();
    const refusal = { code: "invalid_request", detail: "no stream comes this way" };
    const { isGood, steps } = await seen(async (request) => {
      const isStream = request.headers.get("accept") === "text/event-stream";
      return isStream ? Response.json(refusal, { status: 422 }) : fetch(request);
    }, keys);
    expect(isGood).toBe(true);
    expect(steps.filter(({ verdict }) => verdict === "skip")).toMatchObject([
      { step: expect.stringMatching(/^a reader sees pieces/), detail: "no stream comes this way" },
    ]);
    expect(named(steps, "ok")).toContain("its answer is written");
  });

  it("looks no further where no service is, and on where one area fails", async () => {
    const { fetch, ...keys } = await fetchOf();
    const none = await seen(async () => new Response("", { status: 404 }), keys);
    expect(none.steps).toHaveLength(1);
    const leases = FAULTS.find(({ step }) => step === "it is leased");
    if (leases === undefined) throw new Error("there is no such fault");
    const { steps } = await seen(faulty(fetch, leases), keys);
    expect(new Set(steps.map(({ area }) => area)).size).toBe(7);
  });
});

describe("holdfast smoke", () => {
  let folder: string;
  let server: ServerProcess | null;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-smoke-"));
    server = null;
  });

  afterEach(async () => {
    await server?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("ends with 0 on a served folder, has no mail sent, and leaves named records", async () => {
    const { key, entry } = newKey("smoke", new Uint8Array(32).fill(1), { scopes: ["*"] });
    const keysFile = join(folder, "keys.json");
    writeFileSync(keysFile, JSON.stringify([entry]));
    server = await startServer({
      HOLDFAST_DATA_DIR: join(folder, "data"),
      HOLDFAST_KEYS: `@${keysFile}`,
      HOLDFAST_MAILER: "capture",
      HOLDFAST_MAIL_FROM: "jobs@example.com",
      HOLDFAST_RECONCILE_MS: "250",
    });
    const env = { HOLDFAST_URL: server.url, HOLDFAST_KEY: key };
    const { status, stdout, stderr } = await holdfast(env, "smoke");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/^all is well; records of this run: smoke-\S+…\n$/),
    });
    expect(stdout).toMatch(
      /^ok {4}emails {6}no other holder leases it, or renews its lease \(\d+ ms\)$/m,
    );
    const [, prefix = ""] = /(smoke-\S+)…/.exec(stderr) ?? [];
    const client = createClient({ url: server.url, key });
    const { jobs } = await client.emails.list();
    expect(jobs.map(({ state }) => state)).toEqual(["cancelled"]);
    const names = [
      ...jobs.map(({ logicalKey }) => logicalKey),
      ...(await client.receipts.list()).receipts.map(({ operationId }) => operationId),
      ...(await client.queries.list()).jobs.map(({ sessionId }) => sessionId),
    ];
    expect(names).toHaveLength(5);
    expect(names.filter((name) => !name.startsWith(prefix))).toEqual([]);
    expect(readdirSync(join(folder, "data"))).not.toContain("mail");
  });

  it("follows the answer of a service that has a runner of its own, and tells one that fails", async () => {
    const data = { HOLDFAST_DATA_DIR: folder };
    server = await startServer({ ...data, HOLDFAST_RUNNER_COMMAND: '["echo","It is lighter."]' });
    const good = await holdfast({ HOLDFAST_URL: server.url }, "smoke");
    expect(good.status).toBe(0);
    expect(good.stdout).toMatch(/^ok {4}queries {5}the service's own runner answers it /m);
    await server.kill("SIGTERM");
    server = await startServer({ ...data, HOLDFAST_RUNNER_COMMAND: '["false"]' });
    const bad = await holdfast({ HOLDFAST_URL: server.url }, "smoke");
    expect(bad.status).toBe(1);
    expect(bad.stdout).toMatch(
      /^fail {2}queries {5}the service's own runner answers it: it ends as failed, /m,
    );
  });

  it("ends with 1 where no service is named, or none is there", async () => {
    expect(await holdfast({}, "smoke")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("HOLDFAST_URL=https://"),
    });
    const env = { HOLDFAST_URL: "http://127.0.0.1:9" };
    expect(await holdfast(env, "--json", "smoke")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('"verdict": "fail"'),
    });
  });
});
