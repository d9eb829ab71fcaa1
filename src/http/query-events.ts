/** What a reader of one query job asks: its events, as pages and as a stream, and tickets for both. */
import { safeParse } from "../core/safe-parse.ts";
import { durationMs, isoTime, after as later } from "../core/time.ts";
import { EVENTS_PAGE_MAX } from "../machines/queries/inputs.ts";
import type { Problem } from "./problem.ts";
import { GENERATION_CODES, jobIdOf } from "./query-answers.ts";
import * as schemas from "./query-event-schemas.ts";
import { queryStream } from "./query-stream.ts";
import { reply, route } from "./route.ts";

export const queryEventRoutes = {
  events: route({
    id: "readQueryEvents",
    method: "GET",
    path: "/v1/query-jobs/{jobId}/events",
    scope: "queries:read",
    gate: "heavy",
    query: schemas.eventsQuery,
    codes: { ...GENERATION_CODES, after: "invalid_event_cursor" },
    isStreamed: true,
    async handle(call) {
      const { generation, after = 0, limit = EVENTS_PAGE_MAX } = call.query;
      const { reading, tails } = call.tenant.queries;
      const jobId = jobIdOf(call);
      if (call.streaming === null) {
        return reply(200, await reading.replay(jobId, generation, { after, limit }));
      }
      const { lastEventId, ...streaming } = call.streaming;
      // An empty one says that its reader has seen nothing that has an id.
      const seen = safeParse(schemas.cursor, lastEventId || String(after));
      if (!seen.success) return { problem: NO_CURSOR };
      const { place, job } = await reading.job(jobId, generation);
      const followed = {
        job,
        reread: async () => (await reading.whole(place)).job,
        follow: (from: number, signal: AbortSignal) => tails.follow(place, from, signal),
      };
      return { status: 200, stream: queryStream(followed, seen.data, streaming) };
    },
  }),

  ticket: route({
    id: "issueQueryTicket",
    method: "POST",
    path: "/v1/query-jobs/{jobId}/tickets",
    scope: "queries:read",
    body: schemas.ticketBody,
    codes: GENERATION_CODES,
    async handle(call) {
      const { tickets, tenant } = call;
      if (tickets === null) return { problem: NO_SECRET };
      const { generation, ttlMs = TICKET_MS } = call.body;
      const { job } = await tenant.queries.reading.job(jobIdOf(call), generation);
      const expiresAt = later(tickets.now(), durationMs(ttlMs));
      const ticket = { tenant: tenant.id, jobId: job.jobId, generation, expiresAt };
      return reply(200, { ticket: tickets.issue(ticket), expiresAt: isoTime(expiresAt) });
    },
  }),
};

/** Of a ticket whose taker says nothing else: an hour. */
const TICKET_MS = 3_600_000;

const NO_SECRET: Problem = {
  code: "misconfigured",
  detail:
    "there is no secret to make tickets with: give http() its secret (HOLDFAST_SECRET, such as `openssl rand -hex 32` makes)",
};

const NO_CURSOR: Problem = {
  code: "invalid_event_cursor",
  detail: "the request is not valid",
  errors: [{ path: "last-event-id", message: schemas.CURSOR_MUST_BE }],
};
