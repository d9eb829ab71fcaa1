/** An application's own kinds of email, beside the built-in ones. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineEmailKind } from "../../../src/machines/emails/kinds.ts";
import { defineApp } from "../../../src/services/app.ts";
import type { Emails } from "../../../src/services/emails.ts";
import type { CurrentBench } from "./bench.ts";
import { expectRefused, FIRST_VIEW, KEY, lease, present, thrownBy } from "./given.ts";

const RECEIPT = defineEmailKind({
  name: "receipt",
  payload: z.object({
    order: z.string().trim().min(1),
    lines: z.array(z.object({ item: z.string(), cents: z.int() })).max(10),
    currency: z.string().default("EUR"),
  }),
});

const DIGEST = defineEmailKind({
  name: "weekly-digest",
  payload: z.object({ week: z.string() }),
  waitsForAi: true,
});

const ORDER = {
  type: "receipt",
  recipient: "ann@example.com",
  order: "order-1",
  lines: [{ item: "tea", cents: 450 }],
};

export function describeKinds(bench: CurrentBench): void {
  const withKinds = async (): Promise<Emails> =>
    (await bench().another({ app: defineApp({ kinds: [RECEIPT, DIGEST] }) })).emails;

  describe("own kinds", () => {
    describePayloads(bench, withKinds);
    describeLives(withKinds);
    describeUnknown(bench, withKinds);
    describeDefinitions(bench);
  });
}

type WithKinds = () => Promise<Emails>;

function describePayloads(bench: CurrentBench, withKinds: WithKinds): void {
  it("the payload lies flat in the job, as its schema made it", async () => {
    const emails = await withKinds();
    const { job } = await emails.enqueue(KEY, { ...ORDER, order: " order-1 " });
    expect(job).toMatchObject({ ...ORDER, order: "order-1", currency: "EUR", state: "pending" });
    expect(await emails.readJob(KEY)).toEqual(job);
  });

  it.each([
    ["a missing field", { order: undefined }, "payload.order"],
    ["a wrong value", { order: " " }, "payload.order"],
    ["a wrong value inside", { lines: [{ item: "tea", cents: 0.5 }] }, "payload.lines[0].cents"],
    ["an unknown property", { note: "hello" }, "payload.note"],
    ["a property of the original kinds", { recordingIds: ["a"] }, "payload.recordingIds"],
  ])("%s is refused by its name", async (_, fields, path) => {
    const emails = await withKinds();
    await expectRefused(bench(), () => emails.enqueue(KEY, { ...ORDER, ...fields }), path);
  });

  it("the same payload before and after its defaults is no conflict, another is", async () => {
    const emails = await withKinds();
    await emails.enqueue(KEY, ORDER);
    const options = { onPayloadMismatch: "conflict" } as const;
    const same = { ...ORDER, currency: "EUR" };
    expect((await emails.enqueue(KEY, same, "pending", options)).created).toBe(false);
    const other = { ...ORDER, lines: [{ item: "tea", cents: 451 }] };
    expect(await thrownBy(() => emails.enqueue(KEY, other, "pending", options))).toMatchObject({
      code: "job_payload_conflict",
    });
  });
}

function describeLives(withKinds: WithKinds): void {
  it("a job goes from enqueue to sent, and its payload with it", async () => {
    const emails = await withKinds();
    await emails.enqueue(KEY, ORDER);
    await emails.transition(KEY, ["pending"], "ready");
    const { leaseToken } = await lease(emails);
    const sent = await emails.transitionSending(KEY, leaseToken, "sent");
    expect(sent).toMatchObject({ ...ORDER, currency: "EUR", state: "sent" });
  });

  it("one that waits for its text is claimed and completed", async () => {
    const emails = await withKinds();
    const payload = { type: "weekly-digest", recipient: "ann@example.com", week: "2026-W01" };
    await emails.enqueue(KEY, payload, "awaiting_ai");
    const { claimToken } = present(await emails.claimAwaitingAi(KEY, "ann@example.com"));
    const job = await emails.completeClaimedAi(KEY, "ann@example.com", "Quiet.", claimToken);
    expect(job).toMatchObject({ state: "ready", generatedSummary: "Quiet.", week: "2026-W01" });
  });

  it("one that does not wait for its text is not claimed", async () => {
    const emails = await withKinds();
    await emails.enqueue(KEY, ORDER, "awaiting_ai");
    expect(await emails.claimAwaitingAi(KEY, "ann@example.com")).toBeNull();
  });
}

function describeUnknown(bench: CurrentBench, withKinds: WithKinds): void {
  it("who does not know a kind refuses its payload, and names those it knows", async () => {
    const error = await thrownBy(() => bench().emails.enqueue(KEY, ORDER));
    expect(String(error)).toMatch(/payload\.type: must be one of first-view, .*message/);
  });

  it("who does not know a kind reports its jobs as unreadable, and serves the others", async () => {
    const { emails } = bench();
    await (await withKinds()).enqueue(KEY, ORDER);
    await emails.enqueue("other", FIRST_VIEW);
    const jobs = await emails.listJobs();
    expect(jobs.map((job) => job.logicalKey)).toEqual(["other"]);
    expect(jobs.corrupt[0]?.reason).toBe("type: this kind of email is not registered");
    expect(await thrownBy(() => emails.readJob(KEY))).toMatchObject({ code: "record_corrupt" });
  });

  it("who does not know a kind leaves its due jobs for others", async () => {
    const { emails } = bench();
    const knowing = await withKinds();
    await knowing.enqueue(KEY, ORDER);
    await knowing.transition(KEY, ["pending"], "ready");
    await emails.enqueue("other", FIRST_VIEW);
    await emails.transition("other", ["pending"], "ready");
    const options = { durationMs: 60_000, limit: 10 };
    const keys = async (who: Emails) =>
      (await who.acquireDueLeases(options)).map((job) => job.logicalKey);
    expect(await keys(emails)).toEqual(["other"]);
    expect(await keys(knowing)).toEqual([KEY]);
  });
}

function describeDefinitions(bench: CurrentBench): void {
  it.each(["recipient", "state", "type", "leaseToken", "recordingIds", "holdfast", "__proto__"])(
    "a kind with a field %s is refused: the name is taken",
    (field) => {
      const payload = z.object(Object.fromEntries([[field, z.string()]]));
      expect(() => defineEmailKind({ name: "letter", payload })).toThrow(
        `email kind "letter": the field "${field}" is reserved`,
      );
    },
  );

  it.each(["first-view", "message", "two-clips"])("%s cannot be defined anew", async (name) => {
    const kinds = [defineEmailKind({ name, payload: z.object({}) })];
    const built = `email kind "${name}" is built in`;
    expect(String(await thrownBy(() => bench().another({ app: { kinds } })))).toContain(built);
    expect(() => defineApp({ kinds })).toThrow(built);
  });

  it("a kind cannot be defined twice", () => {
    expect(() => defineApp({ kinds: [RECEIPT, RECEIPT] })).toThrow(
      'email kind "receipt" is defined twice',
    );
  });
}
