/**
 * The part of a pass that a coordinator does itself, since a process that answers queries may make no
 * passes: it ends the runs that nobody goes on with, and does what else is due of queries.
 */
import type { QueryService } from "./queries.ts";
import { type QuietDeps, quietly } from "./quietly.ts";
import type { TransactDeps } from "./transact.ts";

interface DueParts {
  readonly deps: TransactDeps & QuietDeps;
  readonly service: Pick<QueryService, "due">;
}

/** Each whatever becomes of the others; what fails is left to the next time. Throws the storage's faults. */
export async function attendDue({ deps, service }: DueParts, closing: AbortSignal): Promise<void> {
  const { due } = service;
  const isAll = await due.walk({
    async visit(entry) {
      if (closing.aborted) return false;
      const attended = (async () => {
        const stored = await deps.store.confirmDue(entry);
        if (stored !== null) await due.attend(stored);
      })();
      return quietly(deps, "due query not attended", attended);
    },
    page: (read) => read(),
    isOver: () => closing.aborted,
  });
  if (isAll) due.tookOver();
}
