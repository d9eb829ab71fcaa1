/** The configuration, as every runtime reads it from the environment. Nothing of a runtime in here. */
import type * as z from "zod/mini";
import { assert, unreachable } from "../../src/core/assert.ts";
import { nearestName } from "../../src/core/nearest-name.ts";
import { safeParse } from "../../src/core/safe-parse.ts";
import type { KeyEntry } from "../../src/http/keys.ts";
import type { HeldQueries } from "../../src/machines/queries/admission.ts";
import { MisconfiguredError } from "../../src/ports/faults.ts";
import { isLoopback } from "./config-values.ts";
import { ABOUT, environment, type LogLevel, type Variable } from "./config-variables.ts";
import { type MailerConfig, mailerConfig, mailerFaults } from "./mailer-config.ts";
import { type RunnerConfig, runnerConfig, runnerFaults } from "./runner-config.ts";
import { type Fault, type StorageConfig, storageFaults } from "./storage-config.ts";

export type { StorageConfig } from "./storage-config.ts";

export interface UnknownVariable {
  readonly name: string;
  /** The variable that it may be a slip of. */
  readonly nearest: string | null;
}

/** Null: not set. */
export interface Config<S = StorageConfig> {
  readonly storage: S;
  /** Of everybody who is let in; none where HOLDFAST_KEYS is not set. */
  readonly keys: readonly KeyEntry[];
  /** What the command line presents. A secret: never to be shown. */
  readonly key: string | null;
  /** Of another tenant. A secret: never to be shown. */
  readonly secondKey: string | null;
  /** Without a slash at its end, as `publicUrl`. */
  readonly url: string | null;
  /** What tickets are made with. A secret: never to be shown. */
  readonly secret: string | null;
  readonly corsOrigins: readonly string[];
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly publicUrl: string | null;
  readonly logLevel: LogLevel;
  /** Path of a module. */
  readonly app: string | null;
  readonly mailer: MailerConfig;
  readonly emailRetentionDays: number | null;
  /** Null: as the storage has it. */
  readonly receiptCapacity: number | "off" | null;
  /** 0: for ever. */
  readonly receiptRetentionDays: number;
  readonly dispatchMarginMs: number;
  readonly queryRetentionDays: number;
  readonly runLeaseMs: number;
  readonly admissionTimeoutMs: number | "off";
  readonly heldQueries: HeldQueries;
  /** Who answers queries in a process that serves. */
  readonly runner: RunnerConfig;
  /** From the end of one pass to the beginning of the next; 0: none. */
  readonly reconcileMs: number;
  readonly reconcileBudgetMs: number;
  /** `HOLDFAST_` variables that this version does not know, by name; to be warned about. */
  readonly unknown: readonly UnknownVariable[];
}

export type Environment = z.output<typeof environment>;
type Name = keyof Environment;

const NAMES = Object.keys(environment.shape) as Name[];

/** Every variable that means something, in the order in which they are told. */
export const VARIABLES: readonly Variable[] = NAMES.map((name) => {
  const about = ABOUT.get(environment.shape[name]);
  assert(about !== undefined, `nothing is said about ${name}`);
  return { name, ...about };
});

/** Variables that are set, by name. */
export type Texts = Partial<Record<string, string>>;

/** What a configuration is for: what is there, and what cannot be. */
export interface Place<S> {
  /** What contradicts it, or each other; may take away from `texts` what it has judged. */
  readonly faults: (texts: Texts) => readonly Fault[];
  /** Of variables that `faults` has nothing against. */
  readonly storage: (values: Environment) => S;
  /** What stands there for a variable's own example, where that is of no use. */
  readonly examples?: Texts;
}

/** A process of Node: `holdfast serve`, and the command line. */
const NODE: Place<StorageConfig> = {
  faults: (texts) => [...storageFaults(texts), ...runnerFaults(texts)],
  storage: storageOf,
};

