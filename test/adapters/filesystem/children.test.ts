/** Real processes on one folder. Needs the compiled test files: a child is started from one. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Backend } from "../../../src/ports/backend.ts";
import { allDue, dueOfBackend, folderBench, job, newDirectory, tree } from "./fixture.ts";

// How long a process takes to start is not what is tested.
vi.setConfig({ testTimeout: 120_000 });

const NAME = job("counter");
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

function start(directory: string, sharing: string, times: number): ChildProcess {
  const script = fileURLToPath(new URL("./child.js", import.meta.url));
  const child = fork(script, [directory, sharing, NAME, String(times)]);
  children.add(child);
  return child;
}

/** The exit code; null after a signal. */
function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on("exit", resolve));
}

async function countIn(backend: Backend): Promise<number> {
  const found = await backend.get(NAME);
  return found === null ? 0 : Number(JSON.parse(found.body).count);
}

describe("several processes that increment one record", () => {
  it("lose none of it, end by themselves, and leave nothing behind", async () => {
    const bench = folderBench();
    const codes = await Promise.all(
      [1, 2, 3, 4].map(() => ended(start(bench.directory, "processes", 40))),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    const backend = await bench.open();
    expect(await countIn(backend)).toBe(160);
    const { dueOf } = bench.context;
    const body = (await backend.get(NAME))?.body ?? "";
    const entries = await allDue(backend);
    expect(entries.some((entry) => entry.at === dueOf(NAME, body)?.at)).toBe(true);
    for (const entry of entries) await dueOfBackend(backend).mend(entry);
    // A marker too many may be left for a time that came again; none for another time stays.
    const times = new Set((await allDue(backend)).map((entry) => Number(entry.at)));
    expect([...times]).toEqual([dueOf(NAME, body)?.at]);
    expect(tree(join(bench.directory, "emails/locks"))).toEqual([]);
    expect(tree(join(bench.directory, "emails/tmp"))).toEqual([]);
  });
});

describe("a process that ends without closing an exclusive folder", () => {
  it("ends by itself, and its folder is free at once (7.6, 1)", async () => {
    const bench = folderBench();
    expect(await ended(start(bench.directory, "exclusive", 20))).toBe(0);
    expect(tree(bench.directory)).toContain("folder.lock");
    const backend = await bench.open({ sharing: "exclusive" });
    expect(await countIn(backend)).toBe(20);
    expect(await allDue(backend)).not.toEqual([]);
    expect(bench.counted("folder.rebuild.started")).toBe(0);
  });
});

for (const sharing of ["processes", "exclusive"] as const) {
  describe(`a process that is killed while it writes (${sharing})`, () => {
    it("loses nothing that it was told, and holds up nobody", async () => {
      const bench = folderBench();
      for (let round = 0; round < 4; round += 1) {
        const child = start(bench.directory, sharing, 1_000_000);
        let told = 0;
        await new Promise<void>((resolve) => {
          child.on("message", (count) => {
            told = Number(count);
            if (told % 7 === round + 1) resolve();
          });
        });
        child.kill("SIGKILL");
        await ended(child);
        const backend = await bench.open({ sharing });
        const count = await countIn(backend);
        expect(count).toBeGreaterThanOrEqual(told);
        // The lock of a dead process is nobody's: there are no 30 seconds to wait.
        const found = await backend.get(NAME);
        if (found === null) throw new Error("the record is gone");
        const due = bench.context.dueOf(NAME, found.body);
        expect((await allDue(backend)).some((entry) => entry.at === due?.at)).toBe(true);
        const body = `${JSON.stringify({ count, by: `round ${round}`, due })}\n`;
        const verdict = await backend.putIf(NAME, body, {
          expected: found.version,
          due,
          dueBefore: due,
        });
        expect(verdict.kind).toBe("stored");
        await backend.close();
      }
    });
  });
}

describe("a program that was given to node on its command line", () => {
  it("writes as any other", () => {
    const module = new URL("../../../adapters/storage/filesystem/index.js", import.meta.url);
    const holdfast = new URL("../../../src/index.js", import.meta.url);
    const directory = newDirectory();
    const program = `
      const { filesystemStorage } = await import(${JSON.stringify(module.href)});
      const { createHoldfast } = await import(${JSON.stringify(holdfast.href)});
      const storage = filesystemStorage({ directory: ${JSON.stringify(directory)} });
      const { emails } = await createHoldfast({ storage });
      const payload = { type: "first-view", recipient: "ann@example.com", recordingIds: ["one"] };
      const { created } = await emails.enqueue("one", payload);
      process.stdout.write(String(created));
    `;
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", program]);
    expect(ran.stdout.toString()).toBe("true");
  });
});
