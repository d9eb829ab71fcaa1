/** What an answer of S3 other than success, or the lack of one, means: a fault, and what to do about it. */
import { type DurationMs, durationMs } from "../../../src/core/time.ts";
import {
  MisconfiguredError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../../src/ports/faults.ts";

export type Operation = "get" | "put" | "list" | "remove";

export interface Call {
  readonly operation: Operation;
  readonly bucket: string;
}

/** What the SDK and Node write on their errors. */
interface Told {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  /** Whose address was looked for. */
  readonly hostname?: unknown;
  /** Of one host with several addresses, one for each. */
  readonly errors?: readonly Told[];
  readonly $metadata?: { readonly httpStatusCode?: unknown };
  readonly $response?: { readonly headers?: Readonly<Record<string, unknown>> };
}

/** `status` null: no answer came. `code`: S3's own word for it, or the SDK's. */
interface Answered {
  readonly status: number | null;
  readonly code: string;
}

export function answerOf(error: unknown): Answered {
  const { name, $metadata }: Told = Object(error);
  const status = $metadata?.httpStatusCode;
  return { status: typeof status === "number" ? status : null, code: String(name) };
}

/** What the SDK says where the answer has no code, such as the page of a proxy. */
const NO_CODES: ReadonlySet<string> = new Set(["Error", "Unknown"]);

/** What the SDK calls a 404 without a body, whoever said it. */
const BARE_404 = "NotFound";

/**
 * Whether the status is S3's own: 404 is also what a missing bucket says, a proxy without a store, and a
 * gateway that just does not know its way.
 */
export function isVerdict({ status, code }: Answered): boolean {
  return status !== null && (status !== 404 || code === "NoSuchKey");
}

/** What a caller of the storage is thrown. */
export function faultOf(error: unknown, call: Call): Error {
  if (error instanceof MisconfiguredError || error instanceof StoreUnavailableError) return error;
  const { status, code } = answerOf(error);
  if (status === null) return unanswered(error, call);
  const cause = { cause: error };
  const said = ["S3 answered", status, ...(NO_CODES.has(code) ? [] : [code])].join(" ");
  if (isThrottle(status, code)) return new StoreThrottledError(said, retryAfterOf(error), cause);
  // S3's own word for a clock that is wrong; the SDK has set its own by the answer, so the next
  // request fares better.
  if (code === "RequestTimeTooSkewed") {
    const message = `${said}: this machine's clock is wrong`;
    return new StoreUnavailableError(message, { ...cause, isNotWritten: true });
  }
  const isTheirs = status >= 500 && status !== 501;
  if (isTheirs || status === 408 || code === "RequestTimeout" || code === BARE_404) {
    return new StoreUnavailableError(said, cause);
  }
  return new MisconfiguredError(`bucket ${call.bucket}: ${said}. ${adviceOn(status, code, call)}`, {
    cause: error,
  });
}

function isThrottle(status: number, code: string): boolean {
  return status === 429 || code === "SlowDown" || (status === 503 && code.startsWith("Throttl"));
}

/** Where the store names no time; the pauses between sends grow by themselves. */
const RETRY_AFTER_MS = durationMs(100);

/** Longer ones are the sender's own deadline's business. */
const RETRY_AFTER_MS_MAX = durationMs(60_000);

function retryAfterOf(error: unknown): DurationMs {
  const { $response }: Told = Object(error);
  const asked = Number($response?.headers?.["retry-after"]);
  if (!(asked > 0)) return RETRY_AFTER_MS;
  return durationMs(Math.min(Math.ceil(asked * 1_000), RETRY_AFTER_MS_MAX));
}

/** What the operation needs to be allowed. */
const ACTIONS: Readonly<Record<Operation, string>> = {
  get: "s3:GetObject, and s3:ListBucket, without which a missing key is forbidden to know of",
  put: "s3:PutObject, and s3:GetObject, which conditions need",
  list: "s3:ListBucket",
  remove: "s3:DeleteObject",
};

const REGION_CODES: ReadonlySet<string> = new Set([
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
  "PermanentRedirect",
]);

const CREDENTIAL_CODES: ReadonlySet<string> = new Set([
  "ExpiredToken",
  "InvalidAccessKeyId",
  "InvalidToken",
  "SignatureDoesNotMatch",
]);

function adviceOn(status: number, code: string, { operation }: Call): string {
  if (NO_CODES.has(code) && status !== 401 && status !== 403) {
    return "Something answers, but not as S3 does: correct the endpoint (HOLDFAST_ENDPOINT)";
  }
  if (code === "NoSuchBucket") {
    return "There is no such bucket: make it, or correct bucket (HOLDFAST_BUCKET), region (AWS_REGION) or endpoint (HOLDFAST_ENDPOINT)";
  }
  if (REGION_CODES.has(code) || (status >= 300 && status < 400)) {
    return "The bucket is in another region: set region (AWS_REGION) to it";
  }
  if (CREDENTIAL_CODES.has(code)) {
    return "It does not know the credentials: correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or where the SDK finds them";
  }
  if (code === "InvalidObjectState") {
    return "An object was moved to an archive: take the lifecycle rule away, and restore it";
  }
  if (status === 501) {
    return operation === "put"
      ? "This store lacks conditional writes (If-None-Match, If-Match), so it cannot be used"
      : "This store lacks a part of S3, so it cannot be used";
  }
  if (status === 401 || status === 403) return `The credentials need ${ACTIONS[operation]}`;
  return "Check bucket (HOLDFAST_BUCKET) and endpoint (HOLDFAST_ENDPOINT)";
}

/** Steps that come before anything of the request is sent. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);

/** Of a certificate or a protocol that does not fit, met before anything of the request is sent. */
const TLS_CODES = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_)/;
const NOT_TLS = /wrong version number|packet length too long/i;

