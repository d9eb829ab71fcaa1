/** The command runner against real processes that do what processes do. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CommandRunnerOptions, commandRunner } from "../../../adapters/ai/command/index.ts";
import { durationMs } from "../../../src/core/time.ts";
import { type Clock, systemClock } from "../../../src/ports/clock.ts";
import { MisconfiguredError } from "../../../src/ports/faults.ts";
import type { RunnerExecution } from "../../../src/ports/runner.ts";
import { commandWorld, isAlive } from "./command-world.ts";
import { describeRunner, EXECUTION, failureOf, recorder } from "./runner-contract.ts";

describeRunner("the command runner", commandWorld);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PATH = "/usr/local/bin:/usr/bin:/bin";

/** A clock on which waiting takes no time to speak of. */
function hasty(onSleep: (ms: number) => void = () => {}): Clock {
  const clock = systemClock();
  return {
    ...clock,
    async sleep(ms, signal) {
      await clock.sleep(durationMs(Math.min(ms, 5)), signal);
      onSleep(ms);
    },
  };
}

interface Given extends Partial<CommandRunnerOptions> {
  readonly execution?: Partial<RunnerExecution>;
}

function begun(command: CommandRunnerOptions["command"], given: Given = {}, told = recorder()) {
  const { execution, ...options } = given;
  const runner = commandRunner({ command, env: { PATH }, ...options });
  const stop = new AbortController();
  const run = runner.run({ ...EXECUTION, ...execution }, told.callbacks, stop.signal);
  return { run, told, stop };
}

async function answerOf(command: CommandRunnerOptions["command"], given: Given = {}) {
  const { run, told } = begun(command, given);
  expect(await run).toEqual({});
  return told.text();
}

/** A program in this language, as a command without a shell. */
function program(text: string): readonly string[] {
  const file = join(folder, `program-${text.length}.mjs`);
  writeFileSync(file, `import fs from "node:fs";\n${text}`);
  return [process.execPath, file, folder];
}

describe("what a command is given", () => {
  it("is the query on its input, as UTF-8, and nothing beside it", async () => {
    expect(await answerOf("cat")).toBe(EXECUTION.query);
  });

  it("is the earlier exchange first, where the query is about one", async () => {
    const reference = { query: "Who?", response: "Ann." };
    expect(await answerOf("cat", { execution: { query: "Why?", reference } })).toBe(
      "Earlier question:\nWho?\n\nEarlier answer:\nAnn.\n\nQuestion:\nWhy?",
    );
  });

  it("is the environment that it was promised and not ours", async () => {
    const told = await answerOf(["/usr/bin/env"], { env: { A: "b c" } });
    expect(told.trim().split("\n").sort()).toEqual([
      "A=b c",
      'HOLDFAST_ATTACHMENTS={"ids":[],"refs":[]}',
      `HOLDFAST_JOB_ID=${EXECUTION.jobId}`,
      "HOLDFAST_SESSION_ID=session-1",
    ]);
  });

  it("is the model, the effort and the attachments, where the query names them", async () => {
    const ref = {
      id: "m_0123456789abcdef01234567",
      kind: "user_photo",
      mime: "image/png",
      width: 1,
      height: 2,
      createdAt: "2026-01-01T00:00:00Z",
    };
    const execution = {
      model: "m-1",
      effort: "high",
      attachmentIds: [ref.id],
      attachmentRefs: [ref],
    };
    const line = 'printf %s "$HOLDFAST_MODEL $HOLDFAST_EFFORT $HOLDFAST_ATTACHMENTS"';
    expect(await answerOf(line, { execution })).toBe(
      `m-1 high ${JSON.stringify({ ids: [ref.id], refs: [ref] })}`,
    );
  });

  it("is a shell for a text, and none for a program and its arguments", async () => {
    expect(await answerOf("echo a | tr a b; echo c")).toBe("b\nc\n");
    expect(await answerOf(["echo", "a | tr a b; echo $PATH"])).toBe("a | tr a b; echo $PATH\n");
  });

  it("is its directory", async () => {
    expect(await answerOf("pwd -P", { cwd: folder })).toBe(`${folder}\n`);
  });
});

