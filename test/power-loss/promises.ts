/**
 * What a storage promised: the versions of each record that may be found after a cut of the power. A record
 * moves on from version to version. What was acknowledged, or shown to a reader, is never undone (G1, G4);
 * a write that is under way may or may not have happened.
 */
import type { Key } from "../../src/core/key.ts";
import type { Version } from "../../src/ports/backend.ts";
import type { Told } from "./operations.ts";

export interface Promised {
  hear(told: Told): void;
  keys(): Iterable<Key>;
  /** Null: it is as it may be. Else what is wrong, in words. `version`: null for an absent record. */
  problem(key: Key, version: Version | null): string | null;
}

/** One state that a record was given, or is about to be. */
interface State {
  readonly version: Version | null;
  /** How many writes led to it. */
  readonly depth: number;
}

interface History {
  readonly states: State[];
  /** The latest that is known to have been reached. */
  reached: State;
}

/** `first`: what was there before. */
export function promises(first: ReadonlyMap<Key, Version> = new Map()): Promised {
  const histories = new Map<Key, History>();
  const calls = new Map<number, State>();

  for (const [key, version] of first) {
    const found = historyOf(key);
    found.reached = { version, depth: 1 };
    found.states.push(found.reached);
  }

  function historyOf(key: Key): History {
    const known = histories.get(key);
    if (known !== undefined) return known;
    const absent = { version: null, depth: 0 };
    const made = { states: [absent], reached: absent };
    histories.set(key, made);
    return made;
  }

  function begin(n: number, { states }: History, state: State): void {
    states.push(state);
    calls.set(n, state);
  }

  function reach(history: History, state: State | undefined): void {
    if (state !== undefined && state.depth > history.reached.depth) history.reached = state;
  }

  return {
    keys: () => histories.keys(),
    hear(told) {
      const history = historyOf(told.key);
      switch (told.told) {
        case "put": {
          const expected = told.expected === "absent" ? null : told.expected;
          const before = history.states.findLast(({ version }) => version === expected);
          const depth = (before?.depth ?? 0) + 1;
          begin(told.n, history, { version: told.version, depth });
          return;
        }
        case "remove": {
          const depth = Math.max(...history.states.map((state) => state.depth)) + 1;
          begin(told.n, history, { version: null, depth });
          return;
        }
        case "stored":
        case "removed":
          reach(history, calls.get(told.n));
          return;
        case "refused": {
          const refused = calls.get(told.n);
          if (refused !== undefined) history.states.splice(history.states.indexOf(refused), 1);
          return;
        }
        case "shown":
          reach(
            history,
            history.states.findLast(({ version }) => version === told.version),
          );
          return;
        default:
          told satisfies never;
      }
    },
    problem(key, version) {
      const { states, reached } = historyOf(key);
      const isAllowed = states.some(
        (state) => state.version === version && (state === reached || state.depth > reached.depth),
      );
      if (isAllowed) return null;
      const known = states.find((state) => state.version === version);
      const is = known === undefined ? "is none that was ever written" : `is state ${known.depth}`;
      return `${key} ${is}, after state ${reached.depth} was acknowledged or shown`;
    },
  };
}
