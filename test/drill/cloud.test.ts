import { describe, expect, it } from "vitest";
import { cloudDrill } from "./cloud.ts";

const JOBS = 150;
const KILLS = 8;

describe("services killed at any time, over a storage that loses replies", () => {
  it.each(["dynamodb", "s3"] as const)(
    "lose no email and send none twice without a reason: %s",
    {
      timeout: 300_000,
    },
    async (kind) => {
      const options = { kind, jobs: JOBS, kills: KILLS, doPassesSend: false };
      const report = await cloudDrill({ ...options, seed: 1 });
      expect(report.broken).toEqual([]);
      expect(report.kills.serving + report.kills.starting).toBeGreaterThanOrEqual(KILLS);
      expect(report.sends).toBeGreaterThanOrEqual(JOBS);
      expect(Object.keys(report.faults).length).toBeGreaterThan(3);
    },
  );
});
