/** What the routes of an operator take. */
import * as z from "zod/mini";
import { queryInputs } from "../machines/queries/inputs.ts";
import { receiptInputs } from "../machines/receipts/inputs.ts";
import { PASS_MS_MAX, PASS_MS_MIN } from "../services/reconcile/budget.ts";
import { cursorQuery } from "./email-schemas.ts";
import { oneOf } from "./one-of.ts";
import { queryNumber } from "./route.ts";

export const stuckQuery = z.strictObject({
  limit: z.exactOptional(queryNumber(1, 100)),
  cursor: cursorQuery,
});

export const passBody = z.strictObject({
  dryRun: z.exactOptional(z.boolean()),
  budgetMs: z.exactOptional(z.int().check(z.minimum(PASS_MS_MIN), z.maximum(PASS_MS_MAX))),
});

export const collectionBody = z.strictObject({ limit: z.exactOptional(queryInputs.gcLimit) });

export const erasureFields = z.strictObject({
  email: z.exactOptional(z.string()),
  receipt: z.exactOptional(receiptInputs.id),
  query: z.exactOptional(queryInputs.id),
});

export const ERASED_BY = ["email", "receipt", "query"] as const;

export const erasureBody = oneOf(erasureFields, ...ERASED_BY);
