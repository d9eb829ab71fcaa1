/** How a worker ends. */
import { describe, expect, it } from "vitest";
import { held, world } from "./worker-world.ts";

describe("a stop", () => {
  it("asks for no more, waits for the handlers that run, and settles them", async () => {
    const { start, time, asked, job } = await world(["a", "b"]);
    const { handler, begun, finish } = held();
    const one = start(handler, { concurrency: 1 });
    await time.advance(10);
    let isStopped = false;
    void one.stopped.then(() => {
      isStopped = true;
    });
    const stopped = one.stop({ graceMs: 3_600_000 });
    await time.advance(200_000);
    expect(isStopped).toBe(false);
    const [first = ""] = begun;
    finish(first);
    await time.advance(0);
    await stopped;
    expect(isStopped).toBe(true);
    expect(begun).toHaveLength(1);
    expect((await job(first)).state).toBe("sent");
    const other = await job(first === "a" ? "b" : "a");
    expect(other).toMatchObject({ state: "ready", attempts: 0 });
    expect(asked.filter((line) => line.endsWith("email-leases"))).toEqual(["0 email-leases"]);
    expect(time.now()).toBe(200_010);
    expect(time.sleeping()).toBe(0);
  });

  it("that is out of grace aborts the handlers and settles nothing more", async () => {
    const { start, time, asked, job, errors } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler);
    await time.advance(10);
    const stopped = one.stop({ graceMs: 5_000 });
    await time.advance(4_999);
    expect(aborted).toEqual([]);
    await time.advance(1);
    expect(aborted).toEqual(["a"]);
    finish("a", new Error("aborted"));
    await time.until(stopped);
    expect(asked.filter((line) => line.endsWith("settlements"))).toEqual([]);
    expect(await job("a")).toMatchObject({ state: "sending", attempts: 1 });
    expect(errors).toEqual([]);
    const runs: string[] = [];
    const other = start(({ logicalKey }) => void runs.push(logicalKey));
    await time.advance(130_000);
    expect(runs).toEqual(["a"]);
    await time.until(other.stop());
  });

  it("runs the jobs of a lease that is under way, so that no attempt is lost", async () => {
    const { start, time, job } = await world(["a"]);
    const one = start(
      () => {},
      {},
      async (path, reach) => {
        const answer = await reach();
        if (path === "email-leases") await time.clock.sleep(100 as never);
        return answer;
      },
    );
    await time.advance(50);
    await time.until(one.stop());
    expect(await job("a")).toMatchObject({ state: "sent", attempts: 1 });
  });

  it("is at once for an idle worker, and gives up a lease that hangs when its grace is over", async () => {
    const idle = await world();
    const one = idle.start(() => {});
    await idle.time.advance(500);
    await one.stop();
    expect(idle.time.now()).toBe(500);
    const hung = await world();
    const two = hung.start(
      () => {},
      {},
      () => new Promise<Response>(() => {}),
    );
    await hung.time.advance(500);
    const stopped = two.stop({ graceMs: 1_000 });
    await hung.time.until(stopped);
    expect(hung.time.now()).toBe(1_500);
    expect(hung.errors).toEqual([]);
  });

  it("may be asked for again, with less grace", async () => {
    const { start, time } = await world(["a"]);
    const { handler, aborted, finish } = held();
    const one = start(handler);
    await time.advance(10);
    void one.stop();
    const stopped = one.stop({ graceMs: 1_000 });
    await time.advance(1_000);
    expect(aborted).toEqual(["a"]);
    finish("a");
    await time.until(stopped);
  });
});
