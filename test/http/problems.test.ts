/** Every problem code, shown by the service itself (http-api "Errors" and "Status"). */
import { describe, expect, it } from "vitest";
import {
  type FaultPlan,
  type MemoryStorage,
  memoryStorage,
} from "../../adapters/storage/memory.ts";
import { PROBLEMS, type ProblemCode } from "../../src/http/problem.ts";
import { jobIdOf } from "../../src/machines/emails/record.ts";
import type { Storage } from "../../src/ports/backend.ts";
import {
  awaiting,
  claimed,
  created,
  expectProblem,
  KEY,
  leased,
  MESSAGE,
  pathOf,
  ready,
  receipt,
  type Served,
  type ServeOptions,
  serve,
  type Told,
} from "./fixture.ts";
import { QUERY_CASES, SHARED_CASES } from "./query-problem-cases.ts";

const SECRET = "a stored text that no refusal repeats";

/** A service whose storage does what `plan` says. */
function withFaults(plan: (storage: MemoryStorage) => FaultPlan): ServeOptions {
  return { seen: (storage) => storage.withFaults(plan(storage)) };
}

const JSON_TYPE = { "content-type": "application/json" };
const TRANSITION = { body: { from: ["pending"], to: "ready" } };

async function recordOf(storage: MemoryStorage, key = KEY): Promise<string> {
  const other = await serve({ storage });
  await created(other, key, { payload: { ...MESSAGE, text: SECRET } });
  return `emails/jobs/${jobIdOf(key)}`;
}

function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.error(new TypeError("terminated")),
  });
}

/** A service in which `code` is to be met, and the request that meets it. */
interface Case {
  readonly options?: ServeOptions;
  readonly meet: (served: Served) => Promise<Told>;
}

