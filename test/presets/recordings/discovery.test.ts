/** What a pass finds in an application's data, over the real pass. */
import { describe, expect, it } from "vitest";
import { at, given, HOUR, recording, share, world } from "./world.ts";

const REMINDER_MS = 48 * HOUR;

describe("two-clips", () => {
  it("EMAIL-68: the second distinct recording makes one job, told by the second share", async () => {
    const { data, holdfast, states } = await world();
    data.shares.push(
      share("s3", 30, "r3", "ann@example.com"),
      share("s1", 10, "r1", "ann@example.com", "first@example.com"),
      share("s1b", 15, "r1", " ANN@Example.com "),
      share("s2", 20, "r2", "Ann@example.com", "second@example.com"),
    );
    await holdfast.reconcile();
    expect(await states()).toEqual({ "two-clips:ann@example.com": "awaiting_ai" });
    expect(await holdfast.emails.readJob("two-clips:ann@example.com")).toMatchObject({
      recipient: "ann@example.com",
      recordingIds: ["r1", "r2"],
      shareId: "s2",
      requestedBy: "second@example.com",
    });
  });

  it("EMAIL-68: one recording, however often it is shared, makes none", async () => {
    const { data, holdfast, states } = await world();
    for (let n = 0; n < 5; n += 1) data.shares.push(share(`s${n}`, n, "r1", "ann@example.com"));
    await holdfast.reconcile();
    expect(await states()).toEqual({});
  });

  it("EMAIL-68: duplicates are ignored also beyond a hundred of them", async () => {
    const { data, holdfast } = await world();
    for (let n = 0; n < 130; n += 1) {
      data.shares.push(share(`s${String(n).padStart(3, "0")}`, n, "r1", "ann@example.com"));
    }
    data.shares.push(share("t", 500, "r2", "ann@example.com"));
    await holdfast.reconcile();
    const job = await holdfast.emails.readJob("two-clips:ann@example.com");
    expect(job).toMatchObject({ recordingIds: ["r1", "r2"], shareId: "t" });
  });

  it("EMAIL-69: whoever owns a recording gets none, in whatever state that is", async () => {
    const { data, holdfast, states } = await world();
    data.recordings.push(recording("mine", "ANN@example.com", { isReady: false, isTrashed: true }));
    data.shares.push(share("s1", 1, "r1", "ann@example.com"));
    data.shares.push(share("s2", 2, "r2", "ann@example.com"));
    await holdfast.reconcile();
    expect(await states()).toEqual({});
  });
});

describe("a reminder", () => {
  it("EMAIL-70: is made for a share of exactly 48 hours, and for none a millisecond younger", async () => {
    const { data, holdfast, set, states } = await world();
    data.shares.push(share("s1", 1_000, "r1", "ann@example.com"));
    set(1_000 + REMINDER_MS - 1);
    await holdfast.reconcile();
    expect(await states()).toEqual({});
    set(1_000 + REMINDER_MS);
    await holdfast.reconcile();
    expect(await states()).toEqual({ "unviewed-reminder:s1": "sent" });
  });

  it("EMAIL-70: names its share, its recording and who shared it", async () => {
    const { data, holdfast, set } = await world({ isMailing: false });
    data.shares.push(share("s1", 0, "r1", " Ann@Example.com", "bob@example.com"));
    set(REMINDER_MS);
    await holdfast.reconcile();
    expect(await holdfast.emails.readJob("unviewed-reminder:s1")).toMatchObject({
      type: "unviewed-reminder",
      state: "ready",
      recipient: "ann@example.com",
      recordingIds: ["r1"],
      shareId: "s1",
      requestedBy: "bob@example.com",
    });
  });
});

describe("who is never mailed", () => {
  it("EMAIL-71: is passed over, and the cursor goes on behind them", async () => {
    const { data, holdfast, set, states } = await world();
    const nobody = ["no address", "local@localhost", "bot+qa1@example.test", "", "a@b@c.example"];
    for (let n = 0; n < 100; n += 1) {
      const recipient = nobody[n % nobody.length] ?? "";
      data.shares.push(share(`s${String(n).padStart(3, "0")}`, n, "r1", recipient));
    }
    data.shares.push(share("t1", 200, "r1", "ann@example.com"));
    data.shares.push(share("t2", 201, "r2", "ann@example.com"));
    set(REMINDER_MS + 300);
    const first = await holdfast.reconcile();
    expect(first.failures).toEqual([]);
    expect(await states()).toEqual({});
    expect(await holdfast.emails.readConfig()).toMatchObject({
      shareDiscoveryCursor: { createdAt: at(99), id: "s099" },
      reminderCursor: { createdAt: at(99), id: "s099" },
    });
    await holdfast.reconcile();
    expect(Object.keys(await states()).sort()).toEqual([
      "two-clips:ann@example.com",
      "unviewed-reminder:t1",
      "unviewed-reminder:t2",
    ]);
  });

  it("EMAIL-71: is also whoever the application says, in any letter case", async () => {
    const suppress = (address: string): boolean => address === "ann@example.com";
    const { data, holdfast, set, states } = await world({ suppress });
    data.shares.push(share("s1", 0, "r1", " ANN@example.com"));
    data.shares.push(share("s2", 0, "r1", "bea@example.com"));
    set(REMINDER_MS);
    await holdfast.reconcile();
    expect(Object.keys(await states())).toEqual(["unviewed-reminder:s2"]);
  });
});

