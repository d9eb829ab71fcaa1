/** The library's entry: opens a storage, and gives the services of each tenant and the HTTP app. */
import type { Hono } from "hono";
import { type HttpOptions, httpApp } from "./http/app.ts";
import type { Emails } from "./services/emails.ts";
import { checkTenantId, type HoldfastOptions, openServices } from "./services/services.ts";

/** What one tenant sees. */
export interface Tenant {
  readonly emails: Emails;
}

export interface Holdfast extends Tenant {
  /** The records of another tenant: `[a-z0-9][a-z0-9-]{0,62}`. The default tenant has no name. */
  tenant(id: string): Tenant;
  /**
   * The HTTP service over this storage, to serve or to mount. Without keys it answers nobody, unless
   * `open` says that everybody may do everything. Throws InvalidInputError.
   */
  http(options?: HttpOptions): Hono;
  /** Finishes what is in flight and lets go of the storage. */
  close(): Promise<void>;
}

/**
 * Opens `storage`. Throws MisconfiguredError or FolderInUseError when it cannot be used, TypeError for
 * kinds that contradict each other.
 */
export async function createHoldfast(options: HoldfastOptions): Promise<Holdfast> {
  const services = await openServices(options);
  const tenant = (id: string | null): Tenant => ({ emails: services.tenant(id).emails.emails });
  return {
    ...tenant(null),
    tenant(id) {
      checkTenantId(id);
      return tenant(id);
    },
    http: (httpOptions = {}) => httpApp(services, httpOptions),
    close: () => services.close(),
  };
}
