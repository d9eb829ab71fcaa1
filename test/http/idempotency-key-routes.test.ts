/** Where the `Idempotency-Key` middleware stands: what a key means there, and whose fault is told to whom. */
import { type Context, type Env, Hono } from "hono";
import { timeout } from "hono/timeout";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { type IdempotencyVariables, idempotencyKey } from "../../src/http/idempotency-key.ts";
import type { IdempotencyOptions } from "../../src/http/idempotency-options.ts";
import { InvalidInputError } from "../../src/services/errors.ts";
import type { Receipts } from "../../src/services/receipts.ts";

async function store(): Promise<Receipts> {
  return (await createHoldfast({ storage: memoryStorage() })).receipts;
}

async function ask<E extends Env>(
  app: Hono<E>,
  path: string,
  headers: Record<string, string> = {},
): Promise<unknown[]> {
  const keyed = { "idempotency-key": "key-1", ...headers };
  const answer = await app.request(path, { method: "POST", headers: keyed });
  const text = await answer.text();
  const isProblem = answer.headers.get("content-type") === "application/problem+json";
  return [answer.status, isProblem ? JSON.parse(text).code : text];
}

/** A route that says how often it ran. */
function counting(): (c: Context) => Response {
  let runs = 0;
  return (c) => {
    runs += 1;
    return c.text(`run ${runs}`);
  };
}

describe("what a key means", () => {
  it("stays the same when a page for everything else is put behind the routes", async () => {
    const receipts = await store();
    const route = counting();
    const version = (): Hono => {
      const app = new Hono();
      app.use("*", idempotencyKey(receipts));
      app.post("/orders/:id", route);
      return app;
    };
    expect(await ask(version(), "/orders/1")).toEqual([200, "run 1"]);
    const later = version();
    later.all("/*", (c) => c.text("not here", 404));
    later.use("/orders/*", (_, next) => next());
    expect(await ask(later, "/orders/1")).toEqual([200, "run 1"]);
  });

  it.each(["/any/a", "/orders/1"])(
    "stays the same at %s beside guards and pages of a method",
    async (path) => {
      const receipts = await store();
      const route = counting();
      const version = (isGuarded: boolean): Hono => {
        const app = new Hono();
        app.use("/any/*", idempotencyKey(receipts));
        app.use("/orders/*", idempotencyKey(receipts));
        if (isGuarded) app.post("/orders/*", (_, next) => next());
        app.all("/any/a", route);
        app.post("/orders/:id", route);
        if (isGuarded) app.post("/*", (c) => c.text("not here", 404));
        return app;
      };
      for (const isGuarded of [false, true]) {
        expect(await ask(version(isGuarded), path)).toEqual([200, "run 1"]);
      }
    },
  );

  it("is one of its route, with a page for everything else, too", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/a/:id", (c) => c.text("a"));
    app.post("/b/:id", (c) => c.text("b"));
    app.all("*", (c) => c.text("not here", 404));
    expect(await ask(app, "/a/1")).toEqual([200, "a"]);
    expect(await ask(app, "/b/1")).toEqual([200, "b"]);
    expect(await ask(app, "/b/2")).toEqual([422, "idempotency_key_conflict"]);
  });

  it("is one of the middleware's pattern where the routes are of any method, or mounted", async () => {
    const receipts = await store();
    const app = new Hono();
    app.use("/any/*", idempotencyKey(receipts));
    app.all("/any/a", (c) => c.text("a"));
    app.all("/any/b", (c) => c.text("b"));
    app.use("/in/*", idempotencyKey(receipts));
    app.mount("/in", new Hono().post("/a", (c) => c.text("mounted")).fetch);
    expect(await ask(app, "/any/a")).toEqual([200, "a"]);
    expect(await ask(app, "/any/b")).toEqual([422, "idempotency_key_conflict"]);
    expect(await ask(app, "/in/a")).toEqual([200, "mounted"]);
    const [id] = [
      ...new Set((await receipts.list()).receipts.map((one) => one.workspaceId)),
    ].sort();
    expect(id).toBe("/any/*");
  });

  it("is one of its route where the middleware, or one before it, is of a method, too", async () => {
    const receipts = await store();
    const app = new Hono();
    app.post("*", (_, next) => next());
    app.post("*", idempotencyKey(receipts));
    app.post("/a", (c) => c.text("a"));
    app.post("/b", (c) => c.text("b"));
    app.post("/alone", idempotencyKey(receipts), (c) => c.text("alone"));
    for (const name of ["a", "b", "alone"]) expect(await ask(app, `/${name}`)).toEqual([200, name]);
    const scopes = (await receipts.list()).receipts.map(({ workspaceId }) => workspaceId);
    expect(scopes.sort()).toEqual(["/a", "/alone", "/b"]);
  });

  it("is what `scope` says: a route that is renamed keeps its keys", async () => {
    const receipts = await store();
    const route = counting();
    const version = (pattern: string): Hono => {
      const app = new Hono();
      app.use("*", idempotencyKey(receipts, { scope: () => "orders" }));
      app.post(pattern, route);
      return app;
    };
    expect(await ask(version("/orders/:id"), "/orders/1")).toEqual([200, "run 1"]);
    expect(await ask(version("/orders/:order"), "/orders/1")).toEqual([200, "run 1"]);
  });

  it("may stand on a route of any length", async () => {
    const path = `/${"r".repeat(300)}`;
    const route = counting();
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post(path, route);
    for (let n = 0; n < 2; n += 1) expect(await ask(app, path)).toEqual([200, "run 1"]);
  });
});

