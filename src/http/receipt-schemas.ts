/** The bodies of the receipt routes: what they take is made of the machine's own inputs. */
import * as z from "zod";
import type { JsonValue } from "../core/json.ts";
import { RECEIPT_STATES, RESOLUTIONS } from "../machines/receipts/fields.ts";
import {
  NEEDED_WITH_HAPPENED,
  ONLY_WITH_HAPPENED,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import { keyFields } from "../machines/receipts/key.ts";
import { corrupt, nextCursor } from "./email-schemas.ts";
import { oneOf } from "./one-of.ts";

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

/** Left out, a field is `default`, 1, `custom` or `call`. */
const withDefault = <T extends z.ZodType>(field: z.ZodDefault<T>, description: string) =>
  field.unwrap().exactOptional().describe(description);

export const prepareBody = oneOf(
  z.strictObject({
    principalId: withDefault(keyFields.principalId, "On whose behalf; `default`."),
    workspaceId: withDefault(keyFields.workspaceId, "Counted together; `default`."),
    sessionId: withDefault(keyFields.sessionId, "`default`."),
    memberId: withDefault(keyFields.memberId, "`default`."),
    memberGeneration: withDefault(keyFields.memberGeneration, "1."),
    tool: withDefault(keyFields.tool, "`custom`; with `action` it says what results there are."),
    action: withDefault(keyFields.action, "`call`."),
    operationId: keyFields.operationId.describe("The caller's own; one id is one payload."),
    payload: z
      .unknown()
      .optional()
      .describe(
        "Hashed and not stored; any JSON. Either this or `payloadHash`. An integer that a double does not " +
          "keep, such as 9007199254740993, is refused here as in every body: send it as a string.",
      ),
    payloadHash: receiptInputs.payloadHash
      .exactOptional()
      .describe("Of the canonical text of the payload: hex SHA-256."),
  }),
  "payload",
  "payloadHash",
).meta({ id: "PrepareRequest" });

const dispatchToken = receiptInputs.token.describe("Of the dispatch, as it was answered.");

const leaseMs = receiptInputs.leaseMs.describe("From now, in milliseconds: 1 to 86,400,000.");

export const dispatchBody = z.strictObject({
  dispatchToken: receiptInputs.token
    .exactOptional()
    .describe("The caller's own, random and fresh, so that a repeat is known to be its owner's."),
  leaseMs: leaseMs.exactOptional(),
});

export const renewalBody = z.strictObject({ dispatchToken, leaseMs });

export const acceptanceBody = z.strictObject({
  result: z.unknown().describe("What came of it: a result of the receipt's tool and action."),
  dispatchToken: dispatchToken.exactOptional(),
});

export const unknownBody = z.strictObject({ dispatchToken: dispatchToken.exactOptional() });

const note = receiptInputs.note.exactOptional().describe("Why, for other people.");

const by = receiptInputs.by
  .exactOptional()
  .describe("Who says so, where a key is several people's: `resolvedBy` is then `<key id>/<by>`.");

const FIRST_STANDS = "What is said of the outcome; the first answer stands for ever.";

const [happened, ...unhappened] = RESOLUTIONS;

export const resolutionBody = z.discriminatedUnion(
  "outcome",
  [
    z.strictObject({
      outcome: z.literal(happened).describe(FIRST_STANDS),
      result: z
        .unknown()
        .refine((result) => result !== undefined, NEEDED_WITH_HAPPENED)
        .describe("What the operation resulted in, null too: a result of its tool and action."),
      ...{ by, note },
    }),
    z.strictObject({
      outcome: z.enum(unhappened).describe(FIRST_STANDS),
      result: z.never(ONLY_WITH_HAPPENED).exactOptional(),
      ...{ by, note },
    }),
  ],
  {
    error: ({ code }) =>
      code === "invalid_union" ? `must be one of ${RESOLUTIONS.join(", ")}` : undefined,
  },
);
