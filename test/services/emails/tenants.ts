/** One tenant never sees, blocks or changes another's records (G10). */
import { describe, expect, it } from "vitest";
import type { Emails } from "../../../src/services/emails.ts";
import { InvalidInputError } from "../../../src/services/errors.ts";
import type { CurrentBench } from "./bench.ts";
import { awaiting, claimed, FIRST_VIEW, KEY, lease, leased, ready, TWO_CLIPS } from "./given.ts";

export function describeTenants(bench: CurrentBench): void {
  describe("tenants", () => {
    describeApart(bench);
    describeNames(bench);
  });
}

interface Two {
  readonly acme: Emails;
  readonly globex: Emails;
}

/** What globex can find out about, or do to, a job that only acme has. */
const METHODS: readonly [
  string,
  (two: Two) => Promise<void>,
  (globex: Emails) => Promise<unknown>,
][] = [
  ["readJob", ({ acme }) => done(ready(acme)), (globex) => globex.readJob(KEY)],
  [
    "transition",
    ({ acme }) => done(ready(acme)),
    (globex) => globex.transition(KEY, ["ready"], "failed"),
  ],
  [
    "claimAwaitingAi",
    ({ acme }) => done(awaiting(acme)),
    (globex) => globex.claimAwaitingAi(KEY, "a@b.example"),
  ],
  [
    "claimNextAwaitingAi",
    ({ acme }) => done(awaiting(acme)),
    (globex) => globex.claimNextAwaitingAi(),
  ],
  [
    "reclaimStaleAiDispatch",
    ({ acme }) => done(claimed(acme)),
    (globex) => globex.reclaimStaleAiDispatch(KEY, "a@b.example", "2100-01-01T00:00:00Z"),
  ],
  [
    "completeClaimedAi",
    ({ acme }) => done(claimed(acme)),
    (globex) => globex.completeClaimedAi(KEY, "ann@example.com", "Text."),
  ],
  [
    "releaseClaimedAi",
    ({ acme }) => done(claimed(acme)),
    (globex) => globex.releaseClaimedAi(KEY, "ann@example.com"),
  ],
  [
    "acquireSendingLease",
    ({ acme }) => done(ready(acme)),
    (globex) => globex.acquireSendingLease(KEY, 1_000),
  ],
  ["requeue", ({ acme }) => done(failed(acme)), (globex) => globex.requeue(KEY)],
];

async function done(work: Promise<unknown>): Promise<void> {
  await work;
}

async function failed(emails: Emails): Promise<void> {
  await ready(emails);
  await emails.transition(KEY, ["ready"], "failed");
}

