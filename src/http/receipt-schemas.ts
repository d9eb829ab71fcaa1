/** What the receipt routes take, made of the machine's own inputs. */
import * as z from "zod/mini";
import { RECEIPT_STATES, RESOLUTIONS } from "../machines/receipts/fields.ts";
import {
  NEEDED_WITH_HAPPENED,
  ONLY_WITH_HAPPENED,
  RECEIPTS_PAGE_MAX,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import { keyFields } from "../machines/receipts/key.ts";
import { cursorQuery } from "./email-schemas.ts";
import { oneOf } from "./one-of.ts";
import { queryNumber } from "./route.ts";

export const listQuery = z.strictObject({
  state: z.exactOptional(z.enum(RECEIPT_STATES)),
  limit: z.exactOptional(queryNumber(1, RECEIPTS_PAGE_MAX)),
  cursor: cursorQuery,
});

export const recoveryBody = z.strictObject({
  cursor: cursorQuery,
  limit: z.exactOptional(z.int().check(z.minimum(1), z.maximum(RECEIPTS_PAGE_MAX))),
});

/** Its default is the service's to set. */
const withDefault = <T extends z.core.$ZodType>(field: z.core.$ZodDefault<T>) =>
  z.exactOptional(field._zod.def.innerType);

export const prepareFields = z.strictObject({
  principalId: withDefault(keyFields.principalId),
  workspaceId: withDefault(keyFields.workspaceId),
  sessionId: withDefault(keyFields.sessionId),
  memberId: withDefault(keyFields.memberId),
  memberGeneration: withDefault(keyFields.memberGeneration),
  tool: withDefault(keyFields.tool),
  action: withDefault(keyFields.action),
  operationId: keyFields.operationId,
  payload: z.optional(z.unknown()),
  payloadHash: z.exactOptional(receiptInputs.payloadHash),
});

export const PREPARED_BY = ["payload", "payloadHash"] as const;

export const prepareBody = oneOf(prepareFields, ...PREPARED_BY);

export const dispatchToken = receiptInputs.token;
export const { leaseMs } = receiptInputs;

export const dispatchBody = z.strictObject({
  dispatchToken: z.exactOptional(dispatchToken),
  leaseMs: z.exactOptional(leaseMs),
});

export const renewalBody = z.strictObject({ dispatchToken, leaseMs });

export const acceptanceBody = z.strictObject({
  result: z.unknown(),
  dispatchToken: z.exactOptional(dispatchToken),
});

export const unknownBody = z.strictObject({ dispatchToken: z.exactOptional(dispatchToken) });

const note = z.exactOptional(receiptInputs.note);
const by = z.exactOptional(receiptInputs.by);

const [happened, ...unhappened] = RESOLUTIONS;

export const happenedBody = z.strictObject({
  outcome: z.literal(happened),
  result: z.unknown().check(z.refine((result) => result !== undefined, NEEDED_WITH_HAPPENED)),
  ...{ by, note },
});

export const unhappenedBody = z.strictObject({
  outcome: z.enum(unhappened),
  result: z.exactOptional(z.never(ONLY_WITH_HAPPENED)),
  ...{ by, note },
});

export const resolutionBody = z.discriminatedUnion("outcome", [happenedBody, unhappenedBody], {
  error: ({ code }) =>
    code === "invalid_union" ? `must be one of ${RESOLUTIONS.join(", ")}` : undefined,
});
