/** The options of an S3 storage, checked, and the client they make. */
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { KEY_BYTES_MAX } from "../../../src/core/key.ts";
import { seconds } from "../../../src/core/time.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";

export interface S3StorageOptions {
  readonly bucket: string;
  /** Stands before every key, such as `holdfast/`, with or without the last slash; none by default. */
  readonly prefix?: string;
  /** As the SDK finds it (AWS_REGION, a profile) by default. */
  readonly region?: string;
  /** Of another store than AWS, with its scheme; as the SDK finds it (AWS_ENDPOINT_URL) by default. */
  readonly endpoint?: string;
  /** Names the bucket in the path instead of in the host name, as MinIO and others need it. */
  readonly forcePathStyle?: boolean;
  /** As the SDK finds them by default. */
  readonly credentials?: NonNullable<S3ClientConfig["credentials"]>;
  /**
   * Instead of the four above. It stays its owner's: closing the storage does not destroy it. Its
   * retries apply to reads alone; its request handler should have time-outs.
   */
  readonly client?: S3Client;
}

export interface Place {
  readonly bucket: string;
  readonly prefix: string;
}

/** Bytes of a key in S3 and in everything that speaks it. */
const OBJECT_KEY_BYTES_MAX = 1_024;

/** So that every key fits behind it, and nothing has to be checked when one is sent. */
const PREFIX_BYTES_MAX = OBJECT_KEY_BYTES_MAX - KEY_BYTES_MAX;

const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/;

/** Reads are repeated by the SDK, 3 times at most; a write never is, whatever stands here. */
const READ_TRIES_MAX = 3;

const CONNECT_MS = seconds(1);

/** Until the answer begins; a body of the greatest size takes a small part of this. */
const REQUEST_MS = seconds(5);

/** Throws MisconfiguredError. */
export function placeOf({ bucket, prefix: given = "", ...options }: S3StorageOptions): Place {
  if (typeof bucket !== "string" || bucket === "") {
    throw new MisconfiguredError("bucket (HOLDFAST_BUCKET) must name one");
  }
  if (bucket.endsWith("--x-s3")) {
    throw new MisconfiguredError(
      `bucket ${bucket} (HOLDFAST_BUCKET) is a directory bucket, which lists in no order: ` +
        "take a general purpose one",
    );
  }
  if (bucket.endsWith(".mrap")) {
    throw new MisconfiguredError(
      `bucket ${bucket} (HOLDFAST_BUCKET) leads to several buckets, which are not one for conditions: ` +
        "name one of them",
    );
  }
  const prefix = given === "" || given.endsWith("/") ? given : `${given}/`;
  if (!PREFIX.test(prefix) || prefix.length > PREFIX_BYTES_MAX) {
    throw new MisconfiguredError(
      `prefix ${JSON.stringify(given.slice(0, 80))} (HOLDFAST_PREFIX): names of letters, digits, ` +
        `".", "_" and "-" with slashes between, such as holdfast; at most ${PREFIX_BYTES_MAX} bytes`,
    );
  }
  const { client, region, endpoint, forcePathStyle, credentials } = options;
  const own = [region, endpoint, forcePathStyle, credentials];
  if (client !== undefined && own.some((option) => option !== undefined)) {
    throw new MisconfiguredError(
      "a client has its own region, endpoint, path style and credentials: give those or a client",
    );
  }
  return { bucket, prefix };
}

/** Connects to nothing yet. */
export function clientOf(options: S3StorageOptions): S3Client {
  const { region, endpoint, forcePathStyle, credentials } = options;
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: READ_TRIES_MAX,
    // Without the last one a request that takes too long is warned about and goes on.
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    },
    // Many other stores do not know these headers and refuse what has them. Bodies are strings, whose
    // hash is part of the signature.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}
