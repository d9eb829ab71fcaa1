/** The probe against stores as they are found: one that keeps conditions, and those that do not. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { probe } from "../../../src/store/probe.ts";
import { probed } from "../../../src/store/probed.ts";
import { errorAnswer, type FakeS3, fakeS3 } from "../../fakes/s3.ts";
import { openOn, storageOn } from "./fixture.ts";

let fake: FakeS3;
beforeEach(async () => {
  fake = await fakeS3();
});
afterEach(() => fake.close());

/** The checks that `verdict` is the answer to. */
async function checksWith(verdict: "warn" | "fail"): Promise<string[]> {
  const backend = await openOn(storageOn(fake));
  const findings = await probe(backend, { clock: systemClock(), random: systemRandom() });
  await backend.close();
  return findings.filter((one) => one.verdict === verdict).map(({ check }) => check);
}

describe("the probe on S3", () => {
  it("passes a store that keeps conditions, leaves nothing, and asks about forty times", async () => {
    expect(await checksWith("fail")).toEqual([]);
    expect(await checksWith("warn")).toEqual([]);
    expect(fake.objects.size).toBe(0);
    fake.counted();
    await checksWith("fail");
    expect(fake.counted()).toEqual({ get: 4, put: 24, list: 3, delete: 7 });
  });

  it("names everything that goes wrong in a store that ignores conditions", async () => {
    fake.ignoresConditions = true;
    expect(await checksWith("fail")).toEqual([
      "second create of a key",
      "stale replacement",
      "replacement of a missing key",
      "race of 8 creates",
      "race of 8 replacements",
    ]);
    expect(fake.objects.size).toBe(0);
  });

  it("a store that ignores conditions is refused when it is opened", async () => {
    fake.ignoresConditions = true;
    const opening = openOn(probed(storageOn(fake)));
    await expect(opening).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opening).rejects.toThrow(
      /second create of a key: accepted: the storage ignores the condition of a write, so two callers/,
    );
  });

  it("cloud-facts A4 passes a store that answers 409 to all who lose a race", async () => {
    fake.faultOf = ({ operation, headers, key }) =>
      operation === "put" && headers["if-none-match"] === "*" && fake.objects.has(key)
        ? { answer: errorAnswer(409, "ConditionalRequestConflict") }
        : null;
    expect(await checksWith("fail")).toEqual([]);
  });

  it("passes a store that turns one write away for load", async () => {
    let isFirst = true;
    fake.faultOf = () => {
      const fault = isFirst ? { answer: errorAnswer(503, "SlowDown") } : null;
      isFirst = false;
      return fault;
    };
    expect(await checksWith("fail")).toEqual([]);
  });

  it("fails a store whose listings lag", async () => {
    fake.lagsInLists(true);
    expect(await checksWith("fail")).toEqual(["listing after write"]);
  });

  it("warns of a clock that is 10 s off, and fails one that is 2 minutes off", async () => {
    fake.now = () => Date.now() - 10_000;
    expect(await checksWith("warn")).toEqual(["clock"]);
    fake.now = () => Date.now() + 120_000;
    expect(await checksWith("fail")).toEqual(["clock"]);
  });

  it("throws what keeps it from telling: no right to write, or no conditions at all", async () => {
    fake.faultOf = () => ({ answer: errorAnswer(403, "AccessDenied") });
    await expect(checksWith("fail")).rejects.toThrow(/s3:PutObject/);
    fake.faultOf = ({ operation }) =>
      operation === "put" ? { answer: errorAnswer(501, "NotImplemented") } : null;
    await expect(checksWith("fail")).rejects.toThrow(/lacks conditional writes/);
  });

  it("throws for a right to remove that is lacking", async () => {
    fake.faultOf = ({ operation }) =>
      operation === "delete" ? { answer: errorAnswer(403, "AccessDenied") } : null;
    await expect(checksWith("fail")).rejects.toThrow(/s3:DeleteObject/);
  });
});
