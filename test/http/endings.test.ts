/** What ends when the process is to end: each once, and nothing that is over already. */
import { describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { durationMs } from "../../src/core/time.ts";
import { endings } from "../../src/http/endings.ts";
import { queryStream } from "../../src/http/query-stream.ts";
import { openServices } from "../../src/services/services.ts";
import { manualTime } from "../client/manual-time.ts";
import { admitted } from "../services/queries/given.ts";

describe("endings", () => {
  it("listen once, however many are registered", () => {
    const stopping = new AbortController();
    const listen = vi.spyOn(stopping.signal, "addEventListener");
    const registered = endings(stopping.signal);
    const ends = Array.from({ length: 100 }, () => vi.fn());
    for (const end of ends) registered.add(end);
    expect(listen).toHaveBeenCalledTimes(1);
    stopping.abort();
    for (const end of ends) expect(end).toHaveBeenCalledTimes(1);
  });

  it("call at once what comes after the beginning of the end, and nothing that was taken back", () => {
    const stopping = new AbortController();
    const registered = endings(stopping.signal);
    const [over, late] = [vi.fn(), vi.fn()];
    registered.add(over)();
    stopping.abort();
    registered.add(late);
    expect(over).not.toHaveBeenCalled();
    expect(late).toHaveBeenCalledTimes(1);
  });

  it.each(["is left", "has rotated"])("know nothing of a stream that %s", async (what) => {
    const { clock, advance } = manualTime();
    const services = await openServices({ storage: memoryStorage(), clock });
    const { asking, reading, tails } = services.tenant(null).queries;
    const { place, job } = await reading.job((await admitted(asking)).jobId, 1);
    const forget = vi.fn();
    const stream = queryStream(
      {
        job,
        reread: async () => job,
        follow: (after, signal) => tails.follow(place, after, signal),
      },
      0,
      { clock, rotationMs: durationMs(1_000), onStopping: () => forget, failed: () => {} },
    );
    expect(forget).not.toHaveBeenCalled();
    if (what === "is left") await stream.cancel();
    else await advance(1_000);
    expect(forget).toHaveBeenCalledTimes(1);
    await services.close();
  });
});
