/** Opens a storage and builds every tenant's services over it. */
import * as z from "zod";
import { type DurationMs, durationMs, seconds } from "../core/time.ts";
import { emailKinds } from "../machines/emails/kinds.ts";
import { HELD_QUERIES, type HeldQueries } from "../machines/queries/admission.ts";
import { RETENTION_MS as QUERY_RETENTION_MS, RUN_LEASE_MS } from "../machines/queries/limits.ts";
import {
  CAPACITY_DEFAULT,
  CAPACITY_MAX,
  DISPATCH_MARGIN_MS,
  RETENTION_MS,
  receiptInputs,
} from "../machines/receipts/inputs.ts";
import { operations } from "../machines/receipts/operations.ts";
import type { Backend, Storage } from "../ports/backend.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Mailer } from "../ports/mailer.ts";
import type { Observation, Observe } from "../ports/observe.ts";
import { type Random, systemRandom } from "../ports/random.ts";
import { COMMAND_DEADLINE_MS } from "../store/limits.ts";
import { openLogs } from "../store/log.ts";
import { logRoot } from "../store/log-keys.ts";
import { dueOfBody } from "../store/record.ts";
import { createStore } from "../store/store.ts";
import { type App, checkMail, defineApp, type MailOptions, suppressOf } from "./app.ts";
import { type Coordinator, type CoordinatorOptions, createCoordinator } from "./coordinator.ts";
import { CONFIG_KEY } from "./email-config.ts";
import { createEmailService, type EmailService } from "./emails.ts";
import { InvalidInputError } from "./errors.ts";
import { checked, checkedOptions, namedOptions } from "./input.ts";
import { onceCalls } from "./once-calls.ts";
import { createOperations, type Operations } from "./operations.ts";
import { originalDue } from "./originals.ts";
import { createQueryService, type QueryService } from "./queries.ts";
import { createReceiptService, type ReceiptService } from "./receipts.ts";
import { PASS_MS_DEFAULT, PASS_MS_MAX, PASS_MS_MIN } from "./reconcile/budget.ts";
import {
  type PassOptions,
  type PassTenant,
  type ReconcileOptions,
  reconciler,
} from "./reconcile/reconcile.ts";
import type { PassReport } from "./reconcile/report.ts";

export { type App, defineApp, type MailOptions } from "./app.ts";

export interface HoldfastOptions {
  readonly storage: Storage;
  readonly app?: App;
  /** How mail leaves; without it, and without the application's own, nothing is sent. */
  readonly mail?: MailOptions;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Counts of what happened, by a fixed vocabulary; a throw in it is ignored. */
  readonly observe?: Observe;
  /** One line for each pass, and for what went wrong in it; a throw in it is ignored. */
  readonly log?: Log;
  readonly limits?: Limits;
  /**
   * A query whose session is held, since a provider that was interrupted may still be at work: `refuse`,
   * the default, until it is free; or `admit`, to be started once it is.
   */
  readonly heldQueries?: HeldQueries;
}

export interface Limits {
  /** How long one call may take, waiting for others included; 15,000 ms by default. */
  readonly commandMs?: number;
  /** How long emails are kept after they were sent or cancelled; for ever by default. */
  readonly emailRetentionMs?: number;
  /**
   * How long receipts are kept after they were finished; 30 days by default, `off`: for ever. What is
   * over leaves a tombstone, so that its operation never runs again.
   */
  readonly receiptRetentionMs?: number | "off";
  /**
   * Receipts of one workspace, 1 to 65,536, counted exactly across processes; by default 8,192 in a
   * folder, and `off` elsewhere.
   */
  readonly receiptCapacity?: number | "off";
  /** How long after its lease a dispatch counts as live; 30,000 ms by default. */
  readonly dispatchMarginMs?: number;
  /** How long query jobs are kept from their admission on; 7 days by default. */
  readonly queryRetentionMs?: number;
  /** How long an accepted query job may wait to be started before it is interrupted; for ever by default. */
  readonly admissionTimeoutMs?: number;
  /** The lease of a run whose caller says nothing else; 60,000 ms by default. */
  readonly runLeaseMs?: number;
  /** How long a pass may take that is given no budget; 100 to 3,600,000 ms, default 25,000. */
  readonly passMs?: number;
}

