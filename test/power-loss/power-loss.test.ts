/** Cuts of the power under real work on a folder (G1, G4; design 5), and mistakes that they have to find. */
import { beforeAll, describe, expect, it } from "vitest";
import { SHARINGS, type Sharing } from "./boots.ts";
import { brokenIn, cuts } from "./cuts.ts";
import type { Recorded } from "./operations.ts";
import { powerLossDrill } from "./power-loss.ts";
import { brokenAfter, LATER_MS } from "./reboot.ts";
import { record } from "./recording.ts";
import { EVERYTHING, survivals } from "./survivals.ts";
import { withEarlyReaders, withLateDue, withLateSyncs, withoutSyncs } from "./tampering.ts";

describe.each(SHARINGS)("a cut of the power after any call (%s)", (sharing) => {
  it("loses nothing that was acknowledged or shown, and the next process goes on (G1, G4)", {
    timeout: 300_000,
  }, async () => {
    const report = await powerLossDrill({ sharing, seeds: 2, oneIn: 997, lives: 2 });
    expect(report.broken).toEqual([]);
    expect(report.calls).toBeGreaterThan(2_000);
    expect(report.images).toBeGreaterThan(10_000);
    expect(report.reboots).toBeGreaterThan(5);
    expect(report.kills).toBeGreaterThan(1);
  });
});

describe.each(SHARINGS)("a mistake that the drill finds (%s)", (sharing) => {
  let recording: readonly Recorded[] = [];
  beforeAll(async () => {
    recording = await record(sharing, 1, new Map());
  });

  it.each<[string, (from: readonly Recorded[]) => readonly Recorded[]]>([
    ["records that are not synced", (from) => withoutSyncs(from, /\/tmp\//)],
    ["records that are synced after they have their name", withLateSyncs],
    ["names of emails that are not synced", (from) => withoutSyncs(from, /emails\/jobs$/)],
    ["names of receipts that are not synced", (from) => withoutSyncs(from, /\/receipts$/)],
    ["names of logs' parts that are not synced", (from) => withoutSyncs(from, /\/log\/[^/]+$/)],
    ["names of jobs' directories that are not synced", (from) => withoutSyncs(from, /\/log$/)],
    ["names of roots that are not synced", (from) => withoutSyncs(from, /^data$/)],
    ["readers that are shown what is not synced", withEarlyReaders],
  ])("%s", (_name, mistake) => {
    expect(firstProblem(mistake(recording))).not.toBeNull();
  });

  it("due times that are entered after the record, when the process is killed", async () => {
    const late = withLateDue(recording);
    const problems = await killedAt(sharing, late.recording, late.lacking.slice(0, 3));
    expect(problems.filter((text) => text.includes("its index does not know"))).not.toEqual([]);
  });
});

function firstProblem(recording: readonly Recorded[]): string | null {
  for (const cut of cuts(recording, { survivals: (at) => survivals(at, 1) })) {
    for (const problem of brokenIn(cut)) return problem;
  }
  return null;
}

async function killedAt(
  sharing: Sharing,
  recording: readonly Recorded[],
  lines: readonly number[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const kills = (at: number) => (lines.includes(at) ? [EVERYTHING] : []);
  for (const cut of cuts(recording, { survivals: kills })) {
    found.push(...(await brokenAfter(cut, { sharing, boot: 1, afterMs: LATER_MS })));
  }
  return found;
}
