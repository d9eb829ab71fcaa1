/** The `Idempotency-Key` middleware on an application's own routes (http-api "Receipts"). */
import { type Context, Hono } from "hono";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { sha256Hex } from "../../src/core/hash.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { idempotencyKey } from "../../src/http/idempotency-key.ts";
import type { IdempotencyOptions } from "../../src/http/idempotency-options.ts";
import type { HttpResult } from "../../src/machines/receipts/built-in-operations.ts";
import type { Receipt } from "../../src/machines/receipts/receipt.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import type { Log } from "../../src/ports/log.ts";
import type { HoldfastOptions } from "../../src/services/options.ts";

interface Shop {
  readonly holdfast: Holdfast;
  readonly app: Hono;
  /** How often the routes ran. */
  readonly runs: string[];
  advance(ms: number): void;
  ask(path: string, init?: RequestInit & { readonly key?: string | null }): Promise<Response>;
}

const ORDER = { item: "lamp", count: 2 };

async function shop(
  options: IdempotencyOptions & Pick<HoldfastOptions, "limits" | "log" | "storage"> = {
    storage: memoryStorage(),
  },
  route: (c: Context) => Response | Promise<Response> = async (c) =>
    c.json({ order: await c.req.json(), n: 1 }, 201, { "x-order": "o-1" }),
): Promise<Shop> {
  const { limits, log, storage, ...idempotency } = options;
  let now = Date.parse("2026-01-31T09:00:00.000Z");
  const holdfast = await createHoldfast({
    storage: storage ?? memoryStorage(),
    clock: { ...systemClock(), now: () => epochMs(now) },
    ...(limits === undefined ? {} : { limits }),
    ...(log === undefined ? {} : { log }),
  });
  const runs: string[] = [];
  const app = new Hono();
  const tenantOf = (c: Context) => {
    const tenant = c.req.header("x-tenant");
    return tenant === undefined ? holdfast.receipts : holdfast.tenant(tenant).receipts;
  };
  app.use("*", idempotencyKey(tenantOf, idempotency));
  app.on(["GET", "POST", "PUT"], "/orders/:shop", (c) => {
    runs.push(`${c.req.method} ${c.req.path}`);
    return route(c);
  });
  return {
    holdfast,
    app,
    runs,
    advance: (ms) => {
      now += ms;
    },
    async ask(path, { key = "key-1", headers, ...init } = {}) {
      const own = key === null ? {} : { "idempotency-key": key };
      return app.request(path, {
        method: "POST",
        ...(init.method === "GET" ? {} : { body: JSON.stringify(ORDER) }),
        headers: { "content-type": "application/json", ...own, ...headers },
        ...init,
      });
    },
  };
}

async function told(response: Response): Promise<unknown[]> {
  return [response.status, [...response.headers], await response.text()];
}

async function problem(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const body = (await response.json()) as Record<string, unknown>;
  expect(body["status"]).toBe(response.status);
  return body;
}

describe("a request with a key", () => {
  it("runs its route once; a repeat is sent the same response", async () => {
    const { ask, runs } = await shop();
    const first = await ask("/orders/one");
    expect(first.status).toBe(201);
    expect(first.headers.get("x-order")).toBe("o-1");
    const answer = await told(first);
    expect(answer[2]).toBe(JSON.stringify({ order: ORDER, n: 1 }));
    expect(await told(await ask("/orders/one"))).toEqual(answer);
    expect(runs).toHaveLength(1);
  });

  it("runs once for many at once", async () => {
    const { ask, runs } = await shop({ storage: memoryStorage(), waitMs: 5_000 });
    const all = await Promise.all([1, 2, 3, 4].map(() => ask("/orders/one")));
    expect(new Set(await Promise.all(all.map((one) => one.text()))).size).toBe(1);
    expect(runs).toHaveLength(1);
  });

  it.each([
    ["another body", "/orders/one", { body: "{}" }],
    ["another path", "/orders/two", {}],
    ["another query", "/orders/one?x=1", {}],
    ["another method", "/orders/one", { method: "PUT" }],
  ])("is refused with %s, and nothing of the first is told", async (_, path, init) => {
    const { ask, runs } = await shop();
    await ask("/orders/one");
    const refused = await ask(path, init);
    expect(await problem(refused)).toMatchObject({ status: 422, code: "idempotency_key_conflict" });
    expect(runs).toHaveLength(1);
  });

  it("is another's with another tenant, principal or key", async () => {
    const principalId = (c: Context) => c.req.header("x-user") ?? "nobody";
    const { ask, runs } = await shop({ storage: memoryStorage(), principalId });
    for (const headers of [{}, { "x-tenant": "acme" }, { "x-user": "ann" }]) {
      expect((await ask("/orders/one", { headers })).status).toBe(201);
    }
    await ask("/orders/one", { key: "key-2" });
    expect(runs).toHaveLength(4);
  });

  it("that is running is 409 with Retry-After, and its repeat is answered later", async () => {
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { ask, runs } = await shop(undefined, async (c) => {
      await held;
      return c.text("done");
    });
    const first = ask("/orders/one");
    while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const busy = await ask("/orders/one");
    expect(busy.headers.get("retry-after")).toBe("1");
    expect(await problem(busy)).toMatchObject({
      ...{ status: 409, code: "operation_in_flight", retryAfterMs: 1_000 },
    });
    end();
    expect(await (await first).text()).toBe("done");
    expect(await (await ask("/orders/one")).text()).toBe("done");
    expect(runs).toHaveLength(1);
  });
});

