/** The configuration of a function: what a process that lives for one request can have, and what it cannot. */
import { assert } from "../../src/core/assert.ts";
import { safeParse } from "../../src/core/safe-parse.ts";
import {
  type Config,
  type Environment,
  type Place,
  readConfigOf,
  storageOf,
  type Texts,
} from "./config.ts";
import { mailer } from "./mailer-config.ts";
import {
  type DynamodbConfig,
  type Fault,
  type R2Config,
  type S3Config,
  storageFaults,
} from "./storage-config.ts";

export type FunctionStorage = DynamodbConfig | S3Config | R2Config;

export interface FunctionPlace {
  /** For people. */
  readonly platform: "AWS Lambda" | "Cloudflare Workers";
  /** The one storage that is bundled. */
  readonly storage: FunctionStorage["kind"];
  /** What HOLDFAST_MAILER may be there, but for none. */
  readonly mailers: readonly ("smtp" | "ses" | "http")[];
  /** How the application comes in, since nothing can be loaded by its path. */
  readonly app: string;
  /**
   * The text of a file of the deployment, for HOLDFAST_KEYS=@path; throws where there is none. Null: a
   * deployment has no files.
   */
  readonly readText: ((path: string) => string) | null;
  /** Whether everything that it does needs HOLDFAST_KEYS, the passes too: they name the tenants. */
  readonly needsKeys?: boolean;
}

const RUNNERS =
  "a function answers no queries; `holdfast serve` does, or whoever runs the client's runQueries";

/**
 * HOLDFAST_STORAGE may be left out: it is the one that is bundled. Throws MisconfiguredError as readConfig
 * does, also for what a function would have and never use.
 */
export function readFunctionConfig(
  place: FunctionPlace,
  env: Readonly<Record<string, string | undefined>>,
): Config<FunctionStorage> {
  const { storage: kind, readText } = place;
  const namesFile = readText === null && env[KEYS]?.startsWith("@") === true;
  const told: Place<FunctionStorage> = {
    faults: (texts) => [
      ...keysFaults(place, { texts, namesFile }),
      ...faultsOf(place, texts),
      ...boundFaults(kind, texts),
    ],
    storage: (values) => boundStorage(kind, values),
    examples: readText === null ? { [KEYS]: KEYS_EXAMPLE } : {},
  };
  const given = namesFile ? { ...env, [KEYS]: undefined } : env;
  return readConfigOf(told, given, readText ?? noFile);
}

const KEYS = "HOLDFAST_KEYS";

/** As `holdfast key new` prints an entry. */
const KEYS_EXAMPLE = '[{"id":"app","scopes":["*"],"sha256":"…64 hex digits…"}]';

/** Not called: what names a file is refused before. */
function noFile(): never {
  throw new Error("there are no files");
}

function keysFaults(
  { platform, needsKeys = false }: FunctionPlace,
  { texts, namesFile }: { readonly texts: Texts; readonly namesFile: boolean },
): readonly Fault[] {
  if (namesFile) {
    const message = `must be the JSON itself on ${platform}, where there are no files`;
    return [{ name: KEYS, message }];
  }
  if (!needsKeys || texts[KEYS] !== undefined) return [];
  const message =
    "must be set (`holdfast key new` makes a key): a function is reached by everybody";
  return [{ name: KEYS, message }];
}

/** What a function would have for nothing, and what to do instead. */
const OUT_OF_PLACE: Readonly<Record<string, string>> = {
  HOLDFAST_DATA_DIR: "the files of a function end with it",
  HOLDFAST_RECONCILE_MS: "the deployment's schedule begins the passes",
  HOLDFAST_AI_BASE_URL: RUNNERS,
  HOLDFAST_AI_MODEL: RUNNERS,
  HOLDFAST_AI_KEY: RUNNERS,
  HOLDFAST_RUNNER_COMMAND: RUNNERS,
};

function faultsOf(
  { platform, storage, mailers, app }: FunctionPlace,
  texts: Texts,
): readonly Fault[] {
  const faults: Fault[] = [];
  const given = texts["HOLDFAST_STORAGE"];
  if (given !== undefined && given !== storage) {
    const message = `must be ${storage} or left out: this function on ${platform} has no other, and keeps no files`;
    faults.push({ name: "HOLDFAST_STORAGE", message, isOutOfPlace: true });
  }
  for (const [name, why] of Object.entries({ ...OUT_OF_PLACE, HOLDFAST_APP: app })) {
    if (texts[name] === undefined) continue;
    faults.push({ name, message: `must not be set on ${platform}: ${why}`, isOutOfPlace: true });
  }
  const setting = safeParse(mailer, texts["HOLDFAST_MAILER"] ?? "none").data ?? "none";
  const kind = typeof setting === "string" ? setting : "smtp";
  if (kind !== "none" && !mailers.some((one) => one === kind)) {
    const message = `must be one of none, ${mailers.join(", ")} on ${platform}`;
    faults.push({ name: "HOLDFAST_MAILER", message, isOutOfPlace: true });
  }
  return faults;
}

/** R2's binding is no variable, so all that is left to say of it is where in the bucket. */
function boundFaults(kind: FunctionStorage["kind"], texts: Texts): readonly Fault[] {
  if (kind !== "r2") {
    texts["HOLDFAST_STORAGE"] = kind;
    return storageFaults(texts);
  }
  delete texts["HOLDFAST_STORAGE"];
  const { HOLDFAST_PREFIX: _prefix, ...others } = texts;
  return storageFaults(others);
}

function boundStorage(kind: FunctionStorage["kind"], values: Environment): FunctionStorage {
  if (kind === "r2") return { kind, prefix: values.HOLDFAST_PREFIX ?? "" };
  const storage = storageOf(values);
  assert(storage.kind === "dynamodb" || storage.kind === "s3", "a storage that is not bundled");
  return storage;
}
