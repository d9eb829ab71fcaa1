/**
 * How a storage is named on the command line: `folder:<path>`, `dynamodb:<table>` and
 * `s3://<bucket>/<prefix>`, the latter two with their settings as a query.
 */
import { resolve } from "node:path";
import { unreachable } from "../../../src/core/assert.ts";
import { safeParse } from "../../../src/core/safe-parse.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import { path, type TextSchema } from "../config-values.ts";
import {
  bucket,
  endpoint,
  prefix,
  region,
  type S3Config,
  type StorageConfig,
  table,
  yesOrNo,
} from "../storage-config.ts";

export const STORAGE_NAMES =
  "folder:<path>, dynamodb:<table>[?region=…&endpoint=…] or " +
  "s3://<bucket>[/<prefix>][?region=…&endpoint=…&path-style=true]";

/** Throws MisconfiguredError, whose message repeats nothing that may be a secret. */
export function parseStorageName(text: string): StorageConfig {
  const [, scheme = "", rest = ""] = /^([a-z0-9]+):(.*)$/s.exec(text) ?? [];
  switch (scheme) {
    case "folder":
      return {
        kind: "filesystem",
        directory: read("The path", path, rest),
        sharing: "exclusive",
        emailsDirectory: null,
        receiptsDirectory: null,
      };
    case "dynamodb":
      return tableOf(rest);
    case "s3":
      return bucketOf(rest);
    default:
      throw new MisconfiguredError(`It must be ${STORAGE_NAMES}.${slip(scheme, text)}`);
  }
}

/** The name of a storage as `parseStorageName` reads it, a folder with its whole path. */
export function storageText(config: StorageConfig): string {
  switch (config.kind) {
    case "memory":
      return "memory";
    case "filesystem":
      return `folder:${resolve(config.directory)}`;
    case "dynamodb":
      return `dynamodb:${config.table}${queryOf(config, null)}`;
    case "s3": {
      const style = config.isPathStyle ? "true" : null;
      return `s3://${config.bucket}/${config.prefix}${queryOf(config, style)}`;
    }
    default:
      return unreachable(config);
  }
}

function queryOf(
  { region, endpoint }: Pick<S3Config, "region" | "endpoint">,
  pathStyle: string | null,
): string {
  const given = Object.entries({ region, endpoint, "path-style": pathStyle })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`);
  return given.length === 0 ? "" : `?${given.join("&")}`;
}

function tableOf(text: string): StorageConfig {
  const [name = "", query] = halves(text, "?");
  const settings = settingsIn(query, ["region", "endpoint"]);
  return {
    kind: "dynamodb",
    table: read("The table", table, name),
    region: setting(settings, "region", region),
    endpoint: setting(settings, "endpoint", endpoint),
    dueShards: null,
  };
}

function bucketOf(text: string): StorageConfig {
  const [place, query] = halves(text.replace(/^\/\//, ""), "?");
  const settings = settingsIn(query, ["region", "endpoint", "path-style"]);
  const [name, below] = halves(place, "/");
  return {
    kind: "s3",
    bucket: read("The bucket", bucket, name),
    prefix: below === "" ? "" : read("The prefix", prefix, below),
    region: setting(settings, "region", region),
    endpoint: setting(settings, "endpoint", endpoint),
    isPathStyle: setting(settings, "path-style", yesOrNo) ?? false,
  };
}

/** What stands before the first `mark`, and behind it. */
function halves(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function settingsIn(query: string, known: readonly string[]): URLSearchParams {
  const settings = new URLSearchParams(query);
  for (const name of new Set(settings.keys())) {
    if (!known.includes(name)) {
      throw new MisconfiguredError(`It has ${known.join(", ")}, and no ${shown(name)}.`);
    }
    if (settings.getAll(name).length > 1) {
      throw new MisconfiguredError(`It has ${name} more than once.`);
    }
  }
  return settings;
}

function setting<T>(settings: URLSearchParams, name: string, schema: TextSchema<T>): T | null {
  const text = settings.get(name);
  return text === null ? null : read(`Its ${name}`, schema, text);
}

function read<T>(what: string, schema: TextSchema<T>, text: string): T {
  const found = safeParse(schema, text);
  if (found.success) return found.data;
  throw new MisconfiguredError(`${what} ${found.error.issues[0]?.message}.`);
}

function slip(scheme: string, text: string): string {
  if (scheme === "memory") return " A memory is its own process's alone.";
  if (scheme === "r2") return " R2 is reached as s3, with its endpoint.";
  return scheme === "" && isPlain(text) ? ` folder:${text}?` : "";
}

/** What somebody misspelt is told to them, and goes into logs: nothing that a secret may be part of. */
function shown(name: string): string {
  return /^[a-z-]{1,20}$/i.test(name) ? name : "other setting";
}

function isPlain(text: string): boolean {
  return /^[\w./~ -]{1,200}$/.test(text);
}