describe("the body of a request", () => {
  it("may have been read before, and is the route's to read in any way", async () => {
    const holdfast = await createHoldfast({ storage: memoryStorage() });
    const app = new Hono();
    app.use("*", async (c, next) => {
      if (c.req.query("read") !== undefined) await c.req.json();
      await next();
    });
    app.use("*", idempotencyKey(holdfast.receipts));
    app.post("/hono", async (c) => c.json(await c.req.json()));
    app.post("/raw", async (c) => c.json(await c.req.raw.json()));
    const body = JSON.stringify(ORDER);
    const headers = { "idempotency-key": "key-1" };
    for (const path of ["/hono?read", "/hono", "/raw"]) {
      const answer = await app.request(path, { method: "POST", body, headers });
      expect([path, answer.status, path === "/hono" ? ORDER : await answer.json()]).toEqual([
        ...[path, path === "/hono" ? 422 : 200, ORDER],
      ]);
    }
  });
});

describe("the outcome", () => {
  it("is any response that the route returns, failures too", async () => {
    const { ask, runs } = await shop(undefined, (c) => c.text("no funds", 402));
    for (let n = 0; n < 2; n += 1) {
      const answer = await ask("/orders/one");
      expect([answer.status, await answer.text()]).toEqual([402, "no funds"]);
    }
    expect(runs).toHaveLength(1);
  });

  it("is not known when the route throws; its own caller is told by the app", async () => {
    const { ask, runs, app } = await shop(undefined, () => {
      throw new Error("socket hang up");
    });
    app.onError((error, c) => c.text(`the app says: ${error.message}`, 500));
    const first = await ask("/orders/one");
    expect([first.status, await first.text()]).toEqual([500, "the app says: socket hang up"]);
    const again = await ask("/orders/one");
    const body = await problem(again);
    expect(body).toMatchObject({ status: 409, code: "operation_outcome_unknown" });
    expect(body["receiptId"]).toMatch(/^[0-9a-f]{64}$/);
    expect(again.headers.get("retry-after")).toBeNull();
    expect(runs).toHaveLength(1);
  });

  it("that could not be stored is sent all the same, and logged; a repeat gets no answer", async () => {
    let isLost = false;
    const inner = memoryStorage();
    const storage: Storage = {
      async open(context) {
        const backend = await inner.open(context);
        const lost = () => Promise.reject(new MisconfiguredError("the folder is another's"));
        return { ...backend, putIf: (...put) => (isLost ? lost() : backend.putIf(...put)) };
      },
    };
    const lines: unknown[] = [];
    const log: Log = (level, event) => void lines.push([level, event]);
    const { ask, runs, advance } = await shop({ storage, log }, (c) => {
      isLost = true;
      return c.text("charged", 201, { "x-order": "o-1" });
    });
    const first = await ask("/orders/one");
    expect([first.status, first.headers.get("x-order"), await first.text()]).toEqual([
      ...[201, "o-1", "charged"],
    ]);
    expect(lines).toEqual([["warn", "receipt outcome not stored"]]);
    isLost = false;
    advance(90_000);
    const again = await problem(await ask("/orders/one"));
    expect(again).toMatchObject({ status: 409, code: "operation_outcome_unknown" });
    expect(runs).toHaveLength(1);
  });

  it("that came after a person gave it up is sent to whoever asked, and kept as a note", async () => {
    const made = await shop(undefined, async (c) => {
      made.advance(90_000);
      const { receipts } = made.holdfast;
      await receipts.recoverInterrupted();
      const [receipt] = (await receipts.list()).receipts;
      await receipts.resolve(receipt?.id ?? "", { outcome: "did_not_happen", resolvedBy: "ann" });
      return c.text("charged after all");
    });
    expect(await (await made.ask("/orders/one")).text()).toBe("charged after all");
    const again = await problem(await made.ask("/orders/one"));
    expect(again).toMatchObject({ status: 409, code: "already_resolved" });
    const [receipt] = (await made.holdfast.receipts.list()).receipts;
    expect(await made.holdfast.receipts.notes(receipt?.id ?? "")).toHaveLength(1);
  });

  it("that a person resolved is sent, or told", async () => {
    const { ask, holdfast, app } = await shop(undefined, () => {
      throw new Error("socket hang up");
    });
    app.onError((_, c) => c.text("failed", 500));
    const idOf = async (key: string): Promise<string> => {
      await ask("/orders/one", { key });
      return String((await problem(await ask("/orders/one", { key })))["receiptId"]);
    };
    const resolvedBy = "ann";
    const body = { encoding: "text", data: "it went through" };
    const result = { status: 201, headers: [["x-by", "ann"]], body };
    const happened = { outcome: "happened", result, resolvedBy } as const;
    await holdfast.receipts.resolve(await idOf("a"), happened);
    const sent = await ask("/orders/one", { key: "a" });
    expect([sent.status, sent.headers.get("x-by"), await sent.text()]).toEqual([
      ...[201, "ann", "it went through"],
    ]);
    await holdfast.receipts.resolve(await idOf("b"), { outcome: "did_not_happen", resolvedBy });
    expect(await problem(await ask("/orders/one", { key: "b" }))).toMatchObject({
      ...{ status: 409, code: "already_resolved", outcome: "did_not_happen" },
    });
  });

  it.each([
    ["bytes that are no text", () => new Response(new Uint8Array([0, 255, 128, 10]))],
    ["text of control characters", () => new Response("\u0000".repeat(60_000))],
    ["text with a NUL", () => new Response(`${"x".repeat(100)}\u0000`)],
    ["text without a type", () => new Response(new TextEncoder().encode("plain"))],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "/else" } })],
    ["an empty answer", () => new Response(null, { status: 204 })],
    ["64 KiB", () => new Response("x".repeat(65_536))],
    [
      "two cookies",
      () =>
        new Response("x", {
          headers: [
            ["set-cookie", "a=1"],
            ["set-cookie", "b=2"],
          ],
        }),
    ],
  ])("%s is sent again as it was", async (_, make) => {
    const { ask } = await shop(undefined, make);
    const first = await ask("/orders/one");
    const bytes = new Uint8Array(await first.arrayBuffer());
    const again = await ask("/orders/one");
    expect([again.status, [...again.headers]]).toEqual([first.status, [...first.headers]]);
    expect(new Uint8Array(await again.arrayBuffer())).toEqual(bytes);
  });

  it("over 64 KiB is sent whole, once: a repeat is told that it was not kept", async () => {
    const large = "x".repeat(300_000);
    const { ask, runs } = await shop(undefined, () => new Response(large));
    expect(await (await ask("/orders/one")).text()).toBe(large);
    const again = await ask("/orders/one");
    expect(await problem(again)).toMatchObject({ status: 409, code: "response_not_kept" });
    expect(runs).toHaveLength(1);
  });
});

