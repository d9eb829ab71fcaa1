/** What is made of a binding: of its errors, its listings, its absence. */
import { afterAll, describe, expect, it } from "vitest";
import { type R2Binding, r2Storage } from "../../../adapters/storage/r2.ts";
import { key } from "../../../src/core/key.ts";
import type { Backend, Cursor } from "../../../src/ports/backend.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import {
  MisconfiguredError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../../src/ports/faults.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { probe } from "../../../src/store/probe.ts";
import { leapingClock, limited, openR2 } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

const A = key("things/a");
const ABSENT = { expected: "absent", due: null, dueBefore: null } as const;

function open(bucket: R2Binding, prefix?: string): Promise<Backend> {
  const storage = r2Storage(prefix === undefined ? { bucket } : { bucket, prefix });
  const context = { clock: systemClock(), random: systemRandom(), observe: () => {} };
  return storage.open({ ...context, dueOf: () => null });
}

function failing(message: string): R2Binding {
  const fail = () => Promise.reject(new Error(message));
  return { get: fail, put: fail, list: fail, delete: fail };
}

describe("an error of the binding", () => {
  it.each([
    ["put: Reduce your concurrent request rate for the same object. (10058)", StoreThrottledError],
    ["put: The specified bucket does not exist. (10006)", MisconfiguredError],
    ["put: Access denied (10003)", MisconfiguredError],
    ["put: The object is locked by the bucket policy. (10069)", MisconfiguredError],
    ["put: We encountered an internal error. Please try again. (10001)", StoreUnavailableError],
    ["put: Unspecified error (0)", StoreUnavailableError],
    ["Network connection lost.", StoreUnavailableError],
  ])("%j becomes %o, for every request", async (message, fault) => {
    const backend = await open(failing(message));
    const requests = [
      () => backend.get(A),
      () => backend.putIf(A, "{}", ABSENT),
      () => backend.list("things/", null, 10),
      () => backend.remove(A),
    ];
    for (const request of requests) {
      const thrown = await request().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(fault);
      expect(thrown).toMatchObject({ message: `R2: ${message}`, cause: { message } });
    }
  });

  it("leaves open whether the write took place, unless the runtime did not let it out", async () => {
    const isNotWritten = async (message: string) => {
      const backend = await open(failing(message));
      return backend.putIf(A, "{}", ABSENT).catch((fault: unknown) => fault);
    };
    expect(await isNotWritten("put: We encountered an internal error. (10001)")).toMatchObject({
      isNotWritten: false,
    });
    for (const what of ["subrequests", "API requests"]) {
      const message = `Too many ${what} by single Worker invocation.`;
      expect(await isNotWritten(message)).toMatchObject({ isNotWritten: true });
    }
  });

  it("while a body is read is a fault, too", async () => {
    const bucket: R2Binding = {
      ...failing(""),
      get: async (name) => ({
        key: name,
        etag: "e",
        uploaded: new Date(0),
        text: () => Promise.reject(new Error("Network connection lost.")),
      }),
    };
    const thrown = await (await open(bucket)).get(A).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(StoreUnavailableError);
  });
});

describe("what cannot be used is refused when it is opened", () => {
  it("a binding that is not there, by the way to name one", async () => {
    const env: { HOLDFAST_BUCKET: R2Binding } = JSON.parse("{}");
    const opened = open(env.HOLDFAST_BUCKET);
    await expect(opened).rejects.toBeInstanceOf(MisconfiguredError);
    await expect(opened).rejects.toThrow(/wrangler\.toml.*\[\[r2_buckets\]\].*HOLDFAST_BUCKET/);
  });

  it.each(["/jobs/", "/", "jobs//", "../", "a b/", `${"x".repeat(512)}/`])(
    "the prefix %j",
    async (prefix) => {
      await expect(open(r2.place().bucket, prefix)).rejects.toBeInstanceOf(MisconfiguredError);
    },
  );
});

describe("listings", () => {
  it("show when the bucket took each object", async () => {
    const { bucket, prefix } = r2.place();
    const backend = await open(bucket, prefix);
    const before = Date.now();
    await backend.putIf(A, "{}", ABSENT);
    const { entries } = await backend.list("things/", null, 10);
    expect(entries).toMatchObject([{ key: A, found: null }]);
    const at = Number(entries[0]?.writtenAt);
    expect(at).toBeGreaterThanOrEqual(before - 1);
    expect(at).toBeLessThanOrEqual(Date.now() + 1);
  });

  it("pass over pages with nothing on them", async () => {
    const { bucket, prefix } = r2.place();
    await (await open(bucket, prefix)).putIf(A, "{}", ABSENT);
    let pages = 0;
    const hesitant: R2Binding = {
      ...failing(""),
      async list({ cursor, ...options }) {
        pages += 1;
        if (pages < 3) return { objects: [], truncated: true, cursor: `page ${pages}` };
        expect(cursor).toBe("page 2");
        return bucket.list(options);
      },
    };
    const { entries, cursor } = await (await open(hesitant, prefix)).list("things/", null, 10);
    expect(entries.map((entry) => entry.key)).toEqual([A]);
    expect(cursor).toBeNull();
  });

  it("that only go on, without anything on them, are a fault", async () => {
    const endless: R2Binding = {
      ...failing(""),
      list: async () => ({ objects: [], truncated: true, cursor: "on" }),
    };
    const walk = (await open(endless)).list("things/", null, 10);
    await expect(walk).rejects.toBeInstanceOf(StoreUnavailableError);
  });

  it.each(["zzz", "a", "other/a", "\u0000", "../../x", "things"])(
    "begin anew at the cursor %j, which none of them gave",
    async (made) => {
      const { bucket, prefix } = r2.place();
      const backend = await open(bucket, prefix);
      await backend.putIf(A, "{}", ABSENT);
      await backend.putIf(key("other/a"), "{}", ABSENT);
      const { entries } = await backend.list("things/", made as Cursor, 10);
      expect(entries.map((entry) => entry.key)).toEqual([A]);
    },
  );

  it("keep to their prefix in the bucket, with or without its last slash", async () => {
    const { bucket, prefix, plant } = r2.place();
    const backend = await open(bucket, `${prefix}mine/`);
    await plant("other/things/a", "{}");
    await backend.putIf(A, "{}", ABSENT);
    expect((await backend.list("", null, 10)).entries.map((entry) => entry.key)).toEqual([A]);
    expect(await bucket.get(`${prefix}mine/things/a`)).not.toBeNull();
    expect(await (await open(bucket, `${prefix}mine`)).get(A)).not.toBeNull();
  });
});

describe("the probe", () => {
  it("finds nothing wrong, also where R2's limit is kept", async () => {
    const clock = leapingClock();
    const { bucket: real, prefix } = r2.place();
    const { bucket } = limited(real, clock.now);
    const context = { clock, random: systemRandom(), observe: () => {}, dueOf: () => null };
    const backend = await r2Storage({ bucket, prefix }).open(context);
    const findings = await probe(backend, context);
    const failed = findings.filter(({ check, verdict }) => verdict === "fail" && check !== "clock");
    expect(findings.length).toBeGreaterThan(5);
    expect(failed).toEqual([]);
    expect((await backend.list("", null, 10)).entries).toEqual([]);
  });
});