describe("the middleware, matched twice in one request,", () => {
  it("runs the route once, and sends its response again", async () => {
    const receipts = await store();
    const inner = new Hono();
    inner.use("*", idempotencyKey(receipts, { required: true }));
    inner.post("/orders", counting());
    const app = new Hono().use("*", idempotencyKey(receipts)).route("/in", inner);
    for (let n = 0; n < 2; n += 1) expect(await ask(app, "/in/orders")).toEqual([200, "run 1"]);
    expect((await receipts.list()).receipts).toHaveLength(1);
  });

  it.each(["/", "/in"])("does so in an app that is mounted at %s, too", async (at) => {
    const receipts = await store();
    const route = counting();
    const inner = new Hono<{ Variables: IdempotencyVariables }>();
    inner.use("*", idempotencyKey(receipts, { required: true }));
    inner.all("*", async (c) => {
      const [receipt] = (await receipts.list()).receipts;
      expect(c.get("operationReceipt")?.id).toBe(receipt?.id);
      expect(await c.req.text()).toBe("{}");
      return route(c);
    });
    const app = new Hono().use("*", idempotencyKey(receipts)).mount(at, inner.fetch);
    const path = at === "/" ? "/orders" : "/in/orders";
    for (let n = 0; n < 2; n += 1) expect(await asked(app, path)).toEqual([200, "run 1"]);
    expect((await receipts.list()).receipts).toHaveLength(1);
  });

  it("does so where the runtime lets nobody change a request's headers", async () => {
    const receipts = await store();
    const inner = new Hono().use("*", idempotencyKey(receipts)).all("*", counting());
    const app = new Hono().use("*", idempotencyKey(receipts)).mount("/", inner.fetch);
    for (let n = 0; n < 2; n += 1) {
      const fixed = (request: Request): Request => {
        const set = (): never => {
          throw new TypeError("immutable");
        };
        Object.defineProperty(request.headers, "set", { value: set });
        return request;
      };
      expect(await asked(app, "/orders", fixed)).toEqual([200, "run 1"]);
    }
  });

  it("acts on a request that the route makes, with another key beside copied headers", async () => {
    const receipts = await store();
    const inner = new Hono().use("*", idempotencyKey(receipts)).post("/orders", counting());
    const app = new Hono().use("*", idempotencyKey(receipts));
    app.post("/batches", (c) => {
      const headers = { ...c.req.header(), "idempotency-key": "key-of-one" };
      return inner.request("/orders", { method: "POST", headers });
    });
    expect(await ask(app, "/batches")).toEqual([200, "run 1"]);
    const again = { "idempotency-key": "key-of-one" };
    expect(await ask(inner, "/orders", again)).toEqual([200, "run 1"]);
    expect((await receipts.list()).receipts).toHaveLength(2);
  });

  it("lets no request pass for one that is running by a header", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/orders", counting());
    const headers = { "x-holdfast-running": "undefined" };
    for (let n = 0; n < 2; n += 1)
      expect(await ask(app, "/orders", headers)).toEqual([200, "run 1"]);
  });

  /** With a body, which has to reach the app inside. */
  async function asked<E extends Env>(
    app: Hono<E>,
    path: string,
    made: (request: Request) => Request = (request) => request,
  ): Promise<unknown[]> {
    const init = { method: "POST", body: "{}", headers: { "idempotency-key": "key-1" } };
    const answer = await app.fetch(made(new Request(`http://localhost${path}`, init)));
    return [answer.status, await answer.text()];
  }
});

