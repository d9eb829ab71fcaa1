/** Reading single jobs and all of them, corrupt records included (EMAIL-10 to 15). */
import { describe, expect, it } from "vitest";
import type { JobPage } from "../../../src/services/email-lists.ts";
import type { Emails } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import { FIRST_VIEW, ID, KEY, originalRecord, thrownBy, times } from "./given.ts";

export function describeReading(bench: CurrentBench): void {
  describe("reading", () => {
    describeReads(bench);
    describeCorruptReads(bench);
    describeList(bench);
    describePages(bench);
    describeLargePages(bench);
  });
}

function describeReads(bench: CurrentBench): void {
  it("EMAIL-10 a key that has no job reads as null", async () => {
    expect(await bench().emails.readJob("nobody")).toBeNull();
  });

  it("a job that an original store wrote is answered as it stands", async () => {
    const { emails, plant } = bench();
    await plant(`emails/jobs/${ID}`, `${JSON.stringify(originalRecord(), null, 2)}\n`);
    expect(await emails.readJob(KEY)).toEqual(originalRecord());
    expect(await emails.listJobs()).toEqual(Object.assign([originalRecord()], { corrupt: [] }));
  });

  it("a job that an original store wrote can be worked on", async () => {
    const { emails, plant } = bench();
    await plant(`emails/jobs/${ID}`, JSON.stringify(originalRecord()));
    const leased = await emails.acquireSendingLease(KEY, 60_000);
    expect(leased).toMatchObject({ state: "sending", attempts: 1 });
    const sent = await emails.transitionSending(KEY, leased?.leaseToken ?? "", "sent");
    expect(sent?.state).toBe("sent");
  });

  it("a job of an original store with a longer key than is taken now can be finished", async () => {
    const { emails, plant } = bench();
    const logicalKey = "k".repeat(2_000);
    const id = "1c8123314be794fecd4622dd336c932c8c1592f8e3aa12eebf2e98aba92efd11";
    await plant(`emails/jobs/${id}`, JSON.stringify(originalRecord({ logicalKey })));
    const leased = await emails.acquireSendingLease(`sha256:${id}`, 60_000);
    if (leased === null) throw new Error("not leased");
    const sent = await emails.transitionSending(leased, leased.leaseToken ?? "", "sent");
    expect(sent?.state).toBe("sent");
  });
}

function describeCorruptReads(bench: CurrentBench): void {
  it.each([
    ["EMAIL-11 a body that is no JSON", '{"logicalKey": "first-vi'],
    ["EMAIL-11 an empty body", ""],
    ["EMAIL-11 a body that is no object", "[]"],
    ["EMAIL-12 an unknown field", JSON.stringify(originalRecord({ bcc: "x@example.com" }))],
    ["EMAIL-12 a state that there is not", JSON.stringify(originalRecord({ state: "lost" }))],
    ["EMAIL-12 sending without a lease", JSON.stringify(originalRecord({ state: "sending" }))],
    ["EMAIL-12 a lease without sending", JSON.stringify(originalRecord({ leaseToken: "token-a" }))],
    ["EMAIL-12 a missing field", JSON.stringify(originalRecord({ attempts: undefined }))],
    ["EMAIL-12 too many recordings", JSON.stringify(originalRecord({ recordingIds: ["a", "b"] }))],
    ["EMAIL-12 a kind that is not known", JSON.stringify(originalRecord({ type: "letter" }))],
    ["EMAIL-13 the key of another job", JSON.stringify(originalRecord({ logicalKey: "other" }))],
    ["a record of a newer release", JSON.stringify({ holdfast: { schema: 2 } })],
  ])("%s cannot be read, nor overwritten", async (_, body) => {
    const { emails, plant, contents } = bench();
    await plant(`emails/jobs/${ID}`, body);
    const corrupt = { code: "record_corrupt" };
    expect(await thrownBy(() => emails.readJob(KEY))).toMatchObject(corrupt);
    expect(await thrownBy(() => emails.enqueue(KEY, FIRST_VIEW))).toMatchObject(corrupt);
    expect(await thrownBy(() => emails.acquireSendingLease(KEY, 1_000))).toMatchObject(corrupt);
    expect(await thrownBy(() => emails.requeue(KEY))).toMatchObject(corrupt);
    expect((await contents()).get(`emails/jobs/${ID}`)).toBe(body);
  });

  it("what is told of a corrupt record shows nothing of its content", async () => {
    const { emails, plant } = bench();
    const body = JSON.stringify(originalRecord({ recipient: " SECRET@example.com", SECRETS: 1 }));
    await plant(`emails/jobs/${ID}`, body.replace("SECRETS", "unknown"));
    const error = await thrownBy(() => emails.readJob(KEY));
    expect(String(error) + JSON.stringify(error)).not.toContain("SECRET");
    expect(JSON.stringify((await emails.listJobs()).corrupt)).not.toContain("SECRET");
  });
}

