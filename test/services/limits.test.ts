/** The limits that an application sets when it opens Holdfast. */
import { expect, it } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import type { Limits } from "../../src/services/options.ts";

it.each<[object, string]>([
  [{ receiptCapcity: 5 }, "limits.receiptCapcity: there is no such option: receiptCapacity?"],
  [{ COMMANDMS: 5 }, "limits.COMMANDMS: there is no such option: commandMs?"],
  [{ speed: 5 }, "limits.speed: there is no such option"],
  [
    { receiptRetentionMs: 0 },
    'limits.receiptRetentionMs: must be "off", which keeps them for ever, or milliseconds, 1 or more',
  ],
  [{ receiptCapacity: 0 }, 'limits.receiptCapacity: must be "off", or from 1 to 65536'],
  [{ commandMs: 0.5 }, "limits.commandMs: must be a whole number of milliseconds, 1 or more"],
])("%j is refused, and what is meant is named", async (limits, message) => {
  const opened = createHoldfast({ storage: memoryStorage(), limits });
  await expect(opened).rejects.toMatchObject({ code: "invalid_request", message });
});

it("all of them can be set", async () => {
  const limits: Required<Limits> = {
    commandMs: 1_000,
    passMs: 1_000,
    dispatchMarginMs: 1,
    emailRetentionMs: 1,
    receiptRetentionMs: "off",
    receiptCapacity: "off",
    queryRetentionMs: 1,
    admissionTimeoutMs: 1,
    runLeaseMs: 60_000,
  };
  const { close } = await createHoldfast({ storage: memoryStorage(), limits });
  await close();
});
