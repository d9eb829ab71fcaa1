/** The receipt routes (http-api "Receipts"), over the service as a caller meets it. */
import { describe, expect, it } from "vitest";
import { type OperationKey, receiptIdOf } from "../../src/machines/receipts/key.ts";
import { START as OPERATION, originals } from "../services/receipts/given.ts";
import { expectProblem, receipt, START, serve } from "./fixture.ts";

const REQUEST = { operationId: "o-1", payload: { amount: 5 } };
const START_MS = Date.parse(START);
const TOKEN = "token-a";

describe("preparing", () => {
  it("is 201 once, 200 after, and a conflict with other content", async () => {
    const { ask } = await serve();
    const first = await ask("POST", "/v1/receipts", { body: REQUEST });
    expect([first.status, first.body["created"]]).toEqual([201, true]);
    expect(first.body["receipt"]).toMatchObject({
      ...{ workspaceId: "default", tool: "custom", action: "call", state: "prepared" },
      ...{ createdAt: START_MS, preparedAt: START_MS },
    });
    const again = await ask("POST", "/v1/receipts", { body: REQUEST });
    expect([again.status, again.body]).toEqual([200, { ...first.body, created: false }]);
    const other = { ...REQUEST, payload: { amount: 6 } };
    const told = await ask("POST", "/v1/receipts", { body: other });
    const problem = expectProblem(told, 422, "operation_receipt_conflict");
    expect(problem).not.toHaveProperty("state");
    const { id } = first.body["receipt"] as { id: string };
    expect(problem["detail"]).toBe(`the operation is bound to another payload; receipt ${id}`);
  });

  it.each([
    [{ operationId: "o-1" }, "payload"],
    [{ ...REQUEST, payloadHash: "a".repeat(64) }, "payload"],
    [{ operationId: "o-1", payloadHash: "A".repeat(64) }, "payloadHash"],
    [{ payload: 1 }, "operationId"],
    [{ ...REQUEST, tool: "nobody" }, "action"],
    [{ ...REQUEST, memberGeneration: 0 }, "memberGeneration"],
    [{ ...REQUEST, more: 1 }, "more"],
  ])("refuses %j, naming the place", async (body, path) => {
    const { ask, storage } = await serve();
    const told = await ask("POST", "/v1/receipts", { body });
    expect(expectProblem(told, 422, "invalid_request")["errors"]).toMatchObject([{ path }]);
    expect(storage.bodies().size).toBe(0);
  });
});

describe("dispatching", () => {
  it("tells its one owner, by the token, and everybody else that they are not", async () => {
    const served = await serve();
    const { id } = await receipt(served, "prepared");
    const post = (body: object) => served.ask("POST", `/v1/receipts/${id}/dispatches`, { body });
    const first = await post({ dispatchToken: TOKEN });
    expect(first.body).toMatchObject({ owned: true, dispatchToken: TOKEN });
    expect((await post({ dispatchToken: TOKEN })).body).toEqual(first.body);
    expect((await post({})).body).toMatchObject({ owned: false, dispatchToken: null });
    expect(first.text).not.toContain("tokenHash");
    const { text } = await served.ask("GET", `/v1/receipts/${id}`);
    expect(text).not.toContain(TOKEN);
  });

  it("mints a token for who brings none, and renews by it", async () => {
    const served = await serve();
    const { id } = await receipt(served, "prepared");
    const { body } = await served.ask("POST", `/v1/receipts/${id}/dispatches`);
    const { dispatchToken } = body;
    const renewal = { dispatchToken, leaseMs: 120_000 };
    const path = `/v1/receipts/${id}/dispatch-renewals`;
    expect((await served.ask("POST", path, { body: renewal })).status).toBe(200);
    served.advance(149_999);
    const recoveries = () => served.ask("POST", "/v1/receipt-recoveries");
    expect((await recoveries()).body["recovered"]).toBe(0);
    served.advance(1);
    expect((await recoveries()).body).toMatchObject({ recovered: 1, nextCursor: null });
  });

  it("protocols 6.2 is the next caller's where the reply with the minted token was lost", async () => {
    let isLost = false;
    let isGone = false;
    const served = await serve({
      commandMs: 1_000,
      seen: (storage) =>
        storage.withFaults(({ kind }) => {
          if (isGone) return "unavailable";
          isGone = isLost && kind === "put";
          return isGone ? "lost_now" : null;
        }),
    });
    const { id } = await receipt(served, "prepared");
    const dispatch = () => served.ask("POST", `/v1/receipts/${id}/dispatches`);
    isLost = true;
    expectProblem(await dispatch(), 503, "outcome_unknown");
    [isLost, isGone] = [false, false];
    served.advance(59_000);
    const owner = { owned: true, dispatchToken: expect.any(String) };
    expect((await dispatch()).body).toMatchObject(owner);
    expect((await dispatch()).body).toMatchObject({ owned: false, dispatchToken: null });
    // Its lease is begun anew.
    served.advance(59_000);
    const { body } = await served.ask("POST", "/v1/receipt-recoveries");
    expect(body["recovered"]).toBe(0);
  });
});

