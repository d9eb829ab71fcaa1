/** The discovery of two-clips against a model that looks at everything at once. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Recording, Share } from "../../../src/presets/recordings/index.ts";
import { at, given, recording, world } from "./world.ts";

const PEOPLE = ["ann@example.com", "bea@example.com", "cat@example.com", "robot+qa@x.test"];

const people = fc.constantFrom(
  ...PEOPLE,
  ...PEOPLE.map((one) => ` ${one.toUpperCase()}`),
  "nobody",
);

const shares = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 100, max: 999 }).map((n) => `s${n}`),
    createdAt: fc.integer({ min: -2, max: 4 }).map(at),
    recordingId: fc.constantFrom("r1", "r2", "r3", "gone"),
    recipient: people,
    sharedBy: fc.constantFrom("olga@example.com", "owner@example.com"),
  }),
  { selector: ({ id }) => id, maxLength: 250, minLength: 0, size: "max" },
);

const owners = fc.subarray(["Cat@example.com", "bea@example.com"]);

interface Expected {
  readonly recordingIds: readonly string[];
  readonly shareId: string;
  readonly requestedBy: string;
}

/** By recipient. */
function model(
  all: readonly Share[],
  recordings: readonly Recording[],
): Readonly<Record<string, Expected>> {
  const jobs: Record<string, Expected> = {};
  for (const person of PEOPLE) {
    const owns = recordings.some(({ owner }) => owner.toLowerCase() === person);
    if (owns || person.includes("+qa")) continue;
    const theirs = all
      .filter(({ recipient }) => recipient.trim().toLowerCase() === person)
      .filter(({ createdAt }) => createdAt >= at(0))
      .sort((one, other) => (one.createdAt + one.id < other.createdAt + other.id ? -1 : 1));
    const [first] = theirs;
    const second = theirs.find(({ recordingId }) => recordingId !== first?.recordingId);
    if (first === undefined || second === undefined) continue;
    jobs[person] = {
      recordingIds: [first.recordingId, second.recordingId],
      shareId: second.id,
      requestedBy: second.sharedBy,
    };
  }
  return jobs;
}

it("EMAIL-68, 69, 71, 72, 73: passes over any shares come to what a look at all of them does", async () => {
  await fc.assert(
    fc.asyncProperty(shares, owners, async (all, owning) => {
      const data = given();
      data.shares.push(...all);
      data.recordings.push(...owning.map((owner, n) => recording(`own${n}`, owner)));
      const { holdfast } = await world({ data, isMailing: false });
      let passes = 0;
      for (let hasMore = true; hasMore; passes += 1) {
        const report = await holdfast.reconcile();
        expect(report.failures).toEqual([]);
        hasMore = report.hasMore;
      }
      const counted = all.filter(({ createdAt }) => createdAt >= at(0)).length;
      expect(passes).toBe(Math.floor(counted / 100) + 1);
      const jobs = (await holdfast.emails.listJobs()).map((job) => {
        const { recipient, recordingIds, shareId, requestedBy } = job;
        return [recipient, { recordingIds, shareId, requestedBy }] as const;
      });
      expect(Object.fromEntries(jobs)).toEqual(model(all, data.recordings));
    }),
    // A counterexample has its end in time, whether or not it could be made smaller.
    { numRuns: 60, interruptAfterTimeLimit: 15_000 },
  );
});
