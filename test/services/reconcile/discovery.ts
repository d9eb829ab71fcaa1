/** Finding work in an application's own data (EMAIL-71 to 75). */
import { describe, expect, it } from "vitest";
import type { Log } from "../../../src/ports/log.ts";
import type { SourcePage } from "../../../src/ports/source.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { FIRST_VIEW, MESSAGE, present, times } from "../emails/given.ts";
import { codes, counted, cursor, found, paged, UNHURRIED } from "./given.ts";

export function describeDiscovery(bench: CurrentBench): void {
  describe("discovery", () => {
    describePages(bench);
    describeCandidates(bench);
    describeBadSources(bench);
  });
}

function describePages(bench: CurrentBench): void {
  it("EMAIL-72 a source is asked since enabledAt, from its beginning, for one page", async () => {
    const source = paged([]);
    const { holdfast } = await bench().another({ app: { sources: [source] } });
    await holdfast.reconcile();
    const { signal, ...request } = present(source.asked[0]);
    const now = bench().at(0);
    expect(request).toEqual({ tenant: null, since: now, after: null, limit: 100, now });
    expect(signal.aborted).toBe(false);
    bench().clock.advance(60_000);
    await holdfast.reconcile();
    expect(source.asked[1]?.since).toBe(bench().at(0));
  });

  it("EMAIL-73 a full page stores its last row, a short one begins again", async () => {
    const pages: SourcePage[] = [
      { jobs: times(100, found), next: cursor(99) },
      { jobs: [found(100)], next: null },
    ];
    const source = paged(pages);
    const { holdfast, emails } = await bench().another({ app: { sources: [source] } });
    const first = await holdfast.reconcile(UNHURRIED);
    expect(counted(first)).toMatchObject({ discovered: 100, enqueued: 100 });
    expect(first.hasMore).toBe(true);
    const second = await holdfast.reconcile();
    expect(counted(second)).toMatchObject({ discovered: 1, enqueued: 1 });
    expect(second.hasMore).toBe(false);
    await holdfast.reconcile();
    expect(source.asked.map(({ after }) => after)).toEqual([null, cursor(99), null]);
    expect(await emails.listJobs()).toHaveLength(101);
  });

  it.each([
    ["share-discovery", "shareDiscoveryCursor"],
    ["reminder", "reminderCursor"],
    ["first-view", "firstViewCursor"],
    ["first-import", "firstImportCursor"],
  ])("EMAIL-73 the cursor of %s is the original's %s", async (name, field) => {
    const source = paged([{ jobs: [], next: cursor(1) }], name);
    const { holdfast, emails } = await bench().another({ app: { sources: [source] } });
    await holdfast.reconcile();
    expect(await emails.readConfig()).toEqual({ enabledAt: bench().at(0), [field]: cursor(1) });
    await holdfast.reconcile();
    expect(source.asked[1]?.after).toEqual(cursor(1));
    expect(await emails.readConfig()).toEqual({ enabledAt: bench().at(0), [field]: null });
  });

  it("the cursor of an own source stands beside, and its fields stay the original's", async () => {
    const sources = [paged([{ jobs: [], next: cursor(1) }])];
    const { holdfast, emails, another } = {
      ...bench(),
      ...(await bench().another({ app: { sources } })),
    };
    await holdfast.reconcile();
    expect(await emails.readConfig()).toEqual({ enabledAt: bench().at(0) });
    const later = paged([]);
    await (await another({ app: { sources: [later] } })).holdfast.reconcile();
    expect(later.asked[0]?.after).toEqual(cursor(1));
  });

  it("EMAIL-74 a second pass over the same rows makes no second job", async () => {
    const page = { jobs: [found(1), found(2)], next: null };
    const { holdfast, emails } = await bench().another({ app: { sources: [paged([page, page])] } });
    await holdfast.reconcile();
    const jobs = await emails.listJobs();
    const { emails: again } = await holdfast.reconcile();
    expect([again.discovered, again.enqueued]).toEqual([2, 0]);
    expect(await emails.listJobs()).toEqual(jobs);
  });

  it("EMAIL-74 a crash between the jobs and the cursor repeats the page", async () => {
    const page = { jobs: [found(1)], next: cursor(1) };
    const source = paged([page, page]);
    const broken = await bench().another({ app: { sources: [source] } });
    await broken.emails.ensureEnabledAt();
    broken.interference.beforePut = async (key) => {
      if (key.includes("config")) throw new Error("cut off");
    };
    await broken.holdfast.reconcile();
    broken.interference.beforePut = async () => {};
    await broken.holdfast.reconcile();
    expect(source.asked.map(({ after }) => after)).toEqual([null, null]);
    expect(await bench().emails.listJobs()).toHaveLength(1);
  });

  it("EMAIL-75 a job that was never enqueued is found; one that was is left", async () => {
    await bench().emails.enqueue("order-1", MESSAGE);
    const sources = [paged([{ jobs: [found(1), found(2)], next: null }])];
    const { holdfast } = await bench().another({ app: { sources } });
    expect(counted(await holdfast.reconcile())).toMatchObject({ discovered: 2, enqueued: 1 });
  });

  it("a first import is found, and turned to a later recording", async () => {
    const firstImport = { recipient: " Ann@Example.com ", recordingId: "r-1", requestedBy: "ann" };
    const later = { ...firstImport, recordingId: "r-2" };
    const page = (job: object): SourcePage => ({
      jobs: [{ firstImport: job } as never],
      next: null,
    });
    const source = paged([page(firstImport), page(later), page(later)], "first-import");
    const { holdfast, emails } = await bench().another({ app: { sources: [source] } });
    const enqueued = [];
    for (let pass = 0; pass < 3; pass += 1) {
      enqueued.push((await holdfast.reconcile()).emails.enqueued);
    }
    expect(enqueued).toEqual([1, 1, 0]);
    const job = await emails.readJob("first-import:ann@example.com");
    expect(job).toMatchObject({ recordingIds: ["r-2"], recipient: "ann@example.com" });
  });

  it("a job can wait for a text, or for its time", async () => {
    const two = { type: "two-clips", recipient: "ann@example.com", recordingIds: ["a", "b"] };
    const jobs = [
      { logicalKey: "two", payload: two, initialState: "awaiting_ai" as const },
      { ...found(1), notBefore: bench().at(3_600_000) },
    ];
    const { holdfast, emails } = await bench().another({
      app: { sources: [paged([{ jobs, next: null }])] },
    });
    await holdfast.reconcile();
    expect((await emails.readJob("two"))?.state).toBe("awaiting_ai");
    const due = () => emails.acquireDueLeases({ durationMs: 1_000, limit: 10 });
    expect(await due()).toEqual([]);
    bench().clock.advance(3_600_000);
    expect(await due()).toHaveLength(1);
  });

  it("every tenant's rows are its own", async () => {
    const source = paged([]);
    const { holdfast } = await bench().another({ app: { sources: [source] } });
    await holdfast.tenant("acme").reconcile();
    expect(source.asked.map(({ tenant }) => tenant)).toEqual(["acme"]);
  });
}

