/** What passes of the simulated processes meet: their mailers, what their sources find, and what must hold. */
import type { PrepareEmail } from "../../../src/machines/emails/content.ts";
import type { Mailer, MailResult } from "../../../src/ports/mailer.ts";
import type { Source } from "../../../src/ports/source.ts";
import type { MailOptions } from "../../../src/services/app.ts";
import type { Process, World } from "../world.ts";
import { LOGICAL_KEYS, logicalKeyOf, payloadOf, storedKey } from "./actors.ts";
import type { History } from "./history.ts";

export interface PassStage {
  readonly world: World;
  readonly history: History;
  readonly process: Process;
  readonly isHealing: () => boolean;
  /** Where the keys of a tenant begin in the storage. */
  readonly prefixOf: (tenant: string | null) => string;
}

/** A lease of two minutes, less what its settlement may take: nothing is sent later than that. */
const SEND_WITHIN_MS = 105_000;

const LEASE_HEADER = "X-Lease";
const KEY_HEADER = "X-Key";

/** Renders a job with the lease under which it is sent; sometimes it takes its time, or fails. */
export function prepareOf({ world, process, isHealing, prefixOf }: PassStage): PrepareEmail {
  return async (job, { tenant }) => {
    const { chance } = world;
    await process.pause(chance.between(1, 2_000));
    if (!isHealing() && chance.happens(0.05)) throw new Error("no data");
    if (!isHealing() && chance.happens(0.05)) return null;
    const key = storedKey(prefixOf(tenant), job.logicalKey);
    const headers = { [LEASE_HEADER]: String(job.leaseToken), [KEY_HEADER]: key };
    return { subject: "Simulated", text: "A text.", headers };
  };
}

export function mailOf(stage: PassStage): MailOptions {
  const { world, process, history, isHealing } = stage;
  const used = new Set<string>();
  const mailer: Mailer = {
    async send({ headers }): Promise<MailResult> {
      const token = headers[LEASE_HEADER] ?? "";
      const key = headers[KEY_HEADER] ?? "";
      if (used.has(token)) history.blame(`${key} was sent twice under one lease`);
      used.add(token);
      checkLease(stage, key, token);
      const { chance } = world;
      // Sometimes longer than the budget, so that it is given up.
      await process.pause(chance.happens(0.05) ? chance.between(5_000, 60_000) : 300);
      if (isHealing() || chance.happens(0.6)) return { kind: "sent", id: null };
      if (chance.happens(0.2)) throw new Error("reset");
      if (chance.happens(0.3)) return { kind: "retry", error: "away", isUnavailable: true };
      return { kind: chance.pick(["retry", "permanent", "unknown"]), error: "no" };
    },
    close: async () => {},
  };
  return { mailer, from: "simulation@example.com", atOnce: 3 };
}

function checkLease({ world, history }: PassStage, key: string, token: string): void {
  const revisions = history.of(key);
  const acquired = revisions.find(({ fields }) => fields["leaseToken"] === token);
  if (acquired === undefined) history.blame(`${key} was sent without a lease`);
  else if (world.now() - acquired.at > SEND_WITHIN_MS) history.blame(`${key} was sent too late`);
}

/** Finds what `produce` enqueues, a few at a time. */
export function sourceOf({ world, process, isHealing, prefixOf }: PassStage): Source {
  return {
    name: "rows",
    async scan({ tenant, after, since }) {
      await process.pause(world.chance.between(1, 3_000));
      if (isHealing()) return { jobs: [], next: null };
      if (world.chance.happens(0.1)) throw new Error("no database");
      const first = after === null ? 0 : Number(after.id) + 1;
      const rows = [0, 1, 2].map((n) => first + n).filter((n) => n < LOGICAL_KEYS && n % 5 !== 0);
      const tag = prefixOf(tenant) || "own";
      const last = first + 2;
      return {
        jobs: rows.map((n) => ({ logicalKey: logicalKeyOf(n), payload: payloadOf(tag, n) })),
        next: last < LOGICAL_KEYS ? { createdAt: since, id: String(last) } : null,
      };
    },
  };
}
