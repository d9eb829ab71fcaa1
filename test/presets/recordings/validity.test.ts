/** What is looked at just before an email is sent, and what the email then says. */
import { describe, expect, it } from "vitest";
import type { Recording } from "../../../src/presets/recordings/index.ts";
import { at, type Data, given, HOUR, recording, share, type World, world } from "./world.ts";

const KEYS = {
  "first-view": "first-view:r1",
  "unviewed-reminder": "unviewed-reminder:s1",
  "first-import": "first-import:owner@example.com",
  "two-clips": "two-clips:ann@example.com",
} as const;

type Kind = keyof typeof KEYS;

const KINDS = Object.keys(KEYS) as Kind[];

/** Data in which one email of every kind is valid. */
function valid(): Data {
  const data = given();
  data.recordings.push(recording("r0", "zoe@example.com"));
  data.shares.push(share("s1", 0, "r1", "ann@example.com"));
  data.shares.push(share("s2", 1, "r2", "Ann@example.com", "bob@example.com"));
  data.views.push({ id: "v1", createdAt: at(0), recordingId: "r1", viewer: "bea@example.com" });
  data.imports.push({ recordingId: "r1", createdAt: at(0) });
  data.profiles.push({ address: "bea@example.com", name: "Bea" });
  data.profiles.push({ address: "Ann@example.com", name: "Ann <b>" });
  return data;
}

/** A world in which the job of one kind waits to be sent. */
async function waiting(kind: Kind, data = valid()): Promise<World> {
  const own = await world({ data });
  const { emails } = own.holdfast;
  const ann = { recipient: "ann@example.com", requestedBy: "owner@example.com" };
  const key = KEYS[kind];
  if (kind === "first-import") {
    await emails.enqueueOrConvergeFirstImport("owner@example.com", "r1", "owner@example.com");
  } else if (kind === "first-view") {
    const payload = { type: kind, recipient: "owner@example.com", recordingIds: ["r1"] };
    await emails.enqueue(key, payload);
  } else if (kind === "unviewed-reminder") {
    await emails.enqueue(key, { type: kind, ...ann, recordingIds: ["r1"], shareId: "s1" });
  } else {
    const payload = { type: kind, ...ann, recordingIds: ["r1", "r2"], shareId: "s2" };
    await emails.enqueue(key, payload, "awaiting_ai");
    const claim = await emails.claimAwaitingAi(key, "ann@example.com");
    await emails.completeClaimedAi(key, "ann@example.com", "Both are <fine>.", claim?.claimToken);
  }
  return own;
}

async function outcome(kind: Kind, own: World): Promise<readonly [string | undefined, number]> {
  await own.holdfast.reconcile();
  const job = await own.holdfast.emails.readJob(KEYS[kind]);
  const sent = own.mails.filter(({ idempotencyKey }) => idempotencyKey === KEYS[kind]);
  return [job?.state, sent.length];
}

function change(data: Data, id: string, more: Partial<Recording>): void {
  const n = data.recordings.findIndex((one) => one.id === id);
  data.recordings[n] = recording(id, "owner@example.com", more);
}

describe("an email that is valid", () => {
  it.each(KINDS)("of the kind %s is sent", async (kind) => {
    expect(await outcome(kind, await waiting(kind))).toEqual(["sent", 1]);
  });

  it("says who watched what", async () => {
    const own = await waiting("first-view");
    await own.holdfast.reconcile();
    const mail = own.mails.find(
      ({ idempotencyKey }) => idempotencyKey === KEYS["first-view"],
    )?.mail;
    expect(mail?.to).toBe("owner@example.com");
    expect(mail?.subject).toBe("Bea watched “Title of r1”");
    expect(mail?.text).toContain("Hello Olga Owner,");
    expect(mail?.text).toContain("https://clips.example.com/r1");
    expect(mail?.text).toContain("--\nClips\nSomebody shared a recording.");
  });

  it("says who shared what, and what an AI wrote about it", async () => {
    const own = await waiting("two-clips");
    await own.holdfast.reconcile();
    const mail = own.mails.find(({ idempotencyKey }) => idempotencyKey === KEYS["two-clips"])?.mail;
    expect(mail?.subject).toBe("Two recordings for you: “Title of r1” and “Title of r2”");
    expect(mail?.text).toContain("Both are <fine>.");
    expect(mail?.text).toContain("“Title of r1” from Olga Owner\n  https://clips.example.com/r1");
    expect(mail?.text).toContain("“Title of r2”\n  https://clips.example.com/r2");
    expect(mail?.html).toContain("Both are &lt;fine&gt;.");
  });
});