describe("a route that gives no response", () => {
  it("is the app's to answer, and leaves an outcome that is not known", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    const forgetful: (c: Context) => void = () => {};
    app.on("POST", "/nothing", forgetful as (c: Context) => Response);
    app.post("/text", () => Promise.reject("no error"));
    app.onError((error, c) => c.text(`the app says: ${error.message}`, 500));
    expect(await ask(app, "/nothing")).toEqual([
      ...[500, "the app says: the route returned no response"],
    ]);
    await expect(ask(app, "/text")).rejects.toBe("no error");
    for (const path of ["/nothing", "/text"]) {
      expect(await ask(app, path)).toEqual([409, "operation_outcome_unknown"]);
    }
  });

  it("in time, by a middleware outside or inside, has an outcome that is not known", async () => {
    const receipts = await store();
    const ends: (() => void)[] = [];
    const slow = (c: Context): Promise<Response> =>
      new Promise((resolve) => ends.push(() => resolve(c.text("late"))));
    const app = new Hono();
    app.use("/outside/*", timeout(1));
    app.use("*", idempotencyKey(receipts, { waitMs: 20_000 }));
    app.use("/inside/*", timeout(1));
    app.post("/outside/x", slow);
    app.post("/inside/x", slow);
    for (const path of ["/outside/x", "/inside/x"]) {
      expect(await ask(app, path)).toEqual([504, "Gateway Timeout"]);
      for (const end of ends.splice(0)) end();
    }
    for (const path of ["/outside/x", "/inside/x"]) await unknown(app, path);
  });

  /** The time limit holds for whoever waits for the first one, too. */
  async function unknown(app: Hono, path: string): Promise<void> {
    let answer = await ask(app, path);
    while (answer[0] === 504) answer = await ask(app, path);
    expect(answer).toEqual([409, "operation_outcome_unknown"]);
  }
});

describe("a fault of the application's own", () => {
  it.each<[string, unknown]>([
    ["a wait below nothing", { waitMs: -1 }],
    ["a slip in a name", { principal: () => "ann" }],
    ["a principal that is no function", { principalId: "ann" }],
    ["no options but null", null],
  ])("is refused at once: %s", async (_, options) => {
    const receipts = await store();
    const make = (): unknown => idempotencyKey(receipts, options as IdempotencyOptions);
    expect(make).toThrow(InvalidInputError);
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["nothing", ""],
    ["257 characters", "x".repeat(257)],
    ["a promise", Promise.resolve("ann")],
    ["half a character", "\ud800"],
  ])("is thrown to it: a principal or scope that is %s", async (_, name) => {
    const receipts = await store();
    for (const option of ["principalId", "scope"]) {
      const options: IdempotencyOptions = { [option]: () => name };
      const app = new Hono();
      app.use("*", idempotencyKey(receipts, options));
      app.post("/x", counting());
      app.onError((error, c) => c.text(error.message, 500));
      expect(await ask(app, "/x")).toEqual([
        ...[500, `idempotencyKey: ${option} must return a string of 1 to 256 characters`],
      ]);
    }
    expect((await receipts.list()).receipts).toEqual([]);
  });

  it("is thrown to it: what finding the receipts throws, and what is no answer of the service", async () => {
    const lost = (): never => {
      throw new Error("no such tenant");
    };
    const broken = (error: Error) => (): Receipts =>
      ({ once: () => Promise.reject(error) }) as unknown as Receipts;
    const unchecked = new InvalidInputError([{ path: "waitMs", message: "must be a number" }]);
    for (const [receipts, message] of [
      [lost, "no such tenant"],
      [broken(new RangeError("a bug")), "a bug"],
      [broken(unchecked), "waitMs: must be a number"],
    ] as const) {
      const app = new Hono();
      app.use("*", idempotencyKey(receipts));
      app.post("/x", counting());
      app.onError((error, c) => c.text(`the app says: ${error.message}`, 500));
      expect(await ask(app, "/x")).toEqual([500, `the app says: ${message}`]);
    }
  });

  it("is found by the compiler, where it knows the app's variables", async () => {
    interface AppEnv extends Env {
      readonly Variables: IdempotencyVariables & { user: string; guest?: string };
    }
    const receipts = await store();
    const app = new Hono<AppEnv>();
    app.use("*", async (c, next) => {
      c.set("user", c.req.header("x-user") ?? "nobody");
      await next();
    });
    app.use("*", idempotencyKey<AppEnv>(receipts, { principalId: (c) => c.get("user") }));
    // @ts-expect-error -- guest may be undefined
    idempotencyKey<AppEnv>(receipts, { principalId: (c) => c.get("guest") });
    app.post("/x", (c) => c.text(`${c.get("user")} ${c.get("operationReceipt") === undefined}`));
    expect(await ask(app, "/x", { "x-user": "ann" })).toEqual([200, "ann false"]);
    expect(await ask(app, "/x", { "x-user": "ben" })).toEqual([200, "ben false"]);
  });
});
