/**
 * The root of a client job: which generations there are, where the log of the latest is, when somebody has
 * to look (protocols 4.1). It holds nothing of a request: no prompt, no session, no answer.
 */
import * as z from "zod/mini";
import { unreachable } from "../../core/assert.ts";
import { sha256Hex } from "../../core/hash.ts";
import { reasonOf } from "../../core/issues.ts";
import type { JsonObject } from "../../core/json.ts";
import { safeParse } from "../../core/safe-parse.ts";
import type { EpochMs } from "../../core/time.ts";
import { hexDigest, instant, uuidText } from "./fields.ts";
import type { QueryHead } from "./head.ts";
import { HISTORY_MAX } from "./limits.ts";
import { QUERY_STATUSES } from "./statuses.ts";

/** One generation, by what of it is needed when it is not the latest any more. */
export type PastJob = {
  readonly gen: number;
  readonly jobId: string;
  readonly fingerprint: string;
  readonly retentionUntil: EpochMs;
  /** Its log is being removed, or was erased; the entry leaves when nothing of it is left. */
  readonly isRetired: boolean;
};

/** `removing`: over, its log may still be there. `removed`: nothing of it is left. */
export type Retirement = "removing" | "removed";

export interface LiveRoot {
  readonly kind: "live";
  /** Null: erased, and no generation will ever be admitted again. */
  readonly clientJobId: string | null;
  /** The latest generation. */
  readonly gen: number;
  readonly jobId: string;
  readonly fingerprint: string;
  /** Names the fence of its session (fence.ts). */
  readonly fenceId: string;
  readonly acceptedAt: EpochMs;
  readonly retentionUntil: EpochMs;
  /** The head of its log as somebody saw it, always at the end of a part; may lag. */
  readonly hint: QueryHead;
  /** Until when its run is held; null: it is not, as far as the root knows. */
  readonly leaseUntil: EpochMs | null;
  readonly retirement: Retirement | null;
  /** Earlier generations, the latest first. */
  readonly history: readonly PastJob[];
}

/** Nothing was admitted here; it stands so that an abandoned admission cannot land (protocols 4.3, `gc`). */
export interface VoidRoot {
  readonly kind: "void";
}

export type QueryRoot = LiveRoot | VoidRoot;

/** The last segment of the root's key. */
export function rootIdOf(clientJobId: string): string {
  return sha256Hex(clientJobId);
}

/** A generation by its number, the latest or a past one; null: there is none. */
export function jobOfGeneration(root: LiveRoot, gen: number): PastJob | null {
  return jobsOf(root).find((job) => job.gen === gen) ?? null;
}

/** A generation by its job id. */
export function jobOfId(root: LiveRoot, jobId: string): PastJob | null {
  return jobsOf(root).find((job) => job.jobId === jobId) ?? null;
}

function jobsOf(root: LiveRoot): readonly PastJob[] {
  return [latestOf(root), ...root.history];
}

export function latestOf({
  gen,
  jobId,
  fingerprint,
  retentionUntil,
  retirement,
}: LiveRoot): PastJob {
  return { gen, jobId, fingerprint, retentionUntil, isRetired: retirement !== null };
}

const generation = z.int().check(z.minimum(1));

const storedHint: z.core.$ZodType<QueryHead> = z.strictObject({
  seq: z.int().check(z.minimum(1)),
  status: z.enum(QUERY_STATUSES),
  updatedAt: instant,
  run: z.nullable(
    z.strictObject({
      tokenHash: hexDigest,
      leaseMs: z.int().check(z.minimum(1)),
      owner: z.nullable(z.string()),
    }),
  ),
  isOwned: z.boolean(),
  isEndedByRun: z.boolean(),
  isAcknowledged: z.boolean(),
  text: z.strictObject({
    length: z.int().check(z.minimum(0)),
    isTruncated: z.boolean(),
    half: z.nullable(z.int().check(z.minimum(0xd800), z.maximum(0xdbff))),
  }),
});

const storedPast: z.core.$ZodType<PastJob> = z.strictObject({
  gen: generation,
  jobId: uuidText,
  fingerprint: hexDigest,
  retentionUntil: instant,
  isRetired: z.boolean(),
});

const storedRoot = z.strictObject({
  clientJobId: z.nullable(uuidText),
  gen: generation,
  jobId: uuidText,
  fingerprint: hexDigest,
  fenceId: hexDigest,
  acceptedAt: instant,
  retentionUntil: instant,
  hint: storedHint,
  leaseUntil: z.nullable(instant),
  retirement: z.nullable(z.enum(["removing", "removed"])),
  history: z.array(storedPast).check(z.maxLength(HISTORY_MAX)),
});

const storedVoid = z.strictObject({ void: z.literal(true) });

export type ParsedRoot =
  | { readonly ok: true; readonly root: QueryRoot }
  | { readonly ok: false; readonly reason: string };

/** Reads a stored root. `reason` names field paths and no values. */
export function parseRoot(fields: JsonObject): ParsedRoot {
  if (safeParse(storedVoid, fields).success) return { ok: true, root: { kind: "void" } };
  const parsed = safeParse(storedRoot, fields);
  return parsed.success
    ? { ok: true, root: { kind: "live", ...parsed.data } }
    : { ok: false, reason: reasonOf(parsed.error) };
}

/** The inverse of `parseRoot`. */
export function rootRecord(root: QueryRoot): JsonObject {
  switch (root.kind) {
    case "void":
      return { void: true };
    case "live": {
      const { kind: _kind, ...fields } = root;
      return fields;
    }
    default:
      return unreachable(root);
  }
}