const CASES: Readonly<Record<ProblemCode, Case>> = {
  ...QUERY_CASES,
  malformed_json: {
    meet: ({ ask }) => ask("POST", "/v1/emails", { raw: "{", headers: JSON_TYPE }),
  },
  bad_request: {
    meet: ({ ask }) => ask("POST", "/v1/emails", { raw: brokenBody(), headers: JSON_TYPE }),
  },
  unauthorized: { meet: ({ ask }) => ask("GET", "/v1/emails", { key: null }) },
  forbidden: {
    meet: ({ ask, keys }) => ask("GET", "/v1/stuck", { key: keys["reader"] ?? null }),
  },
  not_found: { meet: ({ ask }) => ask("GET", "/v2/emails") },
  job_not_found: { meet: ({ ask }) => ask("GET", pathOf(KEY)) },
  receipt_not_found: { meet: ({ ask }) => ask("GET", `/v1/receipts/${"a".repeat(64)}`) },
  invalid_receipt_state: {
    async meet(served) {
      const { id } = await receipt(served, "prepared");
      return served.ask("POST", `/v1/receipts/${id}/completions`);
    },
  },
  dispatch_lost: {
    async meet(served) {
      const { id } = await receipt(served, "dispatching");
      const body = { result: 1, dispatchToken: "another" };
      return served.ask("POST", `/v1/receipts/${id}/acceptances`, { body });
    },
  },
  dispatch_live: {
    async meet(served) {
      const { id } = await receipt(served, "dispatching");
      const body = { outcome: "abandoned" };
      return served.ask("POST", `/v1/receipts/${id}/resolutions`, { body });
    },
  },
  already_resolved: {
    async meet(served) {
      const { id } = await receipt(served, "outcome-unknown");
      const path = `/v1/receipts/${id}/resolutions`;
      await served.ask("POST", path, { body: { outcome: "happened", result: SECRET } });
      return served.ask("POST", path, { body: { outcome: "abandoned" } });
    },
  },
  operation_expired: {
    async meet(served) {
      const { id } = await receipt(served, "prepared");
      served.advance(31 * 86_400_000);
      return served.ask("GET", `/v1/receipts/${id}`);
    },
  },
  operation_receipt_conflict: {
    async meet(served) {
      await receipt(served, "prepared");
      const body = { operationId: "o-1", payload: "other" };
      return served.ask("POST", "/v1/receipts", { body });
    },
  },
  operation_receipt_capacity: {
    options: { receiptCapacity: 1 },
    async meet(served) {
      await receipt(served, "prepared");
      const body = { operationId: "o-2", payload: 1 };
      return served.ask("POST", "/v1/receipts", { body });
    },
  },
  config_not_found: { meet: ({ ask }) => ask("GET", "/v1/email-config") },
  cursor_not_found: {
    async meet({ ask }) {
      await ask("PUT", "/v1/email-config");
      return ask("PUT", "/v1/email-config/cursors/none", { body: { cursor: null } });
    },
  },
  method_not_allowed: { meet: ({ ask }) => ask("DELETE", pathOf(KEY)) },
  state_mismatch: {
    async meet(served) {
      await ready(served);
      return served.ask("POST", pathOf(KEY, "/transitions"), TRANSITION);
    },
  },
  invalid_transition: {
    async meet(served) {
      await created(served);
      const body = { from: ["pending"], to: "sent" };
      return served.ask("POST", pathOf(KEY, "/transitions"), { body });
    },
  },
  not_claimable: {
    async meet(served) {
      await created(served);
      return served.ask("POST", pathOf(KEY, "/ai-claims"), { body: { claimant: "w@example.com" } });
    },
  },
  claim_lost: {
    async meet(served) {
      await claimed(served);
      const body = { claimant: "other@example.com", summary: "Whales" };
      return served.ask("POST", pathOf(KEY, "/ai-completions"), { body });
    },
  },
  not_leasable: {
    async meet(served) {
      await leased(served);
      return served.ask("POST", pathOf(KEY, "/leases"), { body: { durationMs: 1_000 } });
    },
  },
  lease_lost: {
    async meet(served) {
      await leased(served);
      const body = { leaseToken: "another", to: "sent" };
      return served.ask("POST", pathOf(KEY, "/settlements"), { body });
    },
  },
  in_use: {
    async meet(served) {
      await leased(served);
      return served.ask("POST", "/v1/erasures", { body: { email: KEY } });
    },
  },
  job_expired: {
    options: { retentionMs: 1_000 },
    async meet(served) {
      const { leaseToken } = await leased(served);
      await served.ask("POST", pathOf(KEY, "/settlements"), { body: { leaseToken, to: "sent" } });
      served.advance(1_001);
      return served.ask("GET", pathOf(KEY));
    },
  },
  erased: {
    async meet(served) {
      await created(served);
      await served.ask("POST", "/v1/erasures", { body: { email: KEY } });
      return served.ask("GET", pathOf(KEY));
    },
  },
  body_too_large: {
    meet: ({ ask }) =>
      ask("POST", "/v1/emails", { raw: " ".repeat(1_048_577), headers: JSON_TYPE }),
  },
  unsupported_media_type: {
    meet: ({ ask }) =>
      ask("POST", "/v1/emails", { raw: "{}", headers: { "content-type": "text/plain" } }),
  },
  invalid_request: { meet: ({ ask }) => ask("POST", "/v1/emails", { body: {} }) },
  invalid_cursor: { meet: ({ ask }) => ask("GET", "/v1/emails?cursor=none") },
  record_too_large: {
    meet({ ask }) {
      const payload = { ...MESSAGE, text: "界".repeat(100_000) };
      return ask("POST", "/v1/emails", { body: { logicalKey: KEY, payload } });
    },
  },
  job_payload_conflict: {
    async meet(served) {
      await created(served, KEY, { payload: { ...MESSAGE, text: SECRET } });
      const body = { logicalKey: KEY, payload: MESSAGE, onPayloadMismatch: "conflict" };
      return served.ask("POST", "/v1/emails", { body });
    },
  },
  throttled: {
    options: withFaults(() => () => "throttled"),
    meet: ({ ask }) => ask("GET", pathOf(KEY)),
  },
  internal_error: {
    options: {
      seen: (): Storage => ({
        async open(context) {
          const backend = await memoryStorage().open(context);
          return { ...backend, get: () => Promise.reject(new RangeError(`/etc/${SECRET}`)) };
        },
      }),
    },
    meet: ({ ask }) => ask("GET", pathOf(KEY)),
  },
  record_corrupt: {
    async meet({ ask, storage }) {
      const key = await recordOf(storage);
      storage.plant(key, (storage.bodies().get(key) ?? "").replace('"pending"', '"lost"'));
      return ask("GET", pathOf(KEY));
    },
  },
  unavailable: {
    options: withFaults(() => () => "unavailable"),
    meet: ({ ask }) => ask("GET", pathOf(KEY)),
  },
  outcome_unknown: {
    options: withFaults(() => {
      let isGone = false;
      return ({ kind }, when) => {
        if (kind === "put" && when === "before") isGone = true;
        return isGone && when === "before" ? (kind === "put" ? "lost_late" : "unavailable") : null;
      };
    }),
    async meet({ ask, storage }) {
      await recordOf(storage);
      return ask("POST", pathOf(KEY, "/transitions"), TRANSITION);
    },
  },
  contended: {
    options: withFaults((storage) => ({ kind, key }, when) => {
      // Somebody else is always faster.
      if (kind === "put" && when === "before") storage.plant(key, storage.bodies().get(key) ?? "");
      return null;
    }),
    async meet({ ask, storage }) {
      await recordOf(storage);
      return ask("POST", pathOf(KEY, "/transitions"), TRANSITION);
    },
  },
  misconfigured: {
    options: { http: { keys: [] } },
    meet: ({ ask }) => ask("GET", "/v1/emails"),
  },
};

