/**
 * Storage in a Cloudflare R2 bucket, over the binding of a Worker: one object per record, no SDK, nothing
 * of Node. The store keeps the due markers. R2 takes one write a second of one key, so writes of a key from
 * this process are kept that far apart, as long as no more than two wait; further ones hear from R2.
 */
import { assert } from "../../src/core/assert.ts";
import { errorText } from "../../src/core/error-text.ts";
import { KEY_BYTES_MAX, type Key } from "../../src/core/key.ts";
import {
  type DurationMs,
  durationMs,
  type EpochMs,
  epochMs,
  seconds,
} from "../../src/core/time.ts";
import type {
  Backend,
  Cursor,
  ListPage,
  PutCondition,
  Storage,
  Version,
} from "../../src/ports/backend.ts";
import {
  MisconfiguredError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import { type Random, systemRandom } from "../../src/ports/random.ts";

/** What is used of a bucket's binding (`R2Bucket` of Cloudflare's types fits). */
export interface R2Binding {
  get(key: string): Promise<R2Body | null>;
  /** Null: the condition does not hold. */
  put(key: string, value: string, options?: { onlyIf: R2Condition }): Promise<R2Object | null>;
  list(options: R2ListOptions): Promise<R2Listing>;
  delete(key: string): Promise<void>;
}

/** Etags stand without quotes here; R2 throws at quoted ones. */
type R2Condition = { readonly etagMatches: string } | { readonly etagDoesNotMatch: string };

interface R2Object {
  readonly key: string;
  readonly etag: string;
  readonly uploaded: Date;
}

interface R2Body extends R2Object {
  text(): Promise<string>;
}

interface R2ListOptions {
  prefix: string;
  limit: number;
  startAfter?: string;
  cursor?: string;
}

type R2Listing = { readonly objects: readonly R2Object[] } & (
  | { readonly truncated: true; readonly cursor: string }
  | { readonly truncated: false }
);

export interface R2StorageOptions {
  /** The binding, as in `env.HOLDFAST_BUCKET`. */
  readonly bucket: R2Binding;
  /** Stands before every key, such as `holdfast/`, with or without the last slash; none by default. */
  readonly prefix?: string;
}

const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/;

/** So that every key fits behind it in R2's 1,024. */
const PREFIX_BYTES_MAX = 1_024 - KEY_BYTES_MAX;

/** Between two writes of one key, as R2 asks. */
const SPACING_MS = seconds(1);

/** Turns ahead that are waited for here; whoever comes later hears from R2 itself. */
const WAIT_MS_MAX = seconds(2);

/** Pages with nothing on them that one listing passes over. */
const EMPTY_PAGES_MAX = 10;

/** Every `open` gives a backend on the same bucket; make one for the process, so that all keep the spacing. */
export function r2Storage({ bucket, prefix: given = "" }: R2StorageOptions): Storage {
  const prefix = closed(given);
  const waitForTurn = spacing();

  return {
    async open({ clock, random }) {
      checkOptions(bucket, prefix);

      const ask = <T>(request: () => Promise<T>): Promise<T> => asked(random, request);

      const backend: Backend = {
        format: "compact",
        owner: null,

        get: (key) =>
          ask(async () => {
            const object = await bucket.get(prefix + key);
            if (object === null) return null;
            return { body: await object.text(), version: object.etag as Version };
          }),

        async putIf(key, body, { expected }) {
          const wait = waitForTurn(key, clock.elapsed());
          if (wait > 0) await clock.sleep(wait);
          const put = () => bucket.put(prefix + key, body, { onlyIf: conditionFor(expected) });
          const object = await ask(put);
          if (object === null) return { kind: "refused", current: "unread" };
          // The hash of the body, in which every write has an id of its own.
          return { kind: "stored", version: object.etag as Version };
        },

        list: (below, cursor, limit) => ask(() => listPage(bucket, prefix, below, cursor, limit)),

        // Not kept apart from the key's creation: it would hold up a caller for what is only tidying.
        remove: (key) => ask(() => bucket.delete(prefix + key)),

        due: null,
        close: async () => {},
      };
      return backend;
    },
  };
}

/** What every look at R2's clock writes; no record. */
const CLOCK = "probe/clock";

/** What time it is for R2, which tells it of a write alone. Throws as a write of a record does. */
export async function r2Time({ bucket, prefix = "" }: R2StorageOptions): Promise<EpochMs> {
  const object = await asked(systemRandom(), () => bucket.put(closed(prefix) + CLOCK, ""));
  assert(object !== null, "a condition that nobody set does not hold");
  return epochMs(object.uploaded.getTime());
}

function closed(prefix: string): string {
  return prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
}

/** Runs one request; what it throws becomes a fault. */
async function asked<T>(random: Random, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw faultOf(error, random);
  }
}

