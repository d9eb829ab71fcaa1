/** Following jobs as they go on (QUERY-38, 61, 63; semantics C5, protocols 5.3). */
import { describe, expect, it, vi } from "vitest";
import type { ShownEvent } from "../../../src/machines/queries/public-event.ts";
import type { Subscription } from "../../../src/services/query-subscribe.ts";
import type { CurrentBench } from "../emails/bench.ts";
import { completed, running, started } from "./given.ts";

/** The events of a subscription, those of its first page included. */
function seqsOf({ events }: Subscription, live: readonly ShownEvent[]): readonly number[] {
  return [...events, ...live].map(({ eventSeq }) => eventSeq);
}

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

export function describeFollowing(bench: CurrentBench): void {
  const queries = () => bench().holdfast.queries;
  const another = async () => (await bench().another()).holdfast.queries;

  describe("following", () => {
    it("QUERY-61 tells every event once, in order, to each of several, and ends", async () => {
      const { jobId } = await running(queries());
      const early: ShownEvent[] = [];
      const late: ShownEvent[] = [];
      const first = await queries().subscribe(jobId, 1, 0, (event) => void early.push(event));
      for (let n = 0; n < 20; n += 1) await queries().appendPartial(jobId, `${n} `);
      const second = await queries().subscribe(jobId, 1, 5, (event) => void late.push(event));
      for (let n = 20; n < 40; n += 1) await queries().appendPartial(jobId, `${n} `);
      const { partialText } = await queries().getSnapshot(jobId);
      await queries().complete(jobId, { text: partialText });
      await Promise.all([first.ended, second.ended]);
      expect(seqsOf(first, early)).toEqual(upTo(44));
      expect(seqsOf(second, late)).toEqual(upTo(44).slice(5));
      const chunks = [...first.events, ...early].filter(({ type }) => type === "chunk");
      expect(chunks.map(({ data }) => data["text"]).join("")).toBe(partialText);
    });

    it("QUERY-61 tells what another process writes", async () => {
      const { job, leaseToken } = await started(queries());
      const { jobId } = job;
      const live: ShownEvent[] = [];
      const reader = await another();
      const subscription = await reader.subscribe(jobId, 1, 0, (event) => void live.push(event));
      await queries().markRunning(jobId, {}, { leaseToken });
      await queries().complete(jobId, { text: "done" });
      await subscription.ended;
      expect(seqsOf(subscription, live)).toEqual([1, 2, 3, 4]);
    });

    it("QUERY-38 tells no event before another reader finds it", async () => {
      const { jobId } = await running(queries());
      const reader = await another();
      const unseen: number[] = [];
      const subscription = await queries().subscribe(jobId, 1, 0, async ({ eventSeq }) => {
        const { latestEventSeq } = await reader.replay(jobId, 1);
        if (latestEventSeq < eventSeq) unseen.push(eventSeq);
      });
      for (let n = 0; n < 5; n += 1) await queries().appendPartial(jobId, "x");
      await queries().complete(jobId, { text: "xxxxx" });
      await subscription.ended;
      expect(unseen).toEqual([]);
    });

    it("QUERY-63 ends when it is unsubscribed, any number of times", async () => {
      const { jobId } = await running(queries());
      const live: ShownEvent[] = [];
      const subscription = await queries().subscribe(jobId, 1, 0, (event) => void live.push(event));
      await vi.waitFor(async () => expect((await queries().getHealth()).subscribers).toBe(1));
      subscription.unsubscribe();
      subscription.unsubscribe();
      await subscription.ended;
      expect((await queries().getHealth()).subscribers).toBe(0);
      await queries().appendPartial(jobId, "x");
      expect(live).toEqual([]);
    });

    it("waits for a slow listener, and loses nothing of a long answer", async () => {
      const { jobId } = await running(queries());
      const live: ShownEvent[] = [];
      let release = (): void => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const subscription = await queries().subscribe(jobId, 1, 3, async (event) => {
        await gate;
        live.push(event);
      });
      // More than any loop keeps for those who are behind.
      for (let n = 0; n < 400; n += 1) await queries().appendPartial(jobId, "x");
      await queries().complete(jobId, { text: "x".repeat(400) });
      expect(live).toEqual([]);
      release();
      await subscription.ended;
      expect(live.map(({ eventSeq }) => eventSeq)).toEqual(upTo(404).slice(3));
    });

    it("G6 a listener that throws is told the rest, and so are the others", async () => {
      const { jobId } = await running(queries());
      let thrown = 0;
      const live: ShownEvent[] = [];
      const bad = await queries().subscribe(jobId, 1, 3, () => {
        thrown += 1;
        throw new Error("mine");
      });
      const good = await queries().subscribe(jobId, 1, 3, (event) => void live.push(event));
      await queries().appendPartial(jobId, "x");
      await queries().complete(jobId, { text: "x" });
      await Promise.all([bad.ended, good.ended]);
      expect(thrown).toBe(2);
      expect(live).toHaveLength(2);
    });

    it("a job that has ended is told whole, and at once", async () => {
      const { jobId, eventSeq } = await completed(queries());
      const live: ShownEvent[] = [];
      const subscription = await (await another()).subscribe(jobId, 1, eventSeq, (event) => {
        live.push(event);
      });
      await subscription.ended;
      expect(live).toEqual([]);
      expect(subscription.job.status).toBe("completed");
    });

    it("a cursor ahead of the job is a gap, and goes on from its head", async () => {
      const { jobId } = await running(queries());
      const live: ShownEvent[] = [];
      const subscription = await queries().subscribe(
        jobId,
        1,
        99,
        (event) => void live.push(event),
      );
      expect(subscription.gap).toEqual({ reason: "cursor_ahead" });
      await queries().cancel(jobId, 1);
      await subscription.ended;
      expect(live.map(({ eventSeq }) => eventSeq)).toEqual([4]);
    });

    it("protocols 5.3 one loop reads for all who follow a job in a process", async () => {
      const { jobId } = await running(queries());
      const reader = await bench().another();
      const counts = Array.from({ length: 20 }, () => 0);
      const subscriptions = await Promise.all(
        counts.map((_, index) =>
          reader.holdfast.queries.subscribe(jobId, 1, 3, () => {
            counts[index] = (counts[index] ?? 0) + 1;
          }),
        ),
      );
      await vi.waitFor(async () => {
        expect((await reader.holdfast.queries.getHealth()).subscribers).toBe(20);
      });
      const before = reader.traffic.reads;
      await queries().cancel(jobId, 1);
      await Promise.all(subscriptions.map(({ ended }) => ended));
      expect(counts).toEqual(counts.map(() => 1));
      // Polls while it waited, the event, the end of the log and the root; never one for each.
      expect(reader.traffic.reads - before).toBeLessThan(20);
    });
  });
}