function describeCandidates(bench: CurrentBench): void {
  it("EMAIL-71 recipients are trimmed and lower-cased; none and suppressed ones are skipped", async () => {
    const jobs = [
      found(1, "  Ann@Example.COM "),
      found(2, "nobody"),
      found(3, `${"a".repeat(320)}@example.com`),
      found(4, "Bob@Blocked.example"),
      { firstImport: { recipient: "eve", recordingId: "r", requestedBy: "x" } },
    ];
    const { holdfast, emails } = await bench().another({
      app: {
        sources: [
          paged([
            { jobs, next: cursor(4) },
            { jobs: [], next: null },
          ]),
        ],
        suppress: (address) => address.endsWith("@blocked.example"),
      },
    });
    const report = await holdfast.reconcile();
    expect(counted(report)).toMatchObject({ discovered: 5, enqueued: 1, skipped: 4 });
    expect(report.failures).toEqual([]);
    expect((await emails.readJob("order-1"))?.recipient).toBe("ann@example.com");
  });

  it("a job that is none is reported, skipped, and passed by the cursor", async () => {
    const hostile = Object.defineProperty({}, "logicalKey", {
      enumerable: true,
      get() {
        throw new Error("do not look");
      },
    });
    const bad = [
      null,
      "order-7",
      {},
      { ...found(7), colour: "red" },
      { ...found(7), payload: { type: "letter" } },
      { ...found(7), payload: "text" },
      { ...found(7), logicalKey: " " },
      { ...found(7), initialState: "sent" },
      { ...found(7), payload: { ...FIRST_VIEW, recordingIds: [] } },
      hostile,
    ];
    const jobs = [...bad, found(1)] as never[];
    const source = paged([{ jobs, next: cursor(1) }]);
    const details: unknown[] = [];
    const log: Log = (_, event, { detail }) =>
      void (event === "pass failure" && details.push(detail));
    const { holdfast, emails } = await bench().another({ app: { sources: [source] }, log });
    const report = await holdfast.reconcile();
    expect(report.emails.enqueued).toBe(1);
    expect(details).toEqual(["jobs[0]: it: invalid_type"]);
    expect(report.failures).toEqual([
      {
        machine: "emails",
        tenant: null,
        id: "source:orders",
        code: "source_invalid_job",
        count: bad.length,
        why: expect.stringContaining("the others of its page were"),
        action: expect.stringContaining("mend the source"),
      },
    ]);
    expect(await emails.listJobs()).toHaveLength(1);
    await holdfast.reconcile();
    expect(source.asked[1]?.after).toEqual(cursor(1));
  });

  it.each<[string, object, string]>([
    ["of a field too many", { ...found(7), colour: "red" }, "colour: unknown property"],
    [
      "of a payload that is none",
      { ...found(7), payload: "ann@example.com" },
      "payload.recipient: invalid_type",
    ],
    ["of its state", { ...found(7), initialState: "sent" }, "initialState: invalid_value"],
    ["of its key", { ...found(7), logicalKey: " " }, "logicalKey"],
    [
      "of its kind's field",
      { ...found(7), payload: { ...FIRST_VIEW, recordingIds: [] } },
      "payload.recordingIds",
    ],
  ])("a bad job is told to the operator by its place, because %s", async (_, job, path) => {
    const lines: unknown[] = [];
    const log: Log = (...line) => void lines.push(line);
    const source = paged([{ jobs: [found(1), job as never], next: null }]);
    const { holdfast } = await bench().another({ app: { sources: [source] }, log });
    await holdfast.reconcile();
    expect(lines).toEqual([
      [
        "warn",
        "pass failure",
        {
          machine: "emails",
          tenant: null,
          id: "source:orders",
          code: "source_invalid_job",
          detail: `jobs[1]: ${path}`,
        },
      ],
      ["warn", "pass", expect.objectContaining({ enqueued: 1, codes: "source_invalid_job 1" })],
    ]);
  });

  it("what a source throws, and where its page is wrong, is told to the operator once, and in no report", async () => {
    const told: unknown[] = [];
    const log: Log = (level, event, { id, code, detail }) => {
      if (event === "pass failure") told.push([level, id, code, detail]);
    };
    const thrown = `ECONNREFUSED 10.0.0.7\n for ann@example.com ${"x".repeat(5_000)}`;
    const sources = [
      {
        name: "broken",
        scan: async () => {
          throw new Error(thrown);
        },
      },
      { name: "odd", scan: async () => ({ jobs: [], next: { id: 7 } }) as never },
    ];
    const { holdfast } = await bench().another({ app: { sources }, log });
    const report = await holdfast.reconcile({ tenants: ["acme", "zenith"] });
    expect(told.sort()).toEqual([
      [
        "warn",
        "source:broken",
        "source_failed",
        expect.stringMatching(/^ECONNREFUSED 10\.0\.0\.7 for \(address\) x{400,500}$/),
      ],
      [
        "warn",
        "source:odd",
        "source_invalid_page",
        "next.createdAt: invalid_type, next.id: invalid_type",
      ],
    ]);
    expect(JSON.stringify(report)).not.toContain("ECONNREFUSED");
  });

  it("a job whose key is never used again is no news", async () => {
    await bench().emails.enqueue("order-1", MESSAGE);
    await bench().emails.erase("order-1");
    const sources = [paged([{ jobs: [found(1)], next: null }])];
    const { holdfast } = await bench().another({ app: { sources } });
    const report = await holdfast.reconcile();
    expect([counted(report), report.failures]).toEqual([{ discovered: 1 }, []]);
  });
}

