/**
 * The part of a pass that a coordinator does itself, since a process that answers queries may make no
 * passes: it ends the runs that nobody goes on with, and does what else is due of queries.
 */

import type { QueryService } from "./queries.ts";
import { rootCodec } from "./query-records.ts";
import { type QuietDeps, quietly } from "./quietly.ts";
import type { TransactDeps } from "./transact.ts";

interface DueParts {
  readonly deps: TransactDeps & QuietDeps;
  readonly service: Pick<QueryService, "due">;
  /** Whether this process runs the job, whatever its lease says: its heartbeats may have come late. */
  readonly isAliveHere: (jobId: string) => boolean;
}

/**
 * Each whatever becomes of the others; what fails is left to the next time. `retires`: removes what is past
 * its retention instead, which may take long where nobody did for a while. Throws the storage's faults.
 */
export async function attendDue(
  { deps, service, isAliveHere }: DueParts,
  { retires, closing }: { readonly retires: boolean; readonly closing: AbortSignal },
): Promise<void> {
  const { due } = service;
  const isAll = await due.walk({
    async visit(entry) {
      if (closing.aborted) return false;
      const attended = (async () => {
        const stored = await deps.store.confirmDue(entry);
        if (stored === null) return;
        const root = rootCodec.load(stored);
        if (root.kind === "live" && isAliveHere(root.jobId)) return;
        if ((due.attention(stored) === "retired") === retires) await due.attend(stored);
      })();
      return quietly(deps, "due query not attended", attended);
    },
    page: (read) => read(),
    isOver: () => closing.aborted,
  });
  if (isAll && !retires) due.tookOver();
}
