/** An outbox that sees whether every send is covered by a lease of its own. */
import type { MemoryStorage } from "../../../adapters/storage/memory.ts";
import type { EmailKind } from "../../../src/machines/emails/kinds.ts";
import { jobIdOf } from "../../../src/machines/emails/record.ts";
import { letter, type Outbox, outbox } from "./given.ts";

export interface WatchedSends {
  /** Its mails say under which lease they are sent. */
  readonly kind: EmailKind;
  readonly box: Outbox;
  /** What was wrong with a send; must stay empty. */
  readonly wrong: string[];
}

/** `prefix`: where the tenant's keys begin in the storage. */
export function watchedSends(
  storage: MemoryStorage,
  answer: (key: string) => unknown,
  prefix = "",
): WatchedSends {
  const wrong: string[] = [];
  const used = new Set<string>();
  const kind = letter((job) => ({
    subject: job.logicalKey,
    text: "Dear Ann",
    headers: { "X-Lease": String(job.leaseToken) },
  }));
  const box = outbox((mail) => {
    const key = mail.subject;
    const token = mail.headers["X-Lease"] ?? "";
    const body = storage.bodies().get(`${prefix}emails/jobs/${jobIdOf(key)}`);
    const stored = JSON.parse(body ?? "{}").leaseToken;
    if (stored !== token) wrong.push(`${key} was sent under ${token} while ${stored} stood`);
    if (used.has(token)) wrong.push(`${key} was sent twice under ${token}`);
    used.add(token);
    return answer(key);
  });
  return { kind, box, wrong };
}
