import { describe, expect, it } from "vitest";
import { durationMs } from "../../src/core/time.ts";
import {
  ContendedError,
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../src/ports/faults.ts";
import { isPassing } from "../../src/services/passing.ts";

describe("a fault", () => {
  it("passes by itself when the storage was away, busy, silent or in others' hands", () => {
    for (const fault of [
      new StoreUnavailableError("away"),
      new StoreThrottledError("busy", durationMs(1)),
      new OutcomeUnknownError("silent"),
      new ContendedError("others"),
    ]) {
      expect(isPassing(fault)).toBe(true);
    }
  });

  it("does not when somebody has to do something about it", () => {
    for (const fault of [
      new RecordCorruptError("k", "reason"),
      new MisconfiguredError("m"),
      new TypeError("bug"),
      null,
    ]) {
      expect(isPassing(fault)).toBe(false);
    }
  });
});
