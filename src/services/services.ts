/** Opens a storage and builds every tenant's services over it. */
import * as z from "zod/mini";
import { seconds } from "../core/time.ts";
import { emailKinds } from "../machines/emails/kinds.ts";
import { CAPACITY_DEFAULT } from "../machines/receipts/inputs.ts";
import { operations } from "../machines/receipts/operations.ts";
import type { Backend } from "../ports/backend.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { Mailer } from "../ports/mailer.ts";
import type { Observation, Observe } from "../ports/observe.ts";
import { type Random, systemRandom } from "../ports/random.ts";
import { openLogs } from "../store/log.ts";
import { logRoot } from "../store/log-keys.ts";
import { dueOfBody } from "../store/record.ts";
import { createStore } from "../store/store.ts";
import { checkMail, defineApp, suppressOf } from "./app.ts";
import { CONFIG_KEY } from "./email-config.ts";
import { createEmailService, type EmailService } from "./emails.ts";
import { InvalidInputError } from "./errors.ts";
import { checked, checkedOptions } from "./input.ts";
import { onceCalls } from "./once-calls.ts";
import { createOperations, type Operations } from "./operations.ts";
import { checkedLimits, type HoldfastOptions } from "./options.ts";
import { originalDue } from "./originals.ts";
import { createQueryService, type QueryService } from "./queries.ts";
import { createReceiptService, type ReceiptService } from "./receipts.ts";
import {
  type PassOptions,
  type PassTenant,
  type ReconcileOptions,
  reconciler,
} from "./reconcile/reconcile.ts";
import type { PassReport } from "./reconcile/report.ts";

/** What the library and the HTTP service are made of, for one tenant. */
export interface TenantServices {
  /** Null: the default tenant. */
  readonly id: string | null;
  readonly emails: EmailService;
  readonly receipts: ReceiptService;
  readonly queries: QueryService;
  readonly operations: Operations;
  /** A pass over this tenant alone. */
  reconcile(options: PassOptions): Promise<PassReport>;
}

export interface Services {
  readonly clock: Clock;
  readonly random: Random;
  /** Throws InvalidInputError for what cannot be a tenant's id. */
  tenant(id: string | null): TenantServices;
  /** A pass over the default tenant and those that `options` names. */
  reconcile(options: ReconcileOptions): Promise<PassReport>;
  /** One read from the storage. Throws what that throws. */
  touch(): Promise<void>;
  /** `end`, which never rejects, is called by `close` and waited for before the storage is let go of. */
  beforeClose(end: () => Promise<unknown>): void;
  /**
   * Ends passes, waits up to ten seconds for side effects of `once`, finishes what is in flight, and lets go
   * of the mailer and the storage.
   */
  close(): Promise<void>;
}

/**
 * Opens `storage`. Throws MisconfiguredError or FolderInUseError when it cannot be used, TypeError for
 * parts of an application that contradict each other.
 */
