/** The library's entry: opens a storage, and gives the services of each tenant and the HTTP app. */
import type { Hono } from "hono";
import { httpApp } from "./http/app.ts";
import type { HttpOptions } from "./http/options.ts";
import type { Coordinator, CoordinatorOptions } from "./services/coordinator.ts";
import type { Emails } from "./services/emails.ts";
import type { HoldfastOptions } from "./services/options.ts";
import type { Queries } from "./services/queries.ts";
import type { Receipts } from "./services/receipts.ts";
import type { PassOptions, ReconcileOptions } from "./services/reconcile/reconcile.ts";
import type { PassReport } from "./services/reconcile/report.ts";
import { checkTenantId, openServices } from "./services/services.ts";

/** What one tenant sees. */
export interface Tenant {
  readonly emails: Emails;
  readonly receipts: Receipts;
  readonly queries: Queries;
  /** Begins to run accepted queries with a runner, until it is closed. Throws InvalidInputError. */
  coordinate(options: CoordinatorOptions): Coordinator;
  /**
   * One bounded pass: finds what sources name, makes ready what waits for nothing, delivers what is due
   * and retires what is past its retention. May run beside any other pass and be cut off anywhere.
   * Faults of the storage are told in the report. Throws InvalidInputError.
   */
  reconcile(options?: PassOptions): Promise<PassReport>;
}

export interface Holdfast extends Tenant {
  /** The same over the default tenant and `tenants`, each in its turn. */
  reconcile(options?: ReconcileOptions): Promise<PassReport>;
  /** The records of another tenant: `[a-z0-9][a-z0-9-]{0,62}`. The default tenant has no name. */
  tenant(id: string): Tenant;
  /**
   * The HTTP service over this storage, to serve or to mount. Without keys it answers nobody, unless
   * `open` says that everybody may do everything. Throws InvalidInputError.
   */
  http(options?: HttpOptions): Hono;
  /**
   * Ends passes, lets no more calls of `once` begin and waits up to ten seconds for those that run,
   * finishes what is in flight, and lets go of the mailer and the storage.
   */
  close(): Promise<void>;
}

/**
 * Opens `storage`. Throws MisconfiguredError or FolderInUseError when it cannot be used, TypeError for
 * parts of an application that contradict each other.
 */
export async function createHoldfast(options: HoldfastOptions): Promise<Holdfast> {
  const services = await openServices(options);
  const { emails, receipts, queries, coordinate } = services.tenant(null);
  return {
    emails: emails.emails,
    receipts: receipts.receipts,
    queries: queries.queries,
    coordinate,
    reconcile: async (passOptions = {}) => services.reconcile(passOptions),
    tenant(id) {
      checkTenantId(id);
      const tenant = services.tenant(id);
      const { reconcile, coordinate } = tenant;
      return {
        emails: tenant.emails.emails,
        receipts: tenant.receipts.receipts,
        queries: tenant.queries.queries,
        coordinate,
        reconcile: async (passOptions = {}) => reconcile(passOptions),
      };
    },
    http: (httpOptions = {}) => httpApp(services, httpOptions),
    close: () => services.close(),
  };
}
