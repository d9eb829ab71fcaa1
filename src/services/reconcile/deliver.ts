/** What is due for delivery, oldest due first. */
import { kindOf } from "../../machines/emails/changes.ts";
import type { QueuePlace } from "../../machines/emails/progress.ts";
import type { LiveEmail } from "../../machines/emails/record.ts";
import type { Stored } from "../../store/store.ts";
import type { MailOptions } from "../app.ts";
import { EMAIL_MACHINE } from "../email-commands.ts";
import type { PassContext } from "./context.ts";
import { leaseAndDeliver } from "./delivery.ts";
import type { PassCount } from "./report.ts";
import { sweepQueue } from "./sweep.ts";

/** Mails on their way at the same time, where nobody says. */
const AT_ONCE_DEFAULT = 8;

export async function deliver(
  context: PassContext,
  place: QueuePlace | null,
  mail: MailOptions,
): Promise<void> {
  const tried = new Set<string>();
  const { service, report } = context;
  await sweepQueue(context, place, {
    queue: "deliver",
    machines: [
      {
        name: EMAIL_MACHINE,
        report,
        async visit(stored) {
          const email = service.commands.stateOf(stored);
          return email.kind === "live" && deliverOne(context, mail, { email, stored, tried });
        },
      },
    ],
    atOnce: mail.atOnce ?? AT_ONCE_DEFAULT,
    until: context.time.lease,
    isVain: context.outage.isCertain,
    end: context.time.end,
    windowMs: null,
    placed: context.time.end,
  });
}

/** What would come of a job that is due, as far as can be told without asking anybody. */
export function deliveryOf({ deps, suppress }: PassContext, email: LiveEmail): PassCount {
  const kind = kindOf(email, deps.kinds);
  if (kind.prepare === null) return "skipped";
  if (email.job.attempts >= kind.maxAttempts) return "failed";
  return suppress(email.job.recipient.trim().toLowerCase()) ? "cancelled" : "sent";
}

interface Visited {
  readonly email: LiveEmail;
  readonly stored: Stored;
  /** Keys of the records that this pass has tried. */
  readonly tried: Set<string>;
}

async function deliverOne(
  context: PassContext,
  mail: MailOptions,
  { email, stored, tried }: Visited,
): Promise<boolean> {
  const { deps, report, time } = context;
  // A clock that is set back, or a lease that is given back, makes a job due again that this pass has tried.
  if (tried.has(stored.key)) return true;
  const { prepare, ...kind } = kindOf(email, deps.kinds);
  if (prepare === null) {
    report.count("skipped");
    return true;
  }
  if (time.lease.isOver()) return false;
  tried.add(stored.key);
  return leaseAndDeliver(context, mail, { ...kind, prepare }, stored);
}