export async function openServices(options: HoldfastOptions): Promise<Services> {
  const limits = checkedLimits(options);
  const app = defineApp(options.app ?? {});
  if (options.mail !== undefined) checkMail(options.mail);
  const kinds = emailKinds(app.kinds ?? [], app.prepare, app.maxAttempts);
  const clock = options.clock ?? systemClock();
  const random = options.random ?? systemRandom();
  const observe = harmless(options.observe ?? (() => {}));
  const log = harmless(options.log ?? (() => {}));
  const known = operations(app.operations ?? []);
  const foreignDue = originalDue({ kinds, operations: known, rules: limits.receipts });
  const dueOf = dueOfBody(foreignDue);
  const backend: Backend = await options.storage.open({ clock, random, observe, dueOf });
  const { owner } = backend;

  // The folder alone keeps what the originals wrote, in their format and with their limits.
  const isFolder = backend.format === "indented";
  const byStorage = isFolder ? CAPACITY_DEFAULT : null;
  const calls = onceCalls(clock);
  const receiptOptions = {
    ...limits.receipts,
    calls,
    operations: known,
    capacity: limits.receiptCapacity === undefined ? byStorage : limits.receiptCapacity,
    createsFirst: backend.due !== null && !isFolder,
  };

  const mail = options.mail ?? app.mail ?? null;
  const { sources = [] } = app;
  const passes = reconciler(
    { sources, suppress: suppressOf(app), mail },
    { random, budgetMs: limits.passMs, log },
  );

  function open(tenant: string | null): OpenedTenant {
    const counts = new Map<Observation, number>();
    const counted: Observe = (name, count) => {
      counts.set(name, (counts.get(name) ?? 0) + count);
      observe(name, count);
    };
    const store = createStore({ backend, clock, random, observe: counted, foreignDue, tenant });
    const deadlineMs = limits.commandMs;
    const common = { store, clock, random, observe: counted, log, deadlineMs, tenant };
    const deps = { ...common, kinds, retentionMs: limits.emailRetentionMs };
    const service = createEmailService(deps);
    const receipts = createReceiptService({ ...common, ...receiptOptions });
    const logs = openLogs({ backend, clock, random, observe: counted }, logRoot(tenant));
    const queries = createQueryService({ ...common, ...limits.queries, logs, owner });
    const swept: PassTenant = { deps, service, receipts, queries };
    return {
      swept,
      id: tenant,
      emails: service,
      receipts,
      queries,
      operations: createOperations(deps, receipts, counts),
      reconcile: (passOptions) => passes.run([swept], passOptions),
    };
  }

  const ends: (() => Promise<unknown>)[] = [calls.close, passes.close];
  const tenants = new Map<string | null, OpenedTenant>();
  function opened(id: string | null): OpenedTenant {
    if (id !== null) checkTenantId(id);
    const known = tenants.get(id) ?? open(id);
    tenants.set(id, known);
    return known;
  }

  return {
    clock,
    random,
    tenant: opened,
    async reconcile(passOptions) {
      const { tenants: others = [] } = checkedOptions(passOptions, "options");
      const ids = new Set([null, ...checked(tenantList, others, "options.tenants")]);
      return passes.run(
        [...ids].map((id) => opened(id).swept),
        passOptions,
      );
    },
    // Any record does; this one is small where it exists.
    touch: async () => void (await backend.get(CONFIG_KEY)),
    beforeClose: (end) => void ends.push(end),
    async close() {
      await Promise.all(ends.map((end) => end()));
      for (const { queries } of tenants.values()) queries.tails.close();
      try {
        if (mail !== null) await closedInTime(mail.mailer, clock);
      } finally {
        await backend.close();
      }
    },
  };
}

interface OpenedTenant extends TenantServices {
  readonly swept: PassTenant;
}

const MAILER_CLOSE_MS = seconds(2);

/** One that never ends must not keep the storage. Rejects as the mailer does. */
async function closedInTime(mailer: Mailer, clock: Clock): Promise<void> {
  const ended = new AbortController();
  // One of plain JavaScript may answer no promise, or throw at once.
  const closed = (async () => mailer.close())();
  try {
    await Promise.race([closed, clock.sleep(MAILER_CLOSE_MS, ended.signal)]);
  } finally {
    ended.abort();
  }
}

/** Tenants of one pass; more would not get their turn. */
const TENANTS_MAX = 10_000;

const tenantList = z.array(z.string()).check(z.maxLength(TENANTS_MAX));

/** Throws InvalidInputError. */
export function checkTenantId(id: string): void {
  if (typeof id === "string" && /^[a-z0-9][a-z0-9-]{0,62}$/.test(id)) return;
  const message = 'must be 1 to 63 of a-z, 0-9 and "-", the first not "-"';
  throw new InvalidInputError([{ path: "tenant", message }]);
}

function harmless<Told extends readonly unknown[]>(tell: (...told: Told) => unknown) {
  return (...told: Told): void => {
    // Counting and logging must never be a reason for work to fail, nor for the process to end.
    try {
      const result = tell(...told);
      if (result instanceof Promise) result.catch(() => {});
    } catch {
      // As above.
    }
  };
}
