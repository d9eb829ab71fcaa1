/** One route: what it takes, answers and refuses. The app, the document and the client are made of these. */
import * as z from "zod";
import { issuesOf } from "../core/issues.ts";
import { JSON_VALUES_MAX } from "../core/json.ts";
import type { DurationMs } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import type { TenantServices } from "../services/services.ts";
import type { Principal, Scope } from "./keys.ts";
import type { Problem, ProblemCode, problemBody } from "./problem.ts";
import type { Tickets } from "./tickets.ts";

/** Bodies that a route takes unless it says otherwise. */
export const BODY_BYTES_MAX = 1_048_576;

/** A batch of bodies. */
export const BATCH_BYTES_MAX = 4 * BODY_BYTES_MAX;

/** Values of one body: what one payload may have, and a few around it. */
export const BODY_VALUES_MAX = JSON_VALUES_MAX + 100;

/** Of a batch: four hundred for each of its items, which a job of a person's making never has. */
export const BATCH_VALUES_MAX = 40_000;

/** What a request brought, before its route has looked at it. */
export interface RawCall {
  readonly tenant: TenantServices;
  readonly caller: Principal;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
  /** Aborted when the process is to end: whatever takes long ends early then. */
  readonly stopping: AbortSignal;
  /** A problem as the body of an answer has it. */
  readonly told: (problem: Problem) => ReturnType<typeof problemBody>;
  /** Null: the service has no secret for them. */
  readonly tickets: Tickets | null;
  /** Null: JSON is asked for, or this route has nothing else. */
  readonly streaming: Streaming | null;
}

/** What an answer that goes on has to know. */
export interface Streaming {
  /** Of the request's header; null: it has none. */
  readonly lastEventId: string | null;
  readonly clock: Clock;
  /** After how long its reader is told to connect again. */
  readonly rotationMs: DurationMs;
  /** Registers what ends it when the process is to end; the result takes that back. */
  readonly onStopping: (end: () => void) => () => void;
  /** Logs what went wrong after the answer had begun. */
  readonly failed: (fault: unknown) => void;
}

export interface Call<Body, Query> extends Omit<RawCall, "json" | "query"> {
  readonly body: Body;
  readonly query: Query;
}

/** An answer that goes on: `text/event-stream`. */
export interface StreamAnswer {
  readonly status: 200;
  readonly stream: ReadableStream<Uint8Array>;
}

export type Answer =
  | { readonly status: number; readonly body: unknown }
  | StreamAnswer
  | { readonly problem: Problem };

/** Schemas of answers by status; null: no content. */
export type Replies = Readonly<Record<number, z.ZodType | null>>;

type ReplyOf<R extends Replies> =
  | {
      [S in keyof R & number]: R[S] extends z.ZodType
        ? { readonly status: S; readonly body: z.output<R[S]> }
        : { readonly status: S; readonly body: null };
    }[keyof R & number]
  | StreamAnswer
  | { readonly problem: Problem };

export interface RouteText {
  /** The operation's name in the document and the client; unique. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Of the body. */
  readonly example?: unknown;
}

interface Spec<B extends z.ZodType, Q extends z.ZodObject, R extends Replies> extends RouteText {
  readonly method: "GET" | "POST" | "PUT";
  /** With `{k}` where a parameter stands. */
  readonly path: string;
  /** Null: no key is asked for. `any`: any key does. */
  readonly scope: Scope | "any";
  readonly body?: B;
  readonly bodyBytesMax?: number;
  readonly bodyValuesMax?: number;
  /**
   * Which of its like run at once; all, unless it says otherwise. `heavy`: its answer may be large, so only
   * a few. `long`: it may take as long as a client waits, so one of each tenant.
   */
  readonly gate?: "heavy" | "long";
  readonly query?: Q;
  readonly replies: R;
  /** Codes of what is not valid at these places, where it is another than `invalid_request`. */
  readonly codes?: Readonly<Record<string, ProblemCode>>;
  /** What its stream is, for the document; without it there is none. A stream passes no gate. */
  readonly stream?: string;
  /** Refusals of this route beside those that every route has. */
  readonly problems: readonly ProblemCode[];
  readonly handle: (call: Call<z.output<B>, z.output<Q>>) => Promise<ReplyOf<R>>;
}

export interface Route<
  B extends z.ZodType = z.ZodType,
  Q extends z.ZodObject = z.ZodObject,
  R extends Replies = Replies,
> extends Omit<
    Spec<B, Q, R>,
    "handle" | "body" | "query" | "bodyBytesMax" | "bodyValuesMax" | "gate" | "stream" | "codes"
  > {
  readonly body: B | null;
  readonly query: Q | null;
  readonly bodyBytesMax: number;
  readonly bodyValuesMax: number;
  readonly gate: "heavy" | "long" | null;
  readonly stream: string | null;
  /** Checks the call and carries it out. */
  readonly run: (call: RawCall) => Promise<Answer>;
}

const NOTHING = z.strictObject({});

export function route<
  R extends Replies,
  B extends z.ZodType = typeof NOTHING,
  Q extends z.ZodObject = typeof NOTHING,
>(spec: Spec<B, Q, R>): Route<B, Q, R> {
  const {
    handle,
    body = null,
    query = null,
    gate = null,
    stream = null,
    codes = {},
    ...rest
  } = spec;
  const { bodyBytesMax = BODY_BYTES_MAX, bodyValuesMax = BODY_VALUES_MAX } = spec;
  const bodySchema = body ?? NOTHING;
  const querySchema = query ?? NOTHING;
  return {
    ...rest,
    body,
    query,
    bodyBytesMax,
    bodyValuesMax,
    gate,
    stream,
    async run({ json, query: given, ...call }) {
      const checkedBody = bodySchema.safeParse(json);
      if (!checkedBody.success) return invalid(checkedBody.error, codes);
      const checkedQuery = querySchema.safeParse(given);
      if (!checkedQuery.success) return invalid(checkedQuery.error, codes);
      return handle({
        ...call,
        body: checkedBody.data as z.output<B>,
        query: checkedQuery.data as z.output<Q>,
      });
    },
  };
}

function invalid(error: z.ZodError, codes: Readonly<Record<string, ProblemCode>>): Answer {
  const errors = issuesOf(error);
  const path = errors[0]?.path ?? "";
  // A property may be called `constructor`.
  const own = Object.hasOwn(codes, path) ? codes[path] : undefined;
  const code = own ?? "invalid_request";
  return { problem: { code, detail: "the request is not valid", errors } };
}

/** An answer with content. */
export function reply<S extends number, T>(
  status: S,
  body: T,
): { readonly status: S; readonly body: T } {
  return { status, body };
}

/** A whole number in a query string. */
export function queryNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}
