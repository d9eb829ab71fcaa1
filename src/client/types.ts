/** What the routes take and answer, read off their schemas: another field there is another type here. */
import type * as z from "zod";
import type { RepliesOf } from "../http/documents.ts";
import type { emailRoutes } from "../http/emails.ts";
import type { operationRoutes } from "../http/operations.ts";
import type { queryRoutes } from "../http/queries.ts";
import type { queryEventRoutes } from "../http/query-events.ts";
import type { receiptRoutes } from "../http/receipts.ts";
import type { Route } from "../http/route.ts";

export type EmailRoutes = typeof emailRoutes;
export type ReceiptRoutes = typeof receiptRoutes;
export type QueryRoutes = typeof queryRoutes & typeof queryEventRoutes;
export type OperationRoutes = typeof operationRoutes;

/** The body as a caller writes it. */
export type RouteBody<R> = R extends Route<infer B, infer _Q, infer _I> ? Given<z.input<B>> : never;

/** The query as the route reads it: numbers are numbers. */
export type RouteQuery<R> =
  R extends Route<infer _B, infer Q, infer _I> ? Given<z.output<Q>> : never;

/** The answer's content, of whichever good status; null for the one without content. */
export type RouteAnswer<R> =
  R extends Route<infer _B, infer _Q, infer I> ? Contents<RepliesOf<I>> : never;

type Contents<A> = { [S in keyof A]: A[S] extends z.ZodType ? z.output<A[S]> : null }[keyof A];

/** The service only reads what it is given, so that constants and frozen values will do. */
type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;

/** An email job; its payload's own fields stand beside those of every job. */
export type Job = RouteAnswer<EmailRoutes["read"]>["job"];

/** What is known of one operation. */
export type Receipt = RouteAnswer<ReceiptRoutes["read"]>["receipt"];

/** A query job. It never holds what was asked. */
export type QueryJob = RouteAnswer<QueryRoutes["read"]>["job"];

/** What was asked, for whoever answers it. */
export type QueryRequest = NonNullable<RouteAnswer<QueryRoutes["start"]>["request"]>;

/** One event of a job's log. */
export type QueryEvent = RouteAnswer<QueryRoutes["events"]>["events"][number];

/** One call's own. */
export interface CallOptions {
  /** Ends the call at once, which then throws the signal's reason. It may have been carried out. */
  readonly signal?: AbortSignal;
  /** Names the call in the service's log: 1 to 128 visible ASCII characters; a fresh UUID by default. */
  readonly requestId?: string;
  /** How long the call may take, its retries and their waits included; `retry.deadlineMs` by default. */
  readonly timeoutMs?: number;
  /** How often it is tried at most; `retry.attempts` by default. */
  readonly attempts?: number;
}
