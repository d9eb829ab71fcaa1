/** The world outside: side effects of operations, as their provider sees them. */
import { sha256Hex } from "../../../src/core/hash.ts";
import type { Stage } from "../machine.ts";
import type { ReceiptHistory } from "./history.ts";

export interface EffectResult {
  readonly tag: string;
  /** Of this effect alone. */
  readonly charge: string;
}

interface Effect {
  /** Null: it goes on, or its process died. */
  end: EffectResult | "threw" | null;
}

export interface Effects {
  /**
   * Runs the side effect of a receipt, by whoever was told to. It takes its time, and sometimes throws
   * after it may have happened. `token`: of its dispatch, where the caller knows it.
   */
  run(stage: Stage, id: string, token?: string): Promise<EffectResult>;
  /** Notes that its owner says of a dispatch that its outcome is unknown, before it does. */
  giveUp(stage: Stage, id: string): void;
  /** What the provider has in its books. */
  lookUp(stage: Stage, id: string): EffectResult | "nothing" | "unclear";
  /** Whether a dispatch may be told unknown by its owner now. */
  isGivenUp(key: string): boolean;
  isBegun(key: string): boolean;
}

export const storedReceipt = (prefix: string, id: string): string =>
  `${prefix}receipts/records/${id}`;

export function createEffects(history: () => ReceiptHistory): Effects {
  const effects = new Map<string, Effect>();
  const givenUp = new Set<string>();

  return {
    async run(stage, id, token) {
      const { world, process, truth, prefix, tag } = stage;
      const key = storedReceipt(prefix, id);
      if (effects.has(key)) truth.blame(`${key}: its side effect was run twice`);
      const { state, tokenHash } = history().standing(key);
      // Whoever runs it has the dispatch: nobody may have given it up for lost.
      if (state !== "dispatching") truth.blame(`${key}: its side effect was begun while ${state}`);
      if (token !== undefined && sha256Hex(token) !== tokenHash) {
        truth.blame(`${key}: its side effect was begun by another than its owner`);
      }
      const effect: Effect = { end: null };
      effects.set(key, effect);
      world.note(`${process.name} runs ${key}`);
      const isLong = !stage.isHealing() && world.chance.happens(0.15);
      await process.pause(world.chance.between(50, isLong ? 120_000 : 4_000));
      if (!stage.isHealing() && world.chance.happens(0.15)) {
        effect.end = "threw";
        throw new Error("the provider hung up");
      }
      const result = { tag, charge: `${process.name}-${world.now()}` };
      effect.end = result;
      return result;
    },
    giveUp: ({ prefix }, id) => void givenUp.add(storedReceipt(prefix, id)),
    lookUp({ prefix }, id) {
      const effect = effects.get(storedReceipt(prefix, id));
      if (effect === undefined) return "nothing";
      return effect.end === null || effect.end === "threw" ? "unclear" : effect.end;
    },
    isGivenUp: (key) => givenUp.has(key) || (effects.get(key)?.end ?? null) !== null,
    isBegun: (key) => effects.has(key),
  };
}
