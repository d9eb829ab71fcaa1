/** What the actors of queries are given, and what they ask. */
import type { Coordinator } from "../../../src/services/coordinator.ts";
import { QueryJobStoreError } from "../../../src/services/query-errors.ts";
import type { Stage, Verdict } from "../machine.ts";
import type { QueryHistory } from "./history.ts";
import type { Provider } from "./provider.ts";

/** A reader who survives the process that it reads from. */
export interface Phone {
  readonly prefix: string;
  readonly jobId: string;
  readonly generation: number;
  /** The number of the last event that was shown. */
  cursor: number;
  /** The job has ended, or is gone. */
  isDone: boolean;
  /** Whether somebody reads for it now. */
  reader: { isAlive(): boolean } | null;
}

/** What clients know of their own client jobs: which generation they last asked for. */
export interface Clients {
  readonly asked: Map<string, number>;
  readonly phones: Phone[];
  /** By tenant, client job and generation: how often it was told to be created. */
  readonly creations: Map<string, number>;
}

export interface QueryStage extends Stage {
  readonly history: QueryHistory;
  readonly provider: Provider;
  readonly clients: Clients;
  /** Null: this process runs nothing by itself. */
  readonly coordinator: Coordinator | null;
}

const PERIOD_MS = 60_000;

/** Client jobs that everybody is at now; erased ones are never used again, so that new ones come. */
export function someClientJob({ world: { chance, now } }: Stage): string {
  return clientJobIdOf(Math.floor(now() / PERIOD_MS) * 2 + chance.between(0, 4));
}

function clientJobIdOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** The same for the same client job and generation, but for `isOther`. */
export function requestOf(clientJobId: string, generation: number, isOther: boolean) {
  const n = Number(clientJobId.slice(-4));
  return {
    ...{ clientJobId, generation },
    sessionId: `session-${(n + (generation % 3 === 0 ? 1 : 0)) % SESSIONS}`,
    query: isOther ? "another question" : `question ${n}`,
  };
}

const SESSIONS = 9;

/** The code of a refusal; null: it is none. */
export function codeOf<T>(verdict: Verdict<T>): string | null {
  const isRefused = verdict.kind === "refused" && verdict.error instanceof QueryJobStoreError;
  return isRefused ? verdict.error.code : null;
}

/** Whoever asks for a job that is kept must not be told that there is none. */
export function checkFound<T>(stage: QueryStage, jobId: string, verdict: Verdict<T>): void {
  const { history, prefix, truth } = stage;
  if (codeOf(verdict) !== "query_job_not_found" || !history.isKept(prefix, jobId)) return;
  truth.blame(`${jobId}: said to be gone, and it is kept`);
}
