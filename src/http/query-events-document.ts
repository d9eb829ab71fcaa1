/** What the document says of what a reader of one query job asks. */
import { GENERATION, OF_A_GENERATION } from "./document-parts.ts";
import * as replies from "./query-event-replies.ts";
import * as schemas from "./query-event-schemas.ts";
import { described, type RouteDocuments } from "./route-document.ts";

const STREAM_TEXT =
  "Begins with a comment and sends another every 15 s. An event has its `eventSeq` as `id`, its type as " +
  "`event` and a QueryEvent as `data`; a reader that lost the connection goes on behind its " +
  "`Last-Event-ID`, which counts instead of `after`. Frames without an id are about the stream: " +
  "`snapshot` with `reason` (`cursor_ahead`, `slow_consumer`, `terminal_snapshot`, and " +
  "`buffer_overflow`, which this service never needs), `job` and `resumeAfter`; and `rotate` with " +
  "`resumeAfter`, before the service ends a stream whose job has not ended: connect again. After " +
  "`cursor_ahead` it goes on behind `resumeAfter`; after `slow_consumer` it ends, as for a reader that " +
  "took nothing for a minute. It ends after the terminal event; a reader that has that already is sent " +
  "`terminal_snapshot`.";

export const queryEventsDocument = {
  readQueryEvents: {
    summary: "A job's events, by the page or as they happen",
    description:
      "A page, or with `Accept: text/event-stream` the stream: every event behind `after`, each once and " +
      "in order, until the terminal one. Leaving a stream changes nothing of the job. The whole log is " +
      "kept as long as the job is.",
    query: described(schemas.eventsQuery, {
      generation: { description: GENERATION, example: 1 },
      after: "The `eventSeq` of the last event that the reader has; 0, the default: none.",
      limit: "Events of a page at most, 1 to 256; default 256. A stream has no pages.",
    }),
    stream: STREAM_TEXT,
    replies: { 200: replies.eventsPage },
    problems: [...OF_A_GENERATION, "invalid_event_cursor"],
  },

  issueQueryTicket: {
    summary: "A ticket to one job, for a browser or a phone",
    description:
      "Whoever has it may read that job and its events, cancel it and acknowledge it, until it is over; " +
      "nothing else. It is sent as a key is, or as `?ticket=` by an `EventSource`, and never logged " +
      "here. It cannot be taken back one by one: another HOLDFAST_SECRET ends all of them.",
    example: { generation: 1, ttlMs: 3_600_000 },
    body: described(schemas.ticketBody, {
      generation: GENERATION,
      ttlMs: "How long the ticket is good, 60,000 to 86,400,000; default 3,600,000.",
    }),
    replies: { 200: replies.ticketAnswer },
    problems: OF_A_GENERATION,
  },
} as const satisfies RouteDocuments;