describe("an answer", () => {
  it("is whole however its characters are cut", async () => {
    const command = program('fs.writeSync(1, "x"); process.stdout.write("🙂漢é".repeat(50_000));');
    expect(await answerOf(command)).toBe(`x${"🙂漢é".repeat(50_000)}`);
  });

  it("may be empty", async () => {
    expect(await answerOf("true")).toBe("");
  });

  it("that ends inside a character shows that", async () => {
    expect(await answerOf("printf 'a\\360\\237'")).toBe("a\ufffd");
  });

  it.each([
    ["does not read its input", "echo ok"],
    ["closes its input", "exec 0<&-; echo ok"],
    ["reads a part of its input", "head -c 10 >/dev/null; echo ok"],
  ])("comes from a command that %s", async (_, command) => {
    expect(await answerOf(command, { execution: { query: "y".repeat(1_000_000) } })).toBe("ok\n");
  });

  it("comes from a command that never stops to write errors", async () => {
    const errors = 'for (let n = 0; n < 400; n++) fs.writeSync(2, "e".repeat(50_000));';
    expect(await answerOf(program(`${errors} fs.writeSync(1, "ok");`))).toBe("ok");
  });

  it("is not lost while nobody asks for it, long after the command has ended", async () => {
    let waits = 0;
    const clock = hasty((ms) => {
      waits += ms === 1_000 ? 1 : 0;
    });
    const told = recorder({
      async started() {
        while (waits < 10) await new Promise(setImmediate);
      },
    });
    await begun("echo ok", { clock }, told).run;
    expect(told.text()).toBe("ok\n");
  });
});

describe("a command that fails", () => {
  it("is told with its exit code and the end of its errors, without secrets and the prompt", async () => {
    const env = { PATH, PROVIDER_API_KEY: "S3cretS3cretS3cret" };
    const line =
      'echo "$PROVIDER_API_KEY is not known" >&2; cat >&2; echo "asked: What does the naïve 🙂 ask" >&2; printf "a\\n\\tb" >&2; echo so far; exit 3';
    const { run, told } = begun(line, { env });
    const failure = await failureOf(run);
    expect(failure).toMatchObject({ code: "command_failed", retryable: false, retryAfterMs: null });
    expect(failure.message).toBe(
      "the command ended with exit code 3: [redacted] is not known [redacted]asked: [redacted]a b",
    );
    expect(told.text()).toBe("so far\n");
  });

  it("is told in few words, whatever it writes", async () => {
    const failure = await failureOf(
      begun(program('fs.writeSync(2, "e".repeat(60_000) + " the end"); process.exitCode = 1;')).run,
    );
    expect(failure.message).toMatch(/^the command ended with exit code 1: e+ the end$/);
    expect(failure.message.length).toBeLessThan(1_100);
  });

  it("is told with errors that are still on their way", async () => {
    const clock = systemClock();
    const patient: Clock = {
      ...clock,
      sleep: (ms, signal) => clock.sleep(durationMs(ms * 20), signal),
    };
    const line = 'setsid sh -c "sleep 0.1; echo late >&2" >/dev/null & sleep 0.05; exit 1';
    const failure = await failureOf(begun(line, { clock: patient }).run);
    expect(failure.message).toBe("the command ended with exit code 1: late");
  });

  it("by a signal is told with that", async () => {
    const failure = await failureOf(begun("kill -KILL $$").run);
    expect([failure.code, failure.message]).toEqual([
      "command_failed",
      "the command ended by SIGKILL",
    ]);
  });

  it.each([
    ["is not there", ["no-such-program-here"], {}, "(ENOENT)"],
    ["is none", ["./plain.txt"], {}, "(EACCES)"],
    ["has no directory", ["true"], { cwd: "/no/such/place" }, "(ENOENT)"],
    ["has an argument that cannot be", ["true", "a\0b"], {}, "(ERR_INVALID_ARG_VALUE)"],
  ])("since it %s calls nobody, and tells no path", async (_, command, given, told) => {
    writeFileSync(join(folder, "plain.txt"), "");
    chmodSync(join(folder, "plain.txt"), 0o600);
    const { run, told: calls } = begun(command, { cwd: folder, ...given });
    const failure = await failureOf(run);
    expect([failure.code, failure.message]).toEqual([
      "command_unavailable",
      `the command could not be started ${told}`,
    ]);
    expect(calls.calls).toEqual([]);
  });

  it.each([[""], ["  "], [[]], [[""]]])("cannot be made of %j", (command) => {
    expect(() => commandRunner({ command, env: {} })).toThrow(MisconfiguredError);
  });
});

