/** The end of an attempt, as it is stored. */
import type { SettledState } from "../../machines/emails/fields.ts";
import { type DeliveryOutcome, settlementOf } from "../../machines/emails/outcome.ts";
import type { LeasedJob } from "../emails.ts";
import { type PassContext, repeated } from "./context.ts";
import type { PreparedKind } from "./delivery.ts";
import { failureCode } from "./failure-texts.ts";
import { codeOf, type PassCount } from "./report.ts";

const COUNTED: Readonly<Record<SettledState, PassCount>> = {
  sent: "sent",
  ready: "retried",
  cancelled: "cancelled",
  failed: "failed",
};

/**
 * Counted only when it was stored; a lease that was lost meanwhile, any fault, and the beginning of an
 * outage are reported. A lease that is given back counts as nothing: the job is as it was, and where it is
 * another's already nothing is lost.
 */
export async function settle(
  context: PassContext,
  kind: PreparedKind,
  job: LeasedJob,
  outcome: DeliveryOutcome,
): Promise<void> {
  const { service, report, time, outage } = context;
  if (outage.met(outcome) && outcome.kind === "unavailable") {
    report.fail("mailer", "mailer_unavailable", outcome.error);
    report.met("email.mailer_unavailable");
  }
  if (outcome.kind === "unbegun") report.more();
  const settlement = settlementOf(outcome, job.attempts, kind);
  const command = { ...settlement, leaseToken: job.leaseToken };
  const id = `sha256:${service.commands.idOf(job)}`;
  try {
    // What is not settled is sent again after its lease.
    const settled = await repeated(context, time.over, () => service.commands.run(job, command));
    if (settlement.kind === "giveBack") return;
    if (settled.kind === "rejected") report.fail(id, failureCode(settled.rejection.kind));
    else report.count(COUNTED[settlement.to]);
  } catch (error) {
    report.fail(id, codeOf(error));
  }
}
