/**
 * A process of its own: adds deltas to a job in a folder as it is told to, and tells when each was durable,
 * in milliseconds of the machine's clock.
 */
import { filesystemStorage } from "../adapters/storage/filesystem/index.ts";
import { createHoldfast } from "../src/holdfast.ts";
import { toldStorage } from "./query-jobs.ts";
import { machineMs } from "./query-seen.ts";

const [, , directory = "", jobId = "", leaseToken = ""] = process.argv;

const storage = toldStorage(filesystemStorage({ directory }), (key) => {
  if (key.includes(jobId)) process.send?.(machineMs());
});
const { queries, close } = await createHoldfast({ storage });

process.on("message", (told: string) => {
  if (told === "end") {
    void close().then(() => process.disconnect?.());
    return;
  }
  void queries.appendPartial(jobId, told, "", false, { leaseToken });
});
process.send?.("ready");
