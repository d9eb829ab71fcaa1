/** Bodies and headers through the `Idempotency-Key` middleware, over a real connection where it matters. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { idempotencyKey } from "../../src/http/idempotency-key.ts";
import type { Receipts } from "../../src/services/receipts.ts";

const servers: ServerType[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close();
});

async function store(): Promise<Receipts> {
  return (await createHoldfast({ storage: memoryStorage() })).receipts;
}

async function served(app: Hono): Promise<string> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HEADERS = { "idempotency-key": "key-1" };

function ask(app: Hono, path: string, init: RequestInit = {}): Promise<Response> {
  return Promise.resolve(app.request(path, { method: "POST", headers: HEADERS, ...init }));
}

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as Record<string, unknown>)["code"];
}

describe("headers", () => {
  /** Prepares a request id and a cookie for every answer, as real middlewares do, in both ways of Hono. */
  async function app(route: (c: Context) => Response, touches: boolean): Promise<Hono> {
    let n = 0;
    const outer = new Hono().use("*", async (c, next) => {
      n += 1;
      c.header("x-request-id", `request-${n}`);
      setCookie(c, "sid", `rotated-${n}`);
      if (touches) c.res.headers.set("x-touched", `touch-${n}`);
      await next();
      c.header("x-after", `after-${n}`);
    });
    outer.use("*", idempotencyKey(await store()));
    outer.post("/orders", route);
    return outer;
  }

  const json = (c: Context): Response => {
    setCookie(c, "order", "o-1");
    return c.json({ order: 1 }, 201, { "x-order": "o-1" });
  };
  const bare = (): Response =>
    new Response("{}", { status: 201, headers: { "x-order": "o-1", "content-type": "text/x" } });

  it.each([
    ["of the context's own response", json, false, "application/json", ["order=o-1; Path=/"]],
    ["of a response of the route's", bare, true, "text/x", []],
    ["beside a response that was begun", json, true, "application/json", ["order=o-1; Path=/"]],
  ])(
    "that others prepared are this request's, those of the route the first's: %s",
    async (...given) => {
      const [, route, touches, type, cookies] = given;
      const url = await served(await app(route, touches));
      for (let n = 1; n <= 3; n += 1) {
        const body = n === 3 ? "other" : "same";
        const answer = await fetch(`${url}/orders`, { method: "POST", headers: HEADERS, body });
        await answer.text();
        const { headers } = answer;
        expect([headers.get("x-request-id"), headers.get("x-after")]).toEqual([
          ...[`request-${n}`, `after-${n}`],
        ]);
        expect(headers.get("x-touched")).toBe(touches ? `touch-${n}` : null);
        const isRefused = n === 3;
        expect([answer.status, headers.get("x-order"), headers.get("content-type")]).toEqual(
          isRefused ? [422, null, "application/problem+json"] : [201, "o-1", type],
        );
        expect(headers.getSetCookie()).toEqual([
          ...[`sid=rotated-${n}; Path=/`, ...(isRefused ? [] : cookies)],
        ]);
        expect(headers.get("content-length")).toMatch(/^[1-9]/);
      }
    },
  );
});

describe("the first answer", () => {
  it("is what it would be without the middleware, cookies too", async () => {
    const answers: unknown[] = [];
    for (const keyed of [false, true]) {
      const app = new Hono();
      app.use("*", async (c, next) => {
        setCookie(c, "sid", "s-1");
        await next();
      });
      if (keyed) app.use("*", idempotencyKey(await store()));
      const headers = { "content-type": "text/x", "set-cookie": "order=o-1" };
      app.post("/orders", () => new Response("done", { headers }));
      const answer = await ask(app, "/orders");
      answers.push([answer.status, [...answer.headers], await answer.text()]);
    }
    expect(answers[1]).toEqual(answers[0]);
  });
});

describe("an empty answer", () => {
  it("is sent again without a type, which it never had", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/orders", (c) => c.redirect("/else"));
    const url = `${await served(app)}/orders`;
    for (let n = 0; n < 2; n += 1) {
      const answer = await fetch(url, { method: "POST", headers: HEADERS, redirect: "manual" });
      const { headers } = answer;
      expect([answer.status, headers.get("location"), headers.get("content-type")]).toEqual([
        ...[302, "/else", null],
      ]);
    }
  });
});