function describeBadSources(bench: CurrentBench): void {
  const good = () => paged([{ jobs: [found(1)], next: null }], "good");

  it.each<[string, () => unknown, string]>([
    ["throws", () => Promise.reject(new Error("no database")), "source_failed"],
    ["throws nothing", () => Promise.reject(undefined), "source_failed"],
    ["answers nothing", () => undefined, "source_invalid_page"],
    ["answers no jobs", () => ({ next: null }), "source_invalid_page"],
    ["answers no cursor", () => ({ jobs: [] }), "source_invalid_page"],
    ["answers half a cursor", () => ({ jobs: [], next: { id: "x" } }), "source_invalid_page"],
  ])("one that %s is reported, and stops no other", async (_, answer, code) => {
    const bad = { name: "bad", scan: async () => answer() as SourcePage };
    const { holdfast } = await bench().another({ app: { sources: [bad, good()] } });
    const report = await holdfast.reconcile();
    expect(report.failures).toMatchObject([{ tenant: null, id: "source:bad", code, count: 1 }]);
    expect(report.emails.enqueued).toBe(1);
  });

  it("one that throws before it answers is reported, too", async () => {
    const bad = {
      name: "bad",
      scan() {
        throw new Error("at once");
      },
    };
    const { holdfast } = await bench().another({ app: { sources: [bad, good()] } });
    expect(codes(await holdfast.reconcile())).toEqual(["source_failed"]);
  });

  it.each([
    ["the same place", cursor(1)],
    ["an earlier place", { createdAt: "2025-12-31T00:00:00.000Z", id: "row-9" }],
  ])("one that comes to %s again is reported, and its cursor stays", async (_, next) => {
    const source = paged([
      { jobs: [found(1)], next: cursor(1) },
      { jobs: [found(2)], next },
    ]);
    const { holdfast } = await bench().another({ app: { sources: [source] } });
    expect(codes(await holdfast.reconcile())).toEqual([]);
    const report = await holdfast.reconcile();
    expect(codes(report)).toEqual(["source_cursor_stuck"]);
    // The same page again is no reason to hurry.
    expect(report.hasMore).toBe(false);
    expect(report.emails.enqueued).toBe(1);
    await holdfast.reconcile();
    expect(source.asked[2]?.after).toEqual(cursor(1));
  });

  it("a page of 10,000 is cut, and that is reported", async () => {
    const sources = [paged([{ jobs: times(10_000, found), next: cursor(1) }])];
    const { holdfast, emails } = await bench().another({ app: { sources } });
    const report = await holdfast.reconcile(UNHURRIED);
    expect(codes(report)).toEqual(["source_page_too_long"]);
    expect(counted(report)).toMatchObject({ discovered: 100, enqueued: 100 });
    expect(await emails.listJobs()).toHaveLength(100);
  });
}
