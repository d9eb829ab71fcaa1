/** What every part of a pass over one tenant works with. */
import { lastSegment } from "../../core/key.ts";
import { durationMs } from "../../core/time.ts";
import type { DueEntry } from "../../ports/backend.ts";
import type { Source } from "../../ports/source.ts";
import type { MailOptions } from "../app.ts";
import type { EmailDeps } from "../email-commands.ts";
import type { EmailService } from "../emails.ts";
import { isPassing } from "../passing.ts";
import type { QueryService } from "../queries.ts";
import type { ReceiptService } from "../receipts.ts";
import { type Deadline, within } from "./deadline.ts";
import type { HangWatch } from "./hanging.ts";
import type { Outage } from "./outage.ts";
import { codeOf, type PassCollector } from "./report.ts";
import type { PassTime } from "./time.ts";

/** What a deployment has of its own. */
export interface PassParts {
  readonly sources: readonly Source[];
  readonly suppress: (address: string) => boolean;
  /** Null: nothing is sent, and nothing leased (EMAIL-77). */
  readonly mail: MailOptions | null;
}

export interface PassContext extends PassParts {
  /** Since when emails are made, ISO 8601; null while that is not known. */
  readonly since: string | null;
  readonly deps: EmailDeps;
  readonly service: EmailService;
  readonly time: PassTime;
  readonly report: PassCollector;
  /** The same of the receipts, and of the queries. */
  readonly receipts: { readonly service: ReceiptService; readonly report: PassCollector };
  readonly queries: { readonly service: QueryService; readonly report: PassCollector };
  readonly outage: Outage;
  readonly hanging: HangWatch;
}

/** What a part needs that says what went wrong in it. */
export type FailureReport = Pick<PassCollector, "fail" | "more">;

/** Tells each of several machines of what went wrong for all of them. */
export function reportOfAll(
  machines: readonly { readonly report: FailureReport }[],
): FailureReport {
  return {
    fail(...failure) {
      for (const { report } of machines) report.fail(...failure);
    },
    more() {
      for (const { report } of machines) report.more();
    },
  };
}

/** How a failure names the record of a job. */
export function idOf(entry: Pick<DueEntry, "key">): string {
  return `sha256:${lastSegment(entry.key)}`;
}

/**
 * What a part of a pass comes to, which is waited for until `limit`, and not begun after it. Never
 * rejects: what goes wrong is reported as of `id`, and answered by null.
 */
export async function part<T>(
  { report, time }: { readonly report: FailureReport; readonly time: PassTime },
  id: string,
  limit: Deadline,
  work: () => Promise<T>,
): Promise<T | null> {
  if (limit.isOver()) {
    report.more();
    return null;
  }
  const end = await within(time, limit, work);
  if (end.kind === "answer") return end.value;
  if (end.kind === "late") report.more();
  if (end.kind === "late") report.fail(id, "store_timeout");
  else report.fail(id, codeOf(end.error), end.error);
  return null;
}

/** The same for what has its own ends. */
export async function guarded(
  { report }: { readonly report: FailureReport },
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    report.fail(id, codeOf(error), error);
  }
}

/** How often something is tried whose failure passes. More would only add load. */
const TRIES_MAX = 3;

/** Between two tries; what waits for others itself has done so already. */
const PAUSE_MS = durationMs(500);

/** The end of `work`, which is repeated while its failure passes and `until` is not over. */
export async function repeated<T>(
  { deps }: Pick<PassContext, "deps">,
  until: Deadline,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || tries >= TRIES_MAX || until.isOver()) throw error;
    }
    await deps.clock.sleep(PAUSE_MS);
  }
}
