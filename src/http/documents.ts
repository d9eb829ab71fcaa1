/** What the document says of every route, by its id. The routes import the types alone. */
import { emailClaimsDocument } from "./email-claims-document.ts";
import { emailConfigDocument } from "./email-config-document.ts";
import { emailLeasesDocument } from "./email-leases-document.ts";
import { emailsDocument } from "./emails-document.ts";
import { operationsDocument } from "./operations-document.ts";
import { queriesDocument } from "./queries-document.ts";
import { queryEventsDocument } from "./query-events-document.ts";
import { queryRunsDocument } from "./query-runs-document.ts";
import { receiptsDocument } from "./receipts-document.ts";
import type { RouteDocument } from "./route-document.ts";

export const DOCUMENTS = {
  ...emailsDocument,
  ...emailLeasesDocument,
  ...emailClaimsDocument,
  ...emailConfigDocument,
  ...receiptsDocument,
  ...queriesDocument,
  ...queryRunsDocument,
  ...queryEventsDocument,
  ...operationsDocument,
};

/** A route without a document does not compile. */
export type RouteId = keyof typeof DOCUMENTS;

/** What the route answers, by status. */
export type RepliesOf<I extends RouteId> = (typeof DOCUMENTS)[I]["replies"];

export function documentOf({ id }: { readonly id: RouteId }): RouteDocument {
  return DOCUMENTS[id];
}
