/** Passes among values that throw at whoever looks at them, from everybody who can hand one over. */
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Backend, DuePage, Storage } from "../../src/ports/backend.ts";
import type { Observation } from "../../src/ports/observe.ts";
import { type Bench, openBench } from "./emails/bench.ts";
import { claimed, MESSAGE, times } from "./emails/given.ts";
import {
  codes,
  FROM,
  found,
  LETTER,
  letter,
  mailing,
  onePage,
  outbox,
  readyMessage,
} from "./reconcile/given.ts";

const trap = (): never => {
  throw new Error("do not look");
};

const throwing = (name: string): object =>
  Object.defineProperty(new Error("x"), name, { get: trap });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

// Made inside of each case: whatever prints a case would look at them.
const HOSTILE: readonly (readonly [string, () => unknown])[] = [
  ["null", () => null],
  ["undefined", () => undefined],
  ["a symbol", () => Symbol("x")],
  ["a function", () => trap],
  ["an error whose code throws", () => throwing("code")],
  ["an error whose message throws", () => throwing("message")],
  ["an error with the name of what every object has for a code", () => ({ code: "constructor" })],
  ["what throws when it is asked what it is", () => new Proxy({}, { getPrototypeOf: trap })],
  [
    "what throws whatever is asked",
    () => new Proxy(new Error("x"), { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap }),
  ],
  ["what nothing can be asked", revoked],
];

/** A storage whose answers to one kind of call are somebody else's. */
function answering(storage: Storage, own: Partial<Backend>, page?: () => Promise<DuePage>) {
  let isOn = false;
  const hostile: Storage & { start(): void } = {
    start() {
      isOn = true;
    },
    async open(context) {
      const backend = await storage.open(context);
      const { due } = backend;
      return {
        ...backend,
        get: (key) => (isOn ? (own.get ?? backend.get) : backend.get)(key),
        due: due && {
          ...due,
          page: (tenant, queue, ...rest) =>
            isOn && page !== undefined && queue === "attend"
              ? page()
              : due.page(tenant, queue, ...rest),
        },
      };
    },
  };
  return hostile;
}

describe.each(HOSTILE)("a pass to which %s is thrown", (_, value) => {
  const rejecting = () => Promise.reject(value());
  const throwingIt = (): never => {
    throw value();
  };

  it.each([
    ["by a mailer", rejecting],
    ["by a mailer at once", throwingIt],
  ])("%s sends the others", async (_by, fail) => {
    const box = outbox((mail) => (mail.subject === "bad" ? fail() : { kind: "sent", id: null }));
    const mail = { mailer: box, from: FROM };
    const { emails, reconcile } = await createHoldfast({ storage: memoryStorage(), mail });
    await emails.enqueue("bad", { ...MESSAGE, subject: "bad" });
    await emails.enqueue("good", MESSAGE);
    const report = await reconcile();
    expect([codes(report), report.emails.sent]).toEqual([["mailer_failed"], 1]);
    expect((await emails.readJob("bad"))?.lastError).toMatch(/^outcome unknown: ./);
  });

  it("by a kind, a source and a suppression does all the rest", async () => {
    const kinds = [letter(() => throwingIt())];
    const suppress = (address: string) => (address.startsWith("eve") ? throwingIt() : false);
    const eves = times(20, (n) => found(100 + n, "eve@example.com"));
    const sources = [
      { name: "bad", scan: throwingIt },
      onePage([...eves, value() as never, found(2)], null),
    ];
    const box = outbox();
    const { emails, reconcile } = await createHoldfast({
      storage: memoryStorage(),
      app: { kinds, suppress, sources, mail: { mailer: box, from: FROM } },
    });
    await emails.enqueue("letter", LETTER);
    await readyMessage(emails, "hello");
    const told = codes(await reconcile());
    expect(new Set(told)).toEqual(
      new Set(["source_failed", "source_invalid_job", "unexpected", "prepare_failed"]),
    );
    expect(box.keys().sort()).toEqual(["hello", "order-2"]);
  });

  it("by the storage ends, and says so", async () => {
    const storage = answering(memoryStorage(), { get: rejecting }, rejecting);
    const mail = { mailer: outbox(), from: FROM };
    const { emails, reconcile } = await createHoldfast({ storage, mail });
    await readyMessage(emails, "hello");
    storage.start();
    const { failures } = await reconcile();
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(["unexpected"]));
    expect(failures.map(({ id }) => id)).toEqual(expect.arrayContaining(["config", "attend"]));
    const dry = await reconcile({ dryRun: true });
    expect(dry.failures.map(({ id }) => id)).toEqual(expect.arrayContaining(["config", "attend"]));
  });
});

it.each<[string, unknown, number]>([
  ["nothing", undefined, 1],
  ["no entries", { cursor: null }, 1],
  ["entries that are none", { entries: [null, 7, {}], cursor: null }, 3],
])("a page of what waits that is %s keeps nothing from being sent", async (_, page, count) => {
  const storage = answering(memoryStorage(), {}, async () => page as DuePage);
  const box = outbox();
  const { emails, reconcile } = await createHoldfast({
    storage,
    mail: { mailer: box, from: FROM },
  });
  await readyMessage(emails, "hello");
  storage.start();
  const report = await reconcile();
  expect(report.failures).toMatchObject(
    ["receipts", "queries", "emails"].map((machine) => ({
      machine,
      id: "attend",
      code: "unexpected",
      count,
    })),
  );
  expect(box.keys()).toEqual(["hello"]);
});

describe("what a pass tells to whoever observes", () => {
  const open = async (): Promise<Bench> => {
    // Its markers lead to what another program has written over.
    const storage = memoryStorage({ dueIndex: "markers" });
    const plant = async (key: string, body: string) => storage.plant(key, body);
    return openBench({ storage, plant, destroy: async () => {} });
  };

  it("is one number for each name, however often it happened", async () => {
    const bench = await open();
    const told: [Observation, number][] = [];
    const { holdfast, emails } = await mailing(
      bench,
      {},
      {
        observe: (name, count) => void told.push([name, count]),
      },
    );
    for (const n of times(30, String)) await claimed(emails, `claimed-${n}`);
    for (const n of times(20, (i) => `broken-${i}`)) await emails.enqueue(n, MESSAGE);
    for (const [key, body] of await bench.contents()) {
      if (body.includes("broken-")) await bench.plant(key, body.replace('"pending"', '"lost"'));
    }
    bench.clock.advance(30 * 60_000);
    told.length = 0;
    const report = await holdfast.reconcile();
    const of = (name: Observation) => told.filter(([one]) => one === name);
    expect(of("email.stale")).toEqual([["email.stale", 30]]);
    expect(of("store.record_corrupt")).toEqual([["store.record_corrupt", 20]]);
    expect(of("email.pass.failure")).toEqual([["email.pass.failure", 20]]);
    expect(report.emails.stale).toBe(30);
    await bench.close();
  });

  it("as failures is each of them once, with how often, and how many were left out", async () => {
    const bench = await open();
    const bad = Array.from({ length: 40 }, () => ({}) as never);
    const sources = times(3, (n) => ({
      name: `source-${n}`,
      scan: async () => ({ jobs: bad, next: null }),
    }));
    const { holdfast } = await mailing(bench, { sources });
    const tenants = times(60, (n) => `tenant-${n}`);
    const report = await holdfast.reconcile({ tenants });
    expect(report.failures).toHaveLength(100);
    expect(report.failures.every(({ count }) => count === 40)).toBe(true);
    expect(report.failuresLeftOut).toBe((61 * 3 - 100) * 40);
    await bench.close();
  });
});
