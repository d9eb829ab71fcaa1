/** Which file a key is, and which key a file is (http-api "Folder", semantics A1). */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../../../src/core/assert.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import { KEY_SEGMENT_BYTES_MAX, type Key, key, keyProblem } from "../../../src/core/key.ts";
import { namesIn } from "./disk.ts";

/** Plain data, so that threads can be given it. */
export interface LayoutOptions {
  /** Absolute. */
  readonly directory: string;
  /** Roots that lie elsewhere, by their name: `emails`, `receipts`. Absolute. */
  readonly external: Readonly<Record<string, string>>;
}

/** One tenant's part of one machine: `emails`, `tenants/acme/emails`. */
export interface RootPlace {
  readonly root: string;
  readonly directory: string;
  readonly locks: string;
  readonly temps: string;
  readonly due: string;
  /** `holdfast.json`: format, boot id, where the due index is. */
  readonly state: string;
  /** The lock file of an exclusive owner of the folder that this root lies in (protocols 7.6). */
  readonly folderLock: string;
}

export interface RecordPlace {
  readonly key: Key;
  readonly root: RootPlace;
  /** Names the record's lock and temps. */
  readonly id: string;
  readonly file: string;
  readonly directory: string;
  /** Whether the directory stays for good: those of single jobs' logs go when the job goes. */
  readonly isLasting: boolean;
  readonly lock: string;
}

/**
 * The lock and temps of the originals' config are named after the hash of their literal key
 * `transactional-email-config` (semantics A1); it is the config's id in keys too.
 */
const CONFIG_ID = "7f8fe9e52fae8871720cbbe547a68248f8925d1ca6a44314ce91e7f37253d3ad";

