/** The example of an application, loaded as a server loads it. */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { captureMailer } from "../../adapters/mail/capture.ts";
import { readConfig } from "../../adapters/runtime/config.ts";
import { openHoldfast } from "../../adapters/runtime/open.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import app from "../../examples/recordings/app.ts";
import { createHoldfast } from "../../src/holdfast.ts";

it("a pass finds what the example has, and sends what waits for no text", async () => {
  const mailer = captureMailer();
  const mail = { mailer, from: "clips@example.com" };
  const holdfast = await createHoldfast({ storage: memoryStorage(), app, mail });
  const { emails, failures } = await holdfast.reconcile();
  expect(failures).toEqual([]);
  expect([emails.enqueued, emails.sent]).toEqual([3, 2]);
  expect(mailer.mails.map(({ mail: { to, subject } }) => `${to}: ${subject}`).sort()).toEqual([
    "ben@example.com: Imported and ready: “The harbour at night”",
    "olga@example.com: Ben watched “How tides work”",
  ]);
  const waiting = await holdfast.emails.readJob("two-clips:ann@example.com");
  expect(waiting?.state).toBe("awaiting_ai");
  await holdfast.close();
});

it("a server loads the example by its path", async () => {
  const path = fileURLToPath(new URL("../../examples/recordings/app.js", import.meta.url));
  const env = { HOLDFAST_APP: path, HOLDFAST_STORAGE: "memory" };
  const holdfast = await openHoldfast(readConfig(env, () => ""));
  const { emails } = await holdfast.reconcile({ dryRun: true });
  expect(emails.enqueued).toBe(3);
  await holdfast.close();
});
