/** The methods of the library: what they check, and what they make of the answer (semantics C3). */
import { isOf } from "../core/foreign.ts";
import { MISSING } from "../core/issues.ts";
import { durationMs } from "../core/time.ts";
import type { QueryJob } from "../machines/queries/fold.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import { parseQueryRequest } from "../machines/queries/request.ts";
import { snapshotOf } from "../machines/queries/snapshot.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { checked, checkedOptional, checkedOptions } from "./input.ts";
import type { Admitted, Applied, HolderOptions, Queries, Started } from "./queries.ts";
import type { AdmissionOutcome, Admit } from "./query-admission.ts";
import type { AppendOutcome } from "./query-attempt.ts";
import type { PlainCommand, QueryCommands, RunCommand } from "./query-commands.ts";
import {
  admissionError,
  QueryJobNotFoundError,
  QueryJobValidationError,
  queryError,
  requestError,
} from "./query-errors.ts";
import type { QueryPlace } from "./query-known.ts";
import { parsePosition, positionText } from "./query-positions.ts";
import type { QueryReading } from "./query-reading.ts";
import type { QueryDeps } from "./query-records.ts";
import { type Marked, UNMARKED } from "./query-scan.ts";
import type { RunTokens } from "./query-tokens.ts";

export interface MethodParts {
  readonly deps: QueryDeps;
  readonly admit: Admit;
  readonly commands: QueryCommands;
  readonly reading: QueryReading;
  readonly tokens: RunTokens;
  /** Of a run whose caller says nothing else. */
  readonly runLeaseMs: number;
  readonly freshToken: () => string;
}

type Methods = Omit<
  Queries,
  "init" | "getHealth" | "list" | "listRetainedExecutions" | "subscribe" | "erase" | "gc"
>;

export function queryMethods(parts: MethodParts): Methods {
  return { ...admitting(parts), ...running(parts), ...ending(parts), ...reads(parts) };
}

function admitting({ deps, admit, reading }: MethodParts): Pick<Methods, "admit"> {
  async function existing(place: QueryPlace): Promise<QueryJob> {
    try {
      return (await reading.whole(place)).job;
    } catch (fault) {
      if (!isOf(fault, QueryJobNotFoundError)) throw fault;
      // It is over, which its root did not know, or not yet: as if it had.
      throw admissionError({ kind: "job_generation_out_of_order" });
    }
  }

  return {
    async admit(raw): Promise<Admitted> {
      const parsed = parseQueryRequest(raw);
      if (!parsed.ok) throw requestError(parsed.problem);
      const outcome: AdmissionOutcome = await admit(parsed.request);
      switch (outcome.kind) {
        case "rejected":
          deps.observe("query.refused", 1);
          throw admissionError(outcome.rejection);
        case "created": {
          deps.observe("query.admitted", 1);
          const { job } = outcome.known;
          const shown = job ?? (await reading.whole(outcome.place)).job;
          return { created: true, job: snapshotOf(shown) };
        }
        case "existing": {
          deps.observe("query.duplicate", 1);
          return { created: false, job: snapshotOf(await existing(outcome.place)) };
        }
      }
    },
  };
}

/** What a method tells of a command's end. Throws what was refused. */
async function answered({ reading }: MethodParts, outcome: AppendOutcome): Promise<Applied> {
  const shown = async (place: QueryPlace) => snapshotOf((await reading.whole(place)).job);
  if (outcome.kind === "rejected") {
    const { rejection, place } = outcome;
    const isLate = rejection.kind === "lease_lost" && isTerminal(rejection.status);
    if (!isLate) throw queryError(rejection);
    // Whoever comes after the end changed nothing, whosever run it was (QUERY-32).
    return { applied: false, job: await shown(place), position: null };
  }
  const { isApplied: applied, known, place, part } = outcome;
  const job = known.job === null ? await shown(place) : snapshotOf(known.job);
  return { applied, job, position: positionText(part) };
}

type HeldMethods = Pick<
  Methods,
  | "markRunning"
  | "updateLinkage"
  | "appendPartial"
  | "appendActivity"
  | "markAnswerReady"
  | "complete"
  | "fail"
  | "interrupt"
>;

