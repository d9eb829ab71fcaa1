/** A repository that throws, hangs, or answers rubbish: reported, bounded, and in nobody's way. */
import { describe, expect, it } from "vitest";
import { type EmailRepository, recordingEmails } from "../../../src/presets/recordings/index.ts";
import type { PassReport } from "../../../src/services/reconcile/report.ts";
import { at, type Data, given, HOUR, recording, share, type World, world } from "./world.ts";

const never = (): Promise<never> => new Promise(() => {});

/** One row and one job for each of the scans. */
function everything(): Data {
  const data = given();
  data.shares.push(share("s1", 0, "r1", "ann@example.com"));
  data.shares.push(share("s2", 0, "r2", "ann@example.com"));
  data.views.push({ id: "v1", createdAt: at(0), recordingId: "r1", viewer: null });
  data.imports.push({ recordingId: "r1", createdAt: at(0) });
  return data;
}

async function broken(replaced: Record<string, unknown>, data = everything()): Promise<World> {
  const own = await world({
    data,
    repository: (inner) => ({ ...inner, ...replaced }) as EmailRepository,
  });
  own.set(48 * HOUR);
  return own;
}

function told({ failures }: PassReport): string[] {
  return failures.map(({ id, code }) => `${id} ${code}`).sort();
}

const ALL = [
  "first-import:owner@example.com",
  "first-view:r1",
  "two-clips:ann@example.com",
  "unviewed-reminder:s1",
  "unviewed-reminder:s2",
];

function boom(): never {
  throw new Error("the database is away");
}

describe("a page of rows", () => {
  const refused: readonly (readonly [string, () => unknown])[] = [
    ["is thrown for", boom],
    ["is no array", () => ({ rows: [] })],
    ["is nothing", () => undefined],
    [
      "is out of order",
      () => [1, 0].map((ms) => ({ id: `v${ms}`, createdAt: at(ms), recordingId: "r1" })),
    ],
    ["is full of rubbish", () => Array.from({ length: 100 }, () => "row")],
  ];
  it.each(refused)("that %s is reported; the other scans go on", async (_what, views) => {
    const { holdfast, states } = await broken({ views: async () => views() });
    const report = await holdfast.reconcile();
    expect(told(report)).toEqual(["source:first-view source_failed"]);
    expect(Object.keys(await states()).sort()).toEqual(
      ALL.filter((key) => key !== "first-view:r1"),
    );
  });

  it("that never comes is given up in time; the other scans go on", async () => {
    const { holdfast, states } = await broken({ shares: never });
    const began = Date.now();
    const report = await holdfast.reconcile({ budgetMs: 6_000 });
    expect(Date.now() - began).toBeLessThan(6_000);
    expect(told(report)).toEqual([
      "source:reminder source_timeout",
      "source:share-discovery source_timeout",
    ]);
    expect(Object.keys(await states()).sort()).toEqual(ALL.slice(0, 2));
  });

  it("with rubbish among its rows tells each of them, takes the others and goes on behind them", async () => {
    const rubbish = [
      { id: "early", createdAt: at(-1), recordingId: "r2" },
      null,
      7,
      {},
      { id: "", createdAt: at(1), recordingId: "r1" },
      { id: "v", createdAt: "yesterday", recordingId: "r1" },
      { id: "v", createdAt: at(2), recordingId: 7 },
      Object.defineProperty({ id: "v", createdAt: at(2) }, "recordingId", { get: boom }),
    ];
    const good = Array.from({ length: 92 }, (_, n) => ({
      id: `v${n}`,
      createdAt: at(2),
      recordingId: "r1",
    }));
    const rows = [...rubbish, ...good];
    const own = await broken({
      views: async ({ after }: { after: unknown }) => (after === null ? rows : []),
    });
    const report = await own.holdfast.reconcile();
    expect(told(report)).toEqual(["source:first-view source_invalid_job"]);
    expect(report.failures[0]?.count).toBe(8);
    expect(Object.keys(await own.states()).sort()).toEqual(ALL);
    const config = await own.holdfast.emails.readConfig();
    expect(config?.firstViewCursor).toEqual({ createdAt: at(2), id: "v91" });
  });

  it("that ignores its cursor is told, and not asked for ever", async () => {
    const row = { id: "v1", createdAt: at(0), recordingId: "r1" };
    const { holdfast } = await broken({ views: async () => Array(100).fill(row) });
    expect(told(await holdfast.reconcile())).toEqual([]);
    const second = await holdfast.reconcile();
    expect(told(second)).toEqual(["source:first-view source_cursor_stuck"]);
  });

  it("that is longer than asked for is cut", async () => {
    const rows = Array.from({ length: 300 }, (_, n) => ({
      id: `v${n}`,
      createdAt: at(0),
      recordingId: `x${n}`,
    }));
    const own = await broken({ views: async () => rows });
    expect(told(await own.holdfast.reconcile())).toEqual([]);
    const config = await own.holdfast.emails.readConfig();
    expect(config?.firstViewCursor).toEqual({ createdAt: at(0), id: "v99" });
  });

  it("of shares younger than asked for makes no reminder before its time", async () => {
    const rows = [share("young", 1, "r1", "bea@example.com")];
    const own = await broken({ shares: async () => rows });
    expect(told(await own.holdfast.reconcile())).toEqual(["source:reminder source_invalid_job"]);
    expect(await own.states()).not.toHaveProperty("unviewed-reminder:young");
  });
});