const OPTIONS = {
  storage: true,
  app: true,
  mail: true,
  clock: true,
  random: true,
  observe: true,
  log: true,
  limits: true,
  heldQueries: true,
} as const;

const LIMITS = {
  commandMs: true,
  emailRetentionMs: true,
  receiptRetentionMs: true,
  receiptCapacity: true,
  dispatchMarginMs: true,
  queryRetentionMs: true,
  admissionTimeoutMs: true,
  runLeaseMs: true,
  passMs: true,
} as const;

/** What the library and the HTTP routes are made of, for one tenant. */
export interface TenantServices {
  /** Null: the default tenant. */
  readonly id: string | null;
  readonly emails: EmailService;
  readonly receipts: ReceiptService;
  readonly queries: QueryService;
  readonly operations: Operations;
  /** Begins to run what is accepted; closed with the services. Throws InvalidInputError. */
  coordinate(options: CoordinatorOptions): Coordinator;
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
  if (typeof options?.storage?.open !== "function") {
    throw new InvalidInputError([
      { path: "storage", message: "must be a storage, such as filesystemStorage({ directory })" },
    ]);
  }
  namedOptions(options, OPTIONS, "options");
  const app = defineApp(options.app ?? {});
  if (options.mail !== undefined) checkMail(options.mail);
  const kinds = emailKinds(app.kinds ?? [], app.prepare, app.maxAttempts);
  const limits = namedOptions(options.limits ?? {}, LIMITS, "limits");
  const commandMs = limit(limits.commandMs, "limits.commandMs") ?? COMMAND_DEADLINE_MS;
  const retentionMs = limit(limits.emailRetentionMs, "limits.emailRetentionMs");
  const budgetMs = limit(limits.passMs, "limits.passMs", PASS_MS) ?? PASS_MS_DEFAULT;
  const clock = options.clock ?? systemClock();
  const random = options.random ?? systemRandom();
  const observe = harmless(options.observe ?? (() => {}));
  const log = harmless(options.log ?? (() => {}));
  const known = operations(app.operations ?? []);
  const receiptRules = {
    retentionMs: receiptRetention(limits.receiptRetentionMs),
    marginMs: limit(limits.dispatchMarginMs, "limits.dispatchMarginMs") ?? DISPATCH_MARGIN_MS,
  };
  const capacity = receiptCapacity(limits.receiptCapacity);
  const queryOptions = queryOptionsOf(limits, options.heldQueries ?? "refuse");
  const foreignDue = originalDue({ kinds, operations: known, rules: receiptRules });
  const dueOf = dueOfBody(foreignDue);
  const backend: Backend = await options.storage.open({ clock, random, observe, dueOf });
  const { owner } = backend;

  // The folder alone keeps what the originals wrote, in their format and with their limits.
  const isFolder = backend.format === "indented";
  const calls = onceCalls(clock);
  const receiptOptions = {
    ...receiptRules,
    calls,
    operations: known,
    capacity: capacity === undefined ? (isFolder ? CAPACITY_DEFAULT : null) : capacity,
    createsFirst: backend.due !== null && !isFolder,
  };

  const mail = options.mail ?? app.mail ?? null;
  const { sources = [] } = app;
  const passes = reconciler(
    { sources, suppress: suppressOf(app), mail },
    { random, budgetMs, log },
  );

