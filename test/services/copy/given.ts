/** Jobs of every state, for the tests of copies. */
import { sha256Hex } from "../../../src/core/hash.ts";
import type { Storage } from "../../../src/ports/backend.ts";
import { MESSAGE, originalRecord, TWO_CLIPS } from "../emails/given.ts";
import { advance, using } from "./places.ts";

export const keyOf = (logicalKey: string): string => `emails/jobs/${sha256Hex(logicalKey)}`;

/** One job of each state, two tombstones, the configuration, and a job of another tenant. */
export async function fill(storage: Storage): Promise<void> {
  await using(storage, async (holdfast) => {
    const { emails } = holdfast;
    await emails.ensureEnabledAt();
    const names = ["pending", "ready", "sending", "sent", "failed", "cancelled", "erased"];
    for (const name of names) await emails.enqueue(name, MESSAGE);
    await holdfast.tenant("acme").emails.enqueue("theirs", MESSAGE);
    await emails.enqueue("clips", TWO_CLIPS, "awaiting_ai");
    await emails.enqueue("claimed", TWO_CLIPS, "awaiting_ai");
    await emails.claimAwaitingAi("claimed", "writer@example.com");
    await emails.transition("cancelled", ["pending"], "cancelled");
    await emails.erase("erased");
    for (const name of ["ready", "sending", "sent", "failed"]) {
      await emails.transition(name, ["pending"], "ready");
    }
    for (const to of ["sent", "failed"] as const) {
      const lease = await emails.acquireSendingLease(to, 60_000);
      await emails.transitionSending(to, lease?.leaseToken ?? "", to, { lastError: "bounced" });
    }
    // Its due time moves on twice, so where there are markers it keeps an early one.
    const lease = await emails.acquireSendingLease("sending", 60_000);
    advance(1_000);
    await emails.extendSendingLease("sending", lease?.leaseToken ?? "", 600_000);
  });
}

/** The file of an original's job. */
export function originalFile(logicalKey: string, fields: Record<string, unknown> = {}): string {
  return `${JSON.stringify(originalRecord({ logicalKey, ...fields }), null, 2)}\n`;
}
