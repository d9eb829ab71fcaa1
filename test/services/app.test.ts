import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Storage } from "../../src/ports/backend.ts";
import type { Mailer } from "../../src/ports/mailer.ts";
import { type App, defineApp } from "../../src/services/app.ts";
import { paged } from "./reconcile/given.ts";

const mailer = { send: async () => ({ kind: "sent", id: null }) as const, close: async () => {} };
const from = "jobs@example.com";
const many = Array.from({ length: 33 }, (_, n) => paged([], `source-${n}`));

describe("an application", () => {
  it("is answered as it is", () => {
    const app: App = {
      sources: many.slice(1),
      suppress: () => false,
      mail: { mailer, from: "Shop <shop@example.com>", atOnce: 100 },
    };
    expect(defineApp(app)).toBe(app);
  });

  it.each<[object, RegExp]>([
    [{ sources: "orders" }, /sources must be an array/],
    [{ sources: many }, /at most 32/],
    [{ sources: [{ name: "Orders", scan() {} }] }, /source "Orders": a name is 1 to 63/],
    [{ sources: [{ name: "orders" }] }, /source "orders": scan is a function/],
    [{ sources: [null] }, /source "undefined": a name/],
    [{ sources: [paged([]), paged([])] }, /source "orders" is defined twice/],
    [{ suppress: ["a@b.example"] }, /suppress must be a function/],
    [{ prepare: { letter: () => null } }, /no kind "letter" is built in/],
    [{ maxAttempts: { letter: 3 } }, /no kind "letter" is built in/],
    [{ maxAttempts: { message: 0 } }, /email kind "message": maxAttempts is a whole number from 1/],
    [{ maxAttempts: { message: 101 } }, /maxAttempts is a whole number from 1 to 100/],
    [{ source: [] }, /no part of an application is called "source"/],
    [{ mail: { from } }, /mail.mailer must be a mailer/],
    [{ mail: { mailer: { send() {} }, from } }, /mail.mailer must be a mailer/],
    [{ mail: { mailer } }, /mail.from must be an address or Name <address>/],
    [{ mail: { mailer, from: "" } }, /mail.from must be an address/],
    [{ mail: { mailer, from: "a\r\nBcc: b" } }, /mail.from must be an address/],
    [{ mail: { mailer, from: "Shop" } }, /mail.from must be an address/],
    [{ mail: { mailer, from: "Shop <shop@ex\u00e4mple.com>" } }, /mail.from must be an address/],
    [{ mail: { mailer, from: "shop@example.com, b@example.com" } }, /mail.from must be an address/],
    [{ mail: { mailer, from, atOnce: 0 } }, /mail.atOnce is a whole number from 1 to 100/],
    [{ mail: { mailer, from, atOnce: 101 } }, /mail.atOnce/],
  ])("case %#: with a wrong part is refused by its name", async (app, message) => {
    expect(() => defineApp(app)).toThrow(message);
    await expect(createHoldfast({ storage: memoryStorage(), app })).rejects.toThrow(message);
  });

  it.each([
    ["no promise", () => {}, null],
    [
      "nothing, since it throws",
      () => {
        throw new Error("not closed");
      },
      "not closed",
    ],
  ])("whose mailer answers %s when it is closed keeps no storage", async (_, close, message) => {
    let isLeft = false;
    const storage: Storage = {
      async open(context) {
        const backend = await memoryStorage().open(context);
        return {
          ...backend,
          async close() {
            isLeft = true;
            await backend.close();
          },
        };
      },
    };
    const mail = { mailer: { ...mailer, close } as unknown as Mailer, from };
    const holdfast = await createHoldfast({ storage, mail });
    await expect(
      holdfast.close().then(
        () => null,
        (error: Error) => error.message,
      ),
    ).resolves.toBe(message);
    expect(isLeft).toBe(true);
  });

  it("has its mailer where whoever opens the storage names none", async () => {
    let closed = 0;
    const own = {
      ...mailer,
      async close() {
        closed += 1;
      },
    };
    const app = { mail: { mailer: own, from } };
    await (await createHoldfast({ storage: memoryStorage(), app })).close();
    expect(closed).toBe(1);
    const mail = { mailer, from };
    await (await createHoldfast({ storage: memoryStorage(), app, mail })).close();
    expect(closed).toBe(1);
    const bad = createHoldfast({ storage: memoryStorage(), mail: { mailer, from: "" } });
    await expect(bad).rejects.toThrow(/mail.from/);
  });
});
