/** Every call against the real service. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Client, type Fetch, HoldfastError, type Job } from "../../src/client/client.ts";
import { keySegment } from "../../src/client/emails.ts";
import { emailRoutes } from "../../src/http/emails.ts";
import { newKey } from "../../src/http/keys.ts";
import { operationRoutes } from "../../src/http/operations.ts";
import { receiptRoutes } from "../../src/http/receipts.ts";
import { html, message, readyJob, service } from "./service.ts";

const CLIPS = {
  type: "two-clips",
  recipient: "ann@example.com",
  shareId: "share-1",
  recordingIds: ["rec-1", "rec-2"],
};

async function waiting(client: Client, logicalKey: string): Promise<void> {
  await client.emails.enqueue({ logicalKey, payload: CLIPS, initialState: "awaiting_ai" });
}

const refused = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });

describe("the client", () => {
  it("has a call for every route", async () => {
    const client = (await service()).client();
    const names = Object.keys(emailRoutes).map((name) =>
      name === "firstImport" ? "enqueueFirstImport" : name,
    );
    expect(names.filter((name) => !(name in client.emails))).toEqual([]);
    const ofReceipts = Object.keys(receiptRoutes).map((name) =>
      name === "unknown" ? "markUnknown" : name,
    );
    expect(ofReceipts.filter((name) => !(name in client.receipts))).toEqual([]);
    expect(Object.keys(operationRoutes).filter((name) => !(name in client))).toEqual([]);
  });

  it("takes an email from its making to its sending", async () => {
    const { emails } = (await service()).client();
    expect(await emails.enqueue(message("a"))).toMatchObject({ created: true });
    expect(await emails.enqueue(message("a"))).toMatchObject({ created: false });
    const moved = await emails.transition("a", { from: ["pending"], to: "ready" });
    expect(moved.job.state).toBe("ready");
    const [due] = (await emails.leaseDue({ durationMs: 60_000, limit: 10 })).jobs;
    const leaseToken = due?.leaseToken ?? "";
    const extended = await emails.extend("a", { leaseToken, durationMs: 90_000 });
    expect(extended.job.state).toBe("sending");
    expect((await emails.settle("a", { leaseToken, to: "sent" })).job.state).toBe("sent");
    expect((await emails.read("a")).job).toMatchObject({ logicalKey: "a", subject: "Hi" });
  });

  it("takes an operation from its preparation to its end", async () => {
    const { receipts, erase } = (await service()).client();
    const request = { operationId: "charge-1", payload: { amount: 5 } };
    const { created, receipt } = await receipts.prepare(request);
    expect([created, receipt.state]).toEqual([true, "prepared"]);
    const { id } = receipt;
    const { owned, dispatchToken } = await receipts.dispatch(id);
    expect(owned).toBe(true);
    expect((await receipts.dispatch(id)).owned).toBe(false);
    const token = { dispatchToken: dispatchToken ?? "" };
    await receipts.renew(id, { ...token, leaseMs: 90_000 });
    await receipts.accept(id, { ...token, result: { charge: 1 } });
    expect((await receipts.complete(id)).receipt).toMatchObject({ result: { charge: 1 } });
    expect(await receipts.prepare(request)).toMatchObject({ created: false });
    expect((await receipts.list({ state: "terminal" })).receipts).toHaveLength(1);
    expect(await erase({ receipt: id })).toMatchObject({ machine: "receipts", id });
    await expect(receipts.read(id)).rejects.toEqual(refused("operation_expired"));
  });

  it("takes an operation from an unknown outcome to its resolution", async () => {
    const { receipts, stuck } = (await service()).client();
    const { receipt } = await receipts.prepare({ operationId: "charge-1", payload: 1 });
    const { id } = receipt;
    const { dispatchToken } = await receipts.dispatch(id, { leaseMs: 1_000 });
    expect(await receipts.recover()).toMatchObject({ recovered: 0 });
    await receipts.markUnknown(id, { dispatchToken: dispatchToken ?? "" });
    expect((await stuck()).items).toMatchObject([{ machine: "receipts", id }]);
    const answer = { outcome: "abandoned", note: "nobody knows" } as const;
    expect((await receipts.resolve(id, answer)).receipt.resolution).toMatchObject(answer);
    expect(await receipts.read(id)).toMatchObject({ notes: [] });
  });

  it("takes a text from its claim to its completion", async () => {
    const { emails } = (await service()).client();
    const claimant = "writer@example.com";
    await waiting({ emails } as Client, "a");
    expect((await emails.claim("a", { claimant })).job.state).toBe("ai_dispatched");
    expect((await emails.release("a", { claimant })).job.state).toBe("awaiting_ai");
    const next = await emails.claimNext({ claimant });
    expect(next?.job.logicalKey).toBe("a");
    expect(await emails.claimNext({ claimant })).toBeNull();
    const staleBefore = "2100-01-01T00:00:00.000Z";
    const { claimToken } = await emails.reclaim("a", { claimant, staleBefore });
    const done = await emails.complete("a", { claimant, claimToken, summary: "Whales." });
    expect(done.job).toMatchObject({ state: "ready", generatedSummary: "Whales." });
  });

  it("carries out batches, first imports, requeues and configuration", async () => {
    const client = (await service()).client();
    const { emails } = client;
    const batch = await emails.enqueueBatch({ jobs: [message("a"), message("a")] });
    expect(batch.results).toMatchObject([{ created: true }, { created: false }]);
    const first = await emails.enqueueFirstImport({
      recipient: "ann@example.com",
      recordingId: "rec-1",
      requestedBy: "bob@example.com",
    });
    expect(first.job.type).toBe("first-import");
    await emails.transition("a", { from: ["pending"], to: "ready" });
    const leased = await emails.lease("a", { durationMs: 1_000 });
    await emails.settle("a", { leaseToken: leased.job.leaseToken ?? "", to: "failed" });
    expect((await client.stuck({ limit: 1 })).items).toMatchObject([{ state: "failed" }]);
    expect((await emails.requeue("a")).job.state).toBe("pending");
    await expect(emails.readConfig()).rejects.toEqual(refused("config_not_found"));
    await emails.ensureConfig();
    const cursor = { createdAt: "2026-01-31T09:00:00.000Z", id: "share-1" };
    await emails.setCursor("reminderCursor", { cursor });
    expect((await emails.readConfig()).config.reminderCursor).toEqual(cursor);
    expect((await client.health()).emails.deliver).toMatchObject({ due: 0, more: false });
  });

  it("erases a record for good, and tells a lost answer's repeat the same", async () => {
    const client = (await service()).client();
    await client.emails.enqueue(message("a"));
    const erased = await client.erase({ email: "a" });
    expect(erased).toMatchObject({ machine: "emails", state: "pending" });
    expect(await client.erase({ email: "a" })).toEqual(erased);
    await expect(client.emails.read("a")).rejects.toEqual(refused("erased", { status: 410 }));
    await expect(client.emails.enqueue(message("a"))).rejects.toEqual(refused("erased"));
  });

  it("answers one lease to one request id, and a new one to each call of its own", async () => {
    const { emails } = (await service()).client();
    await readyJob({ emails } as Client, "a");
    const body = { durationMs: 60_000, requestId: "mine" };
    const first = await emails.lease("a", body);
    expect((await emails.lease("a", body)).job.leaseToken).toBe(first.job.leaseToken);
    await expect(emails.lease("a", { durationMs: 60_000 })).rejects.toEqual(
      refused("not_leasable"),
    );
  });

  it("lists page after page, each job once", async () => {
    const { emails } = (await service()).client();
    const keys = Array.from({ length: 23 }, (_, n) => `key-${n}`);
    await emails.enqueueBatch({ jobs: keys.map(message) });
    await emails.transition("key-0", { from: ["pending"], to: "cancelled" });
    const listed: Job[] = [];
    for await (const job of emails.listAll({ limit: 5, state: "pending" })) listed.push(job);
    const found = listed.map(({ logicalKey }) => logicalKey).sort();
    expect(found).toEqual(keys.filter((key) => key !== "key-0").sort());
    const page = await emails.list({ limit: 5 });
    expect(page.nextCursor).not.toBeNull();
  });

  it.each([
    ["itself", "AAAA"],
    ["the one before it", "ABABABABAB"],
    ["one far before it", `${"ABCDEFGH".repeat(4)}`],
    ["one after a beginning", `XYZ${"ABC".repeat(6)}`],
  ])("ends a walk over pages where one leads back to %s", async (_, cursors) => {
    const asked: (string | null)[] = [];
    const fetch: Fetch = (url) => {
      asked.push(new URL(url).searchParams.get("cursor"));
      return Response.json({ jobs: [], nextCursor: cursors[asked.length - 1], corrupt: [] });
    };
    const { emails } = (await service()).client({ fetch });
    const walk = async () => {
      for await (const job of emails.listAll()) expect(job).toBeUndefined();
    };
    await expect(walk()).rejects.toEqual(refused("unexpected_answer"));
    expect(asked.length).toBeLessThan(cursors.length);
  });

  it.each([
    ["nothing", () => new Response(null, { status: 204 })],
    ["no jobs", () => Response.json({})],
    ["no list of jobs", () => Response.json({ jobs: "ab", nextCursor: null })],
    ["no next cursor", () => Response.json({ jobs: [] })],
    ["a next cursor of another kind", () => Response.json({ jobs: [], nextCursor: 5 })],
    ["no JSON", () => html(200)],
  ])("ends a walk over pages where one has %s", async (_, fetch) => {
    const { emails } = (await service()).client({ fetch });
    await expect(emails.listAll().next()).rejects.toEqual(refused("unexpected_answer"));
  });

  it("works below a path, with a key, and tells a wrong one", async () => {
    const { key, entry } = newKey("ann", new Uint8Array(32), { scopes: ["emails:write"] });
    const { fetch, client } = await service({ http: { keys: [entry] } });
    const below: typeof fetch = (url, init) => fetch(url.replace("/jobs", ""), init);
    const mine = client({ key, fetch: below, url: "http://localhost/jobs/" });
    expect(await mine.emails.enqueue(message("a"))).toMatchObject({ created: true });
    await expect(mine.stuck()).rejects.toEqual(refused("forbidden", { status: 403 }));
    const wrong = client({ key: `${key.slice(0, -1)}_` });
    await expect(wrong.health()).rejects.toEqual(refused("unauthorized", { status: 401 }));
  });
});

describe("a refusal", () => {
  it("is an error with the whole problem", async () => {
    const { emails } = (await service()).client();
    await readyJob({ emails } as Client, "a");
    const error = await emails
      .transition("a", { from: ["pending"], to: "ready" }, { requestId: "r-1" })
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof HoldfastError)) throw new TypeError("no HoldfastError");
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code: "state_mismatch", status: 409, requestId: "r-1" });
    expect(error.problem).toMatchObject({ code: "state_mismatch", state: "ready" });
    expect(error.message).toBe(`${error.detail} (state_mismatch)`);
  });

  it("tells what is wrong with a body", async () => {
    const { emails } = (await service()).client();
    await expect(emails.lease("a", { durationMs: 0 })).rejects.toThrow(/durationMs: .*invalid_req/);
  });

  it.each([
    ["a url that is none", { url: "jobs.example.com" }],
    ["another protocol", { url: "ftp://jobs.example.com" }],
    ["credentials in the url", { url: "https://ann:secret@jobs.example.com" }],
    ["a key with a line break", { key: "hf_ann_secret\n" }],
  ])("comes before anything is sent for %s", async (_, options) => {
    const { client } = await service();
    expect(() => client(options)).toThrow(refused("invalid_request", { status: null }));
    expect(() => client(options)).not.toThrow(/secret/);
  });

  it("comes before anything is sent for a request id that would be replaced", async () => {
    const { emails } = (await service()).client();
    const asked = emails.read("a", { requestId: "a b" });
    await expect(asked).rejects.toEqual(refused("invalid_request", { status: null }));
  });
});

describe("a logical key", () => {
  const digest = (key: string): string =>
    `sha256:${createHash("sha256").update(key, "utf8").digest("hex")}`;

  it.each([".", "..", "...", "a/b", "../a", "a\\b", "a\tb", "a\x7f", "é".repeat(512)])(
    "goes as its digest where a path would not keep it: %j",
    async (key) => {
      expect(await keySegment(key)).toBe(digest(key));
    },
  );

  it.each([
    ["welcome:ann@example.com", "welcome%3Aann%40example.com"],
    ["a b?c#d%e&f", "a%20b%3Fc%23d%25e%26f"],
    ["grüße 🐋", "gr%C3%BC%C3%9Fe%20%F0%9F%90%8B"],
    ["a.b", "a.b"],
    [digest("a"), digest("a").replace(":", "%3A")],
    [" a b\n", "a%20b"],
  ])("goes as it is, encoded: %j", async (key, segment) => {
    expect(await keySegment(key)).toBe(segment);
  });

  it.each(["", " ", "\t\n", "\ud800"])("is refused where it cannot be sent: %j", async (key) => {
    await expect(keySegment(key)).rejects.toEqual(refused("invalid_request"));
  });

  it("finds the job that it made, whatever it is", async () => {
    const { emails } = (await service()).client();
    const some = fc.constantFrom(
      "a",
      ".",
      "/",
      "\\",
      "%",
      "2",
      "F",
      "?",
      "#",
      " ",
      "é",
      "🐋",
      "\n",
    );
    const key = fc.oneof(fc.string({ unit: some, maxLength: 20 }), fc.string({ unit: "grapheme" }));
    await fc.assert(
      fc.asyncProperty(key, async (text) => {
        fc.pre(text.trim() !== "" && !text.includes("\0"));
        const { job } = await emails.enqueue(message(text));
        expect((await emails.read(job.logicalKey)).job.logicalKey).toBe(job.logicalKey);
        expect((await emails.read(text)).job.logicalKey).toBe(job.logicalKey);
      }),
    );
  });

  it("finds with spaces around it the job that was made with them", async () => {
    const { emails } = (await service()).client();
    await emails.enqueue(message(" a/b "));
    for (const key of ["a/b", " a/b ", "\ta/b\n"]) {
      expect((await emails.read(key)).job.logicalKey).toBe("a/b");
    }
    const moved = await emails.transition(" a/b ", { from: ["pending"], to: "ready" });
    expect(moved.job.state).toBe("ready");
  });

  it("may be the id that a listing of what is stuck tells", async () => {
    const { emails } = (await service()).client();
    await emails.enqueue(message("a"));
    expect((await emails.read(digest("a"))).job.logicalKey).toBe("a");
  });
});
