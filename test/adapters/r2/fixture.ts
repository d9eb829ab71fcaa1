/** Buckets of Miniflare, where R2's own code runs under workerd, and what tests put in front of them. */
import { Miniflare } from "miniflare";
import type { R2Binding } from "../../../adapters/storage/r2.ts";
import { r2Storage } from "../../../adapters/storage/r2.ts";
import { type EpochMs, epochMs } from "../../../src/core/time.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { START_MS } from "../../client/manual-time.ts";
import type { EmailsFixture } from "../../services/emails/bench.ts";

/** The binding as it is, of which an adapter uses less. */
interface Bucket extends R2Binding {
  put(key: string, value: string, options?: unknown): ReturnType<R2Binding["put"]>;
  delete(keys: string | readonly string[]): Promise<void>;
}

/** A part of the bucket that is empty, and nobody else's. */
export interface Place {
  readonly bucket: R2Binding;
  readonly prefix: string;
  plant(key: string, body: string): Promise<void>;
  destroy(): Promise<void>;
}

export interface R2 {
  place(): Place;
  close(): Promise<void>;
}

/** Starts workerd: one for a file of tests. */
export async function openR2(): Promise<R2> {
  const miniflare = new Miniflare({
    modules: true,
    script: "export default {};",
    cf: false,
    r2Buckets: ["HOLDFAST_BUCKET"],
  });
  // Miniflare's types are made of Cloudflare's, which are not installed.
  const binding: unknown = await miniflare.getR2Bucket("HOLDFAST_BUCKET");
  const bucket = binding as Bucket;
  let places = 0;
  return {
    place() {
      places += 1;
      const prefix = `place-${places}/`;
      return {
        bucket,
        prefix,
        async plant(key, body) {
          await bucket.put(prefix + key, body);
        },
        async destroy() {
          for (let isMore = true; isMore; ) {
            const page = await bucket.list({ prefix, limit: 1_000 });
            await bucket.delete(page.objects.map(({ key }) => key));
            isMore = page.truncated;
          }
        },
      };
    },
    close: () => miniflare.dispose(),
  };
}

export function emailsFixture({ place }: R2): EmailsFixture {
  const { bucket, prefix, plant, destroy } = place();
  return { storage: r2Storage({ bucket, prefix }), plant, destroy };
}

export interface Requests {
  get: number;
  put: number;
  list: number;
  delete: number;
}

/** The bucket, with every request counted. */
export function counting(bucket: R2Binding): { bucket: R2Binding; requests: Requests } {
  const requests: Requests = { get: 0, put: 0, list: 0, delete: 0 };
  const counted =
    <A extends readonly unknown[], T>(name: keyof Requests, request: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      requests[name] += 1;
      return request(...args);
    };
  return {
    requests,
    bucket: {
      get: counted("get", (key) => bucket.get(key)),
      put: counted("put", (key, value, options) => bucket.put(key, value, options)),
      list: counted("list", (options) => bucket.list(options)),
      delete: counted("delete", (key) => bucket.delete(key)),
    },
  };
}

/** What R2 says of a second write of one key within a second; Miniflare does not. */
export const TOO_FAST = "put: Reduce your concurrent request rate for the same object. (10058)";

/** The bucket, with R2's limit of one write a second of one key; `refusals` counts what it turned away. */
export function limited(
  bucket: R2Binding,
  now: () => EpochMs,
): { bucket: R2Binding; refusals: () => number } {
  const written = new Map<string, EpochMs>();
  let refusals = 0;
  return {
    refusals: () => refusals,
    bucket: {
      get: (key) => bucket.get(key),
      async put(key, value, options) {
        const before = written.get(key);
        if (before !== undefined && now() - before < 1_000) {
          refusals += 1;
          throw new Error(TOO_FAST);
        }
        written.set(key, now());
        return bucket.put(key, value, options);
      },
      list: (options) => bucket.list(options),
      delete: (key) => bucket.delete(key),
    },
  };
}

/** Sleeping takes no time but the clock's. */
export function leapingClock(): Clock {
  let now = START_MS;
  return {
    now: () => epochMs(now),
    elapsed: () => now,
    async sleep(duration, signal) {
      // A deadline that others race with, and take back, is not slept through.
      await new Promise(setImmediate);
      if (signal?.aborted !== true) now += duration;
    },
  };
}
