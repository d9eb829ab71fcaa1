/** Drives a runner, such as those of `holdfast/ai`, as the handler of a worker: what it tells goes out over HTTP. */
import type { Given, QueryRun } from "./query-run.ts";
import type { QueryHandler } from "./query-worker.ts";
import type { QueryRequest } from "./types.ts";

type Linkage = Parameters<QueryRun["linkage"]>[0];
type Activity = Extract<Parameters<QueryRun["activity"]>[0], "status" | "input" | "output">;

/** As much of the library's Runner as is used. */
export interface QueryRunner {
  run(
    execution: QueryExecution,
    callbacks: QueryCallbacks,
    signal: AbortSignal,
  ): Promise<Given<"complete">>;
}

interface QueryExecution
  extends Pick<QueryRequest, "query" | "sessionId" | "attachmentIds" | "attachmentRefs"> {
  readonly jobId: string;
  readonly reference: { readonly query: string; readonly response: string } | null;
  readonly model: string | null;
  readonly effort: string | null;
}

interface QueryCallbacks {
  started(start: Linkage & { readonly sessionId?: string }): Promise<void>;
  ownership(linkage: Linkage): Promise<boolean>;
  delta(text: string): Promise<void>;
  activity(kind: Activity, text: string): Promise<void>;
  answerReady(text?: string): Promise<void>;
}

/** What is shown of tools where nothing of them is to be (QUERY-82). */
const HIDDEN_ACTIVITY = "Working.";

/** Takes an answer from another conversation for a failure (QUERY-81). */
export function runnerHandler(runner: QueryRunner): QueryHandler {
  return (run, { signal }) => runner.run(executionOf(run), callbacksOf(run), signal);
}

function executionOf({ job, request }: QueryRun): QueryExecution {
  const { query, sessionId, attachmentIds, attachmentRefs, reference, model, effort } = request;
  return {
    ...{ jobId: job.jobId, query, sessionId, attachmentIds, attachmentRefs },
    reference: reference ?? null,
    model: model ?? null,
    effort: effort ?? null,
  };
}

function callbacksOf(run: QueryRun): QueryCallbacks {
  const { sessionId: asked, activityToolMode: mode } = run.request;
  return {
    async started({ sessionId, ...linkage }) {
      if (sessionId !== undefined && sessionId !== asked) throw mismatch();
      await run.running(linkage);
    },
    ownership: async (linkage) => (await run.linkage(linkage)).applied,
    delta: run.delta,
    async activity(kind, text) {
      if (kind === "status") await run.activity(kind, mode === "off" ? HIDDEN_ACTIVITY : text);
      else if (mode === "preview") await run.activity(kind, text);
    },
    async answerReady(text) {
      await run.answerReady(text === undefined ? {} : { text });
    },
  };
}

function mismatch(): Error {
  const error = new Error("The provider answered in another session.");
  return Object.assign(error, { code: "session_identity_mismatch" });
}
