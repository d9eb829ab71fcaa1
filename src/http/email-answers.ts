/** What the email routes share: whose job a call is about, and how an outcome is answered. */
import type { EmailRejection } from "../machines/emails/commands.ts";
import type { EmailCommands, EmailOutcome } from "../services/email-commands.ts";
import type { Job } from "../services/emails.ts";
import { allows } from "./keys.ts";
import { emailProblem, type Problem } from "./problem.ts";
import { type RawCall, reply } from "./route.ts";

export type EmailCall = Omit<RawCall, "json" | "query">;

export function keyOf({ params }: EmailCall): string {
  return params["k"] ?? "";
}

/** Tokens are credentials: who may only read does not see them. */
export function shown(call: EmailCall, job: Job): Job {
  if (job.leaseToken === null || allows(call.caller.scopes, "emails:write")) return job;
  return { ...job, leaseToken: null };
}

export function created(call: EmailCall, outcome: EmailOutcome) {
  if (outcome.kind === "rejected") return refused(outcome.rejection);
  const body = { created: outcome.created, job: shown(call, outcome.job) };
  return outcome.created ? reply(201, body) : reply(200, body);
}

type Command = Parameters<EmailCommands["run"]>[1];

export async function ran(call: EmailCall, command: Command) {
  const outcome = await call.tenant.emails.commands.run(keyOf(call), command);
  if (outcome.kind === "rejected") return refused(outcome.rejection);
  return reply(200, { job: shown(call, outcome.job) });
}

export function claimed(call: EmailCall, outcome: EmailOutcome) {
  if (outcome.kind === "rejected") return refused(outcome.rejection);
  const claimToken = outcome.email.extra.claimToken ?? "";
  return reply(200, { job: shown(call, outcome.job), claimToken });
}

export function refused(rejection: EmailRejection): { readonly problem: Problem } {
  return { problem: emailProblem(rejection) };
}