describe("the receipt of a request", () => {
  it("is the route's to read, by its type, and has the response as its result", async () => {
    const holdfast = await createHoldfast({ storage: memoryStorage() });
    const ids: (string | undefined)[] = [];
    const app = new Hono().post("/orders", idempotencyKey(holdfast.receipts), (c) => {
      const receipt: Receipt | undefined = c.var.operationReceipt;
      ids.push(receipt?.id);
      return c.text("done", 201);
    });
    await app.request("/orders", { method: "POST", headers: { "idempotency-key": "key-1" } });
    await app.request("/orders", { method: "POST" });
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), undefined]);
    const key = {
      ...{ tool: "http", action: "request", workspaceId: "/orders" },
      operationId: sha256Hex("key-1"),
    };
    const found = await holdfast.receipts.get(key);
    expect(found?.id).toBe(ids[0]);
    const result: HttpResult = {
      status: 201,
      headers: [["content-type", "text/plain; charset=UTF-8"]],
      body: { encoding: "text", data: "done" },
    };
    expect(found?.result).toEqual(result);
  });
});

describe("the header", () => {
  it("may be left out, unless it is required", async () => {
    const free = await shop();
    for (let n = 0; n < 2; n += 1) await free.ask("/orders/one", { key: null });
    expect(free.runs).toHaveLength(2);
    const { ask, runs } = await shop({ storage: memoryStorage(), required: true });
    const refused = await ask("/orders/one", { key: null });
    expect(await problem(refused)).toMatchObject({ status: 400, code: "idempotency_key_missing" });
    expect(runs).toHaveLength(0);
  });

  it("is refused when it is no key", async () => {
    const { ask, runs } = await shop();
    for (const key of ["", "x".repeat(256), "é"]) {
      const refused = await ask("/orders/one", { key });
      expect(await problem(refused)).toMatchObject({ code: "idempotency_key_invalid" });
    }
    expect(runs).toHaveLength(0);
  });

  it("means nothing to a request that changes nothing", async () => {
    const { ask, runs } = await shop({ storage: memoryStorage(), required: true }, (c) =>
      c.text("page"),
    );
    for (let n = 0; n < 2; n += 1) await ask("/orders/one", { method: "GET" });
    expect(runs).toHaveLength(2);
  });

  it("is stored as a hash, and so is the request", async () => {
    const storage = memoryStorage();
    const { ask } = await shop({ storage }, (c) => c.text("done"));
    await ask("/orders/one", { key: "a secret key" });
    expect([...storage.bodies().values()].join("")).not.toMatch(/a secret key|lamp/);
  });
});

