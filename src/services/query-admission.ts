/** Admitting requests: part 1 first, then the root, whose put is the commit (protocols 4.2). */
import { assert } from "../core/assert.ts";
import { jitteredMs } from "../core/backoff.ts";
import { isOf } from "../core/foreign.ts";
import { uuid } from "../core/ids.ts";
import { after, durationMs, type EpochMs, seconds } from "../core/time.ts";
import {
  type AdmissionRejection,
  acceptedEvent,
  admitted,
  type HeldQueries,
  type Recognition,
  recognise,
  refusalOf,
} from "../machines/queries/admission.ts";
import { fenceIdOf } from "../machines/queries/fence.ts";
import { fingerprintOf } from "../machines/queries/fingerprint.ts";
import { partBody } from "../machines/queries/part.ts";
import type { QueryRequest } from "../machines/queries/request.ts";
import { jobOfId, type QueryRoot } from "../machines/queries/root.ts";
import { ContendedError, OutcomeUnknownError } from "../ports/faults.ts";
import { isOutOfTheWay } from "../store/sending.ts";
import type { Stored } from "../store/store.ts";
import { savedRecord } from "./codec.ts";
import type { SessionFences } from "./query-fences.ts";
import type { KnownJob, QueryPlace } from "./query-known.ts";
import { isLatestOver, type LatestParts } from "./query-latest.ts";
import { type QueryDeps, rootCodec, rootKey } from "./query-records.ts";
import type { QueryWatch } from "./query-watch.ts";

export type AdmissionOutcome =
  | { readonly kind: "created"; readonly place: QueryPlace; readonly known: KnownJob }
  /** The request was admitted before; its job is still to be read. */
  | { readonly kind: "existing"; readonly place: QueryPlace }
  | { readonly kind: "rejected"; readonly rejection: AdmissionRejection };

/**
 * Throws ContendedError (not admitted), OutcomeUnknownError (may be; the same request again does no harm),
 * and the storage's faults.
 */
export type Admit = (request: QueryRequest) => Promise<AdmissionOutcome>;

export interface AdmissionParts extends LatestParts {
  readonly deps: QueryDeps;
  readonly fences: SessionFences;
  readonly watch: QueryWatch;
  readonly heldQueries: HeldQueries;
}

/** Roots that others wrote in a row before a request is given up: another try would only add load. */
const TRIES_MAX = 16;

const RETRY = { base: durationMs(5), cap: seconds(1) };

export function admission(parts: AdmissionParts): Admit {
  const { deps } = parts;
  return async (request) => {
    const deadlineAt = after(deps.clock.now(), deps.deadlineMs);
    const asked = { request, fingerprint: fingerprintOf(request), deadlineAt };
    return deps.store.queue.run(rootKey(request.clientJobId), deadlineAt, async () => {
      for (let tries = 1; ; tries += 1) {
        const outcome = await admitOnce(parts, asked);
        if (outcome !== "superseded") return outcome;
        await backOff(deps, tries, deadlineAt);
      }
    });
  };
}

interface Asked {
  readonly request: QueryRequest;
  readonly fingerprint: string;
  readonly deadlineAt: EpochMs;
}

async function admitOnce(
  parts: AdmissionParts,
  asked: Asked,
): Promise<AdmissionOutcome | "superseded"> {
  const { deps, jobs, fences, heldQueries } = parts;
  const { request, fingerprint } = asked;
  const { clientJobId, generation, sessionId } = request;
  const stored = await deps.store.get(rootKey(clientJobId));
  const root = stored === null ? null : rootCodec.load(stored);
  const known: Recognition = recognise(root, { generation, fingerprint }, deps.clock.now());
  if (known.kind === "reject") return { kind: "rejected", rejection: known.rejection };
  if (known.kind === "existing") {
    return { kind: "existing", place: jobs.placeOf(known.jobId, { clientJobId, generation }) };
  }
  // In this order: an interrupt sets the fence before it can be seen in the log.
  const isOver = root?.kind !== "live" || (await isLatestOver(parts, root, clientJobId));
  const heldUntil = heldQueries === "admit" ? null : await fences.heldUntil(fenceIdOf(sessionId));
  const now = deps.clock.now();
  const refusal = refusalOf(root, generation, { isLatestOver: isOver, heldUntil }, now);
  if (refusal !== null) return { kind: "rejected", rejection: refusal };
  return commit(parts, asked, { stored, root });
}

interface Base {
  readonly stored: Stored | null;
  readonly root: QueryRoot | null;
}

async function commit(
  parts: AdmissionParts,
  { request, deadlineAt }: Asked,
  base: Base,
): Promise<AdmissionOutcome | "superseded"> {
  const { deps, jobs, watch } = parts;
  const { store, random, clock } = deps;
  const jobId = uuid(random.bytes(16));
  const turnId = uuid(random.bytes(16));
  const ids = { turnId, base: base.stored?.version ?? null };
  const event = acceptedEvent(request, ids, clock.now(), deps);
  const place = jobs.placeOf(jobId, request);
  const body = partBody({ events: [event], requestId: null });
  const draft = place.log.draft(body);
  const next = admitted(base.root, jobId, event);
  try {
    const verdict = await draft.create(1, deadlineAt);
    assert(verdict === "created", "a job id is never used twice");
  } catch (fault) {
    // No root names it, and none ever will.
    await draft.remove();
    throw fault;
  }
  try {
    const result = await store.put(
      rootKey(request.clientJobId),
      savedRecord(rootCodec, next, base.stored),
      {
        expected: base.stored ?? "absent",
        due: rootCodec.due(next),
        deadlineAt,
      },
    );
    if (result.kind === "conflict") {
      await draft.remove();
      return "superseded";
    }
  } catch (fault) {
    // The part stays: the root may name it yet.
    if (isOutOfTheWay(fault)) await draft.remove();
    if (!isOf(fault, OutcomeUnknownError) || !(await isNamed(deps, place))) throw fault;
  }
  const known = jobs.after(place, null, { kind: "whole", first: 1, last: 1, ...body });
  jobs.keep(place, known);
  watch.told.accepted(jobId, request.sessionId);
  return { kind: "created", place, known };
}

/** The root keeps the ids of its jobs long after it has forgotten who wrote them. */
async function isNamed({ store }: QueryDeps, place: QueryPlace): Promise<boolean> {
  try {
    const stored = await store.get(place.root);
    const root = stored === null ? null : rootCodec.load(stored);
    return root?.kind === "live" && jobOfId(root, place.jobId) !== null;
  } catch {
    // It cannot be told, as before.
    return false;
  }
}

async function backOff(
  { clock, random, observe }: QueryDeps,
  tries: number,
  deadlineAt: EpochMs,
): Promise<void> {
  const wait = jitteredMs(tries, random.fraction(), RETRY);
  if (tries >= TRIES_MAX || clock.now() + wait >= deadlineAt) {
    observe("store.contended", 1);
    throw new ContendedError("others kept changing the same client job; nothing was admitted");
  }
  if (wait > 0) await clock.sleep(durationMs(wait));
}
