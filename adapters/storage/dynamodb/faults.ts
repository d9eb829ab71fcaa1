/** Errors of the SDK and of the network as faults of the store. */
import { durationMs } from "../../../src/core/time.ts";
import {
  ContendedError,
  MisconfiguredError,
  RecordTooLargeError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../../../src/ports/faults.ts";

/** What a person is told of a storage that cannot be used. */
export interface Where {
  readonly table: string;
  readonly region: string;
  /** Null: AWS, as far as the client tells. */
  readonly endpoint: string | null;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const THROTTLED = names(
  "ProvisionedThroughputExceededException ThrottlingException RequestLimitExceeded",
);

/** Turned away because another writer has the item just now. */
const CONTENDED = names("TransactionConflictException ReplicatedWriteConflictException");

const WRONG_CREDENTIALS = names(
  "UnrecognizedClientException InvalidSignatureException IncompleteSignatureException " +
    "MissingAuthenticationTokenException InvalidClientTokenId ExpiredTokenException",
);

/** What the SDK calls a clock that is off; a signature may also be wrong by its key. */
const ABOUT_TIME = names("RequestExpired RequestInTheFuture RequestTimeTooSkewed");
const SIGNED_AT_ANOTHER_TIME = /expired|not yet current/i;

/** Nothing was sent. A time-out is not among them: it is the same for a connection that was made. */
const NOT_CONNECTED = names(
  "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL",
);

/** The time for one request was up. */
export class TimeUpError extends Error {
  override readonly name = "TimeUpError";
  /** False: the credentials did not come, so nothing was sent, nor will be. */
  readonly isSent: boolean;

  constructor(ms: number, isSent: boolean) {
    super(`${isSent ? "no answer" : "no credentials"} within ${ms / 1_000} s`);
    this.isSent = isSent;
  }
}

/** A success that somebody on the way to DynamoDB answered; what became of the request is not known. */
export class NotDynamodbError extends Error {
  override readonly name = "NotDynamodbError";

  constructor() {
    super("the answer is not DynamoDB's; a proxy's?");
  }
}

/** A partition gets its share anew each second. */
const RETRY_AFTER = durationMs(100);

/** `error` as the fault that it is, for a write also in what is known of it; a refusal is left as it is. */
export function storeFault(where: Where, error: unknown): unknown {
  if (isRefusal(error)) return error;
  const name = nameOf(error);
  const message = `DynamoDB table ${where.table}: ${messageOf(error)}`;
  const options = { cause: error };
  if (THROTTLED.has(name)) return new StoreThrottledError(message, RETRY_AFTER, options);
  if (CONTENDED.has(name)) return new ContendedError(message, options);
  if (isTooLarge(name, error)) return new RecordTooLargeError(message, options);
  const advice = adviceOn(name, where, error);
  if (advice !== null) return new MisconfiguredError(`${advice}: ${messageOf(error)}`, options);
  if (isAboutTime(name, error)) {
    const wrong = `this machine's clock is wrong: ${messageOf(error)}`;
    // The SDK has learnt the service's time by it, so that the next request fares better.
    return new StoreUnavailableError(wrong, { ...options, isNotWritten: true });
  }
  const isNotWritten = isNotConnected(error) || (error instanceof TimeUpError && !error.isSent);
  if (isNotWritten || isUnanswered(name)) {
    const { region, endpoint } = where;
    const at = endpoint === null ? "" : `, at the endpoint ${endpoint} (HOLDFAST_ENDPOINT)`;
    const place = `in the region ${region} (AWS_REGION)${at}`;
    const unreached = `DynamoDB cannot be reached ${place}: ${messageOf(error)}`;
    return new StoreUnavailableError(unreached, { ...options, isNotWritten });
  }
  return new StoreUnavailableError(message, options);
}

/**
 * The fault of one conditional write. When the client sent it more than once, an earlier copy may have
 * been stored whatever the last one was told, so that only a look can tell.
 */
export function writeFault(where: Where, error: unknown): unknown {
  if (attemptsOf(error) === 1) return storeFault(where, error);
  const message = `DynamoDB table ${where.table}: sent more than once, at last: ${messageOf(error)}`;
  return new StoreUnavailableError(message, { cause: error });
}

/** How often the client sent the request. */
function attemptsOf(error: unknown): number {
  return Number(metadataOf(error)["attempts"] ?? 1);
}

/**
 * The fault of a query of the due index, of a table that is there: some services say of a missing index
 * what they say of a missing table.
 */
export function indexFault({ table }: Where, fault: unknown): unknown {
  if (!(fault instanceof MisconfiguredError)) return fault;
  const { cause } = fault;
  const isMissing =
    isNamed(cause, "ResourceNotFoundException") ||
    (isNamed(cause, "ValidationException") && /\bindex\b/i.test(messageOf(cause)));
  if (!isMissing || isBackfilling(cause)) return fault;
  const message = `DynamoDB table ${table} (HOLDFAST_TABLE) has no index "due"; ${ANOTHER_TABLE}`;
  return new MisconfiguredError(`${message}: ${messageOf(cause)}`, { cause });
}

/** Whether a write was refused because its condition did not hold. */
export function isRefusal(error: unknown): boolean {
  return isNamed(error, "ConditionalCheckFailedException");
}

export function isNamed(error: unknown, name: string): boolean {
  return nameOf(error) === name;
}

function isTooLarge(name: string, error: unknown): boolean {
  return (
    name === "ItemCollectionSizeLimitExceededException" ||
    // One name for everything that is wrong with a request; only its text tells them apart.
    (name === "ValidationException" && /size has exceeded/i.test(messageOf(error)))
  );
}

/** What to do about a table that somebody made for something else. */
export const ANOTHER_TABLE = 'name another table, which "holdfast table create" makes';

/** What is said where the answer names no error of DynamoDB's, such as a web page. */
const NO_NAMES = names("SyntaxError Error Unknown UnknownError");

/** By its status something that is no DynamoDB turned the request away. */
function isForeign(name: string, error: unknown): boolean {
  const status = Number(metadataOf(error)["httpStatusCode"]);
  const isRefused =
    (status >= 400 && status < 500 && status !== 408 && status !== 429) || status === 501;
  return isRefused && NO_NAMES.has(name);
}

/** The command that makes the table, also for who named it elsewhere than in the environment. */
function creation({ table, region, endpoint }: Where): string {
  const at = endpoint === null ? "" : ` HOLDFAST_ENDPOINT=${endpoint}`;
  return `AWS_REGION=${region}${at} HOLDFAST_STORAGE=dynamodb HOLDFAST_TABLE=${table} holdfast table create`;
}

/** What a person has to change, or null. */
function adviceOn(name: string, where: Where, error: unknown): string | null {
  const { table, region, endpoint } = where;
  const quoted = `table ${table} (HOLDFAST_TABLE)`;
  if (name === "ResourceNotFoundException") {
    return `there is no DynamoDB ${quoted} in ${region} (AWS_REGION); make it with "${creation(where)}"`;
  }
  if (name === "AccessDeniedException") {
    return `DynamoDB denies the use of ${quoted}; allow the actions that the README lists for it`;
  }
  if (name === "ValidationException" && !isBackfilling(error)) {
    return `DynamoDB ${quoted} does not fit; ${ANOTHER_TABLE}`;
  }
  if (isForeign(name, error)) {
    return `something answers at ${endpoint ?? "the endpoint"}, but not as DynamoDB does; correct the endpoint (HOLDFAST_ENDPOINT)`;
  }
  if (name === "CredentialsProviderError") {
    return "there are no credentials for DynamoDB; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or an AWS_PROFILE that exists, or give the process a role";
  }
  if (WRONG_CREDENTIALS.has(name) && !isAboutTime(name, error)) {
    return `DynamoDB does not take the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, or a role's) in ${region} (AWS_REGION)`;
  }
  return null;
}

/** An index that was added to a table is filled first, which passes. */
function isBackfilling(error: unknown): boolean {
  return /backfilling/i.test(messageOf(error));
}

/**
 * The signature was too old or too new. The SDK's own mark of it, clockSkewCorrected, will not do: on a
 * machine whose clock is off it stands on every error, also on one of a write that was carried out.
 */
function isAboutTime(name: string, error: unknown): boolean {
  return (
    ABOUT_TIME.has(name) ||
    (name === "InvalidSignatureException" && SIGNED_AT_ANOTHER_TIME.test(messageOf(error)))
  );
}

/** Of our own limit, and of the SDK's for one attempt. */
function isUnanswered(name: string): boolean {
  return name === "TimeUpError" || name === "TimeoutError";
}

function isNotConnected(error: unknown): boolean {
  return NOT_CONNECTED.has(String(fieldsOf(error)["code"]));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses were tried in vain: the error of all has a code and no message.
  return error.message || String(fieldsOf(error)["code"] ?? error.name);
}

function metadataOf(error: unknown): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(error)["$metadata"]);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
