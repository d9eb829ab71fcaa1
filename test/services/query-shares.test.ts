/** Calls that wait together for their turn. */
import { describe, expect, it } from "vitest";
import { epochMs } from "../../src/core/time.ts";
import { ContendedError } from "../../src/ports/faults.ts";
import { type Shares, shares } from "../../src/services/query-shares.ts";

const JOB = { jobId: "33333333-3333-4333-8333-333333333333" };
const DEADLINE = epochMs(1_000);

/** Turns that do not begin while `isBusy` says so. */
function openShares(isBusy: () => boolean): Shares<null, string> {
  return shares<null, string>({
    mayShare: () => true,
    async inTurn(_jobId, _deadlineAt, work) {
      if (isBusy()) throw new ContendedError("gave up waiting");
      return work();
    },
    work: async (_job, calls) =>
      calls.map(({ command }) => (command.kind === "chunk" ? command.delta : "")),
  });
}

const tell = (to: Shares<null, string>, delta: string): Promise<string> => {
  const command = { kind: "chunk", token: null, delta, isTruncated: false } as const;
  return to.run(JOB, { command, options: null }, DEADLINE);
};

describe("calls that wait for their turn together", () => {
  it("are each told their own outcome", async () => {
    const open = openShares(() => false);
    expect(await Promise.all([tell(open, "a"), tell(open, "b")])).toEqual(["a", "b"]);
  });

  it("whose turn never came are no part of those that come later", async () => {
    let isBusy = true;
    const open = openShares(() => isBusy);
    const early = await Promise.allSettled([tell(open, "a"), tell(open, "b")]);
    expect(early.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isBusy = false;
    expect(await tell(open, "c")).toBe("c");
  });
});