function running(parts: MethodParts): Pick<Methods, "markStarting" | "heartbeat"> & HeldMethods {
  const { commands, tokens, runLeaseMs, freshToken } = parts;
  const leaseOf = (value: unknown) =>
    durationMs(checked(queryInputs.leaseMs, value ?? runLeaseMs, "options.leaseMs"));

  function tokenOf(jobId: string, given: unknown): string | null {
    const token = checkedOptional(queryInputs.token, given, "options.leaseToken");
    return token ?? tokens.of(String(jobId).toLowerCase());
  }

  async function held(
    jobId: string,
    command: RunCommand,
    given: HolderOptions = {},
  ): Promise<Applied> {
    const options = checkedOptions(given, "options");
    const mark = markOf(options);
    const whole: PlainCommand = { ...command, token: tokenOf(jobId, options.leaseToken) };
    const answer = await answered(parts, await commands.run(jobId, whole, { mark, isWhole: true }));
    if (isTerminal(answer.job.status)) tokens.forget(jobId);
    return answer;
  }

  return {
    async markStarting(jobId, given = {}): Promise<Started> {
      const options = checkedOptions(given, "options");
      const token =
        checkedOptional(queryInputs.token, options.leaseToken, "options.leaseToken") ??
        freshToken();
      const asked = checkedOptional(queryInputs.generation, options.generation, "generation");
      const leaseMs = leaseOf(options.leaseMs);
      const run = { generation: asked ?? null, token, leaseMs, owner: null };
      const answer = await answered(parts, await commands.start(jobId, run));
      if (!answer.applied) return { ...answer, leaseToken: null, position: null };
      tokens.keep(answer.job.jobId, token);
      return { ...answer, leaseToken: token };
    },
    async heartbeat(jobId, given = {}) {
      const options = checkedOptions(given, "options");
      const beat = { token: tokenOf(jobId, options.leaseToken), leaseMs: leaseOf(options.leaseMs) };
      const outcome = await commands.heartbeat(jobId, beat, { mark: UNMARKED, isWhole: true });
      return answered(parts, outcome);
    },
    markRunning: (jobId, linkage = {}, options = {}) =>
      held(jobId, { kind: "running", linkage }, options),
    updateLinkage: (jobId, linkage = {}, options = {}) =>
      held(jobId, { kind: "linkage", linkage }, options),
    appendPartial: async (jobId, delta, _text, truncated = false, options = {}) =>
      held(
        jobId,
        {
          kind: "chunk",
          delta: checked(queryInputs.text, delta, "delta"),
          isTruncated: truncated === true,
        },
        options,
      ),
    appendActivity: async (jobId, kind, text, options = {}) =>
      held(
        jobId,
        {
          kind: "activity",
          activity: checked(queryInputs.activityKind, kind, "kind"),
          text: checked(queryInputs.text, text, "text"),
        },
        options,
      ),
    markAnswerReady: async (jobId, given, linkage = {}, options = {}) => {
      const text = checked(queryInputs.text, given, "text");
      return held(jobId, { kind: "answer_ready", text, linkage }, options);
    },
    complete: async (jobId, answer, options = {}) => {
      const { text, attachments, outputImageStats, linkage } = checkedOptions(answer, "answer");
      const rest = { attachments, outputImageStats, linkage };
      const kept = checked(queryInputs.text, text, "answer.text");
      return held(jobId, { kind: "complete", text: kept, ...rest }, options);
    },
    fail: (jobId, error, options = {}) => held(jobId, { kind: "fail", error }, options),
    interrupt: async (jobId, given, options = {}) => {
      const reason = checkedOptional(queryInputs.text, given, "reason") ?? null;
      return held(jobId, { kind: "interrupt", reason, fencedUntil: null }, options);
    },
  };
}

function ending(parts: MethodParts): Pick<Methods, "cancel" | "acknowledge"> {
  const { commands } = parts;
  const options = { mark: UNMARKED, isWhole: true };
  return {
    async cancel(jobId, given) {
      const generation = generationOf(given);
      return answered(parts, await commands.run(jobId, { kind: "cancel", generation }, options));
    },
    async acknowledge(jobId, given) {
      const generation = generationOf(given);
      const command = { kind: "acknowledge", generation } as const;
      return answered(parts, await commands.run(jobId, command, options));
    },
  };
}

function reads({
  reading,
}: MethodParts): Pick<
  Methods,
  "getSnapshot" | "getExecution" | "findByClientGeneration" | "replay"
> {
  return {
    async getSnapshot(jobId, generation) {
      const asked = generation === undefined ? null : generationOf(generation);
      return snapshotOf((await reading.job(jobId, asked)).job);
    },
    async getExecution(jobId) {
      const { job } = await reading.job(jobId, null);
      return { request: structuredClone(job.request), job: snapshotOf(job) };
    },
    async findByClientGeneration(clientJobId, generation) {
      const id = queryInputs.id.safeParse(clientJobId);
      if (!id.success) return undefined;
      const found = await reading.find(id.data, generationOf(generation));
      return found === null ? undefined : snapshotOf(found.job);
    },
    replay: async (jobId, generation, after = 0, given = {}) => {
      const { limit } = checkedOptions(given, "options");
      return reading.replay(jobId, generationOf(generation), {
        after: cursorOf(after),
        limit: checked(queryInputs.eventsLimit, limit ?? EVENTS_PAGE_DEFAULT, "options.limit"),
      });
    },
  };
}

const EVENTS_PAGE_DEFAULT = 256;

export function generationOf(value: unknown): number {
  const parsed = queryInputs.generation.safeParse(value);
  if (parsed.success) return parsed.data;
  const message = value === undefined ? MISSING : "must be a whole number from 1";
  throw new QueryJobValidationError("invalid_generation", { path: "generation", message });
}

export function cursorOf(value: unknown): number {
  const parsed = queryInputs.after.safeParse(value);
  if (parsed.success) return parsed.data;
  const message = "must be the number of an event, or 0";
  throw new QueryJobValidationError("invalid_event_cursor", { path: "after", message });
}

/** Throws InvalidInputError, QueryJobValidationError. */
export function markOf({ requestId, position }: HolderOptions): Marked {
  if (requestId === undefined) return UNMARKED;
  return {
    requestId: checked(queryInputs.requestId, requestId, "options.requestId"),
    position: position === undefined || position === null ? null : parsePosition(position),
  };
}
