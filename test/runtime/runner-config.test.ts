/** What the environment says of a runner, what is told of a slip, and the runner that comes of it. */
import { describe, expect, it } from "vitest";
import { openRunner } from "../../adapters/runtime/runner.ts";
import {
  aiBaseUrl,
  aiKey,
  aiModel,
  type RunnerSettings,
  runnerCommand,
  runnerConfig,
  runnerFaults,
} from "../../adapters/runtime/runner-config.ts";
import { safeParse } from "../../src/core/safe-parse.ts";
import { EXECUTION, never, recorder } from "../adapters/ai/runner-contract.ts";
import { answering, fakeOpenAi } from "../fakes/openai.ts";

const NONE: RunnerSettings = { baseUrl: null, model: null, key: null, command: null };
const URL_SET = { HOLDFAST_AI_BASE_URL: "https://api.example.com/v1" };

describe("HOLDFAST_RUNNER_COMMAND", () => {
  it.each<[string, string | readonly string[]]>([
    ["claude -p | tee log", "claude -p | tee log"],
    ['["claude", "-p", "a b"]', ["claude", "-p", "a b"]],
    [' ["claude"] ', ["claude"]],
  ])("%j is taken", (text, command) => {
    expect(safeParse(runnerCommand, text).data).toEqual(command);
  });

  it.each([
    "  ",
    "a\0b",
    "[",
    "[]",
    '[""]',
    '["a", 1]',
    '["a\\u0000"]',
    "[ -x a ] && a",
    "a".repeat(8_193),
  ])("%j is refused, and not repeated", (text) => {
    expect(safeParse(runnerCommand, text).error?.issues.map(({ message }) => message)).toEqual([
      "must be a command line for /bin/sh, or a JSON array of a program and its arguments, at most 8192 characters",
    ]);
  });
});

describe("HOLDFAST_AI_…", () => {
  it("takes where the provider is, its model and its key", () => {
    expect(safeParse(aiBaseUrl, "http://127.0.0.1:11434/v1/").data).toBe(
      "http://127.0.0.1:11434/v1",
    );
    expect(safeParse(aiModel, "org/model-1:latest").data).toBe("org/model-1:latest");
    expect(safeParse(aiKey, "sk-a_b.c/d=").data).toBe("sk-a_b.c/d=");
  });

  it.each(["a b", "a\n", "schlüssel", "a".repeat(4_097)])("tells nothing of the key %j", (text) => {
    expect(safeParse(aiKey, text).error?.issues.map(({ message }) => message)).toEqual([
      "must be a provider's key, at most 4096 characters of ASCII without blanks",
    ]);
  });

  it.each(["a".repeat(65), " ", "a\tb"])("does not take the model %j", (text) => {
    expect(safeParse(aiModel, text).success).toBe(false);
  });
});

describe("what goes together", () => {
  it.each<[Partial<Record<string, string>>, readonly string[]]>([
    [{}, []],
    [{ HOLDFAST_RUNNER_COMMAND: "a" }, []],
    [{ ...URL_SET, HOLDFAST_AI_MODEL: "m" }, []],
    [{ ...URL_SET, HOLDFAST_AI_MODEL: "m", HOLDFAST_AI_KEY: "k" }, []],
    [URL_SET, ["HOLDFAST_AI_MODEL must be set with HOLDFAST_AI_BASE_URL"]],
    [
      { ...URL_SET, HOLDFAST_AI_MODEL: "m", HOLDFAST_RUNNER_COMMAND: "a" },
      ["HOLDFAST_RUNNER_COMMAND must not be set with HOLDFAST_AI_BASE_URL: one runner answers"],
    ],
    [{ HOLDFAST_AI_KEY: "k" }, ["HOLDFAST_AI_BASE_URL must be set with HOLDFAST_AI_KEY"]],
    [
      { HOLDFAST_AI_MODEL: "m", HOLDFAST_RUNNER_COMMAND: "a" },
      ["HOLDFAST_AI_BASE_URL must be set with HOLDFAST_AI_MODEL"],
    ],
  ])("of %j is told", (texts, told) => {
    expect(runnerFaults(texts).map(({ name, message }) => `${name} ${message}`)).toEqual(told);
  });
});

describe("the runner", () => {
  it("is none where nothing is set", () => {
    expect(openRunner(runnerConfig(NONE), {})).toBeNull();
  });

  it("is the provider that is named, with its model and key", async () => {
    const fake = await fakeOpenAi();
    fake.answerOf = () => answering("Hello");
    const settings = { ...NONE, baseUrl: fake.baseUrl, model: "m-1", key: "k-1" };
    const told = recorder();
    await openRunner(runnerConfig(settings), {})?.run(EXECUTION, told.callbacks, never);
    await fake.close();
    expect(told.text()).toBe("Hello");
    expect(fake.requests[0]?.headers["authorization"]).toBe("Bearer k-1");
    expect(JSON.parse(fake.requests[0]?.body ?? "")).toMatchObject({ model: "m-1" });
  });

  it("is the command that is named, which sees none of our keys and secrets", async () => {
    const command = 'printf %s "$A,$HOLDFAST_KEYS,$HOLDFAST_AI_KEY,$HOLDFAST_SESSION_ID"';
    const env = { A: "a", HOLDFAST_KEYS: "[]", HOLDFAST_AI_KEY: "k", B: undefined };
    const told = recorder();
    const runner = openRunner(runnerConfig({ ...NONE, command }), env);
    await runner?.run(EXECUTION, told.callbacks, never);
    expect(told.text()).toBe(`a,,,${EXECUTION.sessionId}`);
  });
});
