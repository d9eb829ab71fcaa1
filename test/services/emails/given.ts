/** Payloads, and the short ways to a job in some state, that the cases of the email suite share. */
import { expect } from "vitest";
import type { EmailStateName } from "../../../src/machines/emails/fields.ts";
import type { ClaimedJob, Emails, Job } from "../../../src/services/emails.ts";
import { InvalidInputError } from "../../../src/services/errors.ts";
import type { Bench } from "./bench.ts";

export const KEY = "first-view:share-1";

/** SHA-256 of KEY: the golden vector of the original store. */
export const ID = "ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c";

export const FIRST_VIEW = {
  type: "first-view",
  recipient: "ann@example.com",
  recordingIds: ["recording-1"],
};

export const TWO_CLIPS = {
  type: "two-clips",
  recipient: "ann@example.com",
  recordingIds: ["recording-1", "recording-2"],
};

export const MESSAGE = {
  type: "message",
  recipient: "ann@example.com",
  subject: "Welcome",
  text: "Hello Ann",
};

/** A record as the original store wrote it, without anything of ours, under KEY. */
export function originalRecord(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    logicalKey: "first-view:share-1",
    type: "first-view",
    state: "ready",
    recipient: "ann@example.com",
    recordingIds: ["recording-1"],
    attempts: 0,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:01.000Z",
    readyAt: "2026-01-01T00:00:01.000Z",
    lastError: null,
    leaseUntil: null,
    leaseToken: null,
    ...fields,
  };
}

/** The value, which a case cannot go on without. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("nothing was answered");
  return value;
}

export type Leased = Job & { readonly leaseToken: string; readonly leaseUntil: string };

export function asLeased(job: Job | null | undefined): Leased {
  const { leaseToken, leaseUntil } = present(job);
  return Object.assign(
    { ...present(job) },
    { leaseToken: present(leaseToken), leaseUntil: present(leaseUntil) },
  );
}

export async function ready(emails: Emails, key: string = KEY): Promise<Job> {
  await emails.enqueue(key, FIRST_VIEW);
  return present(await emails.transition(key, ["pending"], "ready"));
}

export async function leased(emails: Emails, key: string = KEY, leaseMs = 60_000): Promise<Leased> {
  await ready(emails, key);
  return lease(emails, key, leaseMs);
}

/** A lease on a job that is ready, or whose lease ran out. */
export async function lease(emails: Emails, key: string = KEY, leaseMs = 60_000): Promise<Leased> {
  return asLeased(await emails.acquireSendingLease(key, leaseMs));
}

/** A job of two clips that waits for its text. */
export async function awaiting(emails: Emails, key: string = KEY): Promise<Job> {
  return (await emails.enqueue(key, TWO_CLIPS, "awaiting_ai")).job;
}

/** The same, claimed by ann@example.com. */
export async function claimed(emails: Emails, key: string = KEY): Promise<ClaimedJob> {
  await awaiting(emails, key);
  return present(await emails.claimAwaitingAi(key, "ann@example.com"));
}

export async function settled(
  emails: Emails,
  to: "sent" | "ready" | "cancelled" | "failed",
  changes: { lastError?: string | null } = {},
): Promise<Job> {
  const { leaseToken } = await leased(emails);
  return present(await emails.transitionSending(KEY, leaseToken, to, changes));
}

export const STATES: readonly EmailStateName[] = [
  "pending",
  "awaiting_ai",
  "ai_dispatched",
  "ready",
  "sending",
  "sent",
  "cancelled",
  "failed",
];

/** A job of two clips in `state`, by the shortest way there. */
export async function jobIn(
  emails: Emails,
  state: EmailStateName,
  key: string = KEY,
): Promise<Job> {
  const waits = state === "awaiting_ai" || state === "ai_dispatched";
  const { job } = await emails.enqueue(key, TWO_CLIPS, waits ? "awaiting_ai" : "pending");
  if (state === "pending" || state === "awaiting_ai") return job;
  if (state === "ai_dispatched") {
    return present(await emails.claimAwaitingAi(key, "ann@example.com"));
  }
  if (state === "cancelled" || state === "failed") {
    return present(await emails.transition(key, ["pending"], state));
  }
  const made = present(await emails.transition(key, ["pending"], "ready"));
  if (state === "ready") return made;
  const { leaseToken } = await lease(emails, key);
  if (state === "sending") return present(await emails.readJob(key));
  return present(await emails.transitionSending(key, leaseToken, "sent"));
}

/** The error of a call that must not succeed. */
export async function thrownBy(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** The call is refused with an error that names `path`, and what is stored stays as it is. */
export async function expectRefused(
  { contents }: Bench,
  call: () => Promise<unknown>,
  path: string,
): Promise<void> {
  const before = await contents();
  const error = await thrownBy(call);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect((error as InvalidInputError).errors.map((issue) => issue.path)).toContain(path);
  expect((error as InvalidInputError).message).toContain(path);
  expect(await contents()).toEqual(before);
}

/** How many of several answers are jobs. */
export function countOfJobs(answers: readonly (Job | null)[]): number {
  return answers.filter((answer) => answer !== null).length;
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
