/** One write a second of one key: kept by a process for itself, and waited out when others use it up. */
import { afterAll, describe, expect, it } from "vitest";
import { type R2Binding, r2Storage } from "../../../adapters/storage/r2.ts";
import { type Key, key } from "../../../src/core/key.ts";
import { epochMs } from "../../../src/core/time.ts";
import { createHoldfast } from "../../../src/holdfast.ts";
import type { Backend, Storage } from "../../../src/ports/backend.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { StoreThrottledError } from "../../../src/ports/faults.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { manualTime, START_MS } from "../../client/manual-time.ts";
import { FIRST_VIEW, KEY, present } from "../../services/emails/given.ts";
import { leapingClock, limited, openR2, TOO_FAST } from "./fixture.ts";

const A = key("things/a");
const B = key("things/b");

describe("writes of one key", () => {
  it("go out a second apart, those of other keys at once", async () => {
    const { time, backend, sent } = await recorded();
    const puts = Promise.all([put(backend, A), put(backend, A), put(backend, B), put(backend, A)]);
    await time.until(puts);
    expect(sent).toEqual([
      [A, 0],
      [B, 0],
      [A, 1_000],
      [A, 2_000],
    ]);
  });

  it("do not wait when a second has gone by", async () => {
    const { time, backend, sent } = await recorded();
    await put(backend, A);
    await time.advance(999);
    await time.until(put(backend, A));
    await time.advance(5_000);
    await put(backend, A);
    expect(sent.map(([, at]) => at)).toEqual([0, 1_000, 6_000]);
  });

  it("are kept apart for all who opened the same storage", async () => {
    const { time, storage, backend, sent } = await recorded();
    const other = await open(storage, time.clock);
    await time.until(Promise.all([put(backend, A), put(other, A)]));
    expect(sent.map(([, at]) => at)).toEqual([0, 1_000]);
  });

  it("are R2's to judge where more than two wait already", async () => {
    const { time, backend, sent } = await recorded();
    await time.until(Promise.all(Array.from({ length: 4 }, () => put(backend, A))));
    expect(sent.map(([, at]) => at)).toEqual([0, 0, 1_000, 2_000]);
  });

  it("do not wait for a wall clock that stepped back", async () => {
    const { time, storage, sent } = await recorded();
    let wall = START_MS + 1_000;
    const backend = await open(storage, { ...time.clock, now: () => epochMs(wall) });
    await put(backend, A);
    wall = START_MS;
    await time.advance(1_000);
    await time.until(put(backend, A));
    expect(sent.map(([, at]) => at)).toEqual([0, 1_000]);
  });
});

describe("a bucket that keeps R2's limit", async () => {
  const r2 = await openR2();
  afterAll(() => r2.close());

  it("never refuses a process that is alone", async () => {
    const clock = leapingClock();
    const { prefix, bucket: real } = r2.place();
    const { bucket, refusals } = limited(real, clock.now);
    const { emails } = await createHoldfast({ storage: r2Storage({ bucket, prefix }), clock });
    const { job } = await emails.enqueue(KEY, FIRST_VIEW);
    await emails.transition(job, ["pending"], "ready");
    const [leased] = await emails.acquireDueLeases({ durationMs: 60_000, limit: 1 });
    const { leaseToken } = present(leased);
    await emails.extendSendingLease(KEY, leaseToken, 60_000);
    const sent = await emails.transitionSending(KEY, leaseToken, "sent");
    expect([sent?.state, refusals()]).toEqual(["sent", 0]);
  });

  it("is waited for when another process was there just before, and nothing is lost", async () => {
    const clock = leapingClock();
    const { prefix, bucket: real } = r2.place();
    const { bucket, refusals } = limited(real, clock.now);
    const instance = () => createHoldfast({ storage: r2Storage({ bucket, prefix }), clock });
    const [one, other] = [await instance(), await instance()];
    const { job } = await one.emails.enqueue(KEY, FIRST_VIEW);
    const ready = await other.emails.transition(job.logicalKey, ["pending"], "ready");
    expect(ready?.state).toBe("ready");
    expect(refusals()).toBe(1);
    expect((await one.emails.readJob(KEY))?.state).toBe("ready");
  });

  it("is told as throttled, with the time to wait, and as not written", async () => {
    const bucket: R2Binding = {
      ...silent(() => {}),
      put: () => Promise.reject(new Error(TOO_FAST)),
    };
    const random = { ...systemRandom(), fraction: () => 0.5 };
    const context = { clock: leapingClock(), random, observe: () => {}, dueOf: () => null };
    const backend = await r2Storage({ bucket }).open(context);
    const fault = await put(backend, A).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(StoreThrottledError);
    expect(fault).toMatchObject({ retryAfterMs: 1_250, message: `R2: ${TOO_FAST}` });
  });
});

function silent(seen: (key: string) => void): R2Binding {
  return {
    get: async () => null,
    async put(key) {
      seen(key);
      return { key, etag: "e", uploaded: new Date(0) };
    },
    list: async () => ({ objects: [], truncated: false }),
    delete: async () => {},
  };
}

/** A bucket that takes everything; `sent` has the writes, with their times. */
async function recorded() {
  const time = manualTime();
  const sent: [string, number][] = [];
  const storage = r2Storage({ bucket: silent((name) => void sent.push([name, time.now()])) });
  return { time, sent, storage, backend: await open(storage, time.clock) };
}

function open(storage: Storage, clock: Clock): Promise<Backend> {
  return storage.open({ clock, random: systemRandom(), observe: () => {}, dueOf: () => null });
}

function put(backend: Backend, name: Key) {
  return backend.putIf(name, "{}", { expected: "absent", due: null, dueBefore: null });
}
