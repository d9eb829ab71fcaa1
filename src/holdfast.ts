/** The library's entry: opens a storage, and gives the services of each tenant and the HTTP app. */
import { type Service, serviceOf } from "./service.ts";
import {
  type Coordinator,
  type CoordinatorOptions,
  createCoordinator,
} from "./services/coordinator.ts";
import { type Emails, emailsOf } from "./services/emails.ts";
import type { HoldfastOptions } from "./services/options.ts";
import { type Queries, queriesOf } from "./services/queries.ts";
import { type Receipts, receiptsOf } from "./services/receipts.ts";
import type { PassOptions } from "./services/reconcile/reconcile.ts";
import type { PassReport } from "./services/reconcile/report.ts";
import { checkTenantId, openServices } from "./services/services.ts";

/** What one tenant sees. */
export interface Tenant {
  readonly emails: Emails;
  readonly receipts: Receipts;
  readonly queries: Queries;
  /** Begins to run accepted queries with a runner, until it is closed. Throws InvalidInputError. */
  coordinate(options: CoordinatorOptions): Coordinator;
  /** A pass, as Service has it, over this tenant alone. Throws InvalidInputError. */
  reconcile(options?: PassOptions): Promise<PassReport>;
}

export interface Holdfast extends Omit<Tenant, "reconcile">, Service {
  /** The records of another tenant: `[a-z0-9][a-z0-9-]{0,62}`. The default tenant has no name. */
  tenant(id: string): Tenant;
}

/**
 * Opens `storage`. Throws MisconfiguredError or FolderInUseError when it cannot be used, TypeError for
 * parts of an application that contradict each other.
 */
export async function createHoldfast(options: HoldfastOptions): Promise<Holdfast> {
  const services = await openServices(options);
  const tenants = new Map<string | null, Tenant>();

  function opened(id: string | null): Tenant {
    const { emails, receipts, queries, reconcile } = services.tenant(id);
    return {
      emails: emailsOf(emails),
      receipts: receiptsOf(receipts),
      queries: queriesOf(queries),
      coordinate(coordinatorOptions) {
        const coordinator = createCoordinator(queries, coordinatorOptions);
        services.beforeClose(() => coordinator.close().catch(() => {}));
        return coordinator;
      },
      reconcile: async (passOptions = {}) => reconcile(passOptions),
    };
  }

  function tenantOf(id: string | null): Tenant {
    const known = tenants.get(id) ?? opened(id);
    tenants.set(id, known);
    return known;
  }

  return {
    ...tenantOf(null),
    ...serviceOf(services),
    tenant(id) {
      // Null is the default tenant to whoever is not held to types.
      checkTenantId(id);
      return tenantOf(id);
    },
  };
}
