/**
 * What waits for time, of all machines: one walk, in the order in which it is due, since they share one
 * queue. Each record is done by its machine, whatever became of the others.
 */

import { kindOf } from "../../machines/emails/changes.ts";
import type { QueuePlace } from "../../machines/emails/progress.ts";
import type { LiveEmail } from "../../machines/emails/record.ts";
import type { Stored } from "../../store/store.ts";
import { EMAIL_MACHINE } from "../email-commands.ts";
import type { PassContext } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import { deliveryOf } from "./deliver.ts";
import type { SweptMachine } from "./lanes.ts";
import { attendedQueries } from "./queries.ts";
import { attendedReceipts } from "./receipts.ts";
import { sweepQueue } from "./sweep.ts";

export interface AttendedMachine extends SweptMachine {
  /** Counts what would be done to a record that is due. Throws RecordCorruptError. */
  look(stored: Stored): void;
}

/** As many as the original promotes together. */
const ATTENDED_AT_ONCE = 8;

export function attendedMachines(context: PassContext): readonly AttendedMachine[] {
  return [attendedReceipts(context), attendedQueries(context), attendedEmails(context)];
}

/** `windowMs`: how many milliseconds it is until `until`. */
export function attend(
  context: PassContext,
  place: QueuePlace | null,
  { until, windowMs }: { readonly until: Deadline; readonly windowMs: number },
): Promise<void> {
  return sweepQueue(context, place, {
    queue: "attend",
    machines: attendedMachines(context),
    atOnce: ATTENDED_AT_ONCE,
    until,
    isVain: () => false,
    end: until,
    windowMs,
    placed: context.time.lease,
  });
}

/** Jobs to be made ready, claims gone stale, jobs past their retention. */
function attendedEmails(context: PassContext): AttendedMachine {
  const { deps, service, report, mail } = context;
  return {
    name: EMAIL_MACHINE,
    report,
    async visit(stored) {
      const email = service.commands.stateOf(stored);
      return email.kind === "live" && (await attendTo(context, email, stored));
    },
    look(stored) {
      const email = service.commands.stateOf(stored);
      if (email.kind !== "live") return;
      const attention = attentionOf(email, kindOf(email, deps.kinds).waitsForAi);
      if (attention === "wait") return;
      report.count(COUNTED[attention]);
      // What is made ready is due for delivery in the same pass.
      if (attention === "promote" && mail !== null) report.count(deliveryOf(context, email));
    },
  };
}

const COUNTED = { promote: "promoted", stale: "stale", retire: "retired" } as const;

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
