/** The root of the generations that an original kept of one client job, all of which have ended. */
import { fenceIdOf } from "./fence.ts";
import type { QueryJob } from "./fold.ts";
import { HISTORY_MAX } from "./limits.ts";
import type { LiveRoot, PastJob } from "./root.ts";

/** `latest`: the greatest generation; `earlier`: the others, the greatest first, of which HISTORY_MAX fit. */
export function journalRoot(latest: QueryJob, earlier: readonly QueryJob[]): LiveRoot {
  const { request, jobId, fingerprint, acceptedAt, retentionUntil, head } = latest;
  return {
    kind: "live",
    clientJobId: request.clientJobId,
    gen: request.generation,
    ...{ jobId, fingerprint },
    fenceId: fenceIdOf(request.sessionId),
    ...{ acceptedAt, retentionUntil },
    hint: head,
    leaseUntil: null,
    retirement: null,
    history: earlier.slice(0, HISTORY_MAX).map(pastJob),
  };
}

function pastJob({ jobId, generation: gen, fingerprint, retentionUntil }: QueryJob): PastJob {
  return { gen, jobId, fingerprint, retentionUntil, isRetired: false };
}
