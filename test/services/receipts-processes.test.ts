/** Real processes that call one operation. Needs the compiled test files: a child is started from one. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesystemStorage } from "../../adapters/storage/filesystem/index.ts";
import { epochMs } from "../../src/core/time.ts";
import { createHoldfast } from "../../src/holdfast.ts";
import { systemClock } from "../../src/ports/clock.ts";

// How long a process takes to start is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

describe("one operation, called by several processes on one folder", () => {
  const children = new Set<ChildProcess>();
  let directory = "";
  let log = "";

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "holdfast-once-"));
    log = join(directory, "charges.log");
  });
  afterEach(() => {
    for (const child of children) child.kill("SIGKILL");
    children.clear();
    rmSync(directory, { recursive: true, force: true });
  });

  async function start(calls: number, ...rest: readonly string[]): Promise<ChildProcess> {
    const script = fileURLToPath(new URL("./receipts/once-child.js", import.meta.url));
    const child = fork(script, [directory, log, String(calls), ...rest]);
    children.add(child);
    expect(await message(child)).toBe("ready");
    return child;
  }

  function message(child: ChildProcess): Promise<unknown> {
    return new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error("the process ended without an answer")));
    });
  }

  const charges = (): string[] => readFileSync(log, "utf8").trim().split("\n");

  it("RECEIPT-36 32 calls of 4 processes have 1 side effect and 32 equal answers", async () => {
    const started = await Promise.all([1, 2, 3, 4].map(() => start(8)));
    const answers = started.map(message);
    for (const child of started) child.send("go");
    const all = (await Promise.all(answers)).flat();
    expect(charges()).toHaveLength(1);
    expect(all).toHaveLength(32);
    expect(new Set(all.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it("RECEIPT-37 a process killed in its side effect leaves an unknown outcome that a person resolves", async () => {
    const child = await start(1, "die");
    const running = message(child);
    child.send("go");
    expect(await running).toBe("running");
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));

    // Lease and margin later.
    const clock = { ...systemClock(), now: () => epochMs(Date.now() + 100_000) };
    const holdfast = await createHoldfast({ storage: filesystemStorage({ directory }), clock });
    const { receipts } = holdfast;
    const key = { workspaceId: "w", operationId: "charge-1" };
    const again = () => receipts.once(key, { amount: 5 }, () => ({ charge: 0 }));
    await expect(again()).rejects.toMatchObject({ code: "operation_outcome_unknown" });
    await receipts.resolve((await receipts.get(key))?.id ?? "", {
      ...{ outcome: "happened", result: { charge: child.pid }, resolvedBy: "ann" },
    });
    expect(await again()).toMatchObject({ result: { charge: child.pid }, replayed: true });
    expect(charges()).toHaveLength(1);
    await holdfast.close();
  });
});
