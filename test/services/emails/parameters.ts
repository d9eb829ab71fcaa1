/** Parameters that are not what they must be: named, and nothing is written (G9). */
import { describe, it } from "vitest";
import type { EmailStateName, SettledState } from "../../../src/machines/emails/fields.ts";
import type { CurrentBench } from "./bench.ts";
import { expectRefused, FIRST_VIEW, KEY, leased, ready } from "./given.ts";

export function describeParameters(bench: CurrentBench): void {
  describe("parameters", () => {
    describeDurations(bench);
    describeLimits(bench);
    describeStates(bench);
    describeInstants(bench);
  });
}

const BAD_DURATIONS = [
  ...[0, -1, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ...[86_400_001, 315_360_000_000, Number.MAX_SAFE_INTEGER, "60000", null, undefined, 60_000n],
];

function describeDurations(bench: CurrentBench): void {
  it.each(BAD_DURATIONS)("EMAIL-40 the lease duration %s is refused", async (value) => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    const ms = value as number;
    const refused = (call: () => Promise<unknown>, path: string) =>
      expectRefused(bench(), call, path);
    await refused(() => emails.acquireSendingLease(KEY, ms), "leaseMs");
    await refused(() => emails.extendSendingLease(KEY, leaseToken, ms), "leaseMs");
    await refused(() => emails.acquireDueLeases({ durationMs: ms, limit: 1 }), "durationMs");
  });
}

function describeLimits(bench: CurrentBench): void {
  it.each([0, -1, 1.5, 101, Number.NaN, "10", null, undefined])(
    "the limit %s is refused",
    async (value) => {
      const { emails } = bench();
      await ready(emails);
      const limit = value as number;
      const due = () => emails.acquireDueLeases({ durationMs: 1_000, limit });
      await expectRefused(bench(), due, "limit");
      if (limit === 101) return;
      await expectRefused(bench(), () => emails.listPage({ limit }), "limit");
      await expectRefused(bench(), () => emails.retireExpired(limit), "limit");
    },
  );

  it("a page has at most 1,000 jobs", async () => {
    const { emails } = bench();
    await expectRefused(bench(), () => emails.listPage({ limit: 1_001 }), "limit");
    await expectRefused(bench(), () => emails.retireExpired(1_001), "limit");
  });
}

function describeStates(bench: CurrentBench): void {
  const move = (from: unknown, to: unknown) => () =>
    bench().emails.transition(KEY, from as EmailStateName[], to as EmailStateName);

  it.each(["lost", "Ready", "", null, undefined, 7])("the state %j is refused", async (state) => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    await expectRefused(bench(), move(["sending"], state), "to");
    await expectRefused(bench(), move(["pending", state], "ready"), "from[1]");
    const settle = () => emails.transitionSending(KEY, leaseToken, state as SettledState);
    await expectRefused(bench(), settle, "to");
  });

  it.each([[[]], ["pending"], [null], [undefined], [{}]])(
    "the expected states %j are refused",
    async (from) => {
      await expectRefused(bench(), move(from, "ready"), "from");
    },
  );

  it.each(["pending", "awaiting_ai", "ai_dispatched", "sending"])(
    "a lease does not end as %s",
    async (to) => {
      const { emails } = bench();
      const { leaseToken } = await leased(emails);
      const settle = () => emails.transitionSending(KEY, leaseToken, to as SettledState);
      await expectRefused(bench(), settle, "to");
    },
  );

  it.each([7, "e".repeat(4_001), {}, true])("the last error %j is refused", async (value) => {
    const { emails } = bench();
    const { leaseToken } = await leased(emails);
    const changes = { lastError: value as string };
    const settle = () => emails.transitionSending(KEY, leaseToken, "failed", changes);
    await expectRefused(bench(), settle, "lastError");
    const fail = () => emails.transition(KEY, ["ready"], "failed", changes);
    await expectRefused(bench(), fail, "lastError");
  });
}

function describeInstants(bench: CurrentBench): void {
  const BAD = ["", "yesterday", "2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"];

  it.each([...BAD, "1969-12-31T23:59:59Z", "+010000-01-01T00:00:00Z", 0, null, new Date(0)])(
    "the instant %j is refused",
    async (value) => {
      const { emails } = bench();
      const notBefore = value as string;
      const enqueue = () => emails.enqueue(KEY, FIRST_VIEW, "pending", { notBefore });
      await expectRefused(bench(), enqueue, "notBefore");
      const reclaim = () => emails.reclaimStaleAiDispatch(KEY, "ann@example.com", notBefore);
      await expectRefused(bench(), reclaim, "staleBefore");
    },
  );

  const enqueueAs = (initialState: unknown, onPayloadMismatch: unknown) => () =>
    bench().emails.enqueue(KEY, FIRST_VIEW, initialState as "pending", {
      onPayloadMismatch: onPayloadMismatch as "return",
    });

  it.each(["ready", "sent", "", null, 7])("the initial state %j is refused", async (state) => {
    await expectRefused(bench(), enqueueAs(state, "return"), "initialState");
  });

  it.each(["throw", "", null, true])("the answer to a mismatch %j is refused", async (mode) => {
    await expectRefused(bench(), enqueueAs("pending", mode), "onPayloadMismatch");
  });

  it.each(["", " ", null, undefined, 7, "r".repeat(1_025)])(
    "the recording, or the requester, %j of a first import is refused",
    async (value) => {
      const converge = (recordingId: string, requestedBy: string) => () =>
        bench().emails.enqueueOrConvergeFirstImport("ann@example.com", recordingId, requestedBy);
      await expectRefused(bench(), converge(value as string, "bob"), "recordingId");
      await expectRefused(bench(), converge("recording-1", value as string), "requestedBy");
    },
  );
}