describe("the end of a command", () => {
  /** Aborts once the answer has `said`, and what the run then ends with. */
  async function aborted(
    command: CommandRunnerOptions["command"],
    said: RegExp,
    given: Given = {},
  ) {
    const stop: { now: () => void } = { now: () => {} };
    const told = recorder({
      async delta() {
        if (said.test(told.text())) setImmediate(stop.now);
      },
    });
    const { run, stop: controller } = begun(command, given, told);
    stop.now = () => controller.abort();
    expect((await failureOf(run)).code).toBe("run_stopped");
    return told.text();
  }

  it("is asked for first, and waited for", async () => {
    const trap =
      'trap "sleep 0.1; echo bye > bye; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    await aborted(trap, /ready/, { cwd: folder, graceMs: 60_000 });
    expect(readFileSync(join(folder, "bye"), "utf8")).toBe("bye\n");
  });

  it("is in peace for one that has much to say at its end", async () => {
    const trap =
      'trap "head -c 1000000 /dev/zero; echo bye > bye; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    await aborted(trap, /ready/, { cwd: folder, graceMs: 60_000 });
    expect(readFileSync(join(folder, "bye"), "utf8")).toBe("bye\n");
  });

  it("is in peace when what it says cannot be kept", async () => {
    const trap =
      'trap "echo more; sleep 0.1; echo more; echo bye > bye; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    const lost = new Error("the storage is away");
    const told = recorder({ delta: () => Promise.reject(lost) });
    await expect(begun(trap, { cwd: folder, graceMs: 60_000 }, told).run).rejects.toBe(lost);
    expect(readFileSync(join(folder, "bye"), "utf8")).toBe("bye\n");
  });

  it("comes to one that does not listen, and to all that it has started", async () => {
    const line =
      'trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & echo "$! $$ ready"; while :; do sleep 1; done';
    const said = await aborted(line, /ready/, { graceMs: 100 });
    const [child, self] = said.split(" ").map(Number);
    expect([isAlive(child ?? 0), isAlive(self ?? 0)]).toEqual([false, false]);
  });

  it("comes to one that is blocked in writing", async () => {
    const command = program(
      'fs.writeFileSync(process.argv[2] + "/pid", String(process.pid)); process.on("SIGTERM", () => {}); for (;;) fs.writeSync(1, "x".repeat(60_000));',
    );
    await aborted(command, /x/, { graceMs: 100 });
    expect(isAlive(Number(readFileSync(join(folder, "pid"), "utf8")))).toBe(false);
  });

  it("is that of whatever it leaves behind", async () => {
    const said = await answerOf('sleep 1000 & echo "$!"');
    expect(isAlive(Number(said))).toBe(false);
  });

  it("is that of whatever it leaves behind and does not listen", async () => {
    const line = '(trap "" TERM; echo ready; while :; do sleep 1; done) & echo "$!"; sleep 0.2';
    const said = await answerOf(line, { graceMs: 100 });
    const [pid = ""] = /\d+/.exec(said) ?? [];
    expect(isAlive(Number(pid))).toBe(false);
  });

  it("does not wait for the output that somebody elsewhere holds open", async () => {
    const said = await answerOf('setsid sleep 1000 & sleep 0.1; echo "$!"', { clock: hasty() });
    const pid = Number(said);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  it("leaves errors that somebody elsewhere holds open, too", async () => {
    const line = 'setsid sleep 1000 >/dev/null & sleep 0.1; echo "$!"; echo bad >&2; exit 1';
    const { run, told } = begun(line, { clock: hasty() });
    expect((await failureOf(run)).message).toBe("the command ended with exit code 1: bad");
    process.kill(Number(told.text()), "SIGKILL");
  });
});
