/**
 * The service alone, HTTP and passes: what a function that serves a storage needs, and little else of the
 * library, so that its bundle stays small.
 */
import type { Hono } from "hono";
import { httpApp } from "./http/app.ts";
import type { HttpOptions } from "./http/options.ts";
import type { HoldfastOptions } from "./services/options.ts";
import type { ReconcileOptions } from "./services/reconcile/reconcile.ts";
import type { PassReport } from "./services/reconcile/report.ts";
import { openServices, type Services } from "./services/services.ts";

export interface Service {
  /**
   * One bounded pass over the default tenant and `tenants`, each in its turn: finds what sources name, makes
   * ready what waits for nothing, delivers what is due and retires what is past its retention. May run
   * beside any other pass and be cut off anywhere. Faults of the storage are told in the report. Throws
   * InvalidInputError.
   */
  reconcile(options?: ReconcileOptions): Promise<PassReport>;
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
export async function createService(options: HoldfastOptions): Promise<Service> {
  return serviceOf(await openServices(options));
}

export function serviceOf(services: Services): Service {
  return {
    reconcile: async (options = {}) => services.reconcile(options),
    http: (options = {}) => httpApp(services, options),
    close: () => services.close(),
  };
}
