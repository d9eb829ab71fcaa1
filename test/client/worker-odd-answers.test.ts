/** A worker whose looks are answered by a broken service, or by something that is none. */
import { describe, expect, it } from "vitest";
import { problem } from "./service.ts";
import { held, type Plan, world } from "./worker-world.ts";

const unexpected = expect.objectContaining({ code: "unexpected_answer" });

/** The looks that find an odd answer, one after the other; the others reach the service. */
function looks(...answers: readonly (() => Response)[]): Plan {
  const left = [...answers];
  return (path) => (path === "email-leases" ? (left.shift()?.() ?? null) : null);
}

describe("a worker's look", () => {
  it.each([
    ["no jobs", {}],
    ["a list", []],
    ["a word", { jobs: "abc" }],
    ["what only looks like a list", { jobs: { length: 1 } }],
    ["nothing in a list", { jobs: [null] }],
    ["a job without a key", { jobs: [{ leaseToken: "t" }] }],
    ["a job with an empty key", { jobs: [{ leaseToken: "t", logicalKey: "" }] }],
    ["a job whose key is a number", { jobs: [{ leaseToken: "t", logicalKey: 5 }] }],
    ["a job without a token", { jobs: [{ logicalKey: "b", leaseToken: null }] }],
  ])("is told and comes again, not at once, after one that found %s", async (_, answer) => {
    const { start, time, asked, errors, job } = await world(["a"]);
    const { handler, begun, finish } = held();
    const found = () => Response.json(answer);
    const one = start(handler, { concurrency: 1 }, looks(found, found));
    await time.advance(999);
    expect(asked).toEqual(["0 email-leases"]);
    expect(errors).toEqual([unexpected]);
    await time.advance(5_000);
    expect(begun).toEqual(["a"]);
    finish("a");
    await time.until(one.stop());
    expect((await job("a")).state).toBe("sent");
    expect(errors).toEqual([unexpected, unexpected]);
  });

  it("takes no more jobs than it asked for, and those that it can", async () => {
    const { start, time, errors } = await world();
    const { handler, begun, finish } = held();
    const many = Array.from({ length: 500 }, (_, n) => ({
      logicalKey: `key-${n}`,
      leaseToken: "t",
    }));
    const found = () => Response.json({ jobs: [null, ...many] });
    const one = start(handler, { concurrency: 4 }, looks(found));
    await time.advance(100);
    expect(begun).toEqual(["key-0", "key-1", "key-2", "key-3"]);
    expect(errors).toEqual([unexpected]);
    for (const key of begun) finish(key);
    await time.until(one.stop());
  });

  it.each(["soon", "5", -1e9, [5], { valueOf: 5 }, true])(
    "comes again in its own time where it is asked to wait for %j",
    async (retryAfterMs) => {
      const { start, time, asked } = await world();
      const away = () => problem(503, "unavailable", { retryAfterMs });
      const one = start(() => {}, {}, looks(away, away));
      await time.advance(3_500);
      expect(asked).toEqual(["0 email-leases", "1000 email-leases", "3000 email-leases"]);
      await time.until(one.stop());
    },
  );
});
