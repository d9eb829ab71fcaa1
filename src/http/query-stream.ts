/**
 * A job's events as `text/event-stream` (http-api, "The stream"). The reader sets the pace: what it has not
 * asked for is not read, and what it has not got it is told by the next connection.
 */
import { durationMs, seconds } from "../core/time.ts";
import type { QueryJob } from "../machines/queries/fold.ts";
import type { ShownEvent } from "../machines/queries/public-event.ts";
import { snapshotOf } from "../machines/queries/snapshot.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import type { Streaming } from "./route.ts";

/** `buffer_overflow` is the original's: here the whole log is kept, so that no reader is too far behind. */
type SnapshotReason = "cursor_ahead" | "slow_consumer" | "terminal_snapshot";

export interface Followed {
  /** At its head when the stream begins. */
  readonly job: QueryJob;
  /** The job at its head now. */
  readonly reread: () => Promise<QueryJob>;
  /** As QueryTails has it. */
  readonly follow: (
    after: number,
    signal: AbortSignal,
  ) => AsyncGenerator<readonly ShownEvent[], void, void>;
}

/** Proxies give up connections on which nothing comes; a client that hears nothing for long does the same. */
const COMMENT_MS = seconds(15);

/** Comments in a row that found the one before, or an event, not taken yet: the reader may be gone. */
const UNREAD_MAX = 4;

/** Text that is handed over at once, and kept where it is not taken. */
const CHUNK_CHARS = 64 * 1_024;

const COMMENT = ":\n\n";

/** Readers that lose the connection come back after a second. */
const OPENING = ": events\nretry: 1000\n\n";

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** The events behind `after`, which may lie ahead of the job. Ends after the terminal one. Never errors. */
export function queryStream(
  { job, reread, follow }: Followed,
  after: number,
  { clock, rotationMs, onStopping, failed }: Omit<Streaming, "lastEventId">,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const over = new AbortController();
  /** The number of the last event that was handed over. */
  let cursor = Math.min(after, job.head.seq);
  const pages = follow(cursor, over.signal);
  /** Events that were read and not handed over. */
  let page: readonly ShownEvent[] = [];
  let forget = (): void => {};

  function finish(): void {
    over.abort();
    forget();
    page = [];
    // It may be at rest between two pages, where no signal reaches it.
    pages.return().catch(() => {});
  }

  function send(controller: Controller, text: string): void {
    controller.enqueue(encoder.encode(text));
  }

  function end(controller: Controller, text: string): void {
    if (over.signal.aborted) return;
    finish();
    if (text !== "") send(controller, text);
    controller.close();
  }

  const rotate = (controller: Controller): void => end(controller, rotation(cursor));

  /** A comment every now and then, until it is time to rotate or nobody seems to read. */
  async function beat(controller: Controller): Promise<void> {
    const begun = clock.elapsed();
    for (let unread = 0; unread < UNREAD_MAX; ) {
      const leftMs = Math.ceil(rotationMs - (clock.elapsed() - begun));
      if (leftMs <= 0) return rotate(controller);
      await clock.sleep(durationMs(Math.min(leftMs, COMMENT_MS)), over.signal);
      if (over.signal.aborted) return;
      const isTaken = (controller.desiredSize ?? 0) > 0;
      if (isTaken) send(controller, COMMENT);
      unread = isTaken ? 0 : unread + 1;
    }
    await giveUp(controller);
  }

  async function giveUp(controller: Controller): Promise<void> {
    try {
      const now = await reread();
      end(controller, snapshot("slow_consumer", now, cursor));
    } catch {
      // Whoever connects again is told.
      rotate(controller);
    }
  }

  /** As much of the page as is handed over at once. */
  function sendSome(controller: Controller): void {
    let text = "";
    let count = 0;
    for (const event of page) {
      if (text.length >= CHUNK_CHARS) break;
      text += eventFrame(event);
      cursor = event.eventSeq;
      count += 1;
    }
    page = page.slice(count);
    send(controller, text);
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      send(controller, OPENING);
      if (after > cursor) send(controller, snapshot("cursor_ahead", job, cursor));
      if (isTerminal(job.head.status) && cursor >= endOf(job)) {
        return end(controller, snapshot("terminal_snapshot", job, cursor));
      }
      forget = onStopping(() => rotate(controller));
      void beat(controller);
    },
    async pull(controller) {
      try {
        const next = page.length === 0 ? await pages.next() : { value: page };
        if (over.signal.aborted) return;
        if (next.value === undefined) return end(controller, "");
        page = next.value;
        sendSome(controller);
      } catch (fault) {
        if (over.signal.aborted) return;
        failed(fault);
        rotate(controller);
      }
    },
    cancel: finish,
  });
}

/** The number of its terminal event, which nothing but an acknowledgement follows. */
function endOf({ head, acknowledgedAt }: QueryJob): number {
  return acknowledgedAt === null ? head.seq : head.seq - 1;
}

function eventFrame(event: ShownEvent): string {
  return `id: ${event.eventSeq}\n${frame(event.type, event)}`;
}

/** Without an id, as all that is no event of the log. */
function snapshot(reason: SnapshotReason, job: QueryJob, resumeAfter: number): string {
  return frame("snapshot", { reason, job: snapshotOf(job), resumeAfter });
}

function rotation(resumeAfter: number): string {
  return frame("rotate", { resumeAfter });
}

function frame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
