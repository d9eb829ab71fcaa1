/** A coordinator with a real runner: a command, as a child process. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commandRunner } from "../../adapters/ai/command/index.ts";
import { memoryStorage } from "../../adapters/storage/memory.ts";
import { createHoldfast, type Holdfast } from "../../src/holdfast.ts";
import { REQUEST } from "./queries/given.ts";

describe("a coordinator with a command", () => {
  let holdfast: Holdfast;
  beforeEach(async () => {
    holdfast = await createHoldfast({ storage: memoryStorage() });
  });
  afterEach(() => holdfast.close());

  /** A script for this very Node. */
  const scripted = (script: string) =>
    commandRunner({ command: [process.execPath, "-e", script], env: {} });

  it("writes what it says to the log, whole", async () => {
    const coordinator = holdfast.coordinate({
      runner: scripted(
        'process.stdin.on("data", (c) => process.stdout.write(String(c).repeat(500)))',
      ),
    });
    const { job } = await coordinator.submit({ ...REQUEST, query: "naïve 🙂 " });
    await coordinator.idle();
    expect(await holdfast.queries.getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "completed", response: "naïve 🙂 ".repeat(500) },
    });
  });

  it("QUERY-81 tells why it failed, and what it had said", async () => {
    const coordinator = holdfast.coordinate({
      runner: scripted('process.stdout.write("half", () => process.exit(3))'),
    });
    const { job } = await coordinator.submit(REQUEST);
    await coordinator.idle();
    expect(await holdfast.queries.getSnapshot(job.jobId)).toMatchObject({
      ...{ status: "failed", error: { code: "command_failed" } },
    });
  });

  it("QUERY-80 closing the library interrupts it, ends its process, and frees its session", async () => {
    const script = "process.stdout.write(String(process.pid)); setInterval(() => {}, 1000)";
    const storage = memoryStorage();
    const server = await createHoldfast({ storage });
    const coordinator = server.coordinate({ runner: scripted(script) });
    const { job } = await coordinator.submit(REQUEST);
    const pid = await vi.waitFor(async () => {
      const { partialText } = await server.queries.getSnapshot(job.jobId);
      expect(partialText).not.toBe("");
      return Number(partialText);
    });
    await server.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    const later = await createHoldfast({ storage });
    expect((await later.queries.getSnapshot(job.jobId)).status).toBe("interrupted");
    // Its command is over, and so is the hold of the session.
    expect((await later.queries.admit({ ...REQUEST, generation: 2 })).created).toBe(true);
    await later.close();
  });
});