/** The configuration of a process of Node; see `readConfigOf`. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  readText: (path: string) => string,
): Config {
  return readConfigOf(NODE, env, readText);
}

/**
 * An empty variable counts as not set. `readText` gives the text of a file, or throws; it is called
 * for `HOLDFAST_KEYS=@path` only. Throws MisconfiguredError with one line for each wrong variable, the
 * name first; no line has any of what HOLDFAST_KEYS, HOLDFAST_KEY, HOLDFAST_SECOND_KEY, HOLDFAST_SECRET, HOLDFAST_MAILER,
 * HOLDFAST_MAIL_HTTP_URL, HOLDFAST_MAIL_HTTP_HEADERS, HOLDFAST_AI_KEY or HOLDFAST_RUNNER_COMMAND says, nor
 * more than a placeholder of HOLDFAST_MAIL_HTTP_BODY. Nothing else is thrown.
 */
export function readConfigOf<S>(
  place: Place<S>,
  env: Readonly<Record<string, string | undefined>>,
  readText: (path: string) => string,
): Config<S> {
  const given = Object.entries(env).filter(([, text]) => text !== undefined && text !== "");
  const texts: Texts = Object.fromEntries(given);
  const unknown = unknownIn(Object.keys(texts));
  const faults: Fault[] = [
    ...keysFromFile(texts, readText),
    ...mailerFaults(texts),
    ...place.faults(texts),
  ];
  const found = safeParse(environment, texts);
  for (const {
    path: [name],
    message,
  } of found.error?.issues ?? []) {
    faults.push({ name: String(name), message });
  }
  if (!found.success || faults.length > 0) {
    // One of them may be the slip that another is missed for.
    const lines = unknown.map((one) => `unknown and ignored: ${unknownText(one)}`);
    throw new MisconfiguredError([...linesOf(faults, place.examples), ...lines].join("\n"));
  }
  return configOf(found.data, place.storage(found.data), unknown);
}

/**
 * For a server that listens on HOST. Throws MisconfiguredError where others than this machine would
 * reach it and nobody needs a key.
 */
export function checkServable(config: Config): void {
  if (config.keys.length > 0 || isLoopback(config.host)) return;
  throw new MisconfiguredError(
    `HOST is ${config.host}, which others can reach, and there are no HOLDFAST_KEYS: set them ` +
      "(`holdfast key new` makes one), such as HOLDFAST_KEYS=@keys.json, or HOST=127.0.0.1",
  );
}

/** Puts the file's text in the place of its name. */
function keysFromFile(texts: Texts, readText: (path: string) => string): readonly Fault[] {
  const name = "HOLDFAST_KEYS";
  const text = texts[name];
  if (typeof text !== "string" || !text.startsWith("@")) return [];
  try {
    texts[name] = readText(text.slice(1));
    return [];
  } catch (error) {
    delete texts[name];
    // Not the system's message, which repeats the path: somebody may have put a key after the @.
    const code = String(error instanceof Error && "code" in error && error.code);
    const reason = /^E[A-Z0-9]{2,20}$/.test(code) ? ` (${code})` : "";
    return [{ name, message: `must name a file that can be read${reason}` }];
  }
}

/** Those that keys name: nobody else can have enqueued anything. */
export function tenantsOf({ keys }: Config<unknown>): readonly string[] {
  return [...new Set(keys.flatMap(({ tenant }) => (tenant === undefined ? [] : [tenant])))];
}

/** How one is told of, to people. */
export function unknownText({ name, nearest }: UnknownVariable): string {
  return nearest === null ? name : `${name} (${nearest}?)`;
}

/** One line for each variable. */
function linesOf(faults: readonly Fault[], examples: Texts = {}): readonly string[] {
  return VARIABLES.flatMap(({ name, example }) => {
    const its = faults.filter((fault) => fault.name === name);
    if (its.length === 0) return [];
    const told = `${name} ${its.map(({ message }) => message).join("; ")}`;
    const isWhole = told.includes(`${name}=`) || its.some(({ isOutOfPlace }) => isOutOfPlace);
    return [isWhole ? told : `${told}, such as ${name}=${quoted(examples[name] ?? example)}`];
  });
}

/** As a shell takes it for one word. */
function quoted(example: string): string {
  return /^[\w@%+=:,./-]*$/.test(example) ? example : `'${example}'`;
}

function unknownIn(names: readonly string[]): readonly UnknownVariable[] {
  return names
    .filter((name) => name.startsWith("HOLDFAST_") && !NAMES.some((known) => known === name))
    .sort()
    .map((name) => ({ name, nearest: nearestVariable(name) }));
}

