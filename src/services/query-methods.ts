/** The methods of whoever asks and reads: what they check, and what they make of the answer (semantics C3). */
import { isOf } from "../core/foreign.ts";
import { MISSING } from "../core/issues.ts";
import { safeParse } from "../core/safe-parse.ts";
import type { QueryJob } from "../machines/queries/fold.ts";
import { queryInputs } from "../machines/queries/inputs.ts";
import { parseQueryRequest } from "../machines/queries/request.ts";
import { snapshotOf } from "../machines/queries/snapshot.ts";
import { isTerminal } from "../machines/queries/statuses.ts";
import { checked, checkedOptions } from "./input.ts";
import type { Admitted, Applied, Queries } from "./queries.ts";
import type { AdmissionOutcome, Admit } from "./query-admission.ts";
import type { AppendOutcome } from "./query-attempt.ts";
import type { QueryCommands } from "./query-commands.ts";
import {
  admissionError,
  QueryJobNotFoundError,
  QueryJobValidationError,
  queryError,
  requestError,
} from "./query-errors.ts";
import type { QueryPlace } from "./query-known.ts";
import { positionText } from "./query-positions.ts";
import type { QueryReading } from "./query-reading.ts";
import type { QueryDeps } from "./query-records.ts";
import { UNMARKED } from "./query-scan.ts";

export interface MethodParts {
  readonly deps: QueryDeps;
  readonly admit: Admit;
  readonly commands: QueryCommands;
  readonly reading: QueryReading;
}

/** Of whoever asks and reads; those of whoever answers stand in query-run-methods. */
export type AskingMethods = Pick<
  Queries,
  | "admit"
  | "cancel"
  | "acknowledge"
  | "getSnapshot"
  | "getExecution"
  | "findByClientGeneration"
  | "replay"
>;

export function askingMethods(parts: MethodParts): AskingMethods {
  return { ...admitting(parts), ...ending(parts), ...reads(parts) };
}

function admitting({ deps, admit, reading }: MethodParts): Pick<AskingMethods, "admit"> {
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
export async function answered(
  { reading }: Pick<MethodParts, "reading">,
  outcome: AppendOutcome,
): Promise<Applied> {
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

function ending(parts: MethodParts): Pick<AskingMethods, "cancel" | "acknowledge"> {
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
  AskingMethods,
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
      const id = safeParse(queryInputs.id, clientJobId);
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
  const parsed = safeParse(queryInputs.generation, value);
  if (parsed.success) return parsed.data;
  const message = value === undefined ? MISSING : "must be a whole number from 1";
  throw new QueryJobValidationError("invalid_generation", { path: "generation", message });
}

export function cursorOf(value: unknown): number {
  const parsed = safeParse(queryInputs.after, value);
  if (parsed.success) return parsed.data;
  const message = "must be the number of an event, or 0";
  throw new QueryJobValidationError("invalid_event_cursor", { path: "after", message });
}
