/** Schemas of what is stored of a receipt, as semantics B1 binds it. */
import * as z from "zod/mini";
import type { JsonValue } from "../../core/json.ts";
import { EPOCH_MS_MAX, type EpochMs } from "../../core/time.ts";
import {
  foreignName,
  hexDigest,
  instant,
  memberGeneration,
  operationName,
  RECEIPT_STATES,
  RESOLUTIONS,
} from "./fields.ts";

/** Parsed JSON is JSON; whether a result fits is its operation's to say. */
export const storedValue = z.custom<JsonValue>();

const storedInstant = z.custom<EpochMs>(
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= EPOCH_MS_MAX,
);

const remains = {
  version: z.literal(1),
  id: hexDigest,
  payloadHash: hexDigest,
  state: z.enum(RECEIPT_STATES),
  createdAt: instant,
  updatedAt: instant,
};

/** Strict: an additional property makes a receipt unreadable. */
export const storedReceipt = z.strictObject({
  ...remains,
  principalId: foreignName,
  workspaceId: foreignName,
  sessionId: operationName,
  memberId: operationName,
  memberGeneration,
  tool: operationName,
  action: operationName,
  operationId: operationName,
  preparedAt: instant,
  dispatchingAt: z.exactOptional(instant),
  acceptedAt: z.exactOptional(instant),
  result: z.exactOptional(storedValue),
  terminalAt: z.exactOptional(instant),
  outcomeUnknownAt: z.exactOptional(instant),
});

/** What stays of a receipt that is over. */
export const storedRemains = z.strictObject(remains);

/** What stays of a reservation that was given back. */
export const storedVoid = z.strictObject({ version: z.literal(1), id: hexDigest });

const nonce = z.string().check(z.minLength(1));

/** What is kept beside a live receipt's fields. An original's receipt has nothing of it. */
export const storedExtra = z.strictObject({
  slot: z.exactOptional(z.nullable(nonce)),
  dispatch: z.exactOptional(z.strictObject({ tokenHash: hexDigest, leaseUntil: storedInstant })),
  resolution: z.exactOptional(
    z.strictObject({
      outcome: z.enum(RESOLUTIONS),
      result: z.exactOptional(storedValue),
      resolvedAt: instant,
      resolvedBy: z.string(),
      note: z.exactOptional(z.string()),
    }),
  ),
  retentionUntil: z.exactOptional(z.nullable(storedInstant)),
});

/** Beside the fields of one that is over. */
export const storedRetired = z.strictObject({
  retired: z.strictObject({
    outcome: z.enum(["not_started", "completed", "unknown", ...RESOLUTIONS]),
    erased: z.exactOptional(z.literal(true)),
    slot: z.nullable(nonce),
    freed: z.boolean(),
    scope: hexDigest,
  }),
});

/** Beside the fields of a reservation that was given back. */
export const storedVoided = z.strictObject({ voided: nonce });

/** Every name that this release keeps beside a receipt's fields. */
export const RECEIPT_EXTRAS: ReadonlySet<string> = new Set(
  [storedExtra, storedRetired, storedVoided].flatMap(({ shape }) => Object.keys(shape)),
);
