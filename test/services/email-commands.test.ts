/** What ends of leases answer and count beside the methods of the library. */
import { expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { durationMs, epochMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { emailsOf } from "../../src/services/emails.ts";
import { openServices } from "../../src/services/services.ts";
import { times } from "./emails/given.ts";
import { FROM, outbox, readyMessage } from "./reconcile/given.ts";

it("a lease that is given back a second time answers no token of another's lease", async () => {
  const services = await openServices({ storage: memoryStorage() });
  const service = services.tenant(null).emails;
  const { commands } = service;
  const emails = emailsOf(service);
  await readyMessage(emails, "hello");
  const mine = await emails.acquireSendingLease("hello", 60_000);
  const back = {
    kind: "giveBack",
    leaseToken: mine?.leaseToken ?? "",
    lastError: "not there",
  } as const;
  await commands.run("hello", back);
  const other = await emails.acquireSendingLease("hello", 60_000);
  expect(other?.leaseToken).not.toBe(mine?.leaseToken);
  const again = await commands.run("hello", back);
  expect(again).toMatchObject({ kind: "unchanged", job: { state: "sending", leaseToken: null } });
  await services.close();
});

it("jobs whose attempts are used up are counted by one call for all of a pass, or of a batch", async () => {
  let skew = 0;
  const system = systemClock();
  const clock = { ...system, now: () => epochMs(system.now() + skew) };
  const calls: number[] = [];
  const holdfast = await createHoldfast({
    storage: memoryStorage(),
    clock,
    mail: { mailer: outbox(), from: FROM },
    observe: (name, count) => void (name === "email.exhausted" && calls.push(count)),
  });
  const { emails } = holdfast;
  for (const [round, exhaust] of [
    async () => void (await holdfast.reconcile()),
    async () => void (await emails.acquireDueLeases({ durationMs: 60_000, limit: 100 })),
  ].entries()) {
    for (const n of times(10, String)) await readyMessage(emails, `job-${round}-${n}`);
    for (const _ of times(3, String)) {
      await emails.acquireDueLeases({ durationMs: durationMs(60_000), limit: 100 });
      skew += 3_600_000;
    }
    await exhaust();
  }
  expect(calls).toEqual([10, 10]);
  await holdfast.close();
});
