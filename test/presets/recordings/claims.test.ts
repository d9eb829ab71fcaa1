/** Who may write the text of two-clips, and what such a text is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  claimableEmails,
  isSuppressedRecipient,
  memoryRepository,
  oneSentence,
} from "../../../src/presets/recordings/index.ts";
import { at, given, recording, share, type World, world } from "./world.ts";

const ANN = "ann@example.com";

async function waiting(): Promise<World> {
  const data = given();
  data.shares.push(share("s1", 0, "r1", ANN), share("s2", 1, "r2", ANN, "Bob@example.com"));
  const own = await world({ data, isMailing: false });
  await own.holdfast.reconcile();
  return own;
}

interface Asked {
  readonly person: string;
  readonly limit?: number;
  readonly ms?: number;
  readonly canOpen?: (recordingId: string, person: string) => Promise<boolean>;
}

async function claimable(
  { data, holdfast }: World,
  { person, limit = 10, ms = 10, canOpen = async () => true }: Asked,
): Promise<readonly string[]> {
  const jobs = await claimableEmails({
    emails: holdfast.emails,
    repository: memoryRepository(data),
    canOpen,
    person,
    limit,
    now: at(ms),
    tenant: null,
    signal: new AbortController().signal,
  });
  return jobs.map(({ logicalKey }) => logicalKey);
}

const KEY = `two-clips:${ANN}`;

describe("EMAIL-86: a job may be claimed", () => {
  it("by its recipient, in any letter case, if both recordings are open to them", async () => {
    const own = await waiting();
    expect(await claimable(own, { person: " Ann@Example.com" })).toEqual([KEY]);
    const canOpen = async (id: string): Promise<boolean> => id !== "r2";
    expect(await claimable(own, { person: ANN, canOpen })).toEqual([]);
  });

  it("by nobody else, whatever is open to them, but whoever caused it", async () => {
    const own = await waiting();
    expect(await claimable(own, { person: "eve@example.com" })).toEqual([]);
    // Shared the first of the two; the second is what made the job.
    expect(await claimable(own, { person: "owner@example.com" })).toEqual([]);
  });

  it("by who caused it only with a direct relation to each of the two", async () => {
    const own = await waiting();
    const bob = { person: "bob@example.com" };
    expect(await claimable(own, bob)).toEqual([]);
    own.data.shares.push(share("b1", 2, "r1", "BOB@example.com"));
    expect(await claimable(own, bob)).toEqual([]);
    own.data.views.push({
      id: "v",
      createdAt: at(2),
      recordingId: "r2",
      viewer: "Bob@example.com",
    });
    expect(await claimable(own, bob)).toEqual([KEY]);
    expect(await claimable(own, { ...bob, canOpen: async () => false })).toEqual([]);
    own.data.views.length = 0;
    own.data.recordings[1] = recording("r2", "bob@example.com");
    expect(await claimable(own, bob)).toEqual([KEY]);
  });

  it("not while a recording is not shared with the recipient since emails are made", async () => {
    const own = await waiting();
    own.data.shares[0] = share("s1", -1, "r1", ANN);
    expect(await claimable(own, { person: ANN })).toEqual([]);
  });

  it("again when it was claimed 30 minutes ago, to the millisecond", async () => {
    const own = await waiting();
    own.set(1_000);
    await own.holdfast.emails.claimAwaitingAi(KEY, "bob@example.com");
    const stale = 1_000 + 30 * 60_000;
    expect(await claimable(own, { person: ANN, ms: stale - 1 })).toEqual([]);
    expect(await claimable(own, { person: ANN, ms: stale })).toEqual([KEY]);
  });

  it("ten at a time at most; those that are not for somebody never keep others from them", async () => {
    const own = await world({ data: given(), isMailing: false });
    const { emails } = own.holdfast;
    own.data.shares.push(share("b1", 0, "r1", ANN), share("b2", 0, "r2", ANN));
    for (let n = 0; n < 160; n += 1) {
      const isAnns = n % 10 === 0;
      const recipient = isAnns ? ANN : `p${n}@example.com`;
      const payload = { type: "two-clips", recipient, recordingIds: ["r1", "r2"] };
      await emails.enqueue(`job-${n}`, payload, "awaiting_ai");
    }
    expect(await claimable(own, { person: ANN, limit: 100 })).toHaveLength(10);
    expect(await claimable(own, { person: ANN, limit: 0 })).toHaveLength(1);
    own.data.shares.length = 0;
    own.data.shares.push(share("c1", 0, "r1", "p159@example.com"));
    own.data.shares.push(share("c2", 0, "r2", "p159@example.com"));
    expect(await claimable(own, { person: "p159@example.com" })).toEqual(["job-159"]);
  });

  it("though another one cannot be judged; when nothing else is found that is thrown", async () => {
    const own = await waiting();
    const payload = { type: "two-clips", recipient: ANN, recordingIds: ["r1", "r3"] };
    await own.holdfast.emails.enqueue("other", payload, "awaiting_ai");
    const canOpen = async (id: string): Promise<boolean> => {
      if (id === "r3") throw new Error("the database is away");
      return true;
    };
    own.data.shares.push(share("s3", 0, "r3", ANN));
    expect(await claimable(own, { person: ANN, canOpen })).toEqual([KEY]);
    await own.holdfast.emails.erase(KEY);
    await expect(claimable(own, { person: ANN, canOpen })).rejects.toThrow("the database is away");
  });
});

describe("EMAIL-87: a text that an AI wrote", () => {
  it.each([
    ["Two clips about whales.", "Two clips about whales."],
    [" Two\n\tclips   about whales! ", "Two clips about whales!"],
    ["Version 1.2 is out?", "Version 1.2 is out?"],
    ["Really?!", "Really?!"],
    [`${"a".repeat(319)}.`, `${"a".repeat(319)}.`],
    [`a${" ".repeat(1_998)}.`, "a ."],
  ])("is taken with its white space collapsed: %j", (text, sentence) => {
    expect(oneSentence(text)).toBe(sentence);
  });

  it.each([
    "",
    " \n ",
    "...",
    "no end",
    "One. Two.",
    "One! two",
    "e.g. whales.",
    "A <b>clip</b>.",
    "1 < 2.",
    "2 > 1.",
    `${"a".repeat(320)}.`,
    `a${" ".repeat(1_999)}.`,
  ])("is refused: %j", (text) => {
    expect(oneSentence(text)).toBeNull();
  });

  it("is the same once it was taken", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", " ", "\n", ".", "?", "<") }), (text) => {
        const sentence = oneSentence(text);
        if (sentence !== null) expect(oneSentence(sentence)).toBe(sentence);
      }),
    );
  });

  it("is not taken from somebody without a claim", async () => {
    const { holdfast } = await waiting();
    const summary = oneSentence("Two clips about whales.") ?? "";
    expect(await holdfast.emails.completeClaimedAi(KEY, ANN, summary)).toBeNull();
  });
});

describe("EMAIL-71: who is never mailed", () => {
  it.each([
    "",
    "nobody",
    "a@b",
    "ann@example.com, bea@example.com",
    "local@localhost",
    " LOCAL@localhost ",
    "bot+qa@example.test",
    "bot+qa7@mail.example.test",
    "Bot+QA@Example.INVALID",
    "bot+qa@x.invalid",
    `${"a".repeat(310)}@example.com`,
  ])("%j", (address) => {
    expect(isSuppressedRecipient(address)).toBe(true);
  });

  it.each([
    "ann@example.com",
    " Ann@Example.com ",
    "ann@example.test",
    "bot+qa@example.com",
    "bot+qa@test.example.com",
    "qa@example.test",
    "bot+qa@my.latest",
  ])("but not %j", (address) => {
    expect(isSuppressedRecipient(address)).toBe(false);
  });
});
