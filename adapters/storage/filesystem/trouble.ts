/** Errors of the system as faults of the store. */
import { AssertionError } from "../../../src/core/assert.ts";
import type { Key } from "../../../src/core/key.ts";
import {
  ContendedError,
  FolderInUseError,
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  StoreUnavailableError,
} from "../../../src/ports/faults.ts";
import type { Trouble } from "./calls.ts";
import { codeOf } from "./disk.ts";
import { corruptIfNoFile, corruptIfUnreadable } from "./record-bytes.ts";

/** What a thread reported, as an error with the system's `code` again. */
export function troubleError(trouble: Trouble): Error {
  if (trouble.isBug) return new AssertionError(trouble.message);
  return Object.assign(new Error(trouble.message), { code: trouble.code });
}

/** An error as data, to be sent: sending one as it is would lose its `code`. */
export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Error)) return { message: String(error), code: null, isBug: false };
  const isBug = error instanceof AssertionError;
  return { message: error.message, code: codeOf(error), isBug };
}

/** Also of an error that arrived as data. */
export function errorOf(error: unknown): unknown {
  return isTrouble(error) ? troubleError(error) : error;
}

/** `error` if it is a fault or a bug, else StoreUnavailableError with it as the cause. */
export function storeFault(what: string, error: unknown): unknown {
  if (isFault(error)) return error;
  return new StoreUnavailableError(`${what}: ${messageOf(error)}`, { cause: error });
}

/** The same for one record, where what cannot be read as a file makes it corrupt. */
export function recordFault(key: Key, file: string, error: unknown): unknown {
  return storeFault(`record ${key} (${file})`, corruptIfUnreadable(key, error));
}

/** What the system says before it has done anything; after an EIO, say, only a look can tell. */
const REFUSALS: ReadonlySet<string> = new Set(
  "ENOSPC EDQUOT EROFS EACCES EPERM EMFILE ENFILE".split(" "),
);

/** Of a write whose name was not seen to come into place. */
export function writeFault(key: Key, file: string, error: unknown): unknown {
  const fault = corruptIfNoFile(key, error);
  if (isFault(fault)) return fault;
  const message = `record ${key} (${file}): ${messageOf(error)}`;
  const isNotWritten = REFUSALS.has(codeOf(error) ?? "");
  return new StoreUnavailableError(message, { cause: error, isNotWritten });
}

/** Runs what has to be done before a write is begun: where it fails, nothing was written. */
export async function beforeWriting<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFault(error) && !(error instanceof StoreUnavailableError)) throw error;
    const message = `${what}: ${messageOf(error)}`;
    throw new StoreUnavailableError(message, { cause: error, isNotWritten: true });
  }
}

/** A path that a person has to look at before the folder can be used. */
export function misconfigured(path: string, error: unknown): unknown {
  if (isFault(error)) return error;
  return new MisconfiguredError(`${path} cannot be used: ${messageOf(error)}`, { cause: error });
}

function isFault(error: unknown): boolean {
  return (
    error instanceof AssertionError ||
    error instanceof ContendedError ||
    error instanceof FolderInUseError ||
    error instanceof MisconfiguredError ||
    error instanceof OutcomeUnknownError ||
    error instanceof RecordCorruptError ||
    error instanceof StoreUnavailableError
  );
}

function isTrouble(error: unknown): error is Trouble {
  return (
    typeof error === "object" && error !== null && !(error instanceof Error) && "message" in error
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