describe("a read about one person", () => {
  const other = (own: World): void => {
    own.data.shares.push(share("s3", 1, "r1", "bea@example.com"));
    own.data.shares.push(share("s4", 1, "r2", "bea@example.com"));
  };
  const answers: readonly (readonly [string, () => unknown])[] = [
    ["fails", boom],
    ["answers nothing", () => undefined],
    ["answers what it must not", () => "no"],
  ];
  it.each(answers)("that %s is told, and the others are found", async (_what, answer) => {
    const own = await broken({
      ownsRecording: async (address: string) => (address === "ann@example.com" ? answer() : false),
    });
    other(own);
    expect(told(await own.holdfast.reconcile())).toEqual([
      "source:share-discovery source_invalid_job",
    ]);
    const states = await own.states();
    expect(states).toHaveProperty("two-clips:bea@example.com");
    expect(states).not.toHaveProperty("two-clips:ann@example.com");
  });

  it("that never ends is told in time, and the others are found", async () => {
    const own = await broken({
      ownsRecording: async (address: string) =>
        address === "ann@example.com" ? never() : Promise.resolve(false),
    });
    other(own);
    const report = await own.holdfast.reconcile({ budgetMs: 2_000 });
    expect(told(report)).toEqual(["source:share-discovery source_invalid_job"]);
    expect(await own.states()).toHaveProperty("two-clips:bea@example.com");
  });

  it.each([
    ["one recording twice", ["r1", "r1"], [0, 0]],
    ["shares out of order", ["r1", "r2"], [1, 0]],
    ["shares from before emails were made", ["r1", "r2"], [-1, 0]],
  ])("that answers %s makes no job", async (_what, ids, times) => {
    const firstShares = async () =>
      ids.map((id, n) => share(`s${n}`, times[n] ?? 0, id, "ann@example.com"));
    const own = await broken({ firstShares });
    expect(told(await own.holdfast.reconcile())).toEqual([
      "source:share-discovery source_invalid_job",
    ]);
    expect(await own.states()).not.toHaveProperty("two-clips:ann@example.com");
  });
});

describe("a read just before an email is sent", () => {
  const answers: readonly (readonly [string, (id: string) => unknown, RegExp])[] = [
    ["fails", boom, /^the database is away$/],
    ["answers nothing", () => undefined, /^repository.recording answered/],
    [
      "answers rubbish",
      (id) => recording(id, "x@example.com", { isReady: 1 } as object),
      /isReady/,
    ],
  ];
  it.each(answers)(
    "that %s costs that email an attempt, and no other one",
    async (_what, answer, text) => {
      const data = everything();
      const own = await world({
        data,
        repository: (inner) =>
          ({
            ...inner,
            recording: async (id, context) =>
              id === "r2" ? answer(id) : inner.recording(id, context),
          }) as EmailRepository,
      });
      own.set(48 * HOUR);
      const report = await own.holdfast.reconcile();
      expect(report.failures.map(({ code }) => code)).toEqual(["prepare_failed"]);
      expect(await own.states()).toMatchObject({
        "unviewed-reminder:s1": "sent",
        "unviewed-reminder:s2": "ready",
        "first-view:r1": "sent",
      });
      const job = await own.holdfast.emails.readJob("unviewed-reminder:s2");
      expect(job?.lastError).toMatch(text);
      expect(job?.lastError).not.toContain("x@example.com");
    },
  );

  it("that never ends is given up in time, and the others are sent", async () => {
    const own = await broken({
      hasViewed: async ({ recordingId }: { recordingId: string }) =>
        recordingId === "r2" ? never() : false,
    });
    const report = await own.holdfast.reconcile({ budgetMs: 2_000 });
    expect(report.failures.map(({ code }) => code)).toEqual(["prepare_timeout"]);
    expect(await own.states()).toMatchObject({
      "unviewed-reminder:s1": "sent",
      "unviewed-reminder:s2": "ready",
    });
  });
});

describe("what the preset is made of", () => {
  it.each([
    [{}, /repository.shares must be a function/],
    [{ repository: null }, /repository.shares must be a function/],
    [{ product: {} }, /product.name must be a string/],
    [{ suppress: "x" }, /suppress must be a function/],
  ])("is checked: %j", async (more, message) => {
    const read = async (): Promise<null> => null;
    const repository = new Proxy({}, { get: () => read, has: () => true });
    const whole = Object.keys(more).length === 0 ? {} : { repository, product: { name: "Clips" } };
    const options: unknown = { ...whole, ...more };
    expect(() => recordingEmails(options as Parameters<typeof recordingEmails>[0])).toThrow(
      message,
    );
  });
});
