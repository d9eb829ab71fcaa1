/** What waits for time: jobs to be made ready, claims gone stale, jobs past their retention. */
import { kindOf } from "../../machines/emails/changes.ts";
import type { QueuePlace } from "../../machines/emails/progress.ts";
import type { LiveEmail } from "../../machines/emails/record.ts";
import type { Stored } from "../../store/store.ts";
import type { PassContext } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { sweepQueue } from "./sweep.ts";

/** As many as the original promotes together. */
const ATTENDED_AT_ONCE = 8;

export function attend(
  context: PassContext,
  place: QueuePlace | null,
  until: Deadline,
): Promise<void> {
  return sweepQueue(context, place, {
    queue: "attend",
    atOnce: ATTENDED_AT_ONCE,
    until,
    isVain: () => false,
    end: until,
    placed: context.time.lease,
    visit: (email, stored) => attendTo(context, email, stored),
  });
}

/** What is to be done about a job of this queue; `wait`: nothing. */
export type Attention = "promote" | "stale" | "retire" | "wait";

/** Of a job that is due in the queue. Nothing makes a job ready that has to wait for a text. */
export function attentionOf(email: LiveEmail, waitsForAi: boolean): Attention {
  switch (email.job.state) {
    case "pending":
      return waitsForAi ? "wait" : "promote";
    case "ai_dispatched":
      return "stale";
    case "sent":
    case "cancelled":
      return "retire";
    default:
      return "wait";
  }
}

async function attendTo(context: PassContext, email: LiveEmail, stored: Stored): Promise<boolean> {
  const { deps, service, report } = context;
  switch (attentionOf(email, kindOf(email, deps.kinds).waitsForAi)) {
    case "promote":
      await promote(context, stored);
      return false;
    case "retire":
      if (await service.commands.retire(stored)) report.count("retired");
      return false;
    case "stale":
      report.count("stale");
      return true;
    default:
      return true;
  }
}

async function promote({ service, report }: PassContext, stored: Stored): Promise<void> {
  const command = { kind: "transition", from: ["pending"], to: "ready" } as const;
  const outcome = await service.commands.runOn(stored, command);
  if (outcome.kind === "applied") report.count("promoted");
}
