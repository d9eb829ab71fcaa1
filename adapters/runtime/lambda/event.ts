/**
 * The events by which AWS tells a function of an HTTP request, made one of. Who decodes what was found by
 * sending: function URLs, REST APIs and load balancers leave a path as it came, HTTP APIs decode it (twice);
 * parameters are decoded by REST APIs, and by HTTP APIs in their old format.
 */
import * as z from "zod/mini";

/** Through what a request came. */
export type Source = "function URL" | "HTTP API" | "REST API" | "load balancer";

export interface HttpEvent {
  readonly source: Source;
  readonly method: string;
  /** Percent-encoded, with its first slash. */
  readonly path: string;
  /** Percent-encoded, without a question mark. */
  readonly query: string;
  /** One name may stand there several times. */
  readonly headers: readonly (readonly [string, string])[];
  /** Stands where no header says it. */
  readonly host: string | null;
  readonly body: string;
  readonly isBase64Encoded: boolean;
  /** In which form the answer is taken. */
  readonly form: "2.0" | "single" | "multi";
}

const texts = z.record(z.string(), z.string());
const lists = z.record(z.string(), z.array(z.string()));

const common = {
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
};

const place = {
  stage: z.nullish(z.string()),
  domainName: z.nullish(z.string()),
};

const format2 = z.object({
  version: z.literal("2.0"),
  rawPath: z.string(),
  rawQueryString: z.nullish(z.string()),
  cookies: z.nullish(z.array(z.string())),
  headers: z.nullish(texts),
  requestContext: z.object({ ...place, http: z.object({ method: z.string() }) }),
  ...common,
});

const format1 = z.object({
  /** Of HTTP APIs alone. */
  version: z.nullish(z.literal("1.0")),
  httpMethod: z.string(),
  path: z.string(),
  headers: z.nullish(texts),
  multiValueHeaders: z.nullish(lists),
  queryStringParameters: z.nullish(texts),
  multiValueQueryStringParameters: z.nullish(lists),
  requestContext: z.object({ ...place, elb: z.optional(z.unknown()) }),
  ...common,
});

/** Throws TypeError for what is no HTTP request, with the names of its properties and nothing of them. */
export function httpEventOf(event: unknown): HttpEvent {
  const two = format2.safeParse(event);
  if (two.success) return fromFormat2(two.data);
  const one = format1.safeParse(event);
  if (one.success) return fromFormat1(one.data);
  throw new TypeError(
    `this handler takes HTTP requests of function URLs, API Gateway and load balancers, and got ${shapeOf(event)}`,
  );
}

export function isHttpEvent(event: unknown): boolean {
  return format2.safeParse(event).success || format1.safeParse(event).success;
}

const NAMES_MAX = 12;
const NAME_CHARS_MAX = 40;

/** For an error: what sort of event it is, with none of its content. */
export function shapeOf(event: unknown): string {
  if (typeof event !== "object" || event === null) return `a ${typeof event}`;
  const names = Object.keys(event).slice(0, NAMES_MAX);
  const told = names.map((name) => name.slice(0, NAME_CHARS_MAX)).join(", ");
  return told === "" ? "an empty object" : `an object with ${told}`;
}

function fromFormat2(event: z.output<typeof format2>): HttpEvent {
  const { rawPath, requestContext, cookies } = event;
  const { stage, domainName, http } = requestContext;
  const isUrl = /\.lambda-url\./.test(domainName ?? "");
  const headers = Object.entries(event.headers ?? {}).filter(([name]) => !isCookie(name));
  const told = Object.entries(event.headers ?? {}).filter(([name]) => isCookie(name));
  const cookie = cookies?.length ? [["cookie", cookies.join("; ")] as const] : told;
  return {
    source: isUrl ? "function URL" : "HTTP API",
    method: http.method,
    path: isUrl ? rawPath : encoded(withoutStage(rawPath, stage)),
    query: event.rawQueryString ?? "",
    headers: [...headers, ...cookie],
    host: domainName ?? null,
    ...bodyOf(event),
    form: "2.0",
  };
}

function fromFormat1(event: z.output<typeof format1>): HttpEvent {
  const { path, version, httpMethod: method, multiValueHeaders, requestContext } = event;
  const { stage, domainName, elb } = requestContext;
  const isBalancer = elb !== undefined && elb !== null;
  const isDecoded = version === "1.0";
  const ownPath = withoutStage(path, stage);
  const isMulti = !isBalancer || (multiValueHeaders ?? null) !== null;
  return {
    source: isBalancer ? "load balancer" : isDecoded ? "HTTP API" : "REST API",
    method,
    path: isDecoded ? encoded(ownPath) : ownPath,
    query: queryOf(event, isBalancer),
    headers: pairsOf(multiValueHeaders, event.headers),
    host: domainName ?? null,
    ...bodyOf(event),
    form: isMulti ? "multi" : "single",
  };
}

function isCookie(name: string): boolean {
  return name.toLowerCase() === "cookie";
}

function bodyOf({ body, isBase64Encoded }: z.output<typeof format1 | typeof format2>) {
  return { body: body ?? "", isBase64Encoded: isBase64Encoded === true };
}

/** Those with all values, where they are told. */
function pairsOf(
  multi: Readonly<Record<string, readonly string[]>> | null | undefined,
  single: Readonly<Record<string, string>> | null | undefined,
): readonly (readonly [string, string])[] {
  if (multi === null || multi === undefined) return Object.entries(single ?? {});
  return Object.entries(multi).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
}

function queryOf(event: z.output<typeof format1>, isEncoded: boolean): string {
  const pairs = pairsOf(event.multiValueQueryStringParameters, event.queryStringParameters);
  if (isEncoded) return pairs.map(([name, value]) => `${name}=${value}`).join("&");
  return new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, value]),
  ).toString();
}

/** Where our paths begin: what looks like a stage in front of another is none. */
const OURS = /^\/(?:v1\/|healthz$|readyz$|docs$|openapi\.json$)/;

/** The address of a stage has its name in front, which is none of our business. */
function withoutStage(path: string, stage: string | null | undefined): string {
  const rest = path.slice(1 + (stage ?? "").length);
  return path.startsWith(`/${stage}/`) && OURS.test(rest) ? rest : path;
}

/** Of a path that was decoded: a slash that was none cannot be told any more. */
function encoded(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
