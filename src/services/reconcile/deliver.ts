/** What is due for delivery, oldest due first. */
import { kindOf } from "../../machines/emails/changes.ts";
import type { QueuePlace } from "../../machines/emails/progress.ts";
import type { DueEntry } from "../../ports/backend.ts";
import type { MailOptions } from "../app.ts";
import type { PassContext } from "./context.ts";
import { leaseAndDeliver } from "./delivery.ts";
import { sweepQueue } from "./sweep.ts";

/** Mails on their way at the same time, where nobody says. */
const AT_ONCE_DEFAULT = 8;

export async function deliver(
  context: PassContext,
  place: QueuePlace | null,
  mail: MailOptions,
): Promise<void> {
  const tried = new Set<string>();
  await sweepQueue(context, place, {
    queue: "deliver",
    atOnce: mail.atOnce ?? AT_ONCE_DEFAULT,
    until: context.time.lease,
    isVain: context.outage.isCertain,
    end: context.time.end,
    placed: context.time.end,
    visit: (entry) => deliverOne(context, mail, entry, tried),
  });
}

async function deliverOne(
  context: PassContext,
  mail: MailOptions,
  entry: DueEntry,
  tried: Set<string>,
): Promise<boolean> {
  const { deps, service, report, time } = context;
  // A clock that is set back makes a job due again that this pass has leased already.
  if (tried.has(entry.key)) return true;
  const stored = await deps.store.confirmDue(entry);
  if (stored === null) return false;
  const state = service.commands.stateOf(stored);
  if (state.kind !== "live") return false;
  const { prepare, ...kind } = kindOf(state, deps.kinds);
  if (prepare === null) {
    report.count("skipped");
    return true;
  }
  if (time.lease.isOver()) return false;
  tried.add(entry.key);
  await leaseAndDeliver(context, mail, { ...kind, prepare }, stored);
  return false;
}
