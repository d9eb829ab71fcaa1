/** The storage that a configuration names. Its package is loaded here, so that no other has to be there. */
import { existsSync } from "node:fs";
import { unreachable } from "../../src/core/assert.ts";
import { epochMs } from "../../src/core/time.ts";
import type { Storage } from "../../src/ports/backend.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import { clockFinding, type ProbeFinding } from "../../src/store/probe.ts";
import {
  filesystemReader,
  filesystemStorage,
  type OwnerContact,
} from "../storage/filesystem/index.ts";
import { memoryStorage } from "../storage/memory.ts";
import { withoutPackage } from "./optional-package.ts";
import type { DynamodbConfig, FolderConfig, S3Config, StorageConfig } from "./storage-config.ts";

/**
 * Connects to nothing yet. `owner`: see FilesystemStorageOptions. Throws MisconfiguredError, also when the
 * package that the storage needs is not installed.
 */
export async function storageOf(
  config: StorageConfig,
  owner: OwnerContact | null,
): Promise<Storage> {
  switch (config.kind) {
    case "memory":
      return memoryStorage();
    case "filesystem":
      return folderOf(config, owner);
    case "dynamodb": {
      const { dynamodbStorage } = await dynamodb();
      const { table, dueShards } = config;
      return dynamodbStorage({
        table,
        ...clientOptions(config),
        ...(dueShards === null ? {} : { dueShards }),
      });
    }
    case "s3":
      return bucketOf(config);
    default:
      return unreachable(config);
  }
}

/** The same to be read only, where that makes a difference: a folder is left untouched. */
export async function readerOf(config: StorageConfig): Promise<Storage> {
  if (config.kind !== "filesystem") return storageOf(config, null);
  const { directory } = config;
  return filesystemReader({ directory, ...originalsOf(config) });
}

/** The same of a source: a folder that is not there is a slip (MisconfiguredError), not an empty one. */
export async function sourceOf(config: StorageConfig): Promise<Storage> {
  if (config.kind === "filesystem" && !existsSync(config.directory)) {
    throw new MisconfiguredError(`the folder ${config.directory} does not exist`);
  }
  return readerOf(config);
}

/** The storage's name for people. */
export function storageName(config: StorageConfig): string {
  switch (config.kind) {
    case "memory":
      return "memory";
    case "filesystem":
      return config.directory;
    case "dynamodb":
      return `DynamoDB table ${config.table}`;
    case "s3":
      return `s3://${config.bucket}/${config.prefix}`;
    default:
      return unreachable(config);
  }
}

/** Throws MisconfiguredError. */
export function dynamodb(): Promise<typeof import("../storage/dynamodb/index.ts")> {
  const need = "HOLDFAST_STORAGE: dynamodb needs the package @aws-sdk/client-dynamodb";
  return import("../storage/dynamodb/index.ts").catch(
    withoutPackage(need, "@aws-sdk/client-dynamodb@3"),
  );
}

/** What the SDK does not find by itself. */
export function clientOptions({ region, endpoint }: Pick<DynamodbConfig, "region" | "endpoint">) {
  return {
    ...(region === null ? {} : { region }),
    ...(endpoint === null ? {} : { endpoint }),
  };
}

/** The table's clock beside ours: no listing of it tells when anything was written, which a probe goes by. */
export async function tableClock(config: DynamodbConfig): Promise<readonly ProbeFinding[]> {
  const { dynamodbClient, serverTime } = await dynamodb();
  const client = dynamodbClient(clientOptions(config));
  try {
    const from = epochMs(Date.now());
    const at = await serverTime(client, config.table);
    return at === null ? [] : [clockFinding(at, { from, until: epochMs(Date.now()) })];
  } finally {
    client.destroy();
  }
}

async function bucketOf(config: S3Config): Promise<Storage> {
  const need = "HOLDFAST_STORAGE: s3 needs the package @aws-sdk/client-s3";
  const { s3Storage } = await import("../storage/s3/index.ts").catch(
    withoutPackage(need, "@aws-sdk/client-s3@3"),
  );
  const { bucket, prefix, isPathStyle } = config;
  return s3Storage({
    bucket,
    prefix,
    ...clientOptions(config),
    ...(isPathStyle ? { forcePathStyle: true } : {}),
  });
}

function folderOf(config: FolderConfig, owner: OwnerContact | null): Storage {
  const { directory, sharing } = config;
  return filesystemStorage({
    directory,
    sharing,
    ...originalsOf(config),
    ...(owner === null || sharing !== "exclusive" ? {} : { owner }),
  });
}

function originalsOf({ emailsDirectory, receiptsDirectory }: FolderConfig) {
  return {
    ...(emailsDirectory === null ? {} : { emailsDirectory }),
    ...(receiptsDirectory === null ? {} : { receiptsDirectory }),
  };
}
