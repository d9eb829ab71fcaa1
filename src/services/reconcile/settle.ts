/** The end of an attempt, as it is stored. */
import { durationMs } from "../../core/time.ts";
import type { Settle } from "../../machines/emails/commands.ts";
import type { SettledState } from "../../machines/emails/fields.ts";
import { type DeliveryOutcome, settlementOf } from "../../machines/emails/outcome.ts";
import type { EmailOutcome } from "../email-commands.ts";
import type { LeasedJob } from "../emails.ts";
import { isPassing, type PassContext } from "./context.ts";
import type { PreparedKind } from "./delivery.ts";
import { codeOf, type PassCount } from "./report.ts";

/** How often a settlement is tried. What is not settled is sent again after its lease. */
const TRIES_MAX = 3;

/** Between two tries; each of them has waited for others already. */
const PAUSE_MS = durationMs(500);

const COUNTED: Readonly<Record<SettledState, PassCount>> = {
  sent: "sent",
  ready: "retried",
  cancelled: "cancelled",
  failed: "failed",
};

/** Counted only when it was stored; a lease that was lost meanwhile, and any fault, are reported. */
export async function settle(
  context: PassContext,
  kind: PreparedKind,
  job: LeasedJob,
  outcome: DeliveryOutcome,
): Promise<void> {
  const { service, report } = context;
  const { to, lastError } = settlementOf(outcome, job.attempts, kind);
  const command: Settle = {
    kind: "settle",
    leaseToken: job.leaseToken,
    to,
    ...(lastError === null ? {} : { lastError }),
  };
  const id = `sha256:${service.commands.idOf(job)}`;
  try {
    const settled = await repeated(context, () => service.commands.run(job, command));
    if (settled.kind === "rejected") report.fail(id, settled.rejection.kind);
    else report.count(COUNTED[to]);
  } catch (error) {
    report.fail(id, codeOf(error));
  }
}

async function repeated(
  { deps, time }: PassContext,
  run: () => Promise<EmailOutcome>,
): Promise<EmailOutcome> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error) || tries >= TRIES_MAX || time.over.isOver()) throw error;
    }
    await deps.clock.sleep(PAUSE_MS);
  }
}
