/** The receipt calls: one for each route. */
import type { Call } from "./call.ts";
import { get, queryText } from "./emails.ts";
import type { CallOptions, ReceiptRoutes, RouteAnswer, RouteBody, RouteQuery } from "./types.ts";
import { uuid } from "./wire.ts";

type Body<R extends keyof ReceiptRoutes> = RouteBody<ReceiptRoutes[R]>;
type Answer<R extends keyof ReceiptRoutes> = Promise<RouteAnswer<ReceiptRoutes[R]>>;

/**
 * `id` is a receipt's id, as `prepare` answers it. Every call throws HoldfastError; `receipt_not_found`,
 * `operation_expired` and `record_corrupt` are possible wherever there is an id.
 */
export interface ReceiptsClient {
  /** Binds an operation to its payload, once. Throws `operation_receipt_conflict`, `operation_receipt_capacity`. */
  prepare(body: Body<"prepare">, options?: CallOptions): Answer<"prepare">;
  /** One page; it may be short, even empty, and have a `nextCursor`. */
  list(query?: RouteQuery<ReceiptRoutes["list"]>, options?: CallOptions): Answer<"list">;
  read(id: string, options?: CallOptions): Answer<"read">;
  /**
   * Takes the right to run the side effect; run it only when `owned`. Without a `dispatchToken` in its body
   * it has one of its own, so that its retries are known to be the owner's. Throws `invalid_receipt_state`.
   */
  dispatch(id: string, body?: Body<"dispatch">, options?: CallOptions): Answer<"dispatch">;
  /** Throws `dispatch_lost`. */
  renew(id: string, body: Body<"renew">, options?: CallOptions): Answer<"renew">;
  /** Tells what came of it. Throws `dispatch_lost`, `already_resolved`, `operation_receipt_conflict`. */
  accept(id: string, body: Body<"accept">, options?: CallOptions): Answer<"accept">;
  complete(id: string, options?: CallOptions): Answer<"complete">;
  /** Throws `dispatch_lost` while another's dispatch lives. */
  markUnknown(id: string, body?: Body<"unknown">, options?: CallOptions): Answer<"unknown">;
  /** A person's answer, which stands for ever. Throws `already_resolved`, `dispatch_live`. */
  resolve(id: string, body: Body<"resolve">, options?: CallOptions): Answer<"resolve">;
  /** One page of lapsed dispatches, made unknown. */
  recover(body?: Body<"recover">, options?: CallOptions): Answer<"recover">;
}

export function receiptsClient(call: Call): ReceiptsClient {
  const post = <T>(path: string, body: unknown, options?: CallOptions) =>
    call<T>({ method: "POST", path, body }, options);
  const pathOf = (id: string): string => `/v1/receipts/${encodeURIComponent(id)}`;
  return {
    prepare: (body, options) => post("/v1/receipts", body, options),
    list: (query, options) => call(get(`/v1/receipts${queryText(query)}`), options),
    read: (id, options) => call(get(pathOf(id)), options),
    dispatch: (id, body = {}, options) => {
      const { dispatchToken = uuid(), ...rest } = body;
      return post(`${pathOf(id)}/dispatches`, { ...rest, dispatchToken }, options);
    },
    renew: (id, body, options) => post(`${pathOf(id)}/dispatch-renewals`, body, options),
    accept: (id, body, options) => post(`${pathOf(id)}/acceptances`, body, options),
    complete: (id, options) => post(`${pathOf(id)}/completions`, undefined, options),
    markUnknown: (id, body = {}, options) => post(`${pathOf(id)}/unknowns`, body, options),
    resolve: (id, body, options) => post(`${pathOf(id)}/resolutions`, body, options),
    recover: (body = {}, options) => post("/v1/receipt-recoveries", body, options),
  };
}
