/** Creating jobs: one key, one job (EMAIL-1 to 9). */
import { describe, expect, it } from "vitest";
import { JobPayloadConflictError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import {
  expectRefused,
  FIRST_VIEW,
  jobIn,
  KEY,
  leased,
  MESSAGE,
  STATES,
  TWO_CLIPS,
  thrownBy,
} from "./given.ts";

export function describeEnqueue(bench: CurrentBench): void {
  describe("enqueue", () => {
    describeCreation(bench);
    describeLongLives(bench);
    describeKeys(bench);
    describePayloads(bench);
    describeConflicts(bench);
    describeInterruption(bench);
  });
}

function describeCreation(bench: CurrentBench): void {
  it("EMAIL-1 a new key makes a pending job without attempts, error and lease", async () => {
    const { emails, at } = bench();
    expect(await emails.enqueue(KEY, FIRST_VIEW)).toEqual({
      created: true,
      job: {
        logicalKey: "first-view:share-1",
        type: "first-view",
        state: "pending",
        recipient: "ann@example.com",
        recordingIds: ["recording-1"],
        attempts: 0,
        createdAt: at(0),
        updatedAt: at(0),
        lastError: null,
        leaseUntil: null,
        leaseToken: null,
      },
    });
  });

  it("EMAIL-1 what was answered is what is read, by every instance", async () => {
    const { emails, another } = bench();
    const { job } = await emails.enqueue(KEY, {
      ...FIRST_VIEW,
      shareId: "share-1",
      requestedBy: "bob",
    });
    expect(await emails.readJob(KEY)).toEqual(job);
    expect(await (await another()).emails.readJob(KEY)).toEqual(job);
  });

  it("EMAIL-2 a new key can begin waiting for its text", async () => {
    const { job } = await bench().emails.enqueue(KEY, TWO_CLIPS, "awaiting_ai");
    expect(job.state).toBe("awaiting_ai");
  });

  it("EMAIL-3 of two enqueues of one key at once one creates, both answer the same", async () => {
    const { emails } = bench();
    const answers = await Promise.all([
      emails.enqueue(KEY, FIRST_VIEW),
      emails.enqueue(KEY, FIRST_VIEW),
    ]);
    expect(answers.map((answer) => answer.created).sort()).toEqual([false, true]);
    expect(answers[0]?.job).toEqual(answers[1]?.job);
    expect(await emails.listJobs()).toHaveLength(1);
  });

  it("EMAIL-4 a second enqueue answers the stored job whatever it brings", async () => {
    const { emails, clock, contents } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    const before = await contents();
    clock.advance(5_000);
    const again = await emails.enqueue(KEY, TWO_CLIPS, "awaiting_ai");
    expect(again).toEqual({ created: false, job });
    expect(await contents()).toEqual(before);
  });

  it.each(STATES)("EMAIL-4 a job that is %s is answered as it is", async (state) => {
    const { emails } = bench();
    await jobIn(emails, state);
    const stored = await emails.readJob(KEY);
    expect(await emails.enqueue(KEY, FIRST_VIEW)).toEqual({ created: false, job: stored });
    expect(await emails.readJob(KEY)).toEqual(stored);
  });
}

function describeLongLives(bench: CurrentBench): void {
  /** More writes than a record remembers of its latest. */
  async function writtenTwelveTimes(): Promise<void> {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    for (let ms = 1_000; ms < 10_000; ms += 1_000) {
      await emails.extendSendingLease(KEY, leaseToken, ms);
    }
  }

  it("EMAIL-4 a job that was written many times is answered as well", async () => {
    const { emails } = bench();
    await writtenTwelveTimes();
    const job = await emails.readJob(KEY);
    expect(await emails.enqueue(KEY, FIRST_VIEW)).toEqual({ created: false, job });
  });

  it("another payload conflicts with a job that was written many times", async () => {
    const { emails } = bench();
    await writtenTwelveTimes();
    const options = { onPayloadMismatch: "conflict" } as const;
    const call = () => emails.enqueue(KEY, TWO_CLIPS, "pending", options);
    expect(await thrownBy(call)).toBeInstanceOf(JobPayloadConflictError);
  });
}

function describeKeys(bench: CurrentBench): void {
  it("EMAIL-5 a key with spaces around it is stored trimmed", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue("  first-view:share-1\n", FIRST_VIEW);
    expect(job.logicalKey).toBe("first-view:share-1");
    expect(await emails.enqueue(KEY, FIRST_VIEW)).toEqual({ created: false, job });
  });

  it("EMAIL-5 every other call takes a key exactly as it is given", async () => {
    const { emails } = bench();
    await emails.enqueue(" first-view:share-1 ", FIRST_VIEW);
    expect(await emails.readJob(" first-view:share-1 ")).toBeNull();
    expect(await emails.transition(" first-view:share-1 ", ["pending"], "ready")).toBeNull();
  });

  it.each(["", " ", "\t\n"])("EMAIL-5 the key %j is refused", async (key) => {
    await expectRefused(bench(), () => bench().emails.enqueue(key, FIRST_VIEW), "logicalKey");
  });

  it("a job can be named by sha256: and its id", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    const byId = "sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c";
    expect(await emails.readJob(byId)).toEqual(job);
    expect((await emails.transition(byId, ["pending"], "ready"))?.logicalKey).toBe(KEY);
  });

  it("a key of the form sha256: and 64 digits makes no job", async () => {
    const { emails } = bench();
    const key = `sha256:${"0".repeat(64)}`;
    await expectRefused(bench(), () => emails.enqueue(key, FIRST_VIEW), "logicalKey");
  });
}

