/** What the routes of an operator take. */
import * as z from "zod";
import { queryInputs } from "../machines/queries/inputs.ts";
import { receiptInputs } from "../machines/receipts/inputs.ts";
import { PASS_MS_MAX, PASS_MS_MIN } from "../services/reconcile/budget.ts";
import { cursorQuery } from "./email-schemas.ts";
import { oneOf } from "./one-of.ts";
import { queryNumber } from "./route.ts";

export const stuckQuery = z.strictObject({
  limit: queryNumber(1, 100).exactOptional(),
  cursor: cursorQuery,
});

export const passBody = z.strictObject({
  dryRun: z.boolean().exactOptional(),
  budgetMs: z.int().min(PASS_MS_MIN).max(PASS_MS_MAX).exactOptional(),
});

export const collectionBody = z.strictObject({ limit: queryInputs.gcLimit.exactOptional() });

export const erasureFields = z.strictObject({
  email: z.string().exactOptional(),
  receipt: receiptInputs.id.exactOptional(),
  query: queryInputs.id.exactOptional(),
});

export const ERASED_BY = ["email", "receipt", "query"] as const;

export const erasureBody = oneOf(erasureFields, ...ERASED_BY);
