/** Laws of the receipt machine over histories of arbitrary commands. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs, type EpochMs } from "../../../src/core/time.ts";
import type { ReceiptDecision } from "../../../src/machines/receipts/changes.ts";
import type { ReceiptCommand } from "../../../src/machines/receipts/commands.ts";
import { decideReceipt } from "../../../src/machines/receipts/decide.ts";
import { dueOfReceipt } from "../../../src/machines/receipts/due.ts";
import {
  parseReceiptRecord,
  type ReceiptState,
  receiptRecord,
} from "../../../src/machines/receipts/record.ts";
import { at, HASH, ID, KEY, OPERATIONS, OTHER_HASH, RESULT, RULES } from "./given.ts";

interface Step {
  readonly command: ReceiptCommand;
  readonly before: ReceiptState | null;
  readonly after: ReceiptState | null;
  readonly now: EpochMs;
  readonly isApplied: boolean;
}

const token = fc.constantFrom("token-a", "token-b");
const anyToken = fc.option(token);
const leaseMs = fc.constantFrom(durationMs(1), durationMs(60_000));
const result = fc.constantFrom(RESULT, { ok: false, status: "failed" });
const nonce = fc.constantFrom("n1", "n2");

const command: fc.Arbitrary<ReceiptCommand> = fc.oneof(
  fc.record({
    kind: fc.constant("prepare" as const),
    key: fc.constant(KEY),
    payloadHashes: fc.constantFrom<[string]>([HASH], [HASH], [HASH], [OTHER_HASH]),
    reservation: fc.option(fc.record({ nonce, over: fc.option(nonce) })),
    dispatch: fc.option(fc.record({ token, leaseMs })),
  }),
  fc.record({ kind: fc.constant("dispatch" as const), token, leaseMs }),
  fc.record({ kind: fc.constant("renew" as const), token, leaseMs }),
  fc.record({ kind: fc.constant("release" as const), token }),
  fc.record({
    kind: fc.constant("accept" as const),
    token: anyToken,
    result,
    isFinal: fc.boolean(),
  }),
  fc.constant({ kind: "complete" as const }),
  fc.record({ kind: fc.constant("unknown" as const), token: anyToken }),
  fc.constant({ kind: "recover" as const }),
  fc.constantFrom(
    { kind: "resolve", outcome: "happened", result: RESULT, by: "ann", note: null } as const,
    { kind: "resolve", outcome: "abandoned", by: "ann", note: null } as const,
    { kind: "resolve", outcome: "did_not_happen", by: "bob", note: "n" } as const,
  ),
  fc.constant({ kind: "retire" as const, slot: "fresh" }),
  fc.constant({ kind: "erase" as const, slot: "fresh" }),
  fc.constant({ kind: "free" as const }),
  fc.record({
    kind: fc.constant("void" as const),
    id: fc.constant(ID),
    mark: nonce,
    over: fc.option(nonce),
  }),
);

/** Steps of up to two days, some of them back. */
const elapsed = fc.constantFrom(0, 1, 30_000, 60_000, 90_000, 172_800_000, -5_000);

const history = fc
  .array(fc.tuple(command, elapsed), { minLength: 5, maxLength: 30 })
  .map((commands) => {
    const steps: Step[] = [];
    let state: ReceiptState | null = null;
    let ms = 10_000;
    for (const [one, by] of commands) {
      ms += by;
      const now = at(ms);
      const decision: ReceiptDecision = decideReceipt(state, one, now, RULES);
      const before: ReceiptState | null = state;
      if (decision.kind === "apply") state = decision.next;
      steps.push({ command: one, before, after: state, now, isApplied: decision.kind === "apply" });
    }
    return steps;
  });

function always(holds: (step: Step) => void): void {
  fc.assert(
    fc.property(history, (steps) => {
      for (const step of steps) holds(step);
    }),
    { numRuns: 500 },
  );
}

/** The answer that stands, or null while there is none. */
function outcomeOf(state: ReceiptState | null): string | null {
  if (state?.kind !== "live") return null;
  const { receipt, extra } = state;
  if (extra.resolution !== null) return JSON.stringify(extra.resolution);
  return receipt.result === undefined ? null : JSON.stringify(receipt.result);
}

describe("whatever is asked of a receipt, in whatever order", () => {
  it("the histories of these tests reach every state, a resolution and a tombstone", () => {
    const reached = new Set<string>();
    for (const steps of fc.sample(history, { seed: 1, numRuns: 2_000 })) {
      for (const { after } of steps) {
        if (after === null) continue;
        reached.add(after.kind === "live" ? after.receipt.state : after.kind);
        if (after.kind === "live" && after.extra.resolution !== null) reached.add("resolved");
      }
    }
    expect([...reached].sort()).toEqual([
      ...["accepted", "dispatching", "outcome-unknown", "prepared", "resolved", "retired"],
      ...["terminal", "void"],
    ]);
  });

  it("the first outcome that lands stands for ever", () => {
    always(({ before, after }) => {
      const stood = outcomeOf(before);
      if (stood !== null && after?.kind === "live") expect(outcomeOf(after)).toBe(stood);
    });
  });

  it("G4 a terminal receipt becomes a tombstone, and nothing else", () => {
    always(({ before, after }) => {
      if (before?.kind !== "live" || before.receipt.state !== "terminal") return;
      if (after !== before) expect(after?.kind).toBe("retired");
    });
  });

  it("a tombstone stays one, and absent never comes back", () => {
    always(({ before, after }) => {
      if (before?.kind === "retired") expect(after?.kind).toBe("retired");
      if (before !== null) expect(after).not.toBeNull();
    });
  });

  it("the dispatch has one owner for good, unless it gives it back: nothing else replaces the token", () => {
    always(({ command, before, after }) => {
      if (command.kind === "release") return;
      if (before?.kind !== "live" || before.extra.dispatch === null) return;
      if (after?.kind === "live") {
        expect(after.extra.dispatch?.tokenHash).toBe(before.extra.dispatch.tokenHash);
      }
    });
  });

  it("identity, payload and place never change", () => {
    always(({ before, after }) => {
      if (before?.kind !== "live" || after?.kind !== "live") return;
      expect(after.receipt.id).toBe(before.receipt.id);
      expect(after.receipt.payloadHash).toBe(before.receipt.payloadHash);
      expect(after.extra.slot).toBe(before.extra.slot);
    });
  });

  it("RECEIPT-43 no clock makes a record that cannot be read", () => {
    always(({ after }) => {
      if (after === null) return;
      const { fields, extra } = receiptRecord(after);
      expect(parseReceiptRecord(fields, extra, OPERATIONS)).toEqual({ ok: true, state: after });
    });
  });

  it("G3 the repeat of a command that was carried out changes nothing but a lease's end", () => {
    always(({ command: again, after, now, isApplied }) => {
      if (!isApplied || again.kind === "renew") return;
      const decision = decideReceipt(after, again, now, RULES);
      // A tombstone, or the retention of an original's receipt, is no command of a caller's.
      if (again.kind === "retire") return;
      expect(decision.kind).not.toBe("apply");
    });
  });

  it("what waits for time is due, and what waits for a person is stuck", () => {
    always(({ after }) => {
      if (after?.kind !== "live") return;
      const due = dueOfReceipt(after, RULES);
      const isOpen = after.receipt.state === "outcome-unknown" && after.extra.resolution === null;
      expect(due?.queue).toBe(isOpen ? "stuck" : "attend");
    });
  });
});
