/** What a worker of the drill tells before it goes on: whoever reads it knows what must never be lost. */
import type { Holdfast } from "../../src/holdfast.ts";

export type Machine = "emails" | "receipts" | "queries";

export interface Told {
  readonly machine: Machine;
  readonly told: string;
  /** Of the job, operation or client job. */
  readonly key: string;
  readonly token?: string;
  readonly to?: string;
  readonly created?: boolean;
  /** Of a receipt. */
  readonly result?: string;
  /** How many deltas of an answer are stored, or how many events were read. */
  readonly count?: number;
}

/** What one machine's part of the drill knows of promises. */
export interface MachineDrill {
  /** What was promised and is not so, in words. */
  broken(holdfast: Holdfast, told: readonly Told[]): Promise<readonly string[]>;
  /** Brings to its end what was left half-way; what resists, in words. */
  finish(holdfast: Holdfast): Promise<readonly string[]>;
}

export type Tell = (told: Omit<Told, "machine">) => void;

/** One of the numbers below `count`. */
export const pick = (count: number): number => Math.floor(Math.random() * count);

export function of(told: readonly Told[], machine: Machine): readonly Told[] {
  return told.filter((one) => one.machine === machine);
}

/** Those who were told to have made the same thing, when more than one was. */
export function* madeTwice(told: readonly Told[]): Generator<string> {
  const made = new Map<string, number>();
  for (const { key, created } of told) {
    if (created === true) made.set(key, (made.get(key) ?? 0) + 1);
  }
  for (const [key, count] of made) {
    if (count > 1) yield `${key}: ${count} processes were told that they created it`;
  }
}
