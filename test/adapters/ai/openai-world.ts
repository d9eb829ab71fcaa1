/** The OpenAI runner before a provider in this process, for what every runner must do. */
import { openAiRunner } from "../../../adapters/ai/openai/index.ts";
import { chunk, DONE, type FakeAnswer, type FakeStep, fakeOpenAi } from "../../fakes/openai.ts";
import type { RunnerWorld, Script } from "./runner-contract.ts";

/** Turns of the event loop after which a request that was begun is there, or the provider is blocked. */
const TURNS = 200;

export async function openAiWorld(script: Script): Promise<RunnerWorld> {
  const fake = await fakeOpenAi();
  fake.answerOf = () => answerOf(script);
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
  };
  return {
    runner: openAiRunner({ baseUrl: fake.baseUrl, model: "fake-1" }),
    received: () => fake.requests.map(({ body }) => body).join(""),
    arrived: rest,
    gone: fake.idle,
    async blocked() {
      for (let before = -1; ; ) {
        await rest();
        if (fake.written === before) return before;
        before = fake.written;
      }
    },
    close: fake.close,
  };
}

function answerOf(script: Script): FakeAnswer {
  switch (script.kind) {
    case "answers":
      return { steps: [...said(script.parts), chunk(null, "stop"), DONE] };
    case "hangs":
      return { steps: [...said(script.parts), "hang"] };
    case "fails":
      return { steps: [...said(script.parts), "reset"] };
    case "floods":
      return { steps: flood(script.chars) };
  }
}

function said(parts: readonly string[]): readonly FakeStep[] {
  return parts.map((part) => chunk(part));
}

const FLOOD_PIECE_CHARS = 50_000;

function* flood(chars: number): Generator<FakeStep, void> {
  const piece = chunk("x".repeat(FLOOD_PIECE_CHARS));
  for (let left = chars; left > 0; left -= FLOOD_PIECE_CHARS) yield piece;
  yield DONE;
}