/** Refusals by state carry the current state. */
const BY_STATE: readonly ProblemCode[] = [
  "state_mismatch",
  "invalid_transition",
  "not_claimable",
  "claim_lost",
  "not_leasable",
  "lease_lost",
  "in_use",
  "job_expired",
  "erased",
  "invalid_receipt_state",
  "dispatch_lost",
  "dispatch_live",
  "already_resolved",
  "operation_expired",
];

/** Of a query that is refused by what is stored, the status is called `jobStatus`. */
const BY_JOB_STATUS: readonly ProblemCode[] = [
  "query_job_generation_mismatch",
  "query_job_answer_committing",
  "query_job_not_terminal",
];

const HEADERS: Partial<Record<ProblemCode, Readonly<Record<string, string>>>> = {
  unauthorized: { "www-authenticate": "Bearer" },
  method_not_allowed: { allow: "GET, HEAD" },
  unsupported_media_type: { accept: "application/json" },
  operation_receipt_capacity: { "retry-after": "60" },
  job_history_full: { "retry-after": "60" },
  provider_orphan_fence: { "retry-after": "1260" },
  throttled: { "retry-after": "1" },
  unavailable: { "retry-after": "1" },
  outcome_unknown: { "retry-after": "1" },
  contended: { "retry-after": "1" },
  misconfigured: { "retry-after": "60" },
};

