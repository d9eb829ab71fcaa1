/** The email machine: one command on one job, judged at one instant. */
import { unreachable } from "../../core/assert.ts";
import { apply, type Decision, reject } from "../../core/machine.ts";
import type { EpochMs } from "../../core/time.ts";
import { type EmailDecision, refuse } from "./changes.ts";
import { claim, claimNext, completeClaim, reclaim, releaseClaim } from "./claims.ts";
import type { EmailCommand, EmailRejection, EmailRules, LiveEmailCommand } from "./commands.ts";
import { erase } from "./erasure.ts";
import { acquire, acquireDue, extend, giveBack, settle } from "./leases.ts";
import type { EmailState, LiveEmail } from "./record.ts";
import { liveEmail, retire } from "./retention.ts";
import {
  converge,
  created,
  enqueueAgain,
  firstImport,
  requeue,
  transition,
} from "./transitions.ts";

/**
 * Judges `command` on the job as stored (null: there is none). Rejects `job_not_found` unless the
 * command creates, `erased` or `job_expired` for every command but `retire` and `erase` on a job that is
 * erased or over, and what each command's own function says. Texts and durations are bounded before
 * (inputs.ts).
 */
export function decideEmail(
  state: EmailState | null,
  command: LiveEmailCommand,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision;
export function decideEmail(
  state: EmailState | null,
  command: EmailCommand,
  now: EpochMs,
  rules: EmailRules,
): Decision<EmailState, EmailRejection>;
export function decideEmail(
  state: EmailState | null,
  command: EmailCommand,
  now: EpochMs,
  rules: EmailRules,
): Decision<EmailState, EmailRejection> {
  if (state === null) return decideAbsent(command, now);
  if (command.kind === "retire") return retire(state, now);
  if (command.kind === "erase") return erase(state, now);
  if (state.kind === "erased") return refuse(state, "erased");
  const email = liveEmail(state, now);
  return email === null ? refuse(state, "job_expired") : decideLive(email, command, now, rules);
}

function decideAbsent(command: EmailCommand, now: EpochMs): EmailDecision {
  switch (command.kind) {
    case "enqueue":
      return apply(created(command, now));
    case "converge":
      return apply(created(firstImport(command), now));
    default:
      return reject<EmailRejection>({ kind: "job_not_found" });
  }
}

function decideLive(
  email: LiveEmail,
  command: LiveEmailCommand,
  now: EpochMs,
  rules: EmailRules,
): EmailDecision {
  switch (command.kind) {
    case "enqueue":
      return enqueueAgain(email, command);
    case "converge":
      return converge(email, command, now, rules);
    case "transition":
      return transition(email, command, now, rules);
    case "claim":
      return claim(email, command, now, rules);
    case "reclaim":
      return reclaim(email, command, now, rules);
    case "completeClaim":
      return completeClaim(email, command, now, rules);
    case "releaseClaim":
      return releaseClaim(email, command, now, rules);
    case "claimNext":
      return claimNext(email, command, now, rules);
    case "acquire":
      return acquire(email, command, now, rules);
    case "acquireDue":
      return acquireDue(email, command, now, rules);
    case "extend":
      return extend(email, command, now);
    case "settle":
      return settle(email, command, now, rules);
    case "giveBack":
      return giveBack(email, command, now, rules);
    case "requeue":
      return requeue(email, now, rules);
    default:
      return unreachable(command);
  }
}
