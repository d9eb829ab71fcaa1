/** One run of one query job over HTTP: what it tells is told once and in order, and its lease is kept. */
import type { Call } from "./call.ts";
import { joinedDeltas } from "./deltas.ts";
import { HoldfastError, invalid } from "./errors.ts";
import { isAnswer, renewed } from "./renewal.ts";
import { isTerminal } from "./statuses.ts";
import type { ClientDeps } from "./time.ts";
import type {
  CallOptions,
  QueryJob,
  QueryRequest,
  QueryRoutes,
  RouteAnswer,
  RouteBody,
} from "./types.ts";
import { uuid } from "./wire.ts";

type Body<R extends keyof QueryRoutes> = RouteBody<QueryRoutes[R]>;

/** What a run knows by itself. */
type Held = "leaseToken" | "requestId" | "position";
type Unheld<R extends keyof QueryRoutes> = Omit<Body<R>, Held>;

/** A given answer; without `text` it is the joined deltas. */
export type Given<R extends "answerReady" | "complete"> = Omit<Unheld<R>, "text"> &
  Partial<Pick<Body<R>, "text">>;

/** What came of one thing told. `applied: false`: nothing changed, as after the end. */
export type Told = RouteAnswer<QueryRoutes["chunk"]>;

export type StartBody = Omit<Body<"start">, "leaseMs" | "leaseToken"> &
  Partial<Pick<Body<"start">, "leaseMs" | "leaseToken">>;

/**
 * Calls are carried out one after the other, in the order in which they were made; each is repeated until
 * it is answered, for as long as the lease can be renewed (an hour at most), and is in the log once. What
 * fails otherwise ends the run, and every call from then on rejects with its error: most often
 * `lease_lost`, whose `problem` tells the job's state, such as canceled. But for a text or a property that
 * the service refuses (413, 422): that call alone rejects, unless it was a delta.
 */
export interface QueryRun {
  /** As the run found it. */
  readonly job: QueryJob;
  /** What is to be answered: not to be shown. */
  readonly request: QueryRequest;
  /** The credential; given to `start` again, it gets the same run. */
  readonly leaseToken: string;
  /** Aborted when nothing more can be told, its reason being why: stop the provider then. */
  readonly signal: AbortSignal;
  /** The provider has begun. */
  running(linkage?: Unheld<"running">["linkage"]): Promise<Told>;
  /** What the provider calls this run. */
  linkage(linkage: Unheld<"linkage">["linkage"]): Promise<Told>;
  /**
   * The next piece of the answer, cut anywhere. Joined with others into one chunk of at most 50 ms or
   * 1,024 characters; resolves when more may come, so that what waits stays bounded.
   */
  delta(text: string): Promise<void>;
  activity(kind: Unheld<"activity">["kind"], text: string): Promise<Told>;
  /** The answer is whole, and stands whatever comes: no delta follows. */
  answerReady(answer?: Given<"answerReady">): Promise<Told>;
  complete(answer?: Given<"complete">): Promise<Told>;
  fail(error: Unheld<"fail">["error"]): Promise<Told>;
  interrupt(reason?: string): Promise<Told>;
  /** Ends it without a word to the service, which interrupts the job when the lease has run out. */
  drop(): void;
}

export interface RunDeps extends ClientDeps {
  readonly call: Call;
}

/** `applied: false`: the job was not `accepted`, or another was first. */
export type Started =
  | { readonly applied: true; readonly job: QueryJob; readonly run: QueryRun }
  | { readonly applied: false; readonly job: QueryJob; readonly run: null };

const LEASE_MS = 60_000;

/** For how long one thing is tried to be told where the lease can be renewed all the while. */
const TELL_MS = 3_600_000;

/** Of the given text, one more than is kept, so that the service knows it was cut. */
const TEXT_CHARS_MAX = 128_001;

export async function startedRun(
  deps: RunDeps,
  jobId: string,
  body: StartBody,
  options?: CallOptions,
): Promise<Started> {
  const { leaseMs = LEASE_MS, leaseToken = uuid(), ...rest } = body;
  const path = `${jobPath(jobId)}/runs`;
  const askedAt = deps.now();
  const answer = await deps.call<RouteAnswer<QueryRoutes["start"]>>(
    { method: "POST", path, body: { ...rest, leaseMs, leaseToken } },
    options,
  );
  const { applied, job, request, position } = answer;
  if (!applied || request === null) return { applied: false, job, run: null };
  const parts = { job, request, leaseToken, leaseMs, position, askedAt };
  return { applied, job, run: openRun(deps, parts) };
}

interface RunParts extends Pick<QueryRun, "job" | "request" | "leaseToken"> {
  readonly leaseMs: number;
  readonly position: string | null;
  /** As in a Lease. */
  readonly askedAt: number;
}

