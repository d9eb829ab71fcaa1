/** What the query routes of clients take, made of the machine's own inputs. */
import * as z from "zod";
import { queryInputs } from "../machines/queries/inputs.ts";
import { cursorQuery } from "./email-schemas.ts";
import type { QuerySubmission } from "./query-submission.ts";
import { queryNumber } from "./route.ts";

/** Passed on as it came: the machine tells what is wrong by the original's codes. */
export const submissionBody = z.unknown() as z.ZodType as z.ZodType<
  QuerySubmission,
  QuerySubmission
>;

export const listQuery = z.strictObject({
  status: queryInputs.status.exactOptional(),
  limit: queryNumber(1, 100).exactOptional(),
  cursor: cursorQuery,
});

export const generationBody = z.strictObject({ generation: queryInputs.generation });

/** Every number that a double keeps. */
export const generationQuery = z
  .string()
  .regex(/^\d{1,16}$/, "must be a whole number from 1")
  .transform(Number)
  .pipe(queryInputs.generation);

export const jobQuery = z.strictObject({ generation: generationQuery });
