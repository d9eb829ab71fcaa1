/** What names a storage, in the environment and on the command line. Nothing of any storage in here. */
import * as z from "zod/mini";
import { safeParse } from "../../src/core/safe-parse.ts";
import { meaning, serviceUrl, type TextSchema, wholeNumber } from "./config-values.ts";

export interface FolderConfig {
  readonly kind: "filesystem";
  readonly directory: string;
  readonly sharing: "exclusive" | "processes";
  /** Null: inside `directory`. */
  readonly emailsDirectory: string | null;
  readonly receiptsDirectory: string | null;
}

/** Null: as the SDK finds it. */
export interface DynamodbConfig {
  readonly kind: "dynamodb";
  /** A name or an ARN. */
  readonly table: string;
  readonly region: string | null;
  readonly endpoint: string | null;
  /** Null: as many as the table has. */
  readonly dueShards: number | null;
}

/** The same. */
export interface S3Config {
  readonly kind: "s3";
  readonly bucket: string;
  /** Empty, or ending in `/`. */
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly isPathStyle: boolean;
}

/** The bucket is a binding of a Worker's, which no variable names. */
export interface R2Config {
  readonly kind: "r2";
  /** Empty, or ending in `/`. */
  readonly prefix: string;
}

export type StorageConfig = FolderConfig | { readonly kind: "memory" } | DynamodbConfig | S3Config;

const KINDS = ["filesystem", "memory", "dynamodb", "s3"] as const;

export const storageKind: TextSchema<StorageConfig["kind"]> = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const kind = KINDS.find((one) => one === text);
    if (kind !== undefined) return kind;
    const message =
      text === "r2"
        ? "must be HOLDFAST_STORAGE=s3, with HOLDFAST_ENDPOINT=https://<account>.r2.cloudflarestorage.com: the binding r2 is there in a Worker alone"
        : `must be one of ${KINDS.join(", ")}`;
    context.issues.push({ code: "custom", message, input: text });
    return z.NEVER;
  }),
);

const TABLE = /^(?:arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/)?[A-Za-z0-9_.-]{3,255}$/;

export const table: TextSchema<string> = meaning(
  "a table's name, 3 to 255 letters, digits and _.-, or its ARN",
  (text) => (TABLE.test(text) ? text : null),
);

export const bucket: TextSchema<string> = meaning(
  "a bucket's name, 3 to 63 letters, digits and .-",
  (text) => (/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(text) ? text : null),
);

/** S3 takes 1,024 bytes of a key, and our keys up to 512. */
const PREFIX_CHARS_MAX = 512;

export const prefix: TextSchema<string> = meaning(
  `names of letters, digits and ._- with slashes between, at most ${PREFIX_CHARS_MAX} characters`,
  (text) => {
    const whole = text.endsWith("/") ? text : `${text}/`;
    const isPrefix = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+$/.test(whole);
    return isPrefix && whole.length <= PREFIX_CHARS_MAX ? whole : null;
  },
);

export const endpoint = serviceUrl;

export const region: TextSchema<string> = meaning("a region, such as eu-central-1", (text) =>
  /^[a-z0-9-]{1,63}$/.test(text) ? text : null,
);

export const yesOrNo: TextSchema<boolean> = meaning("true or false", (text) =>
  text === "true" || text === "false" ? text === "true" : null,
);

export const dueShards = wholeNumber(1, 64);

/** What is wrong with a variable. */
export interface Fault {
  readonly name: string;
  readonly message: string;
  /** No value is any good, so none is told as an example. */
  readonly isOutOfPlace?: true;
}

/** The variables that mean something for some storages only, and which of those cannot do without. */
const NEEDS: readonly (readonly [string, readonly StorageConfig["kind"][], "needed" | "may"])[] = [
  ["HOLDFAST_FOLDER_SHARING", ["filesystem"], "may"],
  ["HOLDFAST_EMAILS_DIR", ["filesystem"], "may"],
  ["HOLDFAST_RECEIPTS_DIR", ["filesystem"], "may"],
  ["HOLDFAST_TABLE", ["dynamodb"], "needed"],
  ["HOLDFAST_BUCKET", ["s3"], "needed"],
  ["HOLDFAST_PREFIX", ["s3"], "may"],
  ["HOLDFAST_DUE_SHARDS", ["dynamodb"], "may"],
  ["HOLDFAST_PATH_STYLE", ["s3"], "may"],
  ["HOLDFAST_ENDPOINT", ["dynamodb", "s3"], "may"],
];

/** The defaults of those that have one, which say nothing when they are set. */
const DEFAULTS: Partial<Record<string, string>> = {
  HOLDFAST_FOLDER_SHARING: "exclusive",
  HOLDFAST_PATH_STYLE: "false",
};

/**
 * What contradicts HOLDFAST_STORAGE: a variable that it needs and has not, or one of another storage,
 * whose records would otherwise quietly go somewhere else.
 */
export function storageFaults(texts: Partial<Record<string, string>>): readonly Fault[] {
  const kind = safeParse(storageKind, texts["HOLDFAST_STORAGE"] ?? "filesystem").data;
  if (kind === undefined) return [];
  const faults: Fault[] = [];
  for (const [name, kinds, need] of NEEDS) {
    const isGiven = texts[name] !== undefined && texts[name] !== DEFAULTS[name];
    const isIts = kinds.includes(kind);
    if (isGiven && !isIts) {
      const all = kinds.map((one) => `HOLDFAST_STORAGE=${one}`).join(" or ");
      faults.push({ name, message: `must go with ${all}` });
    }
    if (!isGiven && isIts && need === "needed") {
      faults.push({ name, message: `must be set with HOLDFAST_STORAGE=${kind}` });
    }
  }
  return faults;
}