  function open(tenant: string | null): OpenedTenant {
    const counts = new Map<Observation, number>();
    const counted: Observe = (name, count) => {
      counts.set(name, (counts.get(name) ?? 0) + count);
      observe(name, count);
    };
    const store = createStore({ backend, clock, random, observe: counted, foreignDue, tenant });
    const common = { store, clock, random, observe: counted, log, deadlineMs: commandMs, tenant };
    const deps = { ...common, kinds, retentionMs };
    const service = createEmailService(deps);
    const receipts = createReceiptService({ ...common, ...receiptOptions });
    const logs = openLogs({ backend, clock, random, observe: counted }, logRoot(tenant));
    const queries = createQueryService({ ...common, ...queryOptions, logs, owner });
    const swept: PassTenant = { deps, service, receipts, queries };
    return {
      swept,
      id: tenant,
      emails: service,
      receipts,
      queries,
      operations: createOperations(deps, receipts, counts),
      coordinate(coordinatorOptions) {
        const { runLeaseMs: leaseMs } = queryOptions;
        const parts = { deps: common, service: queries, leaseMs, owner };
        const coordinator = createCoordinator(parts, coordinatorOptions);
        coordinators.push(coordinator);
        return coordinator;
      },
      reconcile: (passOptions) => passes.run([swept], passOptions),
    };
  }

  const coordinators: Coordinator[] = [];
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
    async close() {
      const runs = coordinators.map((coordinator) => coordinator.close());
      await Promise.all([calls.close(), passes.close(), Promise.allSettled(runs)]);
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

const tenantList = z.array(z.string()).max(TENANTS_MAX);

/** Throws InvalidInputError. */
export function checkTenantId(id: string): void {
  if (typeof id === "string" && /^[a-z0-9][a-z0-9-]{0,62}$/.test(id)) return;
  const message = 'must be 1 to 63 of a-z, 0-9 and "-", the first not "-"';
  throw new InvalidInputError([{ path: "tenant", message }]);
}

const PASS_MS = { min: PASS_MS_MIN, max: PASS_MS_MAX };
const LEASE_MS = { min: 1, max: 86_400_000 };

function limit(
  value: number | undefined,
  path: string,
  { min, max }: { readonly min: number; readonly max: number | null } = { min: 1, max: null },
): DurationMs | null {
  if (value === undefined) return null;
  if (Number.isInteger(value) && value >= min && value <= (max ?? value)) return durationMs(value);
  const range = max === null ? `${min} or more` : `${min} to ${max}`;
  throw new InvalidInputError([
    { path, message: `must be a whole number of milliseconds, ${range}` },
  ]);
}

function queryOptionsOf(limits: Limits, heldQueries: HeldQueries) {
  return {
    retentionMs: limit(limits.queryRetentionMs, "limits.queryRetentionMs") ?? QUERY_RETENTION_MS,
    admissionTimeoutMs: limit(limits.admissionTimeoutMs, "limits.admissionTimeoutMs"),
    runLeaseMs: limit(limits.runLeaseMs, "limits.runLeaseMs", LEASE_MS) ?? RUN_LEASE_MS,
    heldQueries: checked(z.enum(HELD_QUERIES), heldQueries, "heldQueries"),
  };
}

function receiptRetention(value: number | "off" | undefined): DurationMs | null {
  if (value === "off") return null;
  if (value === undefined) return RETENTION_MS;
  if (Number.isInteger(value) && value >= 1) return durationMs(value);
  const message = 'must be "off", which keeps them for ever, or milliseconds, 1 or more';
  throw new InvalidInputError([{ path: "limits.receiptRetentionMs", message }]);
}

/** RECEIPT-13. Null: off. Undefined: as the storage has it. */
function receiptCapacity(value: number | "off" | undefined): number | null | undefined {
  if (value === undefined) return undefined;
  if (value === "off") return null;
  if (receiptInputs.capacity.safeParse(value).success) return value;
  throw new InvalidInputError([
    { path: "limits.receiptCapacity", message: `must be "off", or from 1 to ${CAPACITY_MAX}` },
  ]);
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
