/** What the query routes of clients take, made of the machine's own inputs. */
import * as z from "zod/mini";
import { queryInputs } from "../machines/queries/inputs.ts";
import { cursorQuery } from "./email-schemas.ts";
import type { QuerySubmission } from "./query-submission.ts";
import { queryNumber } from "./route.ts";

/** Passed on as it came: the machine tells what is wrong by the original's codes. */
export const submissionBody = z.unknown() as z.core.$ZodType as z.core.$ZodType<
  QuerySubmission,
  QuerySubmission
>;

export const listQuery = z.strictObject({
  status: z.exactOptional(queryInputs.status),
  limit: z.exactOptional(queryNumber(1, 100)),
  cursor: cursorQuery,
});

export const generationBody = z.strictObject({ generation: queryInputs.generation });

/** Every number that a double keeps. */
export const generationQuery = z.pipe(
  z.pipe(
    z.string().check(z.regex(/^\d{1,16}$/, "must be a whole number from 1")),
    z.transform(Number),
  ),
  queryInputs.generation,
);

export const jobQuery = z.strictObject({ generation: generationQuery });
