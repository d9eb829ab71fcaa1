/** What the document says of the email routes. */
import { ADDRESS, CURSOR, KEY_TEXT, LAST_ERROR, OF_A_JOB } from "./document-parts.ts";
import * as replies from "./email-replies.ts";
import * as schemas from "./email-schemas.ts";
import { described, type RouteDocuments } from "./route-document.ts";

export const emailsDocument = {
  enqueueEmail: {
    summary: "Create the job of a logical key, once",
    description:
      "The first call creates the job (201); every later one is answered with the stored job (200), " +
      'whatever payload it brings, unless `onPayloadMismatch` is `"conflict"`.',
    example: {
      logicalKey: "welcome:ann@example.com",
      payload: {
        type: "message",
        recipient: "ann@example.com",
        subject: "Welcome",
        text: "Good to have you here.",
      },
    },
    body: described(
      schemas.enqueueBody,
      {
        logicalKey: {
          description:
            "1 to 1,024 UTF-8 bytes after trimming, not `sha256:` and 64 hex digits. One key, one email.",
          ...KEY_TEXT,
        },
        payload: { $ref: "#/components/schemas/EmailPayload" },
        initialState: "`pending` by default; `awaiting_ai` for a kind that waits for a text.",
        notBefore: "Not leased as due before; 1970 to 2286.",
        onPayloadMismatch:
          "When the key has a job of another payload: answer that (default), or refuse.",
      },
      { id: "EnqueueRequest" },
    ),
    replies: { 201: replies.createdJob, 200: replies.createdJob },
    problems: [
      "job_payload_conflict",
      "job_expired",
      "erased",
      "record_too_large",
      "record_corrupt",
    ],
  },

  enqueueEmails: {
    summary: "Create up to 100 jobs",
    description:
      "Each item has the verdict that it would have alone; one's failure stops no other. The same key " +
      "twice: the second is `created: false`.",
    example: {
      jobs: [
        {
          logicalKey: "welcome:ann@example.com",
          payload: {
            type: "message",
            recipient: "ann@example.com",
            subject: "Welcome",
            text: "Good to have you here.",
          },
        },
      ],
    },
    body: described(schemas.batchBody, {
      jobs: {
        description: "Judged one by one: a bad item has its own `problem`, the others are made.",
        items: { $ref: "#/components/schemas/EnqueueRequest" },
      },
    }),
    replies: { 200: replies.batchAnswer },
    problems: [],
  },

  enqueueFirstImport: {
    summary: "Create a recipient's first-import job, or turn it to another recording",
    description:
      "One job a recipient. While it can still change it is turned to the recording that came last, also " +
      "after it was cancelled; then, and for a repeat, 200.",
    example: { recipient: "ann@example.com", recordingId: "rec-1", requestedBy: "bob@example.com" },
    body: described(schemas.firstImportBody, {
      recipient: {
        description: "An email address; trimmed and lower-cased. One job a recipient.",
        ...ADDRESS,
      },
      recordingId: "The recording that the email is to be about.",
      requestedBy: "Who asked for it.",
    }),
    replies: { 201: replies.createdJob, 200: replies.createdJob },
    problems: ["job_expired", "erased", "record_corrupt"],
  },

  listEmails: {
    summary: "A page of jobs",
    description:
      "Within a page by creation time, then id; the pages follow each other in the storage's order. " +
      "What was there throughout a walk is met exactly once.",
    query: described(schemas.listQuery, {
      state: "Only jobs in it.",
      limit: "Jobs at most, 1 to 100; default 50.",
      cursor: CURSOR,
    }),
    replies: { 200: replies.jobPage },
    problems: ["invalid_cursor"],
  },

  readEmail: {
    summary: "One job",
    description: "Its state, its content and its stamps.",
    replies: { 200: replies.foundJob },
    problems: OF_A_JOB,
  },

  transitionEmail: {
    summary: "Move a job that nobody has leased",
    description:
      "A job in none of the states of `from` is refused with its state, so a repeat of a move that was " +
      "made tells so. A leased one moves by a settlement only.",
    example: { from: ["pending"], to: "ready" },
    body: described(schemas.transitionBody, {
      from: "The states from which the move is meant.",
      to: "Where to; `sending` is reached by a lease only.",
      generatedSummary: "The text of a kind that waits for one.",
      lastError: LAST_ERROR,
    }),
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "state_mismatch", "invalid_transition", "record_too_large"],
  },

  requeueEmail: {
    summary: "Give a failed job a new life",
    description:
      "It is pending again: its attempts, the stamps of its earlier life and its last settlement are " +
      "forgotten, its lastError is kept. A repeat is refused by its state.",
    replies: { 200: replies.jobAnswer },
    problems: [...OF_A_JOB, "state_mismatch"],
  },
} as const satisfies RouteDocuments;
