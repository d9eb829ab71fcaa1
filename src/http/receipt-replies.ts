/** What the receipt routes answer: for the document, and as types for the handlers. */
import * as z from "zod";
import type { JsonValue } from "../core/json.ts";
import { RECEIPT_STATES, RESOLUTIONS } from "../machines/receipts/fields.ts";
import { corrupt, nextCursor } from "./email-replies.ts";

/** Receipts keep the original's milliseconds since 1970. */
const instant = z.int();

/** For the document any JSON, which is what is stored. */
const anyResult = z
  .unknown()
  .describe(
    "What came of the operation: any JSON, or what its tool and action result in.",
  ) as z.ZodType as z.ZodType<JsonValue>;

const resolution = z
  .object({
    outcome: z.enum(RESOLUTIONS).describe("What a person said."),
    result: anyResult.exactOptional().describe("With `happened`."),
    resolvedAt: instant,
    resolvedBy: z
      .string()
      .describe(
        "The id of the key that said so, with `/` and a name where it gave one; or `reconcile`.",
      ),
    note: z.string().exactOptional(),
  })
  .describe("Stands for ever; `state` stays `outcome-unknown`.");

export const receipt = z
  .object({
    version: z.literal(1),
    id: z.string().describe("SHA-256 of the canonical text of the 8 key fields, in hex."),
    principalId: z.string(),
    workspaceId: z.string(),
    sessionId: z.string(),
    memberId: z.string(),
    memberGeneration: z.int(),
    tool: z.string(),
    action: z.string(),
    operationId: z.string(),
    payloadHash: z.string().describe("Of the payload, which is not stored."),
    state: z.enum(RECEIPT_STATES),
    createdAt: instant.describe("Milliseconds since 1970, as all times of a receipt."),
    updatedAt: instant,
    preparedAt: instant,
    dispatchingAt: instant.exactOptional(),
    acceptedAt: instant.exactOptional(),
    result: anyResult.exactOptional(),
    terminalAt: instant.exactOptional(),
    outcomeUnknownAt: instant.exactOptional(),
    resolution: resolution.exactOptional(),
  })
  .meta({ id: "Receipt", description: "What is known of one operation." });

export const preparedReceipt = z
  .object({ created: z.boolean().describe("Whether this call made it."), receipt })
  .meta({ id: "PreparedReceipt" });

export const receiptAnswer = z.object({ receipt }).meta({ id: "ReceiptAnswer" });

export const notedReceipt = z
  .object({
    receipt,
    notes: z
      .array(
        z.object({
          at: instant,
          kind: z.enum(["confirmation", "contradiction"]),
          result: anyResult.exactOptional().describe("Left out where there was no room for it."),
        }),
      )
      .readonly()
      .describe("Reports of the caller that came after the resolution, and changed nothing."),
  })
  .meta({ id: "NotedReceipt" });

export const receiptPage = z
  .object({ receipts: z.array(receipt).readonly(), nextCursor, corrupt })
  .meta({ id: "ReceiptPage" });

export const dispatchAnswer = z
  .object({
    receipt,
    owned: z.boolean().describe("Whether this caller, and nobody else, runs the side effect."),
    dispatchToken: z.string().nullable().describe("The owner's credential; null for others."),
  })
  .meta({ id: "DispatchAnswer" });

export const recoveryAnswer = z
  .object({
    recovered: z.int().describe("Dispatches that lapsed, whose outcome is unknown now."),
    scanned: z.int().describe("Entries looked at."),
    nextCursor,
  })
  .meta({ id: "RecoveryAnswer" });
