/**
 * One worker process: leases due emails from the service, "sends" them (it only waits) and settles
 * them. Tells its parent what it does, one JSON line each. Arguments: URL, key, seconds that a send takes.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, worker } from "../../src/client/client.ts";

const [url = "", key = "", sendSeconds = "1"] = process.argv.slice(2);

const tell = (what: Record<string, unknown>): void => {
  writeSync(1, `${JSON.stringify(what)}\n`);
};

const sending = worker(
  createClient({ url, key }),
  async ({ attempts, leaseToken, leaseUntil }, { signal }) => {
    tell({ did: "leased", attempts, leaseToken, leaseUntil });
    await sleep(Number(sendSeconds) * 1_000, undefined, { signal });
    tell({ did: "sent", attempts });
  },
  { leaseMs: 3_000, pollMs: 200, idleMs: 400, onError: (error) => tell({ did: String(error) }) },
);

process.once("SIGTERM", async () => {
  await sending.stop({ graceMs: 2_000 });
  tell({ did: "stopped in good order" });
});