describe("the time since which emails are made", () => {
  it("EMAIL-72: rows before it make none, rows exactly at it do", async () => {
    const { data, holdfast, set, states } = await world({ isMailing: false });
    data.recordings.push(recording("i1", "ann@example.com"), recording("i2", "bea@example.com"));
    data.shares.push(
      share("early", -1, "r1", "cat@example.com"),
      share("at", 0, "r2", "cat@example.com"),
    );
    data.views.push(
      { id: "v1", createdAt: at(-1), recordingId: "r1", viewer: null },
      { id: "v2", createdAt: at(5), recordingId: "r1", viewer: null },
      { id: "v3", createdAt: at(0), recordingId: "r2", viewer: null },
    );
    data.imports.push({ recordingId: "i1", createdAt: at(-1) });
    data.imports.push({ recordingId: "i2", createdAt: at(0) });
    set(REMINDER_MS);
    await holdfast.reconcile();
    expect(Object.keys(await states()).sort()).toEqual([
      "first-import:bea@example.com",
      "first-view:r2",
      "unviewed-reminder:at",
    ]);
  });
});

describe("pages", () => {
  it("EMAIL-73: 101 rows need two passes; the last row of a full page is the cursor, then null", async () => {
    const { data, holdfast, set, states } = await world({ isMailing: false });
    for (let n = 1; n <= 101; n += 1) {
      data.shares.push(share(`s${String(n).padStart(3, "0")}`, 0, "r1", `p${n}@example.com`));
    }
    set(REMINDER_MS);
    const first = await holdfast.reconcile();
    expect([first.emails.enqueued, first.hasMore]).toEqual([100, true]);
    expect(await holdfast.emails.readConfig()).toMatchObject({
      shareDiscoveryCursor: { createdAt: at(0), id: "s100" },
      reminderCursor: { createdAt: at(0), id: "s100" },
    });
    const second = await holdfast.reconcile();
    expect([second.emails.enqueued, second.hasMore]).toEqual([1, false]);
    expect(await states()).toHaveProperty("unviewed-reminder:s101");
    expect(await holdfast.emails.readConfig()).toMatchObject({
      shareDiscoveryCursor: null,
      reminderCursor: null,
    });
  });

  it("EMAIL-73: a page of exactly a hundred rows is full, and an empty one ends the round", async () => {
    const { data, holdfast } = await world({ isMailing: false });
    for (let n = 0; n < 100; n += 1) {
      data.recordings.push(recording(`x${n}`, "x@example.com"));
      const id = `v${String(n).padStart(3, "0")}`;
      data.views.push({ id, createdAt: at(n), recordingId: `x${n}`, viewer: null });
    }
    await holdfast.reconcile();
    const cursor = { createdAt: at(99), id: "v099" };
    expect(await holdfast.emails.readConfig()).toMatchObject({ firstViewCursor: cursor });
    const second = await holdfast.reconcile();
    expect(second.emails.discovered).toBe(0);
    expect(await holdfast.emails.readConfig()).toMatchObject({ firstViewCursor: null });
  });

  it("EMAIL-74: another pass finds the same, and makes nothing", async () => {
    const { data, holdfast, set, mails, states } = await world();
    data.shares.push(share("s1", 0, "r1", "ann@example.com"));
    data.shares.push(share("s2", 0, "r2", "ann@example.com"));
    data.views.push({ id: "v1", createdAt: at(0), recordingId: "r1", viewer: "bea@example.com" });
    set(REMINDER_MS);
    const first = await holdfast.reconcile();
    const before = await states();
    const second = await holdfast.reconcile();
    expect([first.emails.enqueued, second.emails.enqueued]).toEqual([4, 0]);
    expect(second.emails.discovered).toBe(first.emails.discovered);
    expect(await states()).toEqual(before);
    expect(mails.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual([
      "first-view:r1",
      "unviewed-reminder:s1",
      "unviewed-reminder:s2",
    ]);
  });
});

describe("what nobody enqueued at once", () => {
  it("EMAIL-75: is found by the scans: the first view by another than the owner", async () => {
    const { data, holdfast, states } = await world();
    data.views.push(
      { id: "v1", createdAt: at(1), recordingId: "r1", viewer: "OWNER@example.com" },
      { id: "v2", createdAt: at(2), recordingId: "r1", viewer: null },
      { id: "v3", createdAt: at(3), recordingId: "r1", viewer: "ann@example.com" },
    );
    await holdfast.reconcile();
    expect(await states()).toEqual({ "first-view:r1": "sent" });
    expect(await holdfast.emails.readJob("first-view:r1")).toMatchObject({
      recipient: "owner@example.com",
      recordingIds: ["r1"],
      requestedBy: "owner@example.com",
    });
  });

  it("EMAIL-75: the first import, turned to the one that proves to be first", async () => {
    const { data, holdfast, states } = await world({ isMailing: false });
    data.recordings.push(recording("i1", "Ann@example.com", { isReady: false }));
    data.recordings.push(recording("i2", "ann@example.com"));
    data.imports.push({ recordingId: "i1", createdAt: at(1) });
    data.imports.push({ recordingId: "i2", createdAt: at(2) });
    await holdfast.reconcile();
    const key = "first-import:ann@example.com";
    expect(await states()).toEqual({ [key]: "ready" });
    expect(await holdfast.emails.readJob(key)).toMatchObject({ recordingIds: ["i2"] });
    data.recordings[3] = recording("i1", "Ann@example.com");
    await holdfast.reconcile();
    expect(await holdfast.emails.readJob(key)).toMatchObject({
      recordingIds: ["i1"],
      requestedBy: "ann@example.com",
    });
  });

  it("EMAIL-75: also where a repository gives views and imports that are not the first", async () => {
    const data = given();
    data.recordings.push(recording("i1", "ann@example.com"), recording("i2", "ann@example.com"));
    data.imports.push({ recordingId: "i1", createdAt: at(1) });
    data.imports.push({ recordingId: "i2", createdAt: at(2) });
    data.views.push({ id: "v1", createdAt: at(-1), recordingId: "r1", viewer: null });
    data.views.push({ id: "v2", createdAt: at(1), recordingId: "r1", viewer: null });
    const { holdfast } = await world({
      data,
      isMailing: false,
      repository: (inner) => ({
        ...inner,
        views: async () => [{ id: "v2", createdAt: at(1), recordingId: "r1" }],
        imports: async () =>
          ["i1", "i2"].map((id, n) => ({ id, createdAt: at(n + 1), owner: "ann@example.com" })),
      }),
    });
    await holdfast.reconcile();
    const jobs = await holdfast.emails.listJobs();
    expect(jobs.map(({ logicalKey, recordingIds }) => [logicalKey, recordingIds])).toEqual([
      ["first-import:ann@example.com", ["i1"]],
    ]);
  });
});

describe("without the preset", () => {
  it("the four kinds are enqueued as ever, and a pass finds and sends nothing of them", async () => {
    const { data, holdfast, mails, states } = await world({ app: null });
    data.views.push({ id: "v1", createdAt: at(0), recordingId: "r1", viewer: null });
    const payload = { type: "first-view", recipient: "o@example.com", recordingIds: ["r2"] };
    await holdfast.emails.enqueue("first-view:r2", payload);
    const { emails, failures } = await holdfast.reconcile();
    expect(await states()).toEqual({ "first-view:r2": "ready" });
    expect([emails.promoted, emails.skipped, emails.discovered]).toEqual([1, 1, 0]);
    expect([failures, mails]).toEqual([[], []]);
  });
});

describe("other tenants", () => {
  it("are asked for by name, and have what is theirs", async () => {
    const asked = new Set<string | null>();
    const { data, holdfast, states } = await world({
      repository: (inner) => ({
        ...inner,
        views(request) {
          asked.add(request.tenant);
          return inner.views(request);
        },
      }),
    });
    data.views.push({ id: "v1", createdAt: at(0), recordingId: "r1", viewer: null });
    await holdfast.reconcile({ tenants: ["acme"] });
    expect(asked).toEqual(new Set([null, "acme"]));
    expect(await states()).toEqual({ "first-view:r1": "sent" });
    expect(await holdfast.tenant("acme").emails.listJobs()).toHaveLength(0);
  });
});
