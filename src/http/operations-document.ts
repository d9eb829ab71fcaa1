/** What the document says of the routes of an operator. */
import { CURSOR, KEY_TEXT, UUID_TEXT } from "./document-parts.ts";
import { oneOfMeta } from "./one-of.ts";
import * as replies from "./operation-replies.ts";
import * as schemas from "./operation-schemas.ts";
import { described, type RouteDocuments } from "./route-document.ts";

export const operationsDocument = {
  health: {
    summary: "How much waits, from the due index alone",
    description:
      "Of the caller's tenant. It costs the same whatever is stored; an index may lag, so some of what " +
      "it tells may have been dealt with.",
    replies: { 200: replies.health },
    problems: [],
  },

  stuck: {
    summary: "What waits for a person, why, and what to do",
    description:
      "Failed jobs, unknown outcomes, contradictions, and claims and jobs that have waited too long. " +
      "Nothing of their content is told.",
    query: described(schemas.stuckQuery, {
      limit: "Items at most, 1 to 100; default 50.",
      cursor: CURSOR,
    }),
    replies: { 200: replies.stuckPage },
    problems: ["invalid_cursor"],
  },

  reconcile: {
    summary: "One pass over the key's tenant: find, recover, promote, deliver, retire",
    description:
      "Bounded in time, and answered five seconds after its budget at the latest; may run beside any other " +
      "pass, though a tenant may ask for one at a time. A dry run tells what one page of everything would " +
      "come to, and does nothing.",
    example: { dryRun: true },
    body: described(schemas.passBody, {
      dryRun: "Tell what would happen, and do nothing.",
      budgetMs: "How long the pass may take; the service's own budget (25,000) without it.",
    }),
    replies: { 200: replies.passReport },
    problems: [],
  },

  collect: {
    summary: "Remove logs that belong to no query job: one page of a walk over all",
    description:
      "They are left by admissions and retirements that were cut off, and cost storage and nothing else. " +
      "The walk goes on where the page before ended, whoever asked for that, and runs beside any traffic.",
    example: {},
    body: described(schemas.collectionBody, {
      limit: "Logs at most, 1 to 1,000; default 100.",
    }),
    replies: { 200: replies.collected },
    problems: ["record_corrupt"],
  },

  erase: {
    summary: "Replace a record's personal content by a tombstone",
    description:
      "Of an email, of a receipt, or of all generations of a query. The record keeps its id, state and " +
      "times; a receipt also its payload's hash and what came of the operation. Afterwards everything under " +
      "its key answers 410, `erased` or of a receipt `operation_expired`, and it never runs again. Erasing it " +
      "again changes nothing and is answered as before. Refused while it is in use: an email that is being " +
      "sent, a receipt that is dispatching, a query that has not ended.",
    example: { email: "welcome:ann@example.com" },
    body: described(
      schemas.erasureFields,
      {
        email: { description: "A logical key, or `sha256:` and an id.", ...KEY_TEXT },
        receipt: "A receipt's id.",
        query: { description: "A client job id. One of the three.", pattern: UUID_TEXT },
      },
      oneOfMeta(schemas.ERASED_BY),
    ),
    replies: { 200: replies.erased },
    problems: [
      "job_not_found",
      "receipt_not_found",
      "query_job_not_found",
      "in_use",
      "record_corrupt",
    ],
  },
} as const satisfies RouteDocuments;