const TENANTS = "tenants";
const RECORD_SUFFIX = ".json";
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const NAMES_A_RECORD =
  /^(?:[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** The originals keep receipts in their root itself, whose other files are none (RECEIPT-44). */
const RECEIPTS = "records";
const RECEIPT_ID = /^[0-9a-f]{64}$/;
const RECEIPT_FILE = /^[0-9a-f]{64}\.json$/;

/** What lies in a root beside records. */
const RESERVED_IN_ROOT: ReadonlySet<string> = new Set([
  "locks",
  "tmp",
  "due",
  "config.json",
  "holdfast.json",
  "folder.lock",
]);

/** The data directory, then the roots that lie elsewhere: each has its own `folder.lock`. */
export function foldersOf(layout: LayoutOptions): readonly string[] {
  return [layout.directory, ...Object.values(layout.external)];
}

export function rootPlace(options: LayoutOptions, root: string): RootPlace {
  const external = options.external[root];
  const directory = external ?? join(options.directory, root);
  return {
    root,
    directory,
    locks: `${directory}/locks`,
    temps: `${directory}/tmp`,
    due: `${directory}/due`,
    state: `${directory}/holdfast.json`,
    folderLock: `${external ?? options.directory}/folder.lock`,
  };
}

/** Where the record of `name` is. Keys are made by services: one that fits no file is a bug. */
export function recordPlace(options: LayoutOptions, name: Key): RecordPlace {
  const { root, rest } = splitKey(name);
  const place = rootPlace(options, root);
  const segments = rest.split("/");
  const id = segments.at(-1) ?? "";
  const isConfig = isConfigKey(root, segments);
  const isAtTop = isConfig || isReceiptKey(root, segments);
  const parents = segments.slice(0, -1);
  if (!isAtTop) checkSegments(name, root, segments);
  const below = isAtTop ? "" : parents.map((segment) => `/${segment}`).join("");
  const directory = place.directory + below;
  const lockId = NAMES_A_RECORD.test(id) ? id : sha256Hex(name);
  return {
    key: name,
    root: place,
    id: lockId,
    file: `${directory}/${isConfig ? "config" : id}${RECORD_SUFFIX}`,
    directory,
    isLasting: parents.length <= 1,
    lock: `${place.locks}/${lockId}.lock`,
  };
}

/** `tenants/acme/emails/jobs/x` → `tenants/acme/emails` and `jobs/x`. */
export function splitKey(name: string): { readonly root: string; readonly rest: string } {
  const segments = name.split("/");
  const depth = segments[0] === TENANTS ? 3 : 1;
  assert(segments.length > depth, `key ${name} names no record inside a root`);
  return { root: segments.slice(0, depth).join("/"), rest: segments.slice(depth).join("/") };
}

/** Checks what a tenant's keys begin with, as callers of the due index pass it. */
function checkTenant(tenant: string): void {
  const [tenants, name = "", end, ...rest] = tenant.split("/");
  const isNamed = tenants === TENANTS && isSegment(name) && end === "" && rest.length === 0;
  assert(tenant === "" || isNamed, `not what a tenant's keys begin with: ${tenant}`);
}

/** The key of `rest` in `root`, or null when the two make none: a file that is not ours. */
export function keyIn(root: string, rest: string): Key | null {
  const text = `${root}/${rest}`;
  return keyProblem(text) === null ? key(text) : null;
}

/** The roots that exist, or may: the originals' names always count as one. */
export function existingRoots(options: LayoutOptions): readonly string[] {
  const tenants = directoriesIn(join(options.directory, TENANTS));
  return ["", ...tenants.map((tenant) => `${TENANTS}/${tenant}/`)].flatMap((tenant) =>
    rootsOfTenant(options, tenant),
  );
}

/** The same of one tenant; `tenant`: what its keys begin with. */
export function rootsOfTenant(options: LayoutOptions, tenant: string): readonly string[] {
  checkTenant(tenant);
  const external = Object.keys(options.external).filter(
    (root) => root.slice(0, root.lastIndexOf("/") + 1) === tenant,
  );
  const own = directoriesIn(join(options.directory, tenant)).filter(
    (name) => tenant !== "" || !(RESERVED_IN_ROOT.has(name) || name === TENANTS),
  );
  return [...new Set([...external, ...own.map((name) => tenant + name)])];
}

function directoriesIn(path: string): readonly string[] {
  return namesIn(path).filter(
    (name) =>
      isSegment(name) &&
      lstatSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

/** What a directory entry is to a listing. Directories end in `/`, so that entries sort as keys do. */
export type Token = string;

/** A place in the tree of keys that a listing can descend into. */
export interface Level {
  /** Empty, or ending in `/`. */
  readonly prefix: string;
  readonly path: string;
  readonly kind: "top" | "tenants" | "tenant" | "root" | "collection" | "reserved";
  /** In a root and below. */
  readonly root: string | null;
}

/** The level of a prefix of keys, whether or not it exists. */
export function levelOf(options: LayoutOptions, prefix: string): Level {
  if (prefix === "") return { prefix, path: options.directory, kind: "top", root: null };
  assert(prefix.endsWith("/"), `a prefix ends in "/": ${prefix}`);
  const segments = prefix.slice(0, -1).split("/");
  assert(segments.every(isSegment), `not a prefix of keys: ${prefix}`);
  if (segments[0] === TENANTS && segments.length < 3) {
    const kind = segments.length === 1 ? "tenants" : "tenant";
    return { prefix, path: join(options.directory, ...segments), kind, root: null };
  }
  const rootLength = segments[0] === TENANTS ? 3 : 1;
  const root = segments.slice(0, rootLength).join("/");
  const { directory } = rootPlace(options, root);
  const [first, ...deeper] = segments.slice(rootLength);
  if (first === undefined) return { prefix, path: directory, kind: "root", root };
  if (isReceiptRoot(root) && first === RECEIPTS && deeper.length === 0) {
    // Another name of the root's directory: what is remembered of the one is not the other's.
    return { prefix, path: `${directory}/.`, kind: "collection", root };
  }
  const path = join(directory, first, ...deeper);
  return { prefix, path, kind: RESERVED_IN_ROOT.has(first) ? "reserved" : "collection", root };
}

/** Names of a directory as sorted tokens: only what can be a record or lead to one (EMAIL-17). */
export function tokensOf(
  options: LayoutOptions,
  level: Level,
  names: readonly string[],
): readonly Token[] {
  if (level.kind === "reserved") return [];
  const tokens: Token[] = [];
  for (const name of names) {
    const token = tokenOf(level, name);
    if (token !== null) tokens.push(token);
  }
  if (level.kind === "top") {
    for (const root of Object.keys(options.external)) {
      if (!tokens.includes(`${root}/`)) tokens.push(`${root}/`);
    }
  }
  if (level.kind === "root" && isEmailRoot(level.root) && names.includes("config.json")) {
    tokens.push("config/");
  }
  if (level.kind === "root" && isReceiptRoot(level.root) && names.some(isReceiptFile)) {
    tokens.push(`${RECEIPTS}/`);
  }
  return tokens.sort();
}

/** The one record of an emails root that is not named after its key. */
export function configKey(level: Level): Key | null {
  const isConfig = level.kind === "collection" && level.prefix === `${level.root}/config/`;
  return isConfig && isEmailRoot(level.root)
    ? keyIn(level.root ?? "", `config/${CONFIG_ID}`)
    : null;
}

/** Whether a level that is a directory by its name is met only where there is a record in it. */
export function holdsRecords(level: Level): boolean {
  return configKey(level) !== null || isReceiptLevel(level);
}

function tokenOf(level: Level, name: string): Token | null {
  if (isReceiptLevel(level)) return isReceiptFile(name) ? name.slice(0, 64) : null;
  if (level.kind === "root" && isReceiptRoot(level.root)) {
    const isOther = RESERVED_IN_ROOT.has(name) || name === RECEIPTS || name.includes(".");
    return isSegment(name) && !isOther ? `${name}/` : null;
  }
  if (level.kind !== "collection" && RESERVED_IN_ROOT.has(name)) return null;
  // Keys of this name mean the config file.
  if (level.kind === "root" && isEmailRoot(level.root) && name === "config") return null;
  if (!name.endsWith(RECORD_SUFFIX)) return isSegment(name) && !isFlat(level) ? `${name}/` : null;
  const base = name.slice(0, -RECORD_SUFFIX.length);
  return level.root !== null && isSegment(base) ? base : null;
}

/** A collection that only holds records: a directory in it is not ours. */
function isFlat(level: Level): boolean {
  return isEmailRoot(level.root) && level.prefix === `${level.root}/jobs/`;
}

function isConfigKey(root: string, segments: readonly string[]): boolean {
  return isEmailRoot(root) && segments.length === 2 && segments[0] === "config";
}

function isReceiptKey(root: string, segments: readonly string[]): boolean {
  const [first, id = ""] = segments;
  return isReceiptRoot(root) && segments.length === 2 && first === RECEIPTS && RECEIPT_ID.test(id);
}

function isReceiptLevel({ prefix, root }: Level): boolean {
  return isReceiptRoot(root) && prefix === `${root}/${RECEIPTS}/`;
}

function isReceiptFile(name: string): boolean {
  return RECEIPT_FILE.test(name);
}

function isEmailRoot(root: string | null): boolean {
  return isRootOf("emails", root);
}

function isReceiptRoot(root: string | null): boolean {
  return isRootOf("receipts", root);
}

function isRootOf(machine: string, root: string | null): boolean {
  return (
    root === machine || (root?.startsWith(`${TENANTS}/`) === true && root.endsWith(`/${machine}`))
  );
}

function checkSegments(name: string, root: string, segments: readonly string[]): void {
  const [first] = segments;
  const top = segments.length === 1 ? `${first}${RECORD_SUFFIX}` : (first ?? "");
  const isReserved =
    RESERVED_IN_ROOT.has(top) ||
    (isEmailRoot(root) && top === "config") ||
    (isReceiptRoot(root) && (top === RECEIPTS || segments.length === 1));
  assert(!isReserved, `key ${name} would be stored at a reserved name`);
  const parents = segments.slice(0, -1);
  // A directory must not look like a record, or a listing could not tell them apart by name.
  assert(
    parents.every((segment) => !segment.endsWith(RECORD_SUFFIX)),
    `key ${name} has a segment before the last that ends in ${RECORD_SUFFIX}`,
  );
}

function isSegment(name: string): boolean {
  return name.length <= KEY_SEGMENT_BYTES_MAX && SEGMENT.test(name);
}