function unanswered(error: unknown, { bucket }: Call): Error {
  const told: Told = Object(error);
  const message = String(told.message);
  const code = String(told.code);
  const reason = message === "" ? code : message;
  const cause = { cause: error };
  if (told.name === "CredentialsProviderError") {
    return new MisconfiguredError(
      `bucket ${bucket}: there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ` +
        "or give the machine a role",
      cause,
    );
  }
  if (/^Region (?:is missing|not accepted)/.test(message)) {
    return new MisconfiguredError(
      `bucket ${bucket}: ${message.replace(/\.?$/, ".")} Set region (AWS_REGION), us-east-1 where the store has none, auto for R2`,
      cause,
    );
  }
  if (TLS_CODES.test(code) || NOT_TLS.test(message)) {
    return new MisconfiguredError(
      `no TLS with the store of bucket ${bucket}: ${message}. Correct endpoint (HOLDFAST_ENDPOINT), or trust ` +
        "its certificate (NODE_EXTRA_CA_CERTS)",
      cause,
    );
  }
  if (isNeverConnected(told)) {
    const style = isBucketInHost(told, bucket) ? PATH_STYLE_ADVICE : "";
    const unreached = `the store of bucket ${bucket} cannot be reached (HOLDFAST_ENDPOINT, AWS_REGION)`;
    return new StoreUnavailableError(`${unreached}: ${reason}${style}`, {
      ...cause,
      isNotWritten: true,
    });
  }
  return new StoreUnavailableError(`no answer from the store: ${reason}`, cause);
}

const PATH_STYLE_ADVICE =
  ". Where the bucket's name is no part of a host's, set forcePathStyle (HOLDFAST_PATH_STYLE=true, " +
  "or path-style=true in a storage's name)";

/** Whether no host of that name was found; AWS has one for each bucket. */
function isBucketInHost({ hostname }: Told, bucket: string): boolean {
  const host = String(hostname);
  return host.startsWith(`${bucket}.`) && !/\.amazonaws\.com(?:\.cn)?$/.test(host);
}

function isNeverConnected(told: Told): boolean {
  if (String(told.message).includes("did not establish a connection")) return true;
  return (told.errors ?? [told]).every(({ syscall }) => BEFORE_SENDING.has(syscall));
}
