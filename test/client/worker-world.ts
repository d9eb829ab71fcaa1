/** Workers, a service and a handler that the test holds, in time that the test moves. */
import {
  type Client,
  type Fetch,
  type Handler,
  type Job,
  type Worker,
  type WorkerOptions,
  worker,
} from "../../src/client/client.ts";
import { type ManualTime, manualTime } from "./manual-time.ts";
import { readyJob, service, type TestService } from "./service.ts";

/** What happens to a request; null: it reaches the service. */
export type Plan = (
  path: string,
  reach: () => Promise<Response>,
) => Promise<Response> | Response | null;

export interface World {
  readonly time: ManualTime;
  readonly real: TestService;
  /** Undisturbed. */
  readonly client: Client;
  /** What was asked of the service by workers: milliseconds and the path's end. */
  readonly asked: readonly string[];
  readonly errors: readonly unknown[];
  start(handler: Handler, options?: Partial<WorkerOptions>, plan?: Plan): Worker;
  job(key: string): Promise<Job>;
}

export async function world(keys: readonly string[] = []): Promise<World> {
  const time = manualTime();
  const real = await service({ clock: time.clock });
  const client = real.client({ deps: time.deps });
  for (const key of keys) await readyJob(client, key);
  const asked: string[] = [];
  const errors: unknown[] = [];
  return {
    time,
    real,
    client,
    asked,
    errors,
    start(handler, options = {}, plan = () => null) {
      const fetch: Fetch = (url, init) => {
        const path = url.slice(url.lastIndexOf("/") + 1);
        asked.push(`${time.now()} ${path}`);
        const reach = async () => real.fetch(url, init);
        return plan(path, reach) ?? reach();
      };
      const onError = (error: unknown): void => void errors.push(error);
      const { deps } = time;
      return worker(real.client({ fetch, deps }), handler, { onError, deps, ...options });
    },
    job: async (key) => (await client.emails.read(key)).job,
  };
}

/** A handler that the test lets go on. */
export function held() {
  const begun: string[] = [];
  const aborted: string[] = [];
  const goOn = new Map<string, (outcome?: Error) => void>();
  const handler: Handler = (job, { signal }) => {
    const key = job.logicalKey;
    begun.push(key);
    signal.addEventListener("abort", () => aborted.push(key));
    return new Promise((resolve, reject) => {
      goOn.set(key, (outcome) => (outcome === undefined ? resolve("sent") : reject(outcome)));
    });
  };
  return {
    handler,
    begun,
    aborted,
    finish: (key: string, error?: Error) => goOn.get(key)?.(error),
  };
}
