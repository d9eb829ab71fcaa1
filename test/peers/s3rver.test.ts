import { afterAll, describe, expect, it } from "vitest";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import { probed } from "../../src/store/probed.ts";
import { openOn, storageOn } from "../adapters/s3/fixture.ts";
import { failedChecks, probeOf } from "./probe.ts";
import { startS3rver } from "./witness.ts";

const BUCKET = "jobs";
const s3rver = await startS3rver(BUCKET);
afterAll(() => s3rver.stop());

const storage = storageOn(
  { bucket: BUCKET, endpoint: s3rver.endpoint },
  {
    credentials: {
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
    },
  },
);

describe("s3rver, which answers 200 to every condition", () => {
  it("fails the probe by the name of each promise that it breaks", async () => {
    expect(failedChecks(await probeOf(storage))).toEqual([
      "second create of a key",
      "stale replacement",
      "replacement of a missing key",
      "race of 8 creates",
      "race of 8 replacements",
    ]);
  });

  it("is refused when it is opened", async () => {
    const opened = openOn(probed(storage));
    await expect(opened).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opened).rejects.toThrow(/second create of a key: accepted.*ignores the condition/);
  });
});