describe("outcomes", () => {
  it("are told by the owner, made terminal by anyone, and never changed", async () => {
    const served = await serve();
    const { id, dispatchToken } = await receipt(served, "dispatching");
    const accept = (result: unknown, token: object) =>
      served.ask("POST", `/v1/receipts/${id}/acceptances`, { body: { result, ...token } });
    expectProblem(await accept(1, {}), 409, "dispatch_lost");
    expectProblem(await accept("x".repeat(70_000), { dispatchToken }), 422, "invalid_request");
    const first = await accept({ charge: 1 }, { dispatchToken });
    expect(first.body["receipt"]).toMatchObject({ state: "accepted", result: { charge: 1 } });
    expect((await accept({ charge: 1 }, { dispatchToken })).body).toEqual(first.body);
    const other = await accept(2, { dispatchToken });
    expect(expectProblem(other, 422, "operation_receipt_conflict")["detail"]).toBe(
      `the operation has another result already; receipt ${id}`,
    );
    const done = await served.ask("POST", `/v1/receipts/${id}/completions`);
    expect(done.body["receipt"]).toMatchObject({ state: "terminal", result: { charge: 1 } });
    expectProblem(await accept(1, { dispatchToken }), 409, "invalid_receipt_state");
  });

  it("that nobody knows are resolved once, with who and when; a late report becomes a note", async () => {
    const served = await serve();
    const { id, dispatchToken } = await receipt(served, "outcome-unknown");
    const resolve = (body: object, key: string) =>
      served.ask("POST", `/v1/receipts/${id}/resolutions`, {
        body,
        key: served.keys[key] ?? null,
      });
    const answer = { outcome: "did_not_happen", note: "asked the bank" };
    const first = await resolve(answer, "payer");
    const resolution = { ...answer, resolvedAt: START_MS, resolvedBy: "payer" };
    expect(first.body["receipt"]).toMatchObject({ state: "outcome-unknown", resolution });
    for (const key of ["payer", "all"]) {
      expect(await resolve(answer, key)).toMatchObject({ status: 200, body: first.body });
    }
    const abandoned = await resolve({ outcome: "abandoned" }, "all");
    const other = expectProblem(abandoned, 409, "already_resolved");
    expect(other["outcome"]).toBe("did_not_happen");
    const body = { result: { charge: 1 }, dispatchToken };
    const late = await served.ask("POST", `/v1/receipts/${id}/acceptances`, { body });
    expectProblem(late, 409, "already_resolved");
    const { body: shown } = await served.ask("GET", `/v1/receipts/${id}`);
    expect(shown["notes"]).toEqual([
      { at: START_MS, kind: "contradiction", result: { charge: 1 } },
    ]);
    expect(shown["receipt"]).toEqual(first.body["receipt"]);
  });

  it.each([
    [{ outcome: "happened" }, "result", "is needed with outcome happened"],
    [{ outcome: "abandoned", result: 1 }, "result", "goes with outcome happened only"],
    [{ outcome: "did_not_happen", result: null }, "result", "goes with outcome happened only"],
    [{ outcome: "maybe" }, "outcome", "must be one of happened, did_not_happen, abandoned"],
    [{ outcome: "abandoned", by: "" }, "by", "Too small"],
    [{ outcome: "abandoned", by: "x".repeat(193) }, "by", "Too big"],
  ])("are not resolved by %j, and the place is told", async (body, path, message) => {
    const served = await serve();
    const { id } = await receipt(served, "outcome-unknown");
    const told = await served.ask("POST", `/v1/receipts/${id}/resolutions`, { body });
    expect(expectProblem(told, 422, "invalid_request")["errors"]).toEqual([
      { path, message: expect.stringContaining(message) },
    ]);
  });

  it("may be null, also of a resolution, which names the key and whoever it named", async () => {
    const served = await serve();
    const { id } = await receipt(served, "outcome-unknown");
    const resolve = (body: object) =>
      served.ask("POST", `/v1/receipts/${id}/resolutions`, {
        body,
        key: served.keys["payer"] ?? null,
      });
    const answer = { outcome: "happened", result: null };
    const first = await resolve({ ...answer, by: "Ann" });
    expect(first.body["receipt"]).toMatchObject({
      resolution: { ...answer, resolvedBy: "payer/Ann" },
    });
    for (const same of [answer, { ...answer, by: "Bob" }]) {
      expect((await resolve(same)).body).toEqual(first.body);
    }
    expectProblem(await resolve({ ...answer, result: 0 }), 409, "already_resolved");
  });

  it("that happened are resolved with what came of them", async () => {
    const served = await serve();
    const { id } = await receipt(served, "outcome-unknown");
    const body = { outcome: "happened", result: { charge: 1 } };
    const told = await served.ask("POST", `/v1/receipts/${id}/resolutions`, { body });
    expect(told.body["receipt"]).toMatchObject({ resolution: body });
  });

  it("RECEIPT-24 of no receipt are refused as those of none", async () => {
    const { ask } = await serve();
    const path = `/v1/receipts/${"a".repeat(64)}`;
    for (const [route, body] of [
      ["dispatches", {}],
      ["dispatch-renewals", { dispatchToken: "t", leaseMs: 1 }],
      ["acceptances", { result: 1 }],
      ["completions", undefined],
      ["unknowns", {}],
      ["resolutions", { outcome: "happened", result: 1 }],
      ["resolutions", { outcome: "abandoned" }],
    ] as const) {
      const told = await ask("POST", `${path}/${route}`, body === undefined ? {} : { body });
      expectProblem(told, 404, "receipt_not_found");
    }
  });

  it("are unknown to others only when the dispatch has lapsed", async () => {
    const served = await serve();
    const { id } = await receipt(served, "dispatching");
    const unknown = () => served.ask("POST", `/v1/receipts/${id}/unknowns`);
    expectProblem(await unknown(), 409, "dispatch_lost");
    served.advance(90_000);
    expect((await unknown()).body["receipt"]).toMatchObject({ state: "outcome-unknown" });
  });
});

