/** What may be logged of a fault. */
import {
  ContendedError,
  MisconfiguredError,
  OutcomeUnknownError,
  RecordCorruptError,
  StoreThrottledError,
  StoreUnavailableError,
} from "../ports/faults.ts";

const OURS = [
  StoreUnavailableError,
  StoreThrottledError,
  OutcomeUnknownError,
  ContendedError,
  RecordCorruptError,
  MisconfiguredError,
];

/** Our own faults name files and hosts, never content. What others throw may quote anything. */
export function faultFields(error: unknown): { fault: string; message?: string; stack?: string } {
  if (!(error instanceof Error)) return { fault: typeof error };
  const { name, stack = "" } = error;
  if (OURS.some((ours) => error instanceof ours)) return { fault: name, message: error.message };
  // Frames only: a stack begins with the message.
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return { fault: name, stack: frames.slice(0, 20).join("\n") };
}
