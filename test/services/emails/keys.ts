/** Keys that are taken, and keys, tokens and people that are not: named, nothing is written. */
import { describe, expect, it } from "vitest";
import type { Emails } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import { claimed, expectRefused, FIRST_VIEW, KEY, leased } from "./given.ts";

export function describeKeys(bench: CurrentBench): void {
  describe("keys", () => {
    describeGoodKeys(bench);
    describeRefusedKeys(bench);
  });
  describe("tokens", () => describeTokens(bench));
}

const PAST = "2026-01-01T00:00:00Z";

/** Every method that takes a key. */
const METHODS: readonly [string, (emails: Emails, key: string) => Promise<unknown>][] = [
  ["enqueue", (emails, key) => emails.enqueue(key, FIRST_VIEW)],
  ["readJob", (emails, key) => emails.readJob(key)],
  ["transition", (emails, key) => emails.transition(key, ["pending"], "ready")],
  ["claimAwaitingAi", (emails, key) => emails.claimAwaitingAi(key, "ann@example.com")],
  [
    "reclaimStaleAiDispatch",
    (emails, key) => emails.reclaimStaleAiDispatch(key, "ann@example.com", PAST),
  ],
  ["completeClaimedAi", (emails, key) => emails.completeClaimedAi(key, "ann@example.com", "Text.")],
  ["releaseClaimedAi", (emails, key) => emails.releaseClaimedAi(key, "ann@example.com")],
  ["acquireSendingLease", (emails, key) => emails.acquireSendingLease(key, 1_000)],
  ["extendSendingLease", (emails, key) => emails.extendSendingLease(key, "token-a", 1_000)],
  ["transitionSending", (emails, key) => emails.transitionSending(key, "token-a", "sent")],
  ["requeue", (emails, key) => emails.requeue(key)],
];

const BAD_KEYS: readonly [string, unknown][] = [
  ["an empty key", ""],
  ["a blank key", " \t "],
  ["a key of 1,025 bytes", "k".repeat(1_025)],
  ["a key of 1,025 bytes in 257 characters", `${"😀".repeat(256)}k`],
  ["a key with NUL", "a\u0000b"],
  ["a key with the first half of a pair", "a\ud83d"],
  ["a key with the second half of a pair", "\ude00a"],
  ["null", null],
  ["nothing", undefined],
  ["a number", 7],
  ["an array", ["a"]],
  ["an object without a key", { id: "a" }],
  ["a job whose key is a number", { logicalKey: 7 }],
];

function describeGoodKeys(bench: CurrentBench): void {
  it.each([
    "a/b/c",
    "/",
    ".",
    "..",
    "../../etc/passwd",
    "C:\\folder\\file",
    "a//b/",
    "%2e%2e%2f",
    "😀 für Ünïcode ☕",
    "line\nbreak",
    "__proto__",
    "constructor",
    "sha256:abc",
    "tenants/acme/emails/jobs/x",
    "k".repeat(1_024),
    "😀".repeat(256),
  ])("%j is a key like any other", async (key) => {
    const { emails } = bench();
    const { job } = await emails.enqueue(key, FIRST_VIEW);
    expect(job.logicalKey).toBe(key);
    expect(await emails.readJob(key)).toEqual(job);
    expect((await emails.listJobs()).map((listed) => listed.logicalKey)).toEqual([key]);
  });

  it("keys that differ in case, form or trailing dots are different jobs", async () => {
    const { emails } = bench();
    const keys = ["a", "A", "a.", "a/", "\u00e9", "e\u0301"];
    for (const key of keys) expect((await emails.enqueue(key, FIRST_VIEW)).created).toBe(true);
    expect(await emails.listJobs()).toHaveLength(6);
  });
}

function describeRefusedKeys(bench: CurrentBench): void {
  it.each(BAD_KEYS)("%s is refused by every method", async (_, key) => {
    for (const [, call] of METHODS) {
      await expectRefused(bench(), () => call(bench().emails, key as string), "logicalKey");
    }
  });
}

function describeTokens(bench: CurrentBench): void {
  it.each(["", " ", "t".repeat(257), null, undefined, 7])(
    "EMAIL-48 the lease token %j is refused",
    async (token) => {
      const { emails } = bench();
      await leased(emails);
      const refused = (call: () => Promise<unknown>) => expectRefused(bench(), call, "leaseToken");
      await refused(() => emails.transitionSending(KEY, token as string, "sent"));
      await refused(() => emails.extendSendingLease(KEY, token as string, 1_000));
    },
  );

  it.each(["", " ", "t".repeat(257), null, 7])("the claim token %j is refused", async (token) => {
    const { emails } = bench();
    await claimed(emails);
    const refused = (call: () => Promise<unknown>) => expectRefused(bench(), call, "claimToken");
    await refused(() => emails.completeClaimedAi(KEY, "ann@example.com", "T.", token as string));
    await refused(() => emails.releaseClaimedAi(KEY, "ann@example.com", token as string));
  });

  it.each(["", "a b", "a\n", "ä", "r".repeat(129), null, 7])(
    "the request id %j is refused",
    async (requestId) => {
      const options = { requestId: requestId as string };
      const call = () => bench().emails.acquireSendingLease(KEY, 1_000, options);
      await expectRefused(bench(), call, "requestId");
    },
  );

  it.each([null, undefined, 7, "ann", "\u0000@example.com", `${"a".repeat(309)}@example.com`])(
    "the claimant %j is refused",
    async (person) => {
      const call = () => bench().emails.claimAwaitingAi(KEY, person as string);
      await expectRefused(bench(), call, "claimant");
    },
  );
}
