/** The jobs of an answer to a worker's look: what else may come from whatever answers is left out. */
import { type HoldfastError, unexpected } from "./errors.ts";
import type { Job } from "./types.ts";

/**
 * As many as were asked for at most. What has no key or no token could not be settled, and what is too
 * much would run beside the others: both are reported and left. Throws HoldfastError `unexpected_answer`.
 */
export function leasedJobs(
  answer: unknown,
  limit: number,
  report: (error: HoldfastError) => void,
): readonly Job[] {
  const { jobs } = Object(answer) as { readonly jobs?: unknown };
  if (!Array.isArray(jobs)) throw unexpected("the answer is no list of jobs");
  const given: readonly unknown[] = jobs;
  const leased = given.filter(isLeased).slice(0, limit);
  const left = given.length - leased.length;
  if (left > 0) report(unexpected(`${left} leased jobs cannot be taken`));
  return leased;
}

function isLeased(job: unknown): job is Job {
  const { logicalKey, leaseToken } = Object(job) as Partial<Record<string, unknown>>;
  return [logicalKey, leaseToken].every((text) => typeof text === "string" && text !== "");
}