describe("reading", () => {
  it("lists pages by creation time, within a state, and tells what is unreadable", async () => {
    const { ask, storage, advance } = await serve();
    for (const n of [1, 2, 3]) {
      await ask("POST", "/v1/receipts", { body: { operationId: `o-${n}`, payload: n } });
      advance(1);
    }
    storage.plant(`receipts/records/${"0".repeat(64)}`, "{}");
    const all = await ask("GET", "/v1/receipts");
    const names = (all.body["receipts"] as { operationId: string }[]).map((one) => one.operationId);
    expect(names).toEqual(["o-1", "o-2", "o-3"]);
    expect(all.body["corrupt"]).toMatchObject([{ id: "0".repeat(64) }]);
    expect((await ask("GET", "/v1/receipts?state=terminal")).body["receipts"]).toEqual([]);
    const first = await ask("GET", "/v1/receipts?limit=2");
    const rest = await ask("GET", `/v1/receipts?limit=128&cursor=${first.body["nextCursor"]}`);
    const met = [first, rest].flatMap(({ body }) => body["receipts"] as { id: string }[]);
    expect(new Set(met.map(({ id }) => id)).size).toBe(3);
    expectProblem(await ask("GET", "/v1/receipts?cursor=x"), 422, "invalid_cursor");
    expectProblem(await ask("GET", "/v1/receipts?limit=129"), 422, "invalid_request");
  });

  it("lists those of one instant by id", async () => {
    const { ask } = await serve();
    for (const n of [1, 2, 3, 4, 5]) {
      await ask("POST", "/v1/receipts", { body: { operationId: `o-${n}`, payload: n } });
    }
    const { body } = await ask("GET", "/v1/receipts");
    const ids = (body["receipts"] as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
  });

  it("G9 looks at 1,000 receipts for a page within a state, and tells where to go on", async () => {
    const served = await serve();
    const { payload, ...key } = OPERATION;
    const idOf = (operationId: string) => receiptIdOf({ ...key, operationId } as OperationKey);
    const ids = Array.from({ length: 1_001 }, (_, n) => [idOf(`o-${n}`), `o-${n}`] as const);
    for (const [id, operationId] of ids) {
      served.storage.plant(`receipts/records/${id}`, originals({ ...key, id, operationId }));
    }
    const [last] = ids
      .map(([id]) => id)
      .toSorted()
      .slice(-1);
    await served.ask("POST", `/v1/receipts/${last}/dispatches`, { body: {} });
    const first = await served.ask("GET", "/v1/receipts?state=dispatching");
    expect(first.body).toMatchObject({ receipts: [], nextCursor: expect.any(String) });
    const path = `/v1/receipts?state=dispatching&cursor=${first.body["nextCursor"]}`;
    const { body } = await served.ask("GET", path);
    expect(body).toMatchObject({ receipts: [{ id: last }], nextCursor: null });
    const few = await served.ask("GET", "/v1/receipts?state=prepared&limit=2");
    expect(few.body["receipts"]).toHaveLength(2);
    const page = await served.ask("GET", "/v1/receipts");
    expect(page.body["receipts"]).toHaveLength(64);
  });

  it("refuses an id that is none", async () => {
    const { ask } = await serve();
    for (const id of ["x", "A".repeat(64), "..%2fup"]) {
      const told = await ask("GET", `/v1/receipts/${id}`);
      expect(expectProblem(told, 422, "invalid_request")["errors"]).toMatchObject([{ path: "id" }]);
    }
  });

  it("needs the scope of receipts, and shows no other tenant anything", async () => {
    const served = await serve();
    const { id } = await receipt(served, "prepared");
    const read = (key: string) =>
      served.ask("GET", `/v1/receipts/${id}`, { key: served.keys[key] ?? null });
    expect((await read("auditor")).status).toBe(200);
    expectProblem(await read("reader"), 403, "forbidden");
    expectProblem(await read("acme"), 404, "receipt_not_found");
    const body = REQUEST;
    const key = served.keys["auditor"] ?? null;
    expectProblem(await served.ask("POST", "/v1/receipts", { body, key }), 403, "forbidden");
    const recovery = await served.ask("POST", "/v1/receipt-recoveries", {
      key: served.keys["payer"] ?? null,
    });
    expectProblem(recovery, 403, "forbidden");
  });
});

describe("what an operator sees", () => {
  it("an unknown outcome is stuck until it is resolved, a contradiction until it is retired", async () => {
    const served = await serve();
    const { id, dispatchToken } = await receipt(served, "outcome-unknown");
    const stuck = async () => (await served.ask("GET", "/v1/stuck")).body["items"];
    expect(await stuck()).toMatchObject([
      { machine: "receipts", id, state: "outcome-unknown", since: START },
    ]);
    const health = (await served.ask("GET", "/v1/health")).body["receipts"];
    expect(health).toMatchObject({ stuck: { due: 1 }, counters: { outcomesUnknown: 1 } });
    const resolution = { body: { outcome: "abandoned" } };
    await served.ask("POST", `/v1/receipts/${id}/resolutions`, resolution);
    expect(await stuck()).toEqual([]);
    const body = { result: 1, dispatchToken };
    await served.ask("POST", `/v1/receipts/${id}/acceptances`, { body });
    expect(await stuck()).toMatchObject([
      { machine: "receipts", id, why: expect.stringContaining("contradicts") },
    ]);
    served.advance(31 * 86_400_000);
    const pass = await served.ask("POST", "/v1/reconciliations");
    expect(pass.body["receipts"]).toEqual({ recovered: 0, retired: 1 });
    expect(await stuck()).toEqual([]);
    const told = await served.ask("GET", `/v1/receipts/${id}`);
    expect(expectProblem(told, 410, "operation_expired")).toMatchObject({
      ...{ outcome: "abandoned", erased: false },
      detail: "the operation is past its retention; its id is never used again",
    });
  });

  it("a pass recovers what lapsed, and a dry run tells that it would", async () => {
    const served = await serve();
    await receipt(served, "dispatching");
    served.advance(90_000);
    const pass = (body: object) => served.ask("POST", "/v1/reconciliations", { body });
    const counts = { recovered: 1, retired: 0 };
    expect((await pass({ dryRun: true })).body["receipts"]).toEqual(counts);
    expect((await pass({})).body["receipts"]).toEqual(counts);
    expect((await pass({})).body["receipts"]).toEqual({ recovered: 0, retired: 0 });
  });

  it("an erased receipt answers operation_expired, and one in use is refused", async () => {
    const served = await serve();
    const { id } = await receipt(served, "prepared");
    const erase = () => served.ask("POST", "/v1/erasures", { body: { receipt: id } });
    const first = await erase();
    expect(first.body).toMatchObject({ machine: "receipts", id, state: "prepared" });
    expect((await erase()).status).toBe(200);
    const gone = await served.ask("GET", `/v1/receipts/${id}`);
    expect(expectProblem(gone, 410, "operation_expired")).toMatchObject({
      ...{ outcome: "not_started", erased: true },
      detail: "the operation was erased; its id is never used again",
    });
    const both = { email: "a", receipt: id };
    for (const body of [{}, both]) {
      const told = await served.ask("POST", "/v1/erasures", { body });
      expect(expectProblem(told, 422, "invalid_request")["errors"]).toEqual([
        { path: "email", message: "exactly one of email, receipt, query" },
      ]);
    }
    const other = await serve();
    const used = await receipt(other, "dispatching");
    const told = await other.ask("POST", "/v1/erasures", { body: { receipt: used.id } });
    expectProblem(told, 409, "in_use");
  });
});
