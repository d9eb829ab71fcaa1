/** Storages on a fake S3, and one opened for a test. */
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { type S3StorageOptions, s3Storage } from "../../../adapters/storage/s3/index.ts";
import type { Backend, Storage } from "../../../src/ports/backend.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import type { Fixture } from "../../conformance/fixture.ts";
import { fakeS3 } from "../../fakes/s3.ts";
import type { EmailsFixture } from "../../services/emails/bench.ts";

type NodeHttpHandlerOptions = Exclude<
  NonNullable<S3ClientConfig["requestHandler"]>,
  { handle: unknown }
>;

export const CREDENTIALS = { accessKeyId: "id", secretAccessKey: "secret" };

export function storageOn(
  { bucket, endpoint }: { readonly bucket: string; readonly endpoint: string },
  options: Partial<S3StorageOptions> = {},
): Storage {
  return s3Storage({
    bucket,
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: CREDENTIALS,
    ...options,
  });
}

/** A client as an application would make it, retries and all. */
export function clientOn(
  { endpoint }: { readonly endpoint: string },
  handler: NodeHttpHandlerOptions = {},
): S3Client {
  return new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: CREDENTIALS,
    requestHandler: { throwOnRequestTimeout: true, ...handler },
  });
}

export function openOn(storage: Storage): Promise<Backend> {
  return storage.open({
    clock: systemClock(),
    random: systemRandom(),
    observe: () => {},
    dueOf: () => null,
  });
}

/** For the conformance suite: a fresh bucket, and a prefix, since most buckets are shared. */
export async function bucketFixture(): Promise<Fixture> {
  const fake = await fakeS3();
  const storage = storageOn(fake, { prefix: "holdfast/" });
  return { open: (context) => storage.open(context), destroy: () => fake.close() };
}

/** For the suites of the services. */
export async function servicesFixture(): Promise<EmailsFixture> {
  const fake = await fakeS3();
  return {
    storage: storageOn(fake),
    plant: async (key, body) => fake.plant(key, body),
    destroy: () => fake.close(),
  };
}