describe("a service that cannot", () => {
  it("says so before the route runs", async () => {
    const storage = memoryStorage();
    const ill = await shop({ storage: storage.withFaults(() => "unavailable") });
    const refused = await ill.ask("/orders/one");
    expect(await problem(refused)).toMatchObject({ status: 503 });
    expect(refused.headers.get("retry-after")).toBe("1");
    const over = await shop({ storage });
    await over.ask("/orders/one");
    over.advance(31 * 86_400_000);
    const late = await over.ask("/orders/one");
    expect(await problem(late)).toMatchObject({
      ...{ status: 410, code: "operation_expired", outcome: "completed" },
    });
    const large = await over.ask("/orders/one", { body: "x".repeat(1_048_577) });
    expect(await problem(large)).toMatchObject({ status: 413, code: "body_too_large" });
    expect([ill.runs.length, over.runs.length]).toEqual([0, 1]);
  });

  it("tells a problem as the service does, without a page of its own", async () => {
    const storage = memoryStorage();
    const ill = await shop({ storage: storage.withFaults(() => "unavailable") });
    expect(await problem(await ill.ask("/orders/one?x=1"))).toEqual({
      type: "urn:holdfast:problems#outcome_unknown",
      title: "The outcome is not known",
      status: 503,
      detail: "it may have been done or not; repeating it does no harm",
      instance: "/orders/one",
      code: "outcome_unknown",
      retryAfterMs: 1_000,
    });
    const refused = await ill.ask("/orders/one", { key: "é" });
    expect(await problem(refused)).toEqual({
      type: "urn:holdfast:problems#idempotency_key_invalid",
      title: "The key is not valid",
      status: 400,
      detail: "Idempotency-Key must be 1 to 255 printable ASCII characters",
      instance: "/orders/one",
      code: "idempotency_key_invalid",
    });
  });

  it("is never full: the keys of one caller close no route for others", async () => {
    const { ask, runs, holdfast } = await shop({
      storage: memoryStorage(),
      limits: { receiptCapacity: 1 },
    });
    for (const key of ["a", "b", "c"]) expect((await ask("/orders/one", { key })).status).toBe(201);
    expect(runs).toHaveLength(3);
    const [own, other] = [{ operationId: "own-1" }, { operationId: "own-2" }];
    await holdfast.receipts.once(own, {}, () => 1);
    const full = holdfast.receipts.once(other, {}, () => 2);
    await expect(full).rejects.toMatchObject({ code: "operation_receipt_capacity" });
    // Nor does the end of one give a place back that it never had.
    const { receipts } = await holdfast.receipts.list();
    const kept = receipts.find(({ tool }) => tool === "http");
    await holdfast.receipts.erase(String(kept?.id));
    const still = holdfast.receipts.once(other, {}, () => 2);
    await expect(still).rejects.toMatchObject({ code: "operation_receipt_capacity" });
  });
});
