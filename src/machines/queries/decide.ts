/** The query machine: one command on one job, judged at one instant (semantics C3). */
import { unreachable } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import type { EpochMs } from "../../core/time.ts";
import { append, type KnownQuery, refuse, refuseHeld, stampOf, unchanged } from "./changes.ts";
import type { HolderCommand, QueryCommand, QueryDecision, QueryRules, Start } from "./commands.ts";
import {
  acknowledge,
  cancel,
  complete,
  fail,
  interrupt,
  markAnswerReady,
  recover,
} from "./endings.ts";
import { appendActivity, appendChunk, markRunning, updateLinkage } from "./progress.ts";
import { isTerminal } from "./statuses.ts";

/**
 * Judges `command` on the job as its log tells it up to the head. An event of an `append` always fits the
 * fold of that very head, so it may only be written as the next one (protocols 5.2).
 */
export function decideQuery(
  query: KnownQuery,
  command: QueryCommand,
  now: EpochMs,
  rules: QueryRules,
): QueryDecision {
  switch (command.kind) {
    case "start":
      return start(query, command, now);
    case "cancel":
      return cancel(query, command, now);
    case "acknowledge":
      return acknowledge(query, command, now);
    case "recover":
      return recover(query, command, now, rules);
    default:
      return lostBy(query, command.token) ?? decideHeld(query, command, now);
  }
}

/** By whoever holds the run, or of a job that has none by a caller who knows of none. */
function decideHeld(query: KnownQuery, command: HolderCommand, now: EpochMs): QueryDecision {
  switch (command.kind) {
    case "heartbeat":
      return unchanged(query.head.run !== null);
    case "running":
      return markRunning(query, command, now);
    case "linkage":
      return updateLinkage(query, command, now);
    case "chunk":
      return appendChunk(query, command, now);
    case "activity":
      return appendActivity(query, command, now);
    case "answer_ready":
      return markAnswerReady(query, command, now);
    case "complete":
      return complete(query, command, now);
    case "fail":
      return fail(query, command, now);
    case "interrupt":
      return interrupt(query, command, now);
    default:
      return unreachable(command);
  }
}

/**
 * Why the caller may not write, or null. The token decides, never the clock: a lease that ran out is still
 * its holder's until somebody ends the run. After the end its own repeat is told that nothing changed.
 */
function lostBy(query: KnownQuery, token: string | null): QueryDecision | null {
  const { status, run, isEndedByRun } = query.head;
  const isHolder = token !== null && run !== null && run.tokenHash === sha256Hex(token);
  if (isTerminal(status)) {
    return token === null || (isHolder && isEndedByRun)
      ? unchanged(false)
      : refuse(query, "lease_lost");
  }
  if (run === null && token === null) return null;
  return isHolder ? null : refuse(query, "lease_lost");
}

/** A start is one event with one winner; whoever won is told so again by its own token. */
function start(query: KnownQuery, command: Start, now: EpochMs): QueryDecision {
  const { head, generation } = query;
  const { token, leaseMs, owner, heldUntil } = command;
  if (command.generation !== null && command.generation !== generation) {
    return refuse(query, "query_job_generation_mismatch");
  }
  const run = sha256Hex(token);
  if (head.status !== "accepted") {
    return unchanged(!isTerminal(head.status) && head.run?.tokenHash === run);
  }
  if (heldUntil !== null && heldUntil > now) return refuseHeld(query, heldUntil, now);
  return append({
    type: "starting",
    at: stampOf(head, now),
    run,
    leaseMs,
    ...(owner === null ? {} : { owner }),
  });
}
