/**
 * What an operator has removed: logs that no root names, left by admissions and retirements that were cut
 * off (protocols 4.3). They cost storage and nothing else, so no pass looks for them.
 */
import * as z from "zod/mini";
import { isOf } from "../core/foreign.ts";
import { sha256Hex } from "../core/hash.ts";
import { key as recordKey } from "../core/key.ts";
import { apply, unchanged } from "../core/machine.ts";
import { safeParse } from "../core/safe-parse.ts";
import { after, seconds } from "../core/time.ts";
import { admissionOf, type PartAdmission } from "../machines/queries/part.ts";
import { jobOfId, type QueryRoot } from "../machines/queries/root.ts";
import type { Cursor } from "../ports/backend.ts";
import { RecordCorruptError } from "../ports/faults.ts";
import { PAGE_MAX } from "../store/limits.ts";
import { type Codec, NO_EXTRAS } from "./codec.ts";
import { type QueryDeps, rootCodec, rootKey } from "./query-records.ts";
import { removeLog } from "./query-removal.ts";
import { transact } from "./transact.ts";

export interface GcPage {
  /** Jobs that there is a log of, in this page. */
  readonly examined: number;
  /** Of them, those that no root names, and that are gone now. */
  readonly removed: number;
  /** Logs that could not be read, and were left as they are. */
  readonly corrupt: number;
  /** Whether the walk came to its end; the next call begins anew. */
  readonly isComplete: boolean;
}

export interface QueryGc {
  /**
   * Goes on with the walk for one page of up to `limit` (1 to 1,000) names. Its place is saved, so that it
   * may be cut off anywhere; it runs beside any traffic.
   */
  collect(limit: number): Promise<GcPage>;
}

/** Younger than this an admission may be in flight; it saves work, and no safety rests on it. */
const POLITENESS_MS = seconds(60);

interface GcPlace {
  readonly cursor: string | null;
}

/** The place of the walk is one of this storage alone. */
const PLACE_KEY = recordKey(`queries/gc/${sha256Hex("place")}`);

const storedPlace = z.strictObject({ cursor: z.nullable(z.string()) });

const placeCodec: Codec<GcPlace> = {
  load({ key, fields }) {
    const parsed = safeParse(storedPlace, fields);
    if (!parsed.success) throw new RecordCorruptError(key, "it is no place of a walk");
    return parsed.data;
  },
  save: ({ cursor }) => ({ fields: { cursor }, extra: {} }),
  due: () => null,
  extras: NO_EXTRAS,
  isRemains: () => false,
};

export function queryGc(deps: QueryDeps): QueryGc {
  const { store, logs, clock, observe } = deps;

  /** Whether the root can name the job neither now nor later. */
  async function isOrphan(jobId: string, { clientJobId, base, at }: PartAdmission) {
    const key = rootKey(clientJobId);
    const stored = await store.get(key);
    const isNamed = (root: QueryRoot | null): boolean =>
      root?.kind === "live" && jobOfId(root, jobId) !== null;
    if (isNamed(stored === null ? null : rootCodec.load(stored))) return false;
    if (after(at, POLITENESS_MS) > clock.now()) return false;
    if ((stored?.version ?? null) !== base) return true;
    // The admission may still land on this very version, so it is moved on first.
    const moved = await transact<QueryRoot, never>(deps, rootCodec, {
      key,
      handle: null,
      decide: (root) =>
        root !== null && isNamed(root) ? unchanged(root) : apply(root ?? { kind: "void" }),
    });
    return moved.kind === "applied";
  }

  /** Whether it is gone now; what is left of a large one, the next walk meets. */
  async function visit(jobId: string): Promise<boolean> {
    // Read behind the listing, which is no snapshot: part 1 always comes first.
    const part = await logs.open(jobId).get(1);
    if (part !== null) {
      const owner = admissionOf(part.about);
      if (owner === null) throw new RecordCorruptError(jobId, "part 1 does not say whose it is");
      if (!(await isOrphan(jobId, owner))) return false;
    }
    const isGone = await removeLog(deps, jobId, after(clock.now(), deps.deadlineMs));
    if (isGone) observe("query.orphan_removed", 1);
    return isGone;
  }

  return {
    async collect(limit) {
      const stored = await store.get(PLACE_KEY);
      const from = stored === null ? null : placeCodec.load(stored).cursor;
      const page = await logs.jobs(from as Cursor | null, Math.min(limit, PAGE_MAX));
      let removed = 0;
      let corrupt = 0;
      for (const jobId of page.jobIds) {
        try {
          if (await visit(jobId)) removed += 1;
        } catch (fault) {
          // One that cannot be read stops no other.
          if (!isOf(fault, RecordCorruptError)) throw fault;
          observe("store.record_corrupt", 1);
          corrupt += 1;
        }
      }
      await transact<GcPlace, never>(deps, placeCodec, {
        key: PLACE_KEY,
        handle: null,
        decide: () => apply({ cursor: page.cursor }),
      });
      const examined = page.jobIds.length;
      return { examined, removed, corrupt, isComplete: page.cursor === null };
    },
  };
}
