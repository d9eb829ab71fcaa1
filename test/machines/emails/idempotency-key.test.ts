import { describe, expect, it } from "vitest";
import type { Converge } from "../../../src/machines/emails/commands.ts";
import { idempotencyKeyOf } from "../../../src/machines/emails/idempotency-key.ts";
import { type LiveEmail, validLogicalKey } from "../../../src/machines/emails/record.ts";
import { applied, at, SENDING, stored } from "./given.ts";

const ADDRESSED = /^sha256:[0-9a-f]{64}$/;

const FIRST_IMPORT = { logicalKey: "first-import:owner@example.com", type: "first-import" };

function converge(recordingId: string): Converge {
  return { kind: "converge", recipient: "owner@example.com", recordingId, requestedBy: "import" };
}

const keyOf = (email: LiveEmail): string => idempotencyKeyOf(null, email);

describe("the idempotency key", () => {
  it("of the default tenant is the logical key", () => {
    expect(keyOf(stored({ logicalKey: "acme/welcome" }))).toBe("acme/welcome");
  });

  it("of another tenant is one that no logical key can imitate", () => {
    const key = idempotencyKeyOf("acme", stored({ logicalKey: "welcome" }));
    expect(key).toMatch(ADDRESSED);
    expect(validLogicalKey(key)).toMatchObject({ ok: false });
  });

  it("is another one for every tenant and every key, however they are cut", () => {
    const keys = [
      idempotencyKeyOf("a", stored({ logicalKey: "b/c" })),
      idempotencyKeyOf("a-b", stored({ logicalKey: "c" })),
      idempotencyKeyOf("a", stored({ logicalKey: "c" })),
      idempotencyKeyOf("b", stored({ logicalKey: "c" })),
      idempotencyKeyOf("a", stored({ logicalKey: "c" }, { generation: 1 })),
      idempotencyKeyOf(null, stored({ logicalKey: "c" }, { generation: 1 })),
      idempotencyKeyOf(null, stored({ logicalKey: "c" }, { generation: 2 })),
      idempotencyKeyOf(null, stored({ logicalKey: "c" })),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("of a job that is converged before any attempt stays the logical key", () => {
    const pending = stored(FIRST_IMPORT);
    expect(keyOf(applied(pending, converge("recording-2"), at(1)))).toBe(FIRST_IMPORT.logicalKey);
  });

  it("of a job that is converged after an attempt is another one, each time", () => {
    const tried = stored({ ...FIRST_IMPORT, state: "ready", attempts: 1 }, { epoch: 1 });
    const once = applied(tried, converge("recording-2"), at(1));
    const twice = applied(once, converge("recording-3"), at(2));
    const keys = [tried, once, twice].map(keyOf);
    expect(new Set(keys).size).toBe(3);
    expect(keys.slice(1)).toEqual([
      expect.stringMatching(ADDRESSED),
      expect.stringMatching(ADDRESSED),
    ]);
  });

  it("counts the attempts of an original store, and those that a requeue forgot", () => {
    const foreign = stored({ ...FIRST_IMPORT, state: "ready", attempts: 2 });
    const requeued = stored({ ...FIRST_IMPORT, attempts: 0 }, { epoch: 3 });
    for (const email of [foreign, requeued]) {
      expect(applied(email, converge("recording-2"), at(1)).extra.generation).toBe(1);
    }
  });

  it("stays the same through a requeue: what may have been sent is not sent twice", () => {
    for (const extra of [{}, { generation: 1 }]) {
      const sending = stored({ ...FIRST_IMPORT, ...SENDING }, { ...extra, epoch: 1 });
      const settle = { kind: "settle", leaseToken: "token-a", to: "failed" } as const;
      const failed = applied(sending, settle, at(1));
      const again = applied(failed, { kind: "requeue" }, at(2));
      expect(keyOf(again)).toBe(keyOf(sending));
    }
  });
});