function openRun(deps: RunDeps, parts: RunParts): QueryRun {
  const { job, request, leaseToken } = parts;
  const { over, tell, end } = openLine(deps, parts);
  let text = job.partialText;
  let isWhole = false;

  const deltas = joinedDeltas(deps, async (delta) => {
    const { applied } = await tell("chunks", () => {
      text = kept(text + delta);
      return { delta };
    });
    if (applied) return;
    over.abort(notOurs());
    over.signal.throwIfAborted();
  });

  function finishText(): void {
    isWhole = true;
    void deltas.end();
  }

  function ended(verb: string, body: () => object): Promise<Told> {
    finishText();
    return end(verb, body);
  }

  return {
    ...{ job, request, leaseToken },
    signal: over.signal,
    running: (linkage = {}) => tell("running", () => ({ linkage })),
    linkage: (linkage) => tell("linkage", () => ({ linkage })),
    async delta(delta) {
      over.signal.throwIfAborted();
      if (isWhole) throw invalid("no delta can follow the whole answer, nor the end of the run");
      if (typeof delta !== "string") throw invalid("a delta must be a text");
      await deltas.add(delta);
    },
    activity(kind, line) {
      void deltas.flush();
      return tell("activity", () => ({ kind, text: line }));
    },
    answerReady(answer) {
      finishText();
      return tell("answer-ready", () => {
        text = kept(answer?.text ?? text);
        return { ...answer, text };
      });
    },
    complete: (answer) =>
      ended("complete", () => ({ ...answer, text: kept(answer?.text ?? text) })),
    fail: (error) => ended("fail", () => ({ error })),
    interrupt: (reason) => ended("interrupt", () => ({ reason })),
    drop: () => over.abort(dropped()),
  };
}

/** The service takes no body of any length, and of a text that is cut in the end nothing is lost here. */
function kept(text: string): string {
  return text.slice(0, TEXT_CHARS_MAX);
}

/** `body` is made when it is the call's turn. */
type Tell = (verb: string, body: () => object) => Promise<Told>;

interface Line {
  /** Aborted when nothing more can be told. */
  readonly over: AbortController;
  readonly tell: Tell;
  /** The same for an end, beside which a lost lease may be its own doing. */
  readonly end: Tell;
}

/** Tells one thing after the other, and renews the lease in between and beside. */
function openLine(deps: RunDeps, parts: RunParts): Line {
  const { job, leaseToken, leaseMs, askedAt } = parts;
  let { position } = parts;
  let ending = 0;
  let last: Promise<unknown> = Promise.resolve();
  const over = new AbortController();
  const beats = new AbortController();
  over.signal.addEventListener("abort", () => beats.abort(), { once: true });

  const post = (verb: string, body: object, options: CallOptions) =>
    deps.call<Told>({ method: "POST", path: `${jobPath(job.jobId)}/${verb}`, body }, options);

  async function renew(options: CallOptions): Promise<void> {
    const { applied } = await post("heartbeats", { leaseToken, leaseMs }, options);
    if (!applied) throw notOurs();
  }
  const lease = { leaseMs, askedAt, renew, isEnding: () => ending > 0, report: () => {} };
  void renewed(deps, lease, beats.signal).then((loss) => {
    if (loss !== null) over.abort(loss);
  });

  async function write(verb: string, body: object): Promise<Told> {
    over.signal.throwIfAborted();
    const options = { signal: over.signal, attempts: Number.POSITIVE_INFINITY, timeoutMs: TELL_MS };
    const place = position === null ? {} : { position };
    try {
      // The same for every attempt of this call, so that none of them is written twice.
      const sent = { ...body, leaseToken, requestId: uuid(), ...place };
      const answer = await post(verb, sent, options);
      position = answer.position;
      if (isTerminal(answer.status)) beats.abort();
      return answer;
    } catch (error) {
      // A hole in the text would not be seen by anybody.
      if (verb === "chunks" || !isRefusal(error)) over.abort(error);
      throw error;
    }
  }

  const tell: Tell = (verb, body) => {
    const own = last.then(() => write(verb, body()));
    last = own.catch(() => {});
    return own;
  };

  async function end(verb: string, body: () => object): Promise<Told> {
    ending += 1;
    try {
      return await tell(verb, body);
    } finally {
      ending -= 1;
    }
  }

  return { over, tell, end };
}

/** Whether it is the service's word about this call alone; what JSON cannot say is not even sent. */
function isRefusal(error: unknown): boolean {
  return (
    isAnswer(error, [413, 422]) || (isAnswer(error, [null]) && error.code === "invalid_request")
  );
}

export function jobPath(jobId: string): string {
  return `/v1/query-jobs/${encodeURIComponent(jobId)}`;
}

function notOurs(): HoldfastError {
  const detail = "the run is over, or somebody else's: stop the provider";
  return new HoldfastError({ code: "lease_lost", status: 409, detail });
}

function dropped(): HoldfastError {
  const detail = "the run was dropped: nothing more can be told";
  return new HoldfastError({ code: "lease_lost", status: null, detail });
}