describe("every code", () => {
  it.each(Object.entries(CASES))("%s is told as the table says", async (name, one) => {
    const code = name as ProblemCode;
    const served = await serve(one.options);
    const answer = await one.meet(served);
    const { status, title } = PROBLEMS[code];
    const body = expectProblem(answer, status, code);
    expect(body["title"]).toBe(title);
    expect(answer.headers.get("x-request-id")).toMatch(/^[\x21-\x7e]{1,128}$/);
    const { "retry-after": retryAfter = null, ...own } = HEADERS[code] ?? {};
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(body["retryAfterMs"] === undefined).toBe(retryAfter === null);
    for (const [header, value] of Object.entries(own)) {
      expect(answer.headers.get(header)).toBe(value);
    }
    const told = (isTold: boolean): string => (isTold ? "string" : "undefined");
    const [hasState, hasJobStatus] = [BY_STATE.includes(code), BY_JOB_STATUS.includes(code)];
    expect([typeof body["state"], typeof body["jobStatus"], typeof body["updatedAt"]]).toEqual([
      told(hasState),
      told(hasJobStatus),
      told(hasState || hasJobStatus),
    ]);
  });

  it.each(Object.entries(SHARED_CASES))("%s is told of a query, too", async (name, one) => {
    const code = name as ProblemCode;
    const body = expectProblem(await one.meet(await serve()), PROBLEMS[code].status, code);
    expect(body).not.toHaveProperty("state");
    expect(typeof body["jobStatus"]).toBe(code === "erased" ? "undefined" : "string");
  });

  it.each(Object.entries(CASES))("%s tells no stack, no path, nothing stored", async (_, one) => {
    const { text } = await one.meet(await serve(one.options));
    expect(text).not.toMatch(
      /stack|node_modules|\.[jt]s:\d|\/src\/|\/etc|emails\/jobs|receipts\/records|queries\/|\bat \w+ \(/,
    );
    expect(text).not.toContain(SECRET);
    expect(text).not.toMatch(/RangeError|TypeError|ZodError|StoreUnavailable/);
  });
});

describe("what a refused write did", () => {
  it("is nothing when the answer says so, and may be anything when it is not known", async () => {
    const served = await serve(CASES.outcome_unknown.options);
    const told = await CASES.outcome_unknown.meet(served);
    expectProblem(told, 503, "outcome_unknown");
    served.storage.applyLate();
    const after = await (await serve({ storage: served.storage })).ask("GET", pathOf(KEY));
    expect(after.text).toContain('"state":"ready"');
  });

  it("is told again when the request is repeated after an unknown outcome", async () => {
    let isDown = true;
    const plan: FaultPlan = ({ kind }, when) =>
      isDown && kind === "put" && when === "after" ? "lost_now" : null;
    const served = await serve({ seen: (storage) => storage.withFaults(plan) });
    const body = { logicalKey: KEY, payload: MESSAGE };
    const first = await served.ask("POST", "/v1/emails", { body });
    // The reply was lost, but reading back showed that it was ours.
    expect([first.status, first.body["created"]]).toEqual([201, true]);
    isDown = false;
    const again = await served.ask("POST", "/v1/emails", { body });
    expect([again.status, again.body["created"]]).toEqual([200, false]);
  });
});

describe("readiness", () => {
  it("is 503 while the storage does not answer, and 200 again after", async () => {
    let isDown = true;
    const served = await serve({
      seen: (storage) => storage.withFaults(() => (isDown ? "unavailable" : null)),
    });
    expectProblem(await served.ask("GET", "/readyz", { key: null }), 503, "unavailable");
    expect((await served.ask("GET", "/healthz", { key: null })).status).toBe(200);
    isDown = false;
    served.advance(1_000);
    const told = await served.ask("GET", "/readyz", { key: null });
    expect([told.status, told.body]).toEqual([200, { status: "ready" }]);
  });
});

describe("faults inside of lists", () => {
  it("one unreadable record is listed by its id and stops no other", async () => {
    const served = await serve();
    await created(served, "good");
    const key = await recordOf(served.storage, "bad");
    served.storage.plant(key, `{"${SECRET}":`);
    const told = await served.ask("GET", "/v1/emails");
    expect(told.status).toBe(200);
    expect(told.body["jobs"]).toEqual([expect.objectContaining({ logicalKey: "good" })]);
    expect(told.body["corrupt"]).toEqual([{ id: jobIdOf("bad"), reason: expect.any(String) }]);
    expect(told.text).not.toContain(SECRET);
    await awaiting(served, "other");
  });
});