/** Four keys, of which the ids sort as d (18ac…), c (2e7d…), b (3e23…), a (ca97…). */
async function fourJobs(emails: Emails, advance: (ms: number) => void): Promise<void> {
  await emails.enqueue("a", FIRST_VIEW);
  await emails.enqueue("b", FIRST_VIEW);
  advance(1);
  await emails.enqueue("c", FIRST_VIEW);
  await emails.enqueue("d", FIRST_VIEW);
}

function describeList(bench: CurrentBench): void {
  it("a list of nothing is empty", async () => {
    const jobs = await bench().emails.listJobs();
    expect([jobs.length, jobs.corrupt]).toEqual([0, []]);
  });

  it("EMAIL-14 jobs are listed by their time of creation, those of one time by id", async () => {
    const { emails, clock } = bench();
    await fourJobs(emails, clock.advance);
    const jobs = await emails.listJobs();
    expect(jobs.map((job) => job.logicalKey)).toEqual(["b", "a", "d", "c"]);
  });

  it("EMAIL-14 the order stays when jobs change", async () => {
    const { emails, clock } = bench();
    await fourJobs(emails, clock.advance);
    clock.advance(1_000);
    await emails.transition("b", ["pending"], "ready");
    const jobs = await emails.listJobs();
    expect(jobs.map((job) => job.logicalKey)).toEqual(["b", "a", "d", "c"]);
  });

  it("EMAIL-13, EMAIL-15 corrupt records are listed apart, by id, and hide no other", async () => {
    const { emails, plant, observed } = bench();
    await emails.enqueue("a", FIRST_VIEW);
    await plant(`emails/jobs/${ID}`, JSON.stringify(originalRecord({ logicalKey: "other" })));
    await plant(`emails/jobs/${"0".repeat(64)}`, "not json");
    const jobs = await emails.listJobs();
    expect(jobs.map((job) => job.logicalKey)).toEqual(["a"]);
    expect([...jobs.corrupt].sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      { id: "0".repeat(64), reason: "not JSON" },
      { id: ID, reason: "its logicalKey belongs to another id" },
    ]);
    expect(observed.get("store.record_corrupt")).toBe(2);
  });
}

function describePages(bench: CurrentBench): void {
  it("pages show every job once, whatever their size", async () => {
    const { emails } = bench();
    const keys = times(11, (index) => `job-${String(index).padStart(2, "0")}`);
    await emails.enqueueBatch(keys.map((logicalKey) => ({ logicalKey, payload: FIRST_VIEW })));
    for (const limit of [1, 4, 11, 1_000]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await emails.listPage({ limit, cursor });
        expect(page.jobs.length).toBeLessThanOrEqual(limit);
        seen.push(...page.jobs.map((job) => job.logicalKey));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen.sort()).toEqual(keys);
    }
  });

  it("a corrupt record is told on its page, beside the others", async () => {
    const { emails, plant } = bench();
    await emails.enqueue("a", FIRST_VIEW);
    await plant(`emails/jobs/${ID}`, "{}");
    const page = await emails.listPage({ limit: 1_000 });
    expect(page.jobs.map((job) => job.logicalKey)).toEqual(["a"]);
    expect(page.corrupt.map((record) => record.id)).toEqual([ID]);
    expect(page.nextCursor).toBeNull();
  });
}

const LARGE = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Large",
  text: "t".repeat(95_000),
  html: "h".repeat(95_000),
};

/** A page is an answer to somebody: a hundred of the largest jobs would be twenty megabytes. */
function describeLargePages(bench: CurrentBench): void {
  it("pages end before they are too large, and a walk meets every job once", async () => {
    const { emails } = bench();
    const keys = Array.from({ length: 40 }, (_, n) => `large-${n}`);
    for (const key of keys) await emails.enqueue(key, LARGE);
    const met: string[] = [];
    let cursor: string | null = null;
    do {
      const page: JobPage = await emails.listPage({ limit: 100, cursor });
      expect(JSON.stringify(page.jobs).length).toBeLessThan(6 * 1_024 * 1_024);
      met.push(...page.jobs.map(({ logicalKey }) => logicalKey));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(met.sort()).toEqual([...keys].sort());
  });

  it("leases of large jobs end before they are too large", async () => {
    const { emails } = bench();
    for (let n = 0; n < 40; n += 1) {
      await emails.enqueue(`large-${n}`, LARGE);
      await emails.transition(`large-${n}`, ["pending"], "ready");
    }
    const first = await emails.acquireDueLeases({ durationMs: 60_000, limit: 100 });
    const second = await emails.acquireDueLeases({ durationMs: 60_000, limit: 100 });
    const third = await emails.acquireDueLeases({ durationMs: 60_000, limit: 100 });
    expect(first.length).toBeLessThan(24);
    expect(new Set([...first, ...second, ...third].map(({ logicalKey }) => logicalKey)).size).toBe(
      40,
    );
  });
}