function checkOptions(bucket: R2Binding | undefined, prefix: string): void {
  if (typeof bucket?.put !== "function") {
    throw new MisconfiguredError(
      "r2Storage: `bucket` is no R2 binding. Name one in wrangler.toml, under [[r2_buckets]]: " +
        'binding = "HOLDFAST_BUCKET", bucket_name = "…"; then it is env.HOLDFAST_BUCKET',
    );
  }
  if (!PREFIX.test(prefix) || prefix.length > PREFIX_BYTES_MAX) {
    throw new MisconfiguredError(
      `prefix ${JSON.stringify(prefix.slice(0, 80))} : names of letters, digits, ".", "_" ` +
        `and "-" with slashes between, such as holdfast; at most ${PREFIX_BYTES_MAX} bytes`,
    );
  }
}

function conditionFor(expected: PutCondition["expected"]): R2Condition {
  return expected === "absent" ? { etagDoesNotMatch: "*" } : { etagMatches: expected };
}

/**
 * When the next write of a key may go out, as a time to wait; `now` is elapsed time. Instants alone are
 * shared, no promise and no timer: those belong to one request of a Worker, and end with it.
 */
function spacing(): (key: Key, now: number) => DurationMs {
  /** The latest turn of each key that was written lately, in the order in which they were given. */
  const turns = new Map<Key, number>();
  return (key, now) => {
    for (const [other, turn] of turns) {
      if (turn + SPACING_MS > now) break;
      turns.delete(other);
    }
    const next = Math.max(now, (turns.get(key) ?? now - SPACING_MS) + SPACING_MS);
    const turn = next > now + WAIT_MS_MAX ? now : next;
    turns.delete(key);
    turns.set(key, turn);
    return durationMs(Math.ceil(turn - now));
  };
}

/** A cursor is the last key shown; one of another walk, which somebody may have made up, begins this one. */
async function listPage(
  bucket: R2Binding,
  prefix: string,
  below: string,
  cursor: Cursor | null,
  limit: number,
): Promise<ListPage> {
  assert(Number.isSafeInteger(limit) && limit > 0, `not a page size: ${limit}`);
  const walk = { prefix: prefix + below, limit };
  const isOurs = cursor?.startsWith(below) === true;
  let page = await bucket.list(isOurs ? { ...walk, startAfter: prefix + cursor } : walk);
  for (let pages = 1; page.truncated && page.objects.length === 0; pages += 1) {
    if (pages >= EMPTY_PAGES_MAX) throw new Error("a listing shows nothing, and has no end");
    page = await bucket.list({ ...walk, cursor: page.cursor });
  }
  const entries = page.objects.map(({ key, uploaded }) => ({
    key: key.slice(prefix.length) as Key,
    found: null,
    writtenAt: epochMs(uploaded.getTime()),
  }));
  const last = entries.at(-1)?.key;
  return {
    entries,
    cursor: page.truncated && last !== undefined ? (last as string as Cursor) : null,
  };
}

/** What a person has to change: rights, the bucket's name, the subscription, a lock rule on the bucket. */
const MISCONFIGURED = new Set([10_002, 10_003, 10_005, 10_006, 10_042, 10_069]);

const TOO_MANY_REQUESTS = 10_058;

const MESSAGE_CHARS_MAX = 1_000;

/**
 * R2 tells its code only at the end of a message: `put: Reduce your request rate … (10058)`. What has none,
 * or one of its own trouble, may have been carried out.
 */
function faultOf(cause: unknown, random: Random): Error {
  const text = errorText(cause, MESSAGE_CHARS_MAX);
  const message = `R2: ${text}`;
  const code = Number(/\((\d+)\)$/.exec(text)?.[1] ?? 0);
  if (code === TOO_MANY_REQUESTS) {
    // Jitter, since another process is likely to have been told the same.
    const wait = SPACING_MS + Math.floor((random.fraction() * SPACING_MS) / 2);
    return new StoreThrottledError(message, durationMs(wait), { cause });
  }
  if (MISCONFIGURED.has(code)) return new MisconfiguredError(message, { cause });
  // The runtime's own limit of requests of one invocation: it does not let this one out.
  const isNotWritten = /^Too many (?:subrequests|API requests)\b/i.test(text);
  return new StoreUnavailableError(message, { cause, isNotWritten });
}
