/**
 * A process of its own for the tests: has the folder to itself and runs what it is told to with a provider
 * that says a word and then nothing. Beside it a job is held by somebody else, as over HTTP.
 */
import { filesystemStorage } from "../../../adapters/storage/filesystem/index.ts";
import { durationMs } from "../../../src/core/time.ts";
import { createHoldfast } from "../../../src/holdfast.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { LEASE_MS, OTHER_CLIENT_JOB_ID, owned, REQUEST } from "./given.ts";

const [, , directory = ""] = process.argv;

const HEARTBEAT_MS = LEASE_MS / 3;

const LOOK_MS = durationMs(5);

const system = systemClock();
let isBeaten = false;

/** The first heartbeat comes at once, so that the root knows of the lease. */
const clock: typeof system = {
  ...system,
  async sleep(ms, signal) {
    if (ms !== HEARTBEAT_MS || isBeaten) return system.sleep(ms, signal);
    isBeaten = true;
  },
};

const storage = filesystemStorage({ directory, sharing: "exclusive" });
const holdfast = await createHoldfast({ storage, clock });
const fields = { clientJobId: OTHER_CLIENT_JOB_ID, sessionId: "session-held" };
const { jobId } = await owned(holdfast.queries, fields);
await holdfast.queries.heartbeat(jobId);
const coordinator = holdfast.coordinate({
  runner: {
    async run(_execution, callbacks) {
      await callbacks.started({ provider: "claude" });
      await callbacks.ownership({ claudeRunId: "run-1" });
      await callbacks.delta("a word");
      return new Promise(() => {});
    },
  },
});
const { job } = await coordinator.submit(REQUEST);
while ((await holdfast.queries.getSnapshot(job.jobId)).partialText === "")
  await system.sleep(LOOK_MS);
process.send?.({ driven: job.jobId, held: jobId });