function describePayloads(bench: CurrentBench): void {
  it.each([
    ["first-view", ["a", "b"]],
    ["first-view", []],
    ["unviewed-reminder", ["a", "b"]],
    ["first-import", ["a", "b"]],
    ["two-clips", ["a"]],
    ["two-clips", ["a", "b", "c"]],
  ])("EMAIL-6 a %s of the recordings %j is refused", async (type, recordingIds) => {
    const payload = { type, recipient: "ann@example.com", recordingIds };
    await expectRefused(
      bench(),
      () => bench().emails.enqueue(KEY, payload),
      "payload.recordingIds",
    );
  });

  it("EMAIL-7 an unknown property of the payload is refused by its name", async () => {
    const payload = { ...FIRST_VIEW, transcript: "not for the mail queue" };
    await expectRefused(bench(), () => bench().emails.enqueue(KEY, payload), "payload.transcript");
  });

  it.each(["ann", "ann@", " ann@example.com", "ann@example.com ", ""])(
    "EMAIL-8 the recipient %j is refused",
    async (recipient) => {
      const payload = { ...FIRST_VIEW, recipient };
      await expectRefused(bench(), () => bench().emails.enqueue(KEY, payload), "payload.recipient");
    },
  );

  it("EMAIL-8 a recipient in mixed case is stored as it is given", async () => {
    const payload = { ...FIRST_VIEW, recipient: "Ann.Lee@Example.COM" };
    const { job } = await bench().emails.enqueue(KEY, payload);
    expect(job.recipient).toBe("Ann.Lee@Example.COM");
  });

  it("a change of the payload after the call changes nothing that is stored", async () => {
    const { emails } = bench();
    const payload = { ...FIRST_VIEW, recordingIds: ["recording-1"] };
    const call = emails.enqueue(KEY, payload);
    payload.recordingIds[0] = "another";
    await call;
    expect((await emails.readJob(KEY))?.recordingIds).toEqual(["recording-1"]);
  });

  it("a message is stored flat, and answered so", async () => {
    const { emails } = bench();
    const payload = { ...MESSAGE, headers: { "X-Campaign": "spring" }, replyTo: "bob@example.com" };
    await emails.enqueue(KEY, payload);
    expect(await emails.readJob(KEY)).toMatchObject(payload);
  });
}

function describeConflicts(bench: CurrentBench): void {
  it("another payload is a conflict for who asks, and reveals nothing stored", async () => {
    const { emails, contents } = bench();
    await emails.enqueue(KEY, FIRST_VIEW);
    const before = await contents();
    const other = { ...FIRST_VIEW, recipient: "bob@example.com" };
    const error = await thrownBy(() =>
      emails.enqueue(KEY, other, "pending", { onPayloadMismatch: "conflict" }),
    );
    expect(error).toBeInstanceOf(JobPayloadConflictError);
    expect(error).toMatchObject({ code: "job_payload_conflict" });
    expect(JSON.stringify(error) + String(error)).not.toContain("ann@example.com");
    expect(await contents()).toEqual(before);
  });

  it("the same payload in another order of properties is no conflict", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(KEY, { ...FIRST_VIEW, shareId: "s" });
    const same = { shareId: "s", recordingIds: ["recording-1"], recipient: "ann@example.com" };
    const answer = await emails.enqueue(KEY, { ...same, type: "first-view" }, "pending", {
      onPayloadMismatch: "conflict",
    });
    expect(answer).toEqual({ created: false, job });
  });

  it("a payload that is trimmed on its way in equals the one that was stored trimmed", async () => {
    const { emails } = bench();
    await emails.enqueue(KEY, { ...FIRST_VIEW, shareId: " s " });
    const again = { ...FIRST_VIEW, shareId: "s" };
    const answer = await emails.enqueue(KEY, again, "pending", { onPayloadMismatch: "conflict" });
    expect(answer.created).toBe(false);
  });

  it("another payload is no conflict when it is to be answered with what is stored", async () => {
    const { emails } = bench();
    await emails.enqueue(KEY, FIRST_VIEW);
    const answer = await emails.enqueue(KEY, TWO_CLIPS, "pending", { onPayloadMismatch: "return" });
    expect(answer.job.type).toBe("first-view");
  });
}

function describeInterruption(bench: CurrentBench): void {
  it("EMAIL-9 an enqueue cut off before it is stored leaves nothing", async () => {
    const { another, emails } = bench();
    const broken = await another();
    broken.interference.isBlind = true;
    broken.interference.beforePut = async () => {
      throw new Error("cut off");
    };
    await expect(broken.emails.enqueue(KEY, FIRST_VIEW)).rejects.toMatchObject({
      code: "outcome_unknown",
    });
    expect(await emails.listJobs()).toEqual(Object.assign([], { corrupt: [] }));
    expect((await emails.enqueue(KEY, FIRST_VIEW)).created).toBe(true);
  });

  it("an enqueue whose reply is lost is answered as created, once", async () => {
    const { another, emails } = bench();
    const faulty = await another();
    faulty.interference.afterPut = async () => {
      faulty.interference.afterPut = async () => {};
      throw new Error("no reply");
    };
    expect((await faulty.emails.enqueue(KEY, FIRST_VIEW)).created).toBe(true);
    expect(faulty.traffic.puts).toBe(1);
    expect((await emails.enqueue(KEY, FIRST_VIEW)).created).toBe(false);
  });
}
