/** Instants and durations. Time always arrives as an argument; nothing here reads a clock. */
import { assert } from "./assert.ts";
import type { Brand } from "./brand.ts";

/** Milliseconds since 1970-01-01T00:00:00Z; a whole number from 0 to EPOCH_MS_MAX. */
export type EpochMs = Brand<number, "EpochMs">;

/** A length of time in whole milliseconds, 0 or more. */
export type DurationMs = Brand<number, "DurationMs">;

/** 2286-11-20T17:46:39.999Z: the last instant of 13 digits, the form in which indexes sort instants. */
export const EPOCH_MS_MAX = 9_999_999_999_999;

export function epochMs(value: number): EpochMs {
  assert(
    Number.isInteger(value) && value >= 0 && value <= EPOCH_MS_MAX,
    `not an instant in milliseconds: ${value}`,
  );
  return value as EpochMs;
}

export function durationMs(value: number): DurationMs {
  assert(Number.isInteger(value) && value >= 0, `not a duration in milliseconds: ${value}`);
  return value as DurationMs;
}

export const seconds = (value: number): DurationMs => durationMs(value * 1_000);
export const minutes = (value: number): DurationMs => durationMs(value * 60_000);

/** `at + by`, not beyond the last representable instant. */
export function after(at: EpochMs, by: DurationMs): EpochMs {
  return epochMs(Math.min(at + by, EPOCH_MS_MAX));
}

/** ISO 8601 in UTC with milliseconds, as every original store writes it. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** Reads an ISO 8601 instant, with `Z` or an offset; null when the text is not one. */
export function parseIsoTime(text: string): EpochMs | null {
  const value = Date.parse(text);
  return Number.isInteger(value) && value >= 0 && value <= EPOCH_MS_MAX ? (value as EpochMs) : null;
}
