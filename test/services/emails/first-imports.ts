/** A recipient's first import, turned to another recording while it can be (EMAIL-51 to 55). */
import { describe, expect, it } from "vitest";
import type { Emails } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import { expectRefused, lease, present } from "./given.ts";

const FIRST_IMPORT = "first-import:ann@example.com";

export function describeFirstImports(bench: CurrentBench): void {
  describe("first imports", () => {
    describeConvergence(bench);
    describeStandingStill(bench);
  });
}

function converge(emails: Emails, recordingId = "recording-2", requestedBy = "bob") {
  return emails.enqueueOrConvergeFirstImport("ann@example.com", recordingId, requestedBy);
}

async function moveTo(emails: Emails, state: string): Promise<void> {
  if (state === "pending") return;
  if (state === "cancelled" || state === "failed") {
    await emails.transition(FIRST_IMPORT, ["pending"], state);
    return;
  }
  await emails.transition(FIRST_IMPORT, ["pending"], "ready");
  if (state === "ready") return;
  const { leaseToken } = await lease(emails, FIRST_IMPORT);
  if (state === "sent") await emails.transitionSending(FIRST_IMPORT, leaseToken, "sent");
}

function describeConvergence(bench: CurrentBench): void {
  it("EMAIL-51 a new recipient gets a pending job, under the address in lower case", async () => {
    const { emails, at } = bench();
    const answer = await emails.enqueueOrConvergeFirstImport(
      " Ann@Example.com ",
      " recording-1 ",
      "bob",
    );
    expect(answer).toEqual({
      created: true,
      job: {
        logicalKey: "first-import:ann@example.com",
        type: "first-import",
        state: "pending",
        recipient: "ann@example.com",
        recordingIds: ["recording-1"],
        requestedBy: "bob",
        attempts: 0,
        createdAt: at(0),
        updatedAt: at(0),
        lastError: null,
        leaseUntil: null,
        leaseToken: null,
      },
    });
  });

  it.each(["pending", "ready", "cancelled"])(
    "EMAIL-53 a job that is %s turns to another recording, in a new life",
    async (state) => {
      const { emails, clock, at } = bench();
      await converge(emails, "recording-1");
      await moveTo(emails, state);
      clock.advance(5_000);
      expect(await converge(emails, "recording-2", "carol")).toEqual({
        created: false,
        job: {
          logicalKey: "first-import:ann@example.com",
          type: "first-import",
          state: "pending",
          recipient: "ann@example.com",
          recordingIds: ["recording-2"],
          requestedBy: "carol",
          attempts: 0,
          createdAt: at(0),
          updatedAt: at(5_000),
          lastError: null,
          leaseUntil: null,
          leaseToken: null,
        },
      });
    },
  );

  it("EMAIL-53 attempts, stamps and error of the earlier life go, the share stays", async () => {
    const { emails } = bench();
    await emails.enqueue(FIRST_IMPORT, {
      type: "first-import",
      recipient: "ann@example.com",
      recordingIds: ["recording-1"],
      shareId: "share-1",
    });
    await emails.transition(FIRST_IMPORT, ["pending"], "ready");
    const { leaseToken } = await lease(emails, FIRST_IMPORT);
    await emails.transitionSending(FIRST_IMPORT, leaseToken, "ready", { lastError: "timeout" });
    const { job } = await converge(emails);
    expect(job).toMatchObject({ attempts: 0, lastError: null, shareId: "share-1" });
    expect([job.readyAt, job.sendingAt]).toEqual([undefined, undefined]);
    expect(await emails.transitionSending(FIRST_IMPORT, leaseToken, "ready")).toBeNull();
  });

  it("EMAIL-55 two turns at once end in one that both callers saw stored", async () => {
    const { emails } = bench();
    await converge(emails, "recording-1");
    const answers = await Promise.all([
      converge(emails, "recording-2", "bob"),
      converge(emails, "recording-3", "carol"),
    ]);
    const seen = answers.map(({ job }) => [job.recordingIds?.[0], job.requestedBy]);
    expect(seen).toEqual([
      ["recording-2", "bob"],
      ["recording-3", "carol"],
    ]);
    const job = present(await emails.readJob(FIRST_IMPORT));
    expect(answers.map((answer) => answer.job)).toContainEqual(job);
  });

  it("EMAIL-55 of two first turns at once one creates", async () => {
    const { emails } = bench();
    const answers = await Promise.all([converge(emails, "r-1"), converge(emails, "r-2")]);
    expect(answers.map((answer) => answer.created).sort()).toEqual([false, true]);
  });
}

function describeStandingStill(bench: CurrentBench): void {
  it.each(["sending", "sent", "failed"])(
    "EMAIL-52 a job that is %s stays as it is",
    async (state) => {
      const { emails, contents } = bench();
      await converge(emails, "recording-1");
      await moveTo(emails, state);
      const before = await contents();
      const job = await emails.readJob(FIRST_IMPORT);
      expect(await converge(emails, "recording-2")).toEqual({ created: false, job });
      expect(await contents()).toEqual(before);
    },
  );

  it.each(["pending", "ready", "cancelled"])(
    "EMAIL-54 the same recording leaves a job that is %s as it is",
    async (state) => {
      const { emails, contents } = bench();
      await converge(emails, "recording-1", "bob");
      await moveTo(emails, state);
      const before = await contents();
      const { created, job } = await converge(emails, "recording-1", "carol");
      expect([created, job.state, job.requestedBy]).toEqual([false, state, "bob"]);
      expect(await contents()).toEqual(before);
    },
  );

  it("EMAIL-54 a job of another kind under that key stays as it is", async () => {
    const { emails } = bench();
    const { job } = await emails.enqueue(FIRST_IMPORT, {
      type: "first-view",
      recipient: "ann@example.com",
      recordingIds: ["recording-1"],
    });
    expect(await converge(emails, "recording-2")).toEqual({ created: false, job });
  });

  it("an address that is none has no first import", async () => {
    const { emails } = bench();
    const call = () => emails.enqueueOrConvergeFirstImport("ann", "recording-1", "bob");
    await expectRefused(bench(), call, "recipient");
  });
}
