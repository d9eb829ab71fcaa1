/** S3 as a witness gives it: a fresh bucket for each case. */
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { s3Storage } from "../../adapters/storage/s3/index.ts";
import { CREDENTIALS, storageOn } from "../adapters/s3/fixture.ts";
import { probeOf } from "./probe.ts";
import type { Witness } from "./server.ts";
import type { Peer } from "./suite.ts";

/** `adapt`: what the witness needs of a client, where that of the adapter's own making is not enough. */
export function bucketsOf({ endpoint }: Witness, adapt?: (client: S3Client) => void): Peer {
  const access = { endpoint, region: "us-east-1", forcePathStyle: true, credentials: CREDENTIALS };
  const client = new S3Client({ ...access, requestChecksumCalculation: "WHEN_REQUIRED" });
  adapt?.(client);
  const storageIn = (bucket: string) =>
    adapt === undefined ? storageOn({ bucket, endpoint }) : s3Storage({ bucket, client });
  let buckets = 0;
  async function create(): Promise<string> {
    buckets += 1;
    const bucket = `jobs-${buckets}`;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    return bucket;
  }
  return {
    async fixture() {
      const bucket = await create();
      return {
        storage: storageIn(bucket),
        async plant(key, body) {
          // As bytes: the SDK warns of an empty string.
          const object = { Bucket: bucket, Key: key, Body: Buffer.from(body) };
          await client.send(new PutObjectCommand(object));
        },
        destroy: async () => {},
      };
    },
    probe: async () => probeOf(storageIn(await create())),
  };
}
