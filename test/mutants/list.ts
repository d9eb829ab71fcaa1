/** Every fault that is planted; the seeded ones of the protocols among them. */
import { CLOUD_MUTANTS } from "./cloud.ts";
import { EMAIL_MUTANTS } from "./emails.ts";
import { FOLDER_MUTANTS } from "./folder.ts";
import type { Mutant } from "./mutant.ts";
import { QUERY_MUTANTS } from "./queries.ts";
import { RECEIPT_MUTANTS } from "./receipts.ts";
import { STORE_MUTANTS } from "./store.ts";

export const MUTANTS: readonly Mutant[] = [
  ...STORE_MUTANTS,
  ...EMAIL_MUTANTS,
  ...RECEIPT_MUTANTS,
  ...QUERY_MUTANTS,
  ...FOLDER_MUTANTS,
  ...CLOUD_MUTANTS,
];