/** `HOLDFAST_` in front counts for nothing. */
function nearestVariable(name: string): string | null {
  const bare = (variable: string): string => variable.replace(/^HOLDFAST_/, "");
  const nearest = nearestName(bare(name), NAMES.map(bare));
  return NAMES.find((known) => bare(known) === nearest) ?? null;
}

function configOf<S>(
  values: Environment,
  storage: S,
  unknown: readonly UnknownVariable[],
): Config<S> {
  const keepsFiles = values.HOLDFAST_STORAGE !== "memory";
  return {
    storage,
    keys: values.HOLDFAST_KEYS ?? [],
    key: values.HOLDFAST_KEY,
    secondKey: values.HOLDFAST_SECOND_KEY,
    url: values.HOLDFAST_URL,
    secret: values.HOLDFAST_SECRET,
    corsOrigins: values.HOLDFAST_CORS_ORIGINS ?? [],
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.HOLDFAST_PUBLIC_URL,
    logLevel: values.HOLDFAST_LOG_LEVEL,
    app: values.HOLDFAST_APP,
    mailer: mailerConfig({
      mailer: values.HOLDFAST_MAILER,
      from: values.HOLDFAST_MAIL_FROM,
      configurationSet: values.HOLDFAST_SES_CONFIGURATION_SET,
      url: values.HOLDFAST_MAIL_HTTP_URL,
      headers: values.HOLDFAST_MAIL_HTTP_HEADERS,
      body: values.HOLDFAST_MAIL_HTTP_BODY,
      dataDirectory: keepsFiles ? values.HOLDFAST_DATA_DIR : null,
    }),
    emailRetentionDays: values.HOLDFAST_EMAIL_RETENTION_DAYS,
    receiptCapacity: values.HOLDFAST_RECEIPT_CAPACITY,
    receiptRetentionDays: values.HOLDFAST_RECEIPT_RETENTION_DAYS,
    dispatchMarginMs: values.HOLDFAST_DISPATCH_MARGIN_MS,
    queryRetentionDays: values.HOLDFAST_QUERY_RETENTION_DAYS,
    runLeaseMs: values.HOLDFAST_RUN_LEASE_MS,
    admissionTimeoutMs: values.HOLDFAST_ADMISSION_TIMEOUT_MS,
    heldQueries: values.HOLDFAST_HELD_QUERIES,
    runner: runnerConfig({
      baseUrl: values.HOLDFAST_AI_BASE_URL,
      model: values.HOLDFAST_AI_MODEL,
      key: values.HOLDFAST_AI_KEY,
      command: values.HOLDFAST_RUNNER_COMMAND,
    }),
    reconcileMs: values.HOLDFAST_RECONCILE_MS,
    reconcileBudgetMs: values.HOLDFAST_RECONCILE_BUDGET_MS,
    unknown,
  };
}

/** Of variables that storageFaults has nothing against. */
export function storageOf(values: Environment): StorageConfig {
  const { HOLDFAST_STORAGE: kind, HOLDFAST_ENDPOINT: endpoint } = values;
  switch (kind) {
    case "memory":
      return { kind };
    case "filesystem":
      return {
        kind,
        directory: values.HOLDFAST_DATA_DIR,
        sharing: values.HOLDFAST_FOLDER_SHARING,
        emailsDirectory: values.HOLDFAST_EMAILS_DIR,
        receiptsDirectory: values.HOLDFAST_RECEIPTS_DIR,
      };
    case "dynamodb":
      return {
        kind,
        table: needed(values.HOLDFAST_TABLE),
        region: null,
        endpoint,
        dueShards: values.HOLDFAST_DUE_SHARDS,
      };
    case "s3":
      return {
        kind,
        bucket: needed(values.HOLDFAST_BUCKET),
        prefix: values.HOLDFAST_PREFIX ?? "",
        region: null,
        endpoint,
        isPathStyle: values.HOLDFAST_PATH_STYLE,
      };
    default:
      return unreachable(kind);
  }
}

/** What storageFaults has seen to. */
function needed(text: string | null): string {
  assert(text !== null, "a storage without its name");
  return text;
}
