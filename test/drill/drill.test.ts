import { describe, expect, it } from "vitest";
import { drill } from "./drill.ts";

/** A quick run says KILLS=40 or so; the full one is what the README promises. */
const KILLS = Number(process.env["KILLS"] ?? 500);

describe("processes killed at any time, and behind any call, on a folder", () => {
  for (const [sharing, part] of [
    ["processes", 0.7],
    ["exclusive", 0.3],
  ] as const) {
    const kills = Math.ceil(KILLS * part);
    it(`lose nothing that was promised: ${sharing}, ${kills} kills`, {
      timeout: 900_000,
    }, async () => {
      const report = await drill(kills, sharing);
      expect(report.broken).toEqual([]);
      expect(report.kills).toBeGreaterThanOrEqual(kills);
      expect(Object.keys(report.boundaries).length).toBeGreaterThan(0);
      for (const told of ["emails settled", "receipts accepted", "queries completed"]) {
        expect(report.told[told]).toBeGreaterThan(0);
      }
    });
  }
});
