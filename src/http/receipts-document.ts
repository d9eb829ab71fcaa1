/** What the document says of the receipt routes. */
import * as z from "zod";
import { CURSOR, TOKEN } from "./document-parts.ts";
import { oneOfMeta } from "./one-of.ts";
import type { ProblemCode } from "./problem.ts";
import * as replies from "./receipt-replies.ts";
import * as schemas from "./receipt-schemas.ts";
import { described, noted, type RouteDocuments } from "./route-document.ts";

/** Refusals of every route on one receipt. */
const OF_A_RECEIPT = [
  "receipt_not_found",
  "operation_expired",
  "record_corrupt",
] as const satisfies ProblemCode[];

const DISPATCH_TOKEN = noted(schemas.dispatchToken, {
  description: "Of the dispatch, as it was answered.",
});

const LEASE_MS = noted(schemas.leaseMs, {
  description: "From now, in milliseconds: 1 to 86,400,000.",
});

const FIRST_STANDS = "What is said of the outcome; the first answer stands for ever.";
const NOTE = "Why, for other people.";
const BY = "Who says so, where a key is several people's: `resolvedBy` is then `<key id>/<by>`.";

export const receiptsDocument = {
  prepareReceipt: {
    summary: "Bind an operation to its payload, once",
    description:
      "The first call creates the receipt (201); every later one with the same payload is answered with " +
      "the stored one (200), whatever its state. Prepare before the side effect; dispatch, run it, and " +
      "tell its outcome.",
    example: { workspaceId: "shop", operationId: "charge-1001", payload: { amount: 4_200 } },
    body: described(
      schemas.prepareFields,
      {
        principalId: "On whose behalf; `default`.",
        workspaceId: "Counted together; `default`.",
        sessionId: "`default`.",
        memberId: "`default`.",
        memberGeneration: "1.",
        tool: "`custom`; with `action` it says what results there are.",
        action: "`call`.",
        operationId: "The caller's own; one id is one payload.",
        payload:
          "Hashed and not stored; any JSON. Either this or `payloadHash`. An integer that a double does not " +
          "keep, such as 9007199254740993, is refused here as in every body: send it as a string.",
        payloadHash: "Of the canonical text of the payload: hex SHA-256.",
      },
      { ...oneOfMeta(schemas.PREPARED_BY), id: "PrepareRequest" },
    ),
    replies: { 201: replies.preparedReceipt, 200: replies.preparedReceipt },
    problems: [
      "operation_receipt_conflict",
      "operation_receipt_capacity",
      "operation_expired",
      "record_corrupt",
    ],
  },

  listReceipts: {
    summary: "A page of receipts",
    description:
      "Within a page by creation time, then id; the pages follow each other in the storage's order. " +
      "What was there throughout a walk is met exactly once.",
    query: described(schemas.listQuery, {
      state: "Only receipts in it; `outcome-unknown` has the resolved ones, too.",
      limit: "Receipts at most, 1 to 128; default 64.",
      cursor: CURSOR,
    }),
    replies: { 200: replies.receiptPage },
    problems: ["invalid_cursor"],
  },

  readReceipt: {
    summary: "One receipt, and what came too late for it",
    description: "What is known of the operation; a person's resolution, where there is one.",
    replies: { 200: replies.notedReceipt },
    problems: OF_A_RECEIPT,
  },

  dispatchReceipt: {
    summary: "Take the right to run the side effect",
    description:
      "`owned` tells the one caller that runs it. With a `dispatchToken` of its own, fresh for this call, " +
      "a repeat is told the same; without one it is minted. Run it only before the lease is over.",
    example: { dispatchToken: TOKEN, leaseMs: 60_000 },
    body: described(schemas.dispatchBody, {
      dispatchToken:
        "The caller's own, random and fresh, so that a repeat is known to be its owner's.",
      leaseMs: z.exactOptional(LEASE_MS),
    }),
    replies: { 200: replies.dispatchAnswer },
    problems: [...OF_A_RECEIPT, "invalid_receipt_state"],
  },

  renewDispatch: {
    summary: "Set the end of a dispatch's lease",
    description: "From now, also if that is earlier; also after it ran out while nobody took it.",
    example: { dispatchToken: TOKEN, leaseMs: 60_000 },
    body: described(schemas.renewalBody, { dispatchToken: DISPATCH_TOKEN, leaseMs: LEASE_MS }),
    replies: { 200: replies.receiptAnswer },
    problems: [...OF_A_RECEIPT, "dispatch_lost"],
  },

  acceptReceipt: {
    summary: "Tell what came of the side effect",
    description:
      "By the owner of the dispatch, also while the outcome is unknown and nobody has resolved it. The " +
      "same result again is answered and not written. After a resolution the report is kept as a note.",
    example: {
      result: { chargeId: "ch_1" },
      dispatchToken: TOKEN,
    },
    body: described(schemas.acceptanceBody, {
      result: "What came of it: a result of the receipt's tool and action.",
      dispatchToken: z.exactOptional(DISPATCH_TOKEN),
    }),
    replies: { 200: replies.receiptAnswer },
    problems: [
      ...OF_A_RECEIPT,
      "dispatch_lost",
      "invalid_receipt_state",
      "already_resolved",
      "operation_receipt_conflict",
    ],
  },

  completeReceipt: {
    summary: "Make an accepted receipt terminal",
    description: "Its result stays; a repeat changes nothing.",
    replies: { 200: replies.receiptAnswer },
    problems: [...OF_A_RECEIPT, "invalid_receipt_state"],
  },

  markReceiptUnknown: {
    summary: "Say that nobody can tell what came of it",
    description: "By the owner at once; by anybody else when the dispatch has lapsed.",
    example: { dispatchToken: TOKEN },
    body: described(schemas.unknownBody, { dispatchToken: z.exactOptional(DISPATCH_TOKEN) }),
    replies: { 200: replies.receiptAnswer },
    problems: [...OF_A_RECEIPT, "dispatch_lost", "invalid_receipt_state"],
  },

  resolveReceipt: {
    summary: "A person's answer to an unknown outcome",
    description:
      "The first answer stands for ever; the same again, by whatever key, is answered as before. " +
      "`did_not_happen` does not reopen the operation: its caller takes a new id. The state stays " +
      "`outcome-unknown`, with the answer as `resolution`. A receipt that the `Idempotency-Key` middleware " +
      "made has the tool `http`; its result is the response that its caller is sent from then on: `status`, " +
      "`headers` (pairs of name and value) and `body` (`encoding`: `text` or `base64`, and `data`; or null: " +
      "not kept).",
    example: { outcome: "did_not_happen", note: "the provider has no such charge" },
    body: z.discriminatedUnion("outcome", [
      described(schemas.happenedBody, {
        outcome: FIRST_STANDS,
        result: "What the operation resulted in, null too: a result of its tool and action.",
        ...{ by: BY, note: NOTE },
      }),
      described(schemas.unhappenedBody, {
        outcome: FIRST_STANDS,
        result: null,
        ...{ by: BY, note: NOTE },
      }),
    ]),
    replies: { 200: replies.receiptAnswer },
    problems: [...OF_A_RECEIPT, "invalid_receipt_state", "dispatch_live", "already_resolved"],
  },

  recoverReceipts: {
    summary: "Make lapsed dispatches unknown",
    description:
      "One page of what is due; a live dispatch is never touched. Every pass does the same by itself.",
    example: { limit: 64 },
    body: described(schemas.recoveryBody, {
      cursor: CURSOR,
      limit: "Entries at most, 1 to 128; default 64.",
    }),
    replies: { 200: replies.recoveryAnswer },
    problems: ["invalid_cursor"],
  },
} as const satisfies RouteDocuments;
