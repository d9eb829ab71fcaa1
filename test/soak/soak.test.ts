/** A soak of half a minute, in which a service leaks and an acknowledged job is dropped: both are told. */
import { expect, it } from "vitest";
import { soak } from "./soak.ts";

it("a soak tells a service that leaks and an acknowledged email that is lost", {
  timeout: 400_000,
}, async () => {
  const { broken, stored } = await soak({
    minutes: 0.5,
    storage: "folder",
    plants: ["leak", "loss"],
  });
  expect(broken).toContain("mail-lost: its enqueueing was acknowledged, and it is lost");
  expect(broken.join("\n")).toMatch(/heap after a collection grew from [\d.]+ to [\d.]+ MiB/);
  expect(stored.emails.length).toBeGreaterThan(0);
});