function describeApart(bench: CurrentBench): void {
  const two = (): Two => ({
    acme: bench().holdfast.tenant("acme").emails,
    globex: bench().holdfast.tenant("globex").emails,
  });

  it.each(METHODS)(
    "%s answers null for another's job, and changes nothing",
    async (_, given, call) => {
      const tenants = two();
      await given(tenants);
      const before = await bench().contents();
      expect(await call(tenants.globex)).toBeNull();
      expect(await call(bench().emails)).toBeNull();
      expect(await bench().contents()).toEqual(before);
    },
  );

  it("a lease token of another's job is worth nothing", async () => {
    const { acme, globex } = two();
    const { leaseToken } = await leased(acme);
    await leased(globex);
    expect(await globex.transitionSending(KEY, leaseToken, "sent")).toBeNull();
    expect(await globex.extendSendingLease(KEY, leaseToken, 1_000)).toBeNull();
    expect((await acme.readJob(KEY))?.leaseToken).toBe(leaseToken);
  });

  it("a job object of another is no more than its key", async () => {
    const { acme, globex } = two();
    const job = await ready(acme);
    expect(await globex.transition(job, ["ready"], "failed")).toBeNull();
    await globex.enqueue(KEY, TWO_CLIPS);
    expect((await globex.readJob(job))?.type).toBe("two-clips");
    expect((await acme.readJob(KEY))?.state).toBe("ready");
  });

  it("each creates its own job under the same key", async () => {
    const { acme, globex } = two();
    const answers = await Promise.all(
      [bench().emails, acme, globex].map((emails) => emails.enqueue(KEY, FIRST_VIEW)),
    );
    expect(answers.map((answer) => answer.created)).toEqual([true, true, true]);
  });

  it("a conflict is only with an own payload", async () => {
    const { acme, globex } = two();
    await acme.enqueue(KEY, FIRST_VIEW);
    const options = { onPayloadMismatch: "conflict" } as const;
    expect((await globex.enqueue(KEY, TWO_CLIPS, "pending", options)).created).toBe(true);
  });

  it("lists show own jobs only", async () => {
    const { acme, globex } = two();
    await acme.enqueue("of-acme", FIRST_VIEW);
    await globex.enqueue("of-globex", FIRST_VIEW);
    await bench().emails.enqueue("of-nobody", FIRST_VIEW);
    const keys = async (emails: Emails) => (await emails.listJobs()).map((job) => job.logicalKey);
    expect(await keys(acme)).toEqual(["of-acme"]);
    expect(await keys(globex)).toEqual(["of-globex"]);
    expect(await keys(bench().emails)).toEqual(["of-nobody"]);
    const page = await acme.listPage({ limit: 10 });
    expect(page.jobs.map((job) => job.logicalKey)).toEqual(["of-acme"]);
  });

  it("only own jobs are due", async () => {
    const { acme, globex } = two();
    for (const emails of [acme, globex, bench().emails]) await ready(emails);
    const options = { durationMs: 60_000, limit: 10 };
    expect(await acme.acquireDueLeases(options)).toHaveLength(1);
    expect(await acme.acquireDueLeases(options)).toHaveLength(0);
    expect(await bench().emails.acquireDueLeases(options)).toHaveLength(1);
    expect(await globex.acquireDueLeases(options)).toHaveLength(1);
  });

  it("only own jobs are retired", async () => {
    const { holdfast } = await bench().another({ limits: { emailRetentionMs: 1_000 } });
    const [acme, globex] = [holdfast.tenant("acme").emails, holdfast.tenant("globex").emails];
    for (const emails of [acme, globex]) {
      await ready(emails);
      await emails.transitionSending(KEY, (await lease(emails)).leaseToken, "sent");
    }
    bench().clock.advance(1_000);
    expect(await bench().emails.retireExpired(10)).toBe(0);
    expect(await acme.retireExpired(10)).toBe(1);
    expect(await globex.retireExpired(10)).toBe(1);
  });

  it("first imports and batches are each tenant's own", async () => {
    const { acme, globex } = two();
    const converge = (emails: Emails, recording: string) =>
      emails.enqueueOrConvergeFirstImport("ann@example.com", recording, "bob");
    expect((await converge(acme, "recording-1")).created).toBe(true);
    expect((await converge(globex, "recording-2")).created).toBe(true);
    const batch = [{ logicalKey: KEY, payload: FIRST_VIEW }];
    expect(await acme.enqueueBatch(batch)).toMatchObject([{ created: true }]);
    expect(await globex.enqueueBatch(batch)).toMatchObject([{ created: true }]);
  });

  it("each has a configuration of its own", async () => {
    const { acme, globex } = two();
    await acme.ensureEnabledAt();
    expect(await globex.readConfig()).toBeNull();
    expect(await bench().emails.readConfig()).toBeNull();
    const set = globex.updateReconciliationCursor("reminderCursor", null);
    await expect(set).rejects.toMatchObject({ code: "config_not_found" });
  });
}

function describeNames(bench: CurrentBench): void {
  it("one whose name another's begins with sees nothing of it", async () => {
    const { holdfast } = bench();
    await ready(holdfast.tenant("acme-2").emails);
    const { emails } = holdfast.tenant("acme");
    expect(await emails.listJobs()).toHaveLength(0);
    expect(await emails.acquireDueLeases({ durationMs: 1_000, limit: 10 })).toEqual([]);
  });

  it("a name leads to the same tenant in every instance", async () => {
    const { holdfast, another } = bench();
    await ready(holdfast.tenant("acme").emails);
    const other = (await another()).holdfast.tenant("acme").emails;
    expect((await other.readJob(KEY))?.state).toBe("ready");
  });

  it.each(["a", "0", "acme-2", "a".repeat(63)])("%j is a name", async (name) => {
    const { emails } = bench().holdfast.tenant(name);
    expect((await emails.enqueue(KEY, FIRST_VIEW)).created).toBe(true);
  });

  it.each(["", "-a", "A", "a_b", "a/b", "..", "a b", "ä", "a".repeat(64), null, undefined, 7])(
    "%j is no name",
    (name) => {
      const call = () => bench().holdfast.tenant(name as string);
      expect(call).toThrow(InvalidInputError);
      expect(call).toThrow(/tenant/);
    },
  );
}