describe("the body of a request", () => {
  describe("that is a form, and was read before by", () => {
    const BOUNDARY = "----boundary-of-a-form";

    type Field = readonly [name: string, value: string, file?: string];

    function form(...fields: readonly Field[]): RequestInit {
      const parts = fields.map(([name, value, file]) => {
        const of = file === undefined ? "" : `; filename="${file}"\r\ncontent-type: text/plain`;
        return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${of}\r\n\r\n${value}\r\n`;
      });
      const headers = { ...HEADERS, "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
      return { body: `${parts.join("")}--${BOUNDARY}--\r\n`, headers };
    }

    const FORM: readonly Field[] = [
      ["item", "lamp"],
      ["item", "bulb"],
      ["note", "bright", "note.txt"],
    ];
    const [first, second, file] = FORM as [Field, Field, Field];

    async function app(read: "formData" | "parseBody"): Promise<Hono> {
      const made = new Hono();
      made.use("*", async (c, next) => {
        await c.req[read]();
        await next();
      });
      made.use("*", idempotencyKey(await store()));
      return made.post("/orders", async (c) => c.json((await c.req.formData()).getAll("item")));
    }

    it.each(["formData", "parseBody"] as const)("%s, is the same in a repeat", async (read) => {
      const made = await app(read);
      for (let n = 0; n < 2; n += 1) {
        const answer = await ask(made, "/orders", form(...FORM));
        expect([answer.status, await answer.json()]).toEqual([200, ["lamp", "bulb"]]);
      }
    });

    it.each<[string, readonly Field[]]>([
      ["a field less", [first, file]],
      ["another order", [second, first, file]],
      ["another value", [first, ["item", "bulbs"], file]],
      ["another name", [first, ["items", "bulb"], file]],
      ["another file", [first, second, ["note", "dim", "note.txt"]]],
      ["another name of the file", [first, second, ["note", "bright", "n.txt"]]],
      ["a text in the file's place", [first, second, ["note", "bright"]]],
    ])("formData, is another with %s", async (_, fields) => {
      const made = await app("formData");
      await ask(made, "/orders", form(...FORM));
      expect((await ask(made, "/orders", form(...fields))).status).toBe(422);
    });

    it("formData, may have 1 MiB and not more", async () => {
      const made = await app("formData");
      const most = await ask(made, "/orders", form(["item", "x".repeat(1_048_572)]));
      const more = await ask(made, "/orders", form(["item", "x".repeat(1_048_573)]));
      expect([most.status, more.status]).toEqual([200, 413]);
    });
  });

  it("of unknown length is refused once it has more than 1 MiB, and not read to its end", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/orders", (c) => c.text("taken"));
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    // Streams are sent in half duplex, which the type does not know.
    const init: RequestInit & { readonly duplex: "half" } = { body, duplex: "half" };
    const refused = await ask(app, "/orders", init);
    expect([refused.status, await codeOf(refused)]).toEqual([413, "body_too_large"]);
    expect(pulled).toBeLessThan(24);
  });

  it("of unknown length is refused over a connection, too, and the client hears of it", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/orders", (c) => c.text("taken"));
    const call: ClientRequest = request(`${await served(app)}/orders`, {
      ...{ method: "POST", headers: HEADERS },
    });
    call.on("error", () => {});
    call.write(Buffer.alloc(1_500_000));
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    call.destroy();
  });
});

describe("a response that is a stream", () => {
  const encoder = new TextEncoder();

  it("of events is passed on as it comes, and ends with its reader", async () => {
    let isOver = false;
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/events", () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode("data: 1\n\n")),
        cancel() {
          isOver = true;
        },
      });
      return new Response(body, {
        headers: { "content-type": "text/event-stream; charset=utf-8" },
      });
    });
    const answer = await ask(app, "/events");
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 1\n\n");
    await reader?.cancel();
    expect(isOver).toBe(true);
    const again = await ask(app, "/events");
    expect([again.status, await codeOf(again)]).toEqual([409, "response_not_kept"]);
  });

  it("and larger than is kept ends with its reader", async () => {
    let isOver = false;
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/large", () => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(40_000)),
        cancel() {
          isOver = true;
        },
      });
      return new Response(body);
    });
    const { body } = await ask(app, "/large");
    await body?.cancel();
    expect(isOver).toBe(true);
  });

  it("and is not whole after 30 s is passed on from its beginning, and not kept", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const ends: (() => void)[] = [];
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/slow", () => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(encoder.encode("first, "));
          ends.push(() => {
            controller.enqueue(encoder.encode("last"));
            controller.close();
          });
        },
      });
      return new Response(body);
    });
    let isAnswered = false;
    const answer = ask(app, "/slow").then((response) => {
      isAnswered = true;
      return response;
    });
    // The route has run, and its body is being waited for.
    while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const { body } = await answer;
    for (const end of ends) end();
    expect(await new Response(body).text()).toBe("first, last");
    const again = await ask(app, "/slow");
    expect([again.status, await codeOf(again)]).toEqual([409, "response_not_kept"]);
  });

  it("that breaks before it is whole leaves an outcome that is not known", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/broken", () => {
      const body = new ReadableStream({
        pull: (controller) => controller.error(new Error("the source is gone")),
      });
      return new Response(body);
    });
    for (let n = 0; n < 2; n += 1) {
      const answer = await ask(app, "/broken");
      expect([answer.status, await codeOf(answer)]).toEqual([409, "operation_outcome_unknown"]);
    }
  });
});

describe("what a person says was answered", () => {
  async function unknown(): Promise<{ app: Hono; receipts: Receipts; id: string }> {
    const receipts = await store();
    const app = new Hono();
    app.use("*", idempotencyKey(receipts));
    app.post("/orders", () => {
      throw new Error("socket hang up");
    });
    app.onError((_, c) => c.text("failed", 500));
    await ask(app, "/orders");
    const body = (await (await ask(app, "/orders")).json()) as Record<string, unknown>;
    return { app, receipts, id: String(body["receiptId"]) };
  }

  const text = { encoding: "text", data: "done" };

  it.each([
    ["a name with a blank", [["bad name", "x"]], text],
    ["a line break in a value", [["x-a", "x\r\ny: z"]], text],
    ["a control character in a value", [["x-a", "\u0001"]], text],
    ["letters beyond Latin-1", [["x-a", "日本"]], text],
    ["no base64", [], { encoding: "base64", data: "%%%" }],
  ])("is refused when it cannot be sent: %s", async (_, headers, body) => {
    const { receipts, id } = await unknown();
    const result = { status: 200, headers, body };
    const answer = receipts.resolve(id, { outcome: "happened", result, resolvedBy: "ann" });
    await expect(answer).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is sent, without the headers of a connection", async () => {
    const { app, receipts, id } = await unknown();
    const headers = [
      ["Content-Length", "9"],
      ["Transfer-Encoding", "chunked"],
      ["X-A", "é"],
    ];
    const body = { encoding: "base64", data: btoa("done") };
    const result = { status: 201, headers, body };
    const kept = await receipts.resolve(id, { outcome: "happened", result, resolvedBy: "ann" });
    expect(kept.resolution?.result).toEqual({ status: 201, headers: [["X-A", "é"]], body });
    const sent = await ask(app, "/orders");
    expect([sent.status, [...sent.headers], await sent.text()]).toEqual([
      ...[201, [["x-a", "é"]], "done"],
    ]);
  });

  it("is sent with every value of a name, in the place of what others had prepared", async () => {
    const receipts = await store();
    const app = new Hono();
    app.use("*", async (c, next) => {
      c.header("link", "<prepared>");
      await next();
    });
    app.use("*", idempotencyKey(receipts));
    app.post("/orders", () => {
      throw new Error("socket hang up");
    });
    app.onError((_, c) => c.text("failed", 500));
    await ask(app, "/orders");
    const id = String((await receipts.list()).receipts[0]?.id);
    const headers = [
      ["Link", "<a>"],
      ["link", "<b>"],
      ["set-cookie", "a=1"],
      ["Set-Cookie", "b=2"],
    ];
    const result = { status: 200, headers, body: text };
    await receipts.resolve(id, { outcome: "happened", result, resolvedBy: "ann" });
    expect([...(await ask(app, "/orders")).headers]).toEqual([
      ["link", "<a>, <b>"],
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ]);
  });
});

describe("a route's header that no server sends", () => {
  it("keeps the response from being kept, not from being sent", async () => {
    const app = new Hono();
    app.use("*", idempotencyKey(await store()));
    app.post("/orders", () => new Response("done", { headers: { "x-a": "a\u0001b" } }));
    expect(await (await ask(app, "/orders")).text()).toBe("done");
    expect(await codeOf(await ask(app, "/orders"))).toBe("response_not_kept");
  });
});