describe("EMAIL-82: an email is cancelled and not sent", () => {
  it.each(
    KINDS.flatMap((kind) => [
      [kind, "is in the trash", { isTrashed: true }] as const,
      [kind, "is archived", { isArchived: true }] as const,
      [kind, "is not ready", { isReady: false }] as const,
    ]),
  )("when a recording of a %s %s", async (kind, _what, state) => {
    const own = await waiting(kind);
    change(own.data, kind === "two-clips" ? "r2" : "r1", state);
    expect(await outcome(kind, own)).toEqual(["cancelled", 0]);
  });

  it.each(KINDS)("when a recording of a %s is gone", async (kind) => {
    const own = await waiting(kind);
    own.data.recordings.splice(0, 1);
    expect(await outcome(kind, own)).toEqual(["cancelled", 0]);
  });

  it("when somebody viewed what a reminder is about", async () => {
    const own = await waiting("unviewed-reminder");
    own.data.views.push({
      id: "v9",
      createdAt: at(9),
      recordingId: "r1",
      viewer: "ANN@example.com",
    });
    expect(await outcome("unviewed-reminder", own)).toEqual(["cancelled", 0]);
  });

  it("when the very share of a reminder was taken back, though another one was made", async () => {
    const own = await waiting("unviewed-reminder");
    own.data.shares.splice(0, 1, share("s9", 5, "r1", "ann@example.com"));
    expect(await outcome("unviewed-reminder", own)).toEqual(["cancelled", 0]);
  });

  it.each([
    ["somebody else", share("s1", 0, "r1", "eve@example.com")],
    ["another recording", share("s1", 0, "r3", "ann@example.com")],
  ])("when the share of a reminder is of %s now", async (_what, other) => {
    const own = await waiting("unviewed-reminder");
    own.data.shares[0] = other;
    expect(await outcome("unviewed-reminder", own)).toEqual(["cancelled", 0]);
  });

  it.each([0, 1])("when share %d of two clips was taken back", async (n) => {
    const own = await waiting("two-clips");
    own.data.shares.splice(n, 1);
    expect(await outcome("two-clips", own)).toEqual(["cancelled", 0]);
  });

  it("but sends two clips that were shared anew", async () => {
    const own = await waiting("two-clips");
    own.data.shares.splice(0, 1, share("s9", 5, "r1", "ann@example.com"));
    expect(await outcome("two-clips", own)).toEqual(["sent", 1]);
  });

  it("when the recipient of two clips owns a recording by now", async () => {
    const own = await waiting("two-clips");
    own.data.recordings.push(recording("mine", "Ann@example.com", { isReady: false }));
    expect(await outcome("two-clips", own)).toEqual(["cancelled", 0]);
  });

  it("when the two clips are one", async () => {
    const own = await world({ data: valid() });
    const payload = { type: "two-clips", recipient: "cat@example.com", recordingIds: ["r1", "r1"] };
    own.data.shares.push(share("s5", 0, "r1", "cat@example.com"));
    await own.holdfast.emails.enqueue("same", payload, "awaiting_ai");
    await own.holdfast.emails.transition("same", ["awaiting_ai"], "ai_dispatched");
    await own.holdfast.emails.transition("same", ["ai_dispatched"], "ready");
    await own.holdfast.reconcile();
    expect(await own.states()).toMatchObject({ same: "cancelled" });
  });

  it.each(["first-view", "first-import"] as const)(
    "when the recipient of a %s owns the recording no more",
    async (kind) => {
      const own = await waiting(kind);
      own.data.recordings[0] = recording("r1", "eve@example.com");
      own.data.imports.length = 0;
      expect(await outcome(kind, own)).toEqual(["cancelled", 0]);
    },
  );

  it("when the only view left is the owner's own", async () => {
    const own = await waiting("first-view");
    own.data.views[0] = {
      id: "v1",
      createdAt: at(0),
      recordingId: "r1",
      viewer: "owner@example.com",
    };
    expect(await outcome("first-view", own)).toEqual(["cancelled", 0]);
  });

  it("when an import is not the first any more; an earlier one from before emails is none", async () => {
    const own = await waiting("first-import");
    own.data.recordings.push(recording("r9", "owner@example.com"));
    own.data.imports.push({ recordingId: "r9", createdAt: at(-1) });
    const scans = await world({ data: own.data });
    expect(await outcome("first-import", scans)).toEqual(["sent", 1]);
    // A job whose recording was overtaken, in an application that has no scans to turn it.
    own.data.imports.push({ recordingId: "r2", createdAt: at(0) });
    own.data.imports[0] = { recordingId: "r1", createdAt: at(1) };
    const late = await world({ data: own.data, app: { sources: [] } });
    const { emails } = late.holdfast;
    await emails.enqueueOrConvergeFirstImport("owner@example.com", "r1", "owner@example.com");
    expect(await outcome("first-import", late)).toEqual(["cancelled", 0]);
  });

  it("when its recipient came to be never mailed", async () => {
    const data = valid();
    const own = await world({ data, suppress: (address) => address === "ann@example.com" });
    const payload = { type: "unviewed-reminder", recipient: "Ann@example.com", shareId: "s1" };
    await own.holdfast.emails.enqueue("unviewed-reminder:s1", { ...payload, recordingIds: ["r1"] });
    own.set(HOUR);
    expect(await outcome("unviewed-reminder", own)).toEqual(["cancelled", 0]);
  });
});
