/** Which options are taken, and whose the client is. */
import { describe, expect, it } from "vitest";
import { type S3StorageOptions, s3Storage } from "../../../adapters/storage/s3/index.ts";
import { key } from "../../../src/core/key.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { fakeS3 } from "../../fakes/s3.ts";
import { clientOn, openOn, storageOn } from "./fixture.ts";

describe("options", () => {
  it.each([
    ["no bucket", { bucket: "" }, /HOLDFAST_BUCKET/],
    [
      "a directory bucket, which lists in no order",
      { bucket: "jobs--use1-az4--x-s3" },
      /directory/,
    ],
    [
      "an access point to several regions",
      { bucket: "arn:aws:s3::123456789012:accesspoint/abc.mrap" },
      /several buckets/,
    ],
    ["a prefix that begins with a slash", { bucket: "jobs", prefix: "/" }, /HOLDFAST_PREFIX/],
    ["a prefix that leads elsewhere", { bucket: "jobs", prefix: "../" }, /HOLDFAST_PREFIX/],
    ["a prefix with other characters", { bucket: "jobs", prefix: "é/" }, /HOLDFAST_PREFIX/],
    [
      "a prefix that leaves no room",
      { bucket: "jobs", prefix: `${"x".repeat(512)}/` },
      /at most 512/,
    ],
  ])("refuse %s", (_what, options, message) => {
    expect(() => s3Storage(options)).toThrow(MisconfiguredError);
    expect(() => s3Storage(options)).toThrow(message);
  });

  it("take a prefix with or without its last slash", async () => {
    const fake = await fakeS3();
    for (const prefix of ["holdfast", "holdfast/"]) {
      const backend = await openOn(storageOn(fake, { prefix }));
      await backend.get(key("emails/jobs/1"));
      await backend.close();
    }
    expect(fake.requests.map((request) => request.key)).toEqual([
      "holdfast/emails/jobs/1",
      "holdfast/emails/jobs/1",
    ]);
    await fake.close();
  });

  it("refuse an endpoint beside a client, which has its own", async () => {
    const fake = await fakeS3();
    const client = clientOn(fake);
    for (const other of [{ endpoint: fake.endpoint }, { region: "x" }, { forcePathStyle: true }]) {
      const options: S3StorageOptions = { bucket: "jobs", client, ...other };
      expect(() => s3Storage(options)).toThrow(/give those or a client/);
    }
    await fake.close();
  });

  it("a client that was given is not destroyed", async () => {
    const fake = await fakeS3();
    const client = clientOn(fake);
    let isDestroyed = false;
    client.destroy = () => {
      isDestroyed = true;
    };
    const backend = await openOn(s3Storage({ bucket: "jobs", client }));
    expect(await backend.get(key("emails/a"))).toBeNull();
    await backend.close();
    expect(isDestroyed).toBe(false);
    await fake.close();
  });
});
