/** What the query routes share: whose job a call is about, and how a command's end is answered. */
import { type QuerySnapshot, snapshotOf } from "../machines/queries/snapshot.ts";
import type { AppendOutcome } from "../services/query-attempt.ts";
import type { PlainCommand, RunCommand } from "../services/query-commands.ts";
import { queryError } from "../services/query-errors.ts";
import { parsePosition, positionText } from "../services/query-positions.ts";
import { type Marked, UNMARKED } from "../services/query-scan.ts";
import type { AppendAnswer } from "../services/query-written.ts";
import { queryProblem } from "./query-problems.ts";
import { type RawCall, reply } from "./route.ts";

export type QueryCall = Omit<RawCall, "json" | "query">;

/** What of a run's call has a code of its own, and of every call that names a generation. */
export const RUN_CODES = { position: "invalid_event_cursor" } as const;
export const GENERATION_CODES = { generation: "invalid_generation" } as const;

/** Bodies that may hold a whole answer, or a prompt with what it refers to. */
export const QUERY_BYTES_MAX = 2 * 1_048_576;

export function jobIdOf({ params }: QueryCall): string {
  return params["jobId"] ?? "";
}

interface HeldCall extends QueryCall {
  readonly body: {
    readonly leaseToken: string;
    readonly requestId?: string;
    readonly position?: string;
  };
  readonly query: { readonly job?: "full" };
}

/** Carries out what whoever holds the run asks for. */
export async function ran(call: HeldCall, command: RunCommand) {
  const { commands } = call.tenant.queries;
  const held: PlainCommand = { ...command, token: call.body.leaseToken };
  return told(call, await commands.run(jobIdOf(call), held, optionsOf(call)));
}

export function optionsOf({ body, query }: HeldCall) {
  return { mark: markOf(body), isWhole: query.job === "full" };
}

/** Throws QueryJobValidationError for a position that no answer can have told. */
function markOf({ requestId, position }: HeldCall["body"]): Marked {
  const place = position === undefined ? null : parsePosition(position);
  return requestId === undefined ? UNMARKED : { requestId, position: place };
}

export async function told(call: HeldCall, outcome: AppendOutcome) {
  if (outcome.kind === "rejected") return { problem: queryProblem(queryError(outcome.rejection)) };
  const { isApplied: applied, eventSeq, status, part } = outcome;
  const answer = { applied, eventSeq, status, position: positionText(part) };
  if (call.query.job !== "full") return reply(200, answer);
  return reply(200, { ...answer, job: await jobOf(call, outcome) });
}

/** The job at its head, which a command need not have read with its text. */
async function jobOf(call: QueryCall, { known, place }: AppendAnswer): Promise<QuerySnapshot> {
  return snapshotOf(known.job ?? (await call.tenant.queries.reading.whole(place)).job);
}
