/** What is kept of queries beside their logs: the root of each client job, and the fence of each session. */
import { type Key, lastSegment, key as recordKey } from "../core/key.ts";
import type { QueryRules } from "../machines/queries/commands.ts";
import { dueOfRoot } from "../machines/queries/due.ts";
import { fenceRecord, parseFence, type SessionFence } from "../machines/queries/fence.ts";
import { parseRoot, type QueryRoot, rootIdOf, rootRecord } from "../machines/queries/root.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import type { Logs } from "../store/log.ts";
import { type Codec, NO_EXTRAS } from "./codec.ts";
import type { QuietDeps } from "./quietly.ts";
import type { TransactDeps } from "./transact.ts";

export interface QueryDeps extends TransactDeps, QueryRules, QuietDeps {
  /** Of the same tenant. */
  readonly logs: Logs;
  /** See `Backend.owner`. */
  readonly owner: string | null;
}

export const QUERY_MACHINE = "queries";
export const QUERY_ROOTS = "queries/roots/";

export function rootKey(clientJobId: string): Key {
  return recordKey(QUERY_ROOTS + rootIdOf(clientJobId));
}

/** `fenceId`: see `fenceIdOf`. */
export function fenceKey(fenceId: string): Key {
  return recordKey(`queries/fences/${fenceId}`);
}

export const rootCodec: Codec<QueryRoot> = {
  load({ key, fields }) {
    const parsed = parseRoot(fields);
    if (!parsed.ok) throw new RecordCorruptError(key, parsed.reason);
    const { root } = parsed;
    const clientJobId = root.kind === "live" ? root.clientJobId : null;
    if (clientJobId !== null && rootIdOf(clientJobId) !== lastSegment(key)) {
      throw new RecordCorruptError(key, "it stands under another client job's id");
    }
    return root;
  },
  save: (root) => ({ fields: rootRecord(root), extra: {} }),
  due: dueOfRoot,
  extras: NO_EXTRAS,
  // Erased.
  isRemains: (root) => root.kind === "live" && root.clientJobId === null,
};

export const fenceCodec: Codec<SessionFence> = {
  load({ key, fields }) {
    const parsed = parseFence(fields);
    if (!parsed.ok) throw new RecordCorruptError(key, parsed.reason);
    return parsed.fence;
  },
  save: (fence) => ({ fields: fenceRecord(fence), extra: {} }),
  // What is over holds nothing; the next write leaves it out.
  due: () => null,
  extras: NO_EXTRAS,
  isRemains: () => false,
};
