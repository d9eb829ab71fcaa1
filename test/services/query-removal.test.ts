/** How long the removal of one log may take. */
import { describe, expect, it } from "vitest";
import { epochMs } from "../../src/core/time.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { removeLog } from "../../src/services/query-removal.ts";
import type { Log } from "../../src/store/log.ts";

/** A log of so many pages, of which each takes a millisecond to remove. */
function logOf(pages: number) {
  let left = pages;
  let now = 0;
  const nothing = async function* () {};
  const log: Log = {
    draft: () => expect.unreachable(),
    get: async () => null,
    readFrom: nothing,
    readOn: nothing,
    async removeSome() {
      if (left === 0) return "none";
      left -= 1;
      now += 1;
      return "more";
    },
  };
  const clock = { ...systemClock(), now: () => epochMs(now) };
  const logs = { open: () => log, jobs: async () => ({ jobIds: [], cursor: null }) };
  return { deps: { logs, clock }, left: () => left };
}

describe("the removal of a log", () => {
  it("ends when nothing is left of it", async () => {
    const { deps, left } = logOf(3);
    expect(await removeLog(deps, "job", epochMs(100))).toBe(true);
    expect(left()).toBe(0);
  });

  it("ends at its time, with what it did done, and goes on another time", async () => {
    const { deps, left } = logOf(3);
    expect(await removeLog(deps, "job", epochMs(2))).toBe(false);
    expect(left()).toBe(1);
    expect(await removeLog(deps, "job", epochMs(100))).toBe(true);
  });
});
